// how the forces of a medium change with the motion of a body: their derivatives along the six motions about the centre of
// mass of the tree

// effect `k` of a medium on a shape beside its drag: lift, and the mass that is carried along
fn moved_along(g: i32, k: i32) -> f32 {
    if (opt_integrator == INT_DISCRETE) {
        return 0.0;
    }
    return geom_fluid(g, k);
}

// derivatives for the inertia box
fn box_slope(i: i32, vel: Medium, along: Medium) -> Medium {
    let drag = box_drag(i);
    return Medium(
        -along.lin * (drag.linear + 2.0 * drag.face * abs(vel.lin)),
        -along.rot * (drag.angular + 2.0 * drag.spin * abs(vel.rot)));
}

// derivatives for an ellipsoid; only of its drag in the metric of a discrete step
fn ellipsoid_slope(g: i32, vel: Medium, along: Medium) -> Medium {
    // momentum of the fluid that moves along (added mass)
    let mass = opt_density * vec3f(moved_along(g, 6), moved_along(g, 7), moved_along(g, 8));
    let inertia = opt_density * vec3f(moved_along(g, 9), moved_along(g, 10), moved_along(g, 11));
    let added_force = cross(mass * along.lin, vel.rot) + cross(mass * vel.lin, along.rot);
    let moving = cross(mass * along.lin, vel.lin) + cross(mass * vel.lin, along.lin);
    let turning = cross(inertia * along.rot, vel.rot) + cross(inertia * vel.rot, along.rot);

    let drag = flow_slope(g, vel, along);
    return Medium((added_force + drag.lin) * geom_fluid(g, 0), (moving + turning - drag.rot) * geom_fluid(g, 0));
}

fn slope_inverse(x: f32) -> f32 {
    return select(0.0, 1.0 / max(x, MINVAL), x > MINVAL);
}

// derivatives of lift minus drag, and of the drag torque
fn flow_slope(g: i32, vel: Medium, along: Medium) -> Medium {
    let blunt = geom_fluid(g, 1);
    let slender = geom_fluid(g, 2);
    let angular = geom_fluid(g, 3);
    let size = semi_axes(g);
    let widest = max(size.x, max(size.y, size.z));
    let least = min(size.x, min(size.y, size.z));
    let mid = size.x + size.y + size.z - widest - least;

    // area projected along the velocity; faces are scaled by the largest one, since squares of thin shapes lose precision
    let sides = size.yzx * size.zxy;
    var faces = sides * sides;
    let largest = max(faces.x, max(faces.y, faces.z));
    faces /= largest;
    let way = normalize3(vel.lin);
    let inv_speed = slope_inverse(way.w);
    let seen = faces * way.xyz;
    let square = dot(seen, seen);
    let product = dot(seen, way.xyz);
    let inv_square = slope_inverse(square);
    let inv_product = slope_inverse(product);
    let unit = FLUID_PI * sqrt(largest);
    let area = unit * sqrt(square * inv_product);
    let kutta = moved_along(g, 4) * opt_density * unit * sqrt(product * inv_square);

    // derivatives of the projected area and of the speed
    let step = faces * along.lin;
    let dsquare = 2.0 * dot(seen, step) * inv_square * inv_speed;
    let dproduct = (dot(step, way.xyz) + dot(seen, along.lin)) * inv_product * inv_speed;
    let dspeed = select(0.0, dot(way.xyz, along.lin), inv_speed > 0.0);
    let darea = area * 0.5 * (dsquare - dproduct);

    // Magnus lift: rotation during translation
    let volume = 4.0 / 3.0 * FLUID_PI * size.x * size.y * size.z;
    let spun = cross(along.rot, vel.lin) + cross(vel.rot, along.lin);
    var lift = spun * (moved_along(g, 5) * opt_density * volume);

    // Kutta: moving askew
    let askew = cross(seen, vel.lin);
    let daskew = cross(step, way.xyz) + cross(seen, along.lin);
    let growth = 0.5 * (dproduct - dsquare) - dspeed * inv_speed;
    lift += (cross(daskew, vel.lin) + cross(askew, along.lin) + cross(askew, vel.lin) * growth) * kutta;

    // drag of translation: viscous as for a sphere, else between blunt and slender
    let diam = 2.0 / 3.0 * (size.x + size.y + size.z);
    let facing = area * blunt + slender * (FLUID_PI * widest * mid - area);
    let drag = opt_viscosity * 3.0 * FLUID_PI * diam + opt_density * way.w * facing;
    let ddrag = opt_density * (facing * dspeed + way.w * (blunt - slender) * darea);

    // drag of rotation
    let most = 8.0 / 15.0 * FLUID_PI * mid * widest * widest * widest * widest;
    let other = max(size.yzx, size.zxy);
    let about = 8.0 / 15.0 * FLUID_PI * size * other * other * other * other;
    let moments = angular * about + slender * (vec3f(most) - about);
    let resisted = vel.rot * moments;
    let resist = length(resisted);
    let viscous = opt_viscosity * FLUID_PI * diam * diam * diam;
    let dresist = dot(resisted, along.rot * moments) * slope_inverse(resist);
    return Medium(
        lift - along.lin * drag - vel.lin * ddrag,
        along.rot * (viscous + opt_density * resist) + vel.rot * (opt_density * dresist));
}
