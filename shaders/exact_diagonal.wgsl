// The exact diagonal of A and the regularization that follows from it (`diagexact`, part of `mj_makeConstraint`).

fn mj_exact_diagonal() {
    exact_rows();
}
