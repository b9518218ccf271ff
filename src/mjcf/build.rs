//! Models made in code.
//!
//! A [`Spec`] is plain data: every field may be set directly, as in `geom.friction = Some(vec![0.7])`. Elements may get more
//! fields, so a new element starts from a constructor or from `Geom::default()`. These functions are shorter forms of the common cases:
//!
//! ```
//! use manyworlds::mjcf::schema::{ActuatorTag, Body, Geom, Joint};
//! use manyworlds::mjcf::Spec;
//!
//! let pole = Body::new("pole").at([0.0, 0.0, 1.0]).joint(Joint::hinge("swing", [0.0, 1.0, 0.0])).geom(Geom::capsule(0.05, 0.5));
//! let spec = Spec::new("pendulum").geom(Geom::plane([5.0, 5.0, 0.1])).body(pole);
//! let spec = spec.actuator(ActuatorTag::Motor, |motor| motor.joint = Some("swing".into()))?;
//! spec.check()?;
//! assert_eq!(Spec::from_str(&spec.to_mjcf()?)?, spec);
//! # Ok::<(), manyworlds::Error>(())
//! ```

use super::actuator::Actuating;
use super::log::Log;
use super::names;
use super::schema::{
    ActuatorTag, Body, Compiler, Geom, Joint, SaidActuator, Sensor, SensorTag, Site,
};
use super::spec::{Actuator, Spec};
use crate::error::{Error, Result};
use crate::types::{GeomType, JointType};

impl Spec {
    /// An empty model of this name, with MuJoCo's built-in settings.
    pub fn new(name: impl Into<String>) -> Spec {
        let world = Body::new("world");
        Spec {
            name: name.into(),
            compilers: vec![Compiler::default()],
            world,
            ..Spec::default()
        }
    }

    /// Adds a body to the world.
    pub fn body(mut self, body: Body) -> Spec {
        self.world.bodies.push(body);
        self
    }

    /// Adds a geom to the world.
    pub fn geom(mut self, geom: Geom) -> Spec {
        self.world.geoms.push(geom);
        self
    }

    /// Adds an actuator of a kind; `f` sets its parameters.
    ///
    /// # Errors
    /// Parameters that do not go together.
    pub fn actuator(mut self, tag: ActuatorTag, f: impl FnOnce(&mut SaidActuator)) -> Result<Spec> {
        let mut said = SaidActuator {
            tag,
            ..SaidActuator::default()
        };
        f(&mut said);
        self.add_actuator(&said)?;
        Ok(self)
    }

    /// Adds an actuator of any tag; without a tag it is a `general` one.
    ///
    /// # Errors
    /// A mistake in its parameters.
    pub fn add_actuator(&mut self, said: &SaidActuator) -> Result<()> {
        let mut said = said.clone();
        if said.tag == ActuatorTag::Unsaid {
            said.tag = ActuatorTag::General;
        }
        let mut actuating = Actuating::default();
        let source = actuating.lends_to(said.tag).then(|| actuating.clone());
        if let Err((attr, why)) = actuating.say(&said, source.as_ref()) {
            return Err(self.sources.error(said.origin, attr, why));
        }
        let actuator = Actuator {
            name: said.name.clone(),
            origin: said.origin,
            ..actuating.actuator
        };
        self.actuators.push(actuator);
        Ok(())
    }

    /// Adds a sensor of a kind; set its object and attributes with `f`.
    pub fn sensor(mut self, tag: SensorTag, f: impl FnOnce(&mut Sensor)) -> Spec {
        let mut sensor = Sensor {
            tag,
            ..Sensor::default()
        };
        f(&mut sensor);
        self.sensors.push(sensor);
        self
    }

    /// Checks that names are unique and that all references exist, as reading does.
    ///
    /// # Errors
    /// Each such mistake, with its place if the element was read from a text.
    pub fn check(&self) -> Result<()> {
        let mut log = Log {
            sources: self.sources.clone(),
            most: usize::MAX,
            ..Log::default()
        };
        names::check(&mut log, &mut self.clone());
        Error::several(log.errors).map_or(Ok(()), Err)
    }
}

impl Body {
    /// A body of this name at its parent's origin.
    pub fn new(name: impl Into<String>) -> Body {
        Body {
            name: Some(name.into()),
            ..Body::default()
        }
    }

    /// Puts the body at a position in its parent (m).
    pub fn at(mut self, pos: [f64; 3]) -> Body {
        self.pos = Some(pos);
        self
    }

    /// Turns the body by a quaternion, real part first.
    pub fn turned(mut self, quat: [f64; 4]) -> Body {
        self.orientation.quat = Some(quat);
        self
    }

    /// Adds a joint.
    pub fn joint(mut self, joint: Joint) -> Body {
        self.joints.push(joint);
        self
    }

    /// Adds a geom.
    pub fn geom(mut self, geom: Geom) -> Body {
        self.geoms.push(geom);
        self
    }

    /// Adds a site of this name at a position (m).
    pub fn site(mut self, name: impl Into<String>, pos: [f64; 3]) -> Body {
        self.sites.push(Site {
            name: Some(name.into()),
            pos: Some(pos),
            ..Site::default()
        });
        self
    }

    /// Adds a child body.
    pub fn body(mut self, body: Body) -> Body {
        self.bodies.push(body);
        self
    }
}

impl Joint {
    fn new(name: impl Into<String>, type_: JointType) -> Joint {
        Joint {
            name: Some(name.into()),
            type_: Some(type_),
            ..Joint::default()
        }
    }

    /// A hinge about an axis of the body.
    pub fn hinge(name: impl Into<String>, axis: [f64; 3]) -> Joint {
        Joint {
            axis: Some(axis),
            ..Joint::new(name, JointType::Hinge)
        }
    }

    /// A slide along an axis of the body.
    pub fn slide(name: impl Into<String>, axis: [f64; 3]) -> Joint {
        Joint {
            axis: Some(axis),
            ..Joint::new(name, JointType::Slide)
        }
    }

    /// A ball joint.
    pub fn ball(name: impl Into<String>) -> Joint {
        Joint::new(name, JointType::Ball)
    }

    /// A free joint, which only children of the world may have.
    pub fn free(name: impl Into<String>) -> Joint {
        Joint {
            free: true,
            ..Joint::new(name, JointType::Free)
        }
    }

    /// Limits the joint (m, or the unit of angles).
    pub fn limits(mut self, low: f64, high: f64) -> Joint {
        self.range = Some([low, high]);
        self
    }
}

impl Geom {
    fn new(type_: GeomType, size: &[f64]) -> Geom {
        Geom {
            type_: Some(type_),
            size: Some(size.to_vec()),
            ..Geom::default()
        }
    }

    /// A sphere of a radius (m).
    pub fn sphere(radius: f64) -> Geom {
        Geom::new(GeomType::Sphere, &[radius])
    }

    /// A box of half sizes (m).
    pub fn cuboid(half: [f64; 3]) -> Geom {
        Geom::new(GeomType::Box, &half)
    }

    /// A capsule along z, of a radius and half the length of its cylinder (m).
    pub fn capsule(radius: f64, half: f64) -> Geom {
        Geom::new(GeomType::Capsule, &[radius, half])
    }

    /// A cylinder along z, of a radius and half length (m).
    pub fn cylinder(radius: f64, half: f64) -> Geom {
        Geom::new(GeomType::Cylinder, &[radius, half])
    }

    /// An ellipsoid of three radii (m).
    pub fn ellipsoid(radii: [f64; 3]) -> Geom {
        Geom::new(GeomType::Ellipsoid, &radii)
    }

    /// A plane: half sizes, zero being infinite, and the spacing of its grid (m).
    pub fn plane(size: [f64; 3]) -> Geom {
        Geom::new(GeomType::Plane, &size)
    }

    /// A mesh among the assets.
    pub fn mesh(name: impl Into<String>) -> Geom {
        Geom {
            size: None,
            mesh: Some(name.into()),
            ..Geom::new(GeomType::Mesh, &[])
        }
    }

    /// Gives the geom a name.
    pub fn named(mut self, name: impl Into<String>) -> Geom {
        self.name = Some(name.into());
        self
    }

    /// Puts the geom at a position in its body (m).
    pub fn at(mut self, pos: [f64; 3]) -> Geom {
        self.pos = Some(pos);
        self
    }

    /// Turns the geom by a quaternion, real part first.
    pub fn turned(mut self, quat: [f64; 4]) -> Geom {
        self.orientation.quat = Some(quat);
        self
    }

    /// Gives the geom a mass (kg).
    pub fn mass(mut self, mass: f64) -> Geom {
        self.mass = Some(mass);
        self
    }
}
