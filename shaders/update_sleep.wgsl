// Which trees and bodies are awake (`mj_updateSleep`).

fn mj_update_sleep() {
    tell_awake();
}
