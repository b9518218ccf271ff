// Wakes trees that awake trees touch (`mj_wakeCollision`).

fn mj_wake_collision() {
    wake_touched();
}
