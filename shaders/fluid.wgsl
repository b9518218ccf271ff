// Forces of the fluid on bodies (`mj_fluid`).

fn mj_fluid() {
    // no passive forces if springs and dampers are both disabled
    for (var i = lane; i < nv; i += LANES) {
        set_qfrc_fluid(i, 0.0);
    }
    if ((opt_disableflags & DSBL_SPRING) != 0 && (opt_disableflags & DSBL_DAMPER) != 0) {
        return;
    }

    // the ellipsoid model for a body with ellipsoid geoms, else the inertia box model
    for (var i = 1; i < nbody; i++) {
        if (body_mass(i) < MINVAL) {
            continue;
        }
        if (box_like(i)) {
            fluid_push(i, xipos(i), ximat(i), inertia_box(i));
            continue;
        }
        let adr = body_geomadr(i);
        for (var g = adr; g < adr + body_geomnum(i); g++) {
            if (geom_fluid(g, 0) != 0.0) {
                fluid_push(i, geom_xpos(g), geom_xmat(g), fluid_ellipsoid(i, g));
            }
        }
    }
}

// every lane computes the force and adds it to its own dofs
fn fluid_push(i: i32, pos: vec3f, mat: mat3x3f, push: Medium) {
    for (var dof = body_lastdof(i); dof >= 0; dof = dof_parentid(dof)) {
        if (dof % LANES == lane) {
            set_qfrc_fluid(dof, qfrc_fluid(dof) + apply_ft(dof, i, pos, mat * push.lin, mat * push.rot));
        }
    }
}

// viscous resistance of a sphere, drag of a box (`mj_inertiaBoxFluidModel`)
fn inertia_box(i: i32) -> Medium {
    let vel = fluid_velocity(i, xipos(i), ximat(i));
    let drag = box_drag(i);
    return Medium(
        -vel.lin * (drag.linear + drag.face * abs(vel.lin)),
        -vel.rot * (drag.angular + drag.spin * abs(vel.rot)));
}

// added mass, lift and drag of an ellipsoid (`mj_ellipsoidFluidModel`)
fn fluid_ellipsoid(i: i32, g: i32) -> Medium {
    let vel = fluid_velocity(i, geom_xpos(g), geom_xmat(g));

    // momentum of the fluid that moves along (added mass)
    let linear = opt_density * vec3f(geom_fluid(g, 6), geom_fluid(g, 7), geom_fluid(g, 8)) * vel.lin;
    let angular = opt_density * vec3f(geom_fluid(g, 9), geom_fluid(g, 10), geom_fluid(g, 11)) * vel.rot;
    let added_force = cross(linear, vel.rot);
    let added_torque = cross(linear, vel.lin) + cross(angular, vel.rot);

    let drag = lift_and_drag(g, vel);
    return Medium((added_force + drag.lin) * geom_fluid(g, 0), (added_torque - drag.rot) * geom_fluid(g, 0));
}

// force (lift minus drag) and torque (drag), in the frame of the ellipsoid (`mj_viscousForces`)
fn lift_and_drag(g: i32, vel: Medium) -> Medium {
    let blunt = geom_fluid(g, 1);
    let slender = geom_fluid(g, 2);
    let angular = geom_fluid(g, 3);
    let kutta = geom_fluid(g, 4);
    let magnus = geom_fluid(g, 5);
    let size = semi_axes(g);
    let most_ = max(size.x, max(size.y, size.z));
    let least = min(size.x, min(size.y, size.z));
    let mid = size.x + size.y + size.z - most_ - least;

    // area projected along the velocity; faces are scaled by the largest one, since squares of thin shapes lose precision
    let way = normalize3(vel.lin);
    let sides = size.yzx * size.zxy;
    var faces = sides * sides;
    let largest = max(faces.x, max(faces.y, faces.z));
    faces /= largest;
    let normal = faces * way.xyz;
    let denominator = dot(normal, normal);
    let numerator = dot(normal, way.xyz);
    let area = FLUID_PI * sqrt(largest) * sqrt(denominator / numerator);

    // Magnus lift: rotation during translation
    let volume = 4.0 / 3.0 * FLUID_PI * size.x * size.y * size.z;
    var lift = cross(vel.rot, vel.lin) * (magnus * opt_density * volume);

    // Kutta lift: translation at an angle to the axes
    let circulation = kutta * opt_density * area * (numerator / denominator);
    lift += cross(cross(normal, vel.lin), vel.lin) * circulation;

    // drag of translation: viscous as for a sphere, else between blunt and slender
    let diam = 2.0 / 3.0 * (size.x + size.y + size.z);
    let widest = FLUID_PI * most_ * mid;
    let seen = area * blunt + slender * (widest - area);
    let drag = opt_viscosity * 3.0 * FLUID_PI * diam + opt_density * way.w * seen;

    // drag of rotation
    let square = most_ * most_;
    let most = 8.0 / 15.0 * FLUID_PI * mid * square * square;
    let other = max(size.yzx, size.zxy);
    let moments = 8.0 / 15.0 * FLUID_PI * size * other * other * other * other;
    let resist = length(vel.rot * (angular * moments + slender * (vec3f(most) - moments)));
    let viscous = opt_viscosity * FLUID_PI * diam * diam * diam;
    return Medium(lift - vel.lin * drag, vel.rot * (viscous + opt_density * resist));
}
