// contacts seen in a grid of angles around a site

// cell of an angle among `count` cells between `-half` and `half`; a larger `gamma` makes the cells in the middle smaller. -1 outside
fn grid_cell(angle: f32, count: i32, half: f32, gamma: f32) -> i32 {
    let step = 2.0 / f32(count);
    var below = 0;
    for (var k = 0; k <= count; k++) {
        let edge = -1.0 + f32(k) * step;
        let bent = gamma * edge * edge * edge * edge * edge + (1.0 - gamma) * edge;
        if (half * bent < angle) {
            below++;
        }
    }
    // at least one edge is below the angle, and at least one is not
    return select(below - 1, -1, below == count + 1);
}

// forces, then torques, of the contacts of a site's body and bodies welded to it, along the site's axes z, x, y; each is added to
// the cell in which the site, looking down, sees the contact
fn grid_report(i: i32) {
    let first = sensor_adr(i);
    for (var k = 0; k < sensor_dim(i); k++) {
        set_sensordata(first + k, 0.0);
    }
    // of several sensors with the same plugin instance, the first one reports
    let instance = sensor_plugin(i);
    for (var k = 0; k < i; k++) {
        if (sensor_plugin(k) == instance) {
            return;
        }
    }
    let columns = i32(plugin_prm(instance, 1));
    let rows = i32(plugin_prm(instance, 2));
    let degree = 0.017453292519943295;
    let site = sensor_objid(i);
    let body = body_weldid(site_bodyid(site));
    let mat = transpose(site_xmat(site));

    for (var c = 0; c < ncon(); c++) {
        let body1 = contact_body(c, 0);
        let body2 = contact_body(c, 1);
        if (body_weldid(body1) != body && body_weldid(body2) != body) {
            continue;
        }

        // direction in which the site sees the contact
        let at = mat * (contact_pos(c) - site_xpos(site));
        let azimuth = atan2(at.x, -at.z);
        let elevation = atan2(at.y, sqrt(at.x * at.x + at.z * at.z));
        let gamma = plugin_prm(instance, 5);
        let column = grid_cell(azimuth, columns, plugin_prm(instance, 3) * degree, gamma);
        let row = grid_cell(elevation, rows, plugin_prm(instance, 4) * degree, gamma);
        if (column < 0 || row < 0) {
            continue;
        }

        // force on the body with the lower number
        let sign = select(1.0, -1.0, body < max(body1, body2));
        let wrench = contact_wrench(c);
        let turned = sign * (mat * transpose(contact_frame(c)));
        let force = turned * wrench.lin;
        let torque = turned * wrench.rot;
        let channels = array<f32, 6>(force.z, force.x, force.y, torque.z, torque.x, torque.y);
        for (var k = 0; k < i32(plugin_prm(instance, 0)); k++) {
            let to = first + (k * rows + row) * columns + column;
            set_sensordata(to, sensordata(to) + channels[k]);
        }
    }
}
