// Replaces M by the metric again, after a step (`mj_compareFwdInv`).

fn mj_metric_again() {
    exchange_metric();
}
