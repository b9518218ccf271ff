// The metric in the place of M while inverse dynamics runs (`mj_effBuild`).

fn mj_inverse_metric() {
    build_metric();
}
