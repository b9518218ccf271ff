//! Bodies whose hinges twist the edges of an elastic rod.

use super::schema::{Body, FlexSection, Flexcomp, Inertial, Joint};
use super::xml::Node;
use crate::asset::grid::Shape;
use crate::compile::flex::rod::{chain, twist_name};
use crate::types::JointType;

/// Mass of a body that only twists (kg).
const LIGHT: f64 = 1e-9;

/// A body for each edge of an open chain, except those at its ends of which both points are pinned.
pub(super) fn twists(node: &Node, said: &Flexcomp, shape: &Shape, pinned: &[bool]) -> Vec<Body> {
    let Some(order) = chain(shape.point.len(), &shape.element) else {
        return Vec::new();
    };
    let num = order.len() - 1;
    let held = |edge: usize| {
        let end = edge == 0 || (edge + 1 == num && num > 2);
        end && pinned[order[edge]] && pinned[order[edge + 1]]
    };
    let mass = said.mass() / num as f64;
    let elastic = &said.elasticity;
    let inertia = match elastic.section() {
        FlexSection::Box => elastic.sectionsize().map(|x| x * x).iter().sum::<f64>() / 3.0,
        FlexSection::Circle => said.radius.unwrap_or(0.005).powi(2) / 2.0,
    };
    let name = said.name.as_deref().unwrap_or_default();
    let body = |edge: usize| {
        let name = twist_name(name, edge, num);
        Body {
            name: Some(name.clone()),
            inertial: Some(Inertial {
                pos: Some([0.0; 3]),
                mass: Some(LIGHT),
                diaginertia: Some([mass * inertia; 3]),
                origin: node.origin,
                ..Inertial::default()
            }),
            joints: vec![Joint {
                name: Some(name),
                type_: Some(JointType::Hinge),
                pos: Some([0.0; 3]),
                axis: Some([1.0, 0.0, 0.0]),
                origin: node.origin,
                ..Joint::default()
            }],
            origin: node.origin,
            ..Body::default()
        }
    };
    (0..num).filter(|&edge| !held(edge)).map(body).collect()
}
