//! Coefficients of the ellipsoid model of fluid forces on a geom (`geom_fluid`).

use std::f64::consts::PI;

use crate::asset::vec3::EPS;
use crate::types::GeomType;

// nodes of a 15-point Gauss-Kronrod quadrature over [0, ∞), by the change of variable l = x³ / (1-x)²
const WEIGHT: [f64; 15] = [
    0.01146766, 0.03154605, 0.05239501, 0.07032663, 0.08450236, 0.09517529, 0.10221647, 0.10474107,
    0.10221647, 0.09517529, 0.08450236, 0.07032663, 0.05239501, 0.03154605, 0.01146766,
];
const NODE: [f64; 15] = [
    7.865151709349917e-08,
    1.7347976913907274e-05,
    0.0003548008144506193,
    0.002846636252924549,
    0.014094260903596077,
    0.053063261727396636,
    0.17041978741317773,
    0.5,
    1.4036301548686991,
    3.9353484827022642,
    11.644841677041734,
    39.53187807410903,
    177.5711362220801,
    1429.4772912937397,
    54087.416549217705,
];
const SLOPE: [f64; 15] = [
    5.538677720489877e-05,
    0.002080868285293228,
    0.016514126520723166,
    0.07261900344370877,
    0.23985243401862602,
    0.6868318249020725,
    1.8551129519182894,
    5.0,
    14.060031152313941,
    43.28941239611009,
    156.58546376397112,
    747.9826085305024,
    5827.4042950027115,
    116754.0197944512,
    25482945.327264845,
];

/// The row of `geom_fluid` of a geom that feels the fluid as an ellipsoid (`mjCGeom::SetFluidCoefs`).
pub(super) fn coefficients(kind: GeomType, size: [f64; 3], coef: [f64; 5]) -> [f64; 12] {
    let [dx, dy, dz] = semiaxes(kind, size);
    let volume = 4.0 / 3.0 * PI * dx * dy * dz;
    let k = [kappa(dx, dy, dz), kappa(dy, dz, dx), kappa(dz, dx, dy)];
    let mass = k.map(|k| volume * k / f64::max(EPS, 2.0 - k));

    // numerator and denominator change sign together
    let turn = |a: f64, b: f64, ka: f64, kb: f64| {
        let (aa, bb) = (a * a, b * b);
        let den = 2.0 * (aa - bb) + (aa + bb) * (ka - kb);
        (aa - bb).powi(2) * (kb - ka).abs() / f64::max(EPS, den.abs())
    };
    let inertia = [
        turn(dy, dz, k[1], k[2]),
        turn(dz, dx, k[2], k[0]),
        turn(dx, dy, k[0], k[1]),
    ]
    .map(|i| volume * i / 5.0);

    let [blunt, slender, angular, kutta, magnus] = coef;
    [
        1.0, blunt, slender, angular, kutta, magnus, mass[0], mass[1], mass[2], inertia[0],
        inertia[1], inertia[2],
    ]
}

fn semiaxes(kind: GeomType, size: [f64; 3]) -> [f64; 3] {
    let [a, b, _] = size;
    match kind {
        GeomType::Sphere => [a, a, a],
        GeomType::Capsule => [a, a, b + a],
        GeomType::Cylinder => [a, a, b],
        _ => size,
    }
}

// added mass along the first axis, up to the volume; lengths are made dimensionless by their scale
fn kappa(dx: f64, dy: f64, dz: f64) -> f64 {
    let [x, y, z] = [dx, dy, dz].map(|d| 1.0 / (d * d));
    let scale = (dx * dx * dx * dy * dz).powf(0.4);
    let mut sum = 0.0;
    for ((node, slope), weight) in NODE.into_iter().zip(SLOPE).zip(WEIGHT) {
        let l = scale * node;
        let den = (1.0 + l * x) * ((1.0 + l * x) * (1.0 + l * y) * (1.0 + l * z)).sqrt();
        sum += scale * slope / den * weight;
    }
    sum * x
}
