//! The keywords of MJCF; enums that the engine uses too are in [`crate::types`].

use crate::types::{
    BiasType, CamLight, ConDataField, Cone, CtrlChart, CtrlInput, DataType, DynType, FlexSelf,
    GainType, GeomType, Integrator, Interp, Jacobian, JointType, LightType, NeedStage, ObjType,
    PluginKind, Projection, RayDataField, Reduce, SleepPolicy, Solver,
};

keywords! {
    /// Unit of angles.
    enum Angle { "radian" Radian, "degree" Degree }
    /// No, yes, or determined by the compiler.
    enum Tri { "false" False, "true" True, "auto" Auto }
    /// No, or determined by the compiler.
    enum FalseAuto { "false" False, "auto" Auto }
    /// A flag of `option`.
    enum Able { "disable" Disable, "enable" Enable }
    /// Coordinates of the model; only local ones are supported.
    enum Coordinate { "local" Local, "global" Global }
    /// Response to attached models whose global settings differ.
    enum Conflict { "warning" Warning, "merge" Merge, "error" Error }
    /// Which assets stay by reference.
    enum Passthrough { "none" None, "textures" Textures }
    /// Actuators whose length range is computed (`mjtLRMode`).
    enum LrMode { "none" None, "muscle" Muscle, "muscleuser" MuscleUser, "all" All }
    /// How the inertia of a mesh is computed (`mjtMeshInertia`).
    enum MeshInertia { "convex" Convex, "exact" Exact, "legacy" Legacy, "shell" Shell }
    /// Procedural meshes (`mjtMeshBuiltin`).
    enum MeshBuiltin {
        "none" None, "sphere" Sphere, "hemisphere" Hemisphere, "cone" Cone, "supersphere" Supersphere,
        "supertorus" Supertorus, "wedge" Wedge, "plate" Plate, "grid" Grid, "box" Box, "cylinder" Cylinder,
        "ellipsoid" Ellipsoid, "square" Square, "disc" Disc,
    }
    /// Shape of a texture (`mjtTexture`).
    enum TextureType { "2d" TwoD, "cube" Cube, "skybox" Skybox }
    /// Colour space of a texture (`mjtColorSpace`).
    enum ColorSpace { "auto" Auto, "linear" Linear, "sRGB" Srgb }
    /// Procedural textures (`mjtBuiltin`).
    enum TextureBuiltin { "none" None, "gradient" Gradient, "checker" Checker, "flat" Flat }
    /// Marks of procedural textures (`mjtMark`).
    enum Mark { "none" None, "edge" Edge, "cross" Cross, "random" Random }
    /// The role of a texture in a material (`mjtTextureRole`, which starts with `user`).
    enum TexRole {
        "rgb" Rgb, "occlusion" Occlusion, "roughness" Roughness, "metallic" Metallic, "normal" Normal, "opacity" Opacity,
        "emissive" Emissive, "rgba" Rgba, "orm" Orm,
    }
    /// Model of fluid forces on a geom.
    enum FluidShape { "none" None, "ellipsoid" Ellipsoid }
    /// Quantities that scaling of a frame changes besides size and mass.
    enum Scaling { "similar" Similar, "geometry" Geometry }
    /// Images a camera gives, in the order of their bits (`mjtCamOutBit`).
    enum CamOut { "rgb" Rgb, "depth" Depth, "distance" Distance, "normal" Normal, "segmentation" Segmentation }
    /// How the points of a flexcomp may move, and the order of interpolation of a flex (`mjtDof`).
    enum FlexDof { "full" Full, "radial" Radial, "trilinear" Trilinear, "quadratic" Quadratic, "2d" TwoD }
    /// Source of the points of a flexcomp (`mjtFcompType`).
    enum FlexcompType {
        "grid" Grid, "box" Box, "cylinder" Cylinder, "ellipsoid" Ellipsoid, "square" Square, "disc" Disc, "circle" Circle,
        "mesh" Mesh, "gmsh" Gmsh, "direct" Direct,
    }
    /// Quantities of a flexcomp that constraints hold.
    enum EdgeEquality { "false" False, "true" True, "strain" Strain }
    /// Deformations that the elasticity of a shell resists.
    enum Elastic2d { "none" None, "bend" Bend, "stretch" Stretch, "both" Both }
    /// Section of a rod (`mjtFlexSection`).
    enum FlexSection { "circle" Circle, "box" Box }
    for FlexSelf { "none" None, "narrow" Narrow, "bvh" Bvh, "sap" Sap, "auto" Auto }

    for Interp { "zoh" Zoh, "linear" Linear, "cubic" Cubic }
    for SleepPolicy { "auto" Auto, "never" Never, "allowed" Allowed, "init" Init }
    for JointType { "free" Free, "ball" Ball, "slide" Slide, "hinge" Hinge }
    for GeomType {
        "plane" Plane, "hfield" Hfield, "sphere" Sphere, "capsule" Capsule, "ellipsoid" Ellipsoid, "cylinder" Cylinder,
        "box" Box, "mesh" Mesh, "sdf" Sdf,
    }
    for Projection { "perspective" Perspective, "orthographic" Orthographic }
    for CamLight {
        "fixed" Fixed, "track" Track, "trackcom" TrackCom, "targetbody" TargetBody, "targetbodycom" TargetBodyCom,
    }
    for LightType { "spot" Spot, "directional" Directional, "point" Point, "image" Image }
    for Integrator {
        "Euler" Euler, "RK4" Rk4, "implicit" Implicit, "implicitfast" ImplicitFast, "discrete" Discrete,
    }
    for Cone { "pyramidal" Pyramidal, "elliptic" Elliptic }
    for Jacobian { "dense" Dense, "sparse" Sparse, "auto" Auto }
    for Solver { "PGS" Pgs, "CG" Cg, "Newton" Newton }
    for DynType {
        "none" None, "integrator" Integrator, "filter" Filter, "filterexact" FilterExact, "muscle" Muscle,
        "dcmotor" DcMotor, "pid" Pid, "user" User,
    }
    for GainType {
        "fixed" Fixed, "affine" Affine, "muscle" Muscle, "dcmotor" DcMotor, "so3" So3, "pid" Pid, "user" User,
    }
    for BiasType { "none" None, "affine" Affine, "muscle" Muscle, "dcmotor" DcMotor, "so3" So3, "user" User }
    for CtrlChart { "expmap" Expmap, "quat" Quat }
    for CtrlInput { "pos" Pos, "vel" Vel, "ff" Ff, "voltage" Voltage, "pressure" Pressure }
    for PluginKind {
        "mujoco.pid" Pid, "mujoco.sensor.touch_grid" TouchGrid, "mujoco.sdf.bolt" Bolt, "mujoco.sdf.bowl" Bowl,
        "mujoco.sdf.gear" Gear, "mujoco.sdf.nut" Nut, "mujoco.sdf.torus" Torus,
    }
    for Reduce { "none" None, "mindist" MinDist, "maxforce" MaxForce, "netforce" NetForce }
    for NeedStage { "none" None, "pos" Pos, "vel" Vel, "acc" Acc }
    for DataType { "real" Real, "positive" Positive, "axis" Axis, "quaternion" Quaternion }
    for ConDataField {
        "found" Found, "force" Force, "torque" Torque, "dist" Dist, "pos" Pos, "normal" Normal, "tangent" Tangent,
        "linvel" LinVel, "angvel" AngVel,
    }
    for RayDataField {
        "dist" Dist, "dir" Dir, "origin" Origin, "point" Point, "normal" Normal, "depth" Depth,
    }
    for ObjType {
        "body" Body, "xbody" XBody, "joint" Joint, "dof" Dof, "geom" Geom, "site" Site, "camera" Camera, "light" Light,
        "flex" Flex, "mesh" Mesh, "skin" Skin, "hfield" Hfield, "texture" Texture, "material" Material, "pair" Pair,
        "exclude" Exclude, "equality" Equality, "tendon" Tendon, "actuator" Actuator, "sensor" Sensor, "numeric" Numeric,
        "text" Text, "tuple" Tuple, "key" Key, "plugin" Plugin,
    }
}
