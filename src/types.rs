//! Enums and constants with MuJoCo's numbers, declared once and also emitted to WGSL as constants.
//!
//! A Rust variant `JointType::Free` is the WGSL constant `JNT_FREE` and MuJoCo's `mjJNT_FREE`.

/// Declares enums whose discriminants are MuJoCo's, and the WGSL constants of the same numbers.
macro_rules! enums {
    ($($(#[doc = $doc:literal])+ $name:ident $prefix:ident { $($(#[doc = $vdoc:literal])+ $variant:ident = $value:literal,)+ })+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            #[repr(i32)]
            #[non_exhaustive]
            pub enum $name { $($(#[doc = $vdoc])+ $variant = $value,)+ }

            impl $name {
                /// Every variant, in order of its number.
                pub const ALL: &[Self] = &[$(Self::$variant),+];

                /// The variant of a number, if it has one.
                pub const fn from_i32(value: i32) -> Option<Self> {
                    match value { $($value => Some(Self::$variant),)+ _ => None }
                }
            }

            impl From<$name> for i32 {
                fn from(value: $name) -> i32 { value as i32 }
            }

            // lets a table row of plain integers be compared with a variant
            impl PartialEq<$name> for i32 {
                fn eq(&self, other: &$name) -> bool { *self == *other as i32 }
            }
        )+

        /// The WGSL constants of every enum: `const JNT_FREE: i32 = 0;` and so on.
        pub fn wgsl_constants() -> String {
            const VARIANTS: &[(&str, &str, i32)] = &[$($((stringify!($prefix), stringify!($variant), $value),)+)+];
            let mut out = String::new();
            for (prefix, variant, value) in VARIANTS {
                out.push_str(&format!("const {prefix}_{}: i32 = {value};\n", variant.to_uppercase()));
            }
            for (name, value) in NUMBERS {
                out.push_str(&format!("const {name}: f32 = {value:e};\n"));
            }
            for (name, bit) in BITS {
                out.push_str(&format!("const {name}: i32 = {bit};\n"));
            }
            out
        }
    };
}

enums! {
    /// Type of degree of freedom (`mjtJoint`).
    JointType JNT {
        /// global position and orientation (quat) (7)
        Free = 0,
        /// orientation (quat) relative to parent (4)
        Ball = 1,
        /// sliding distance along body-fixed axis (1)
        Slide = 2,
        /// rotation angle (rad) around body-fixed axis (1)
        Hinge = 3,
    }
    /// Type of geometric shape (`mjtGeom`).
    GeomType GEOM {
        /// plane
        Plane = 0,
        /// height field
        Hfield = 1,
        /// sphere
        Sphere = 2,
        /// capsule
        Capsule = 3,
        /// ellipsoid
        Ellipsoid = 4,
        /// cylinder
        Cylinder = 5,
        /// box
        Box = 6,
        /// mesh
        Mesh = 7,
        /// signed distance field
        Sdf = 8,
        /// missing geom type
        None = 1001,
    }
    /// Tracking mode for camera and light (`mjtCamLight`).
    CamLight CAMLIGHT {
        /// pos and rot fixed in body
        Fixed = 0,
        /// pos tracks body, rot fixed in global
        Track = 1,
        /// pos tracks subtree com, rot fixed in body
        TrackCom = 2,
        /// pos fixed in body, rot tracks target body
        TargetBody = 3,
        /// pos fixed in body, rot tracks target subtree com
        TargetBodyCom = 4,
    }
    /// Type of camera projection (`mjtProjection`).
    Projection PROJ {
        /// perspective
        Perspective = 0,
        /// orthographic
        Orthographic = 1,
    }
    /// Type of light (`mjtLightType`).
    LightType LIGHT {
        /// spot
        Spot = 0,
        /// directional
        Directional = 1,
        /// point
        Point = 2,
        /// image-based
        Image = 3,
    }
    /// Integrator mode (`mjtIntegrator`).
    Integrator INT {
        /// semi-implicit Euler
        Euler = 0,
        /// 4th-order Runge Kutta
        Rk4 = 1,
        /// implicit in velocity
        Implicit = 2,
        /// implicit in velocity, no rne derivative
        ImplicitFast = 3,
        /// discrete step map: constraint solve in the effective metric
        Discrete = 4,
    }
    /// Type of friction cone (`mjtCone`).
    Cone CONE {
        /// pyramidal
        Pyramidal = 0,
        /// elliptic
        Elliptic = 1,
    }
    /// Type of constraint Jacobian (`mjtJacobian`).
    Jacobian JAC {
        /// dense
        Dense = 0,
        /// sparse
        Sparse = 1,
        /// dense if nv<60, sparse otherwise
        Auto = 2,
    }
    /// Constraint solver algorithm (`mjtSolver`).
    Solver SOL {
        /// PGS (dual)
        Pgs = 0,
        /// CG (primal)
        Cg = 1,
        /// Newton (primal)
        Newton = 2,
    }
    /// Type of equality constraint (`mjtEq`).
    EqType EQ {
        /// connect two bodies at a point (ball joint)
        Connect = 0,
        /// fix relative position and orientation of two bodies
        Weld = 1,
        /// couple the values of two scalar joints with cubic
        Joint = 2,
        /// couple the lengths of two tendons with cubic
        Tendon = 3,
        /// fix all edge lengths of a flex
        Flex = 4,
        /// unsupported, will cause an error if used
        FlexVert = 5,
        /// constrain strain of a trilinear/quadratic flex (B-bar)
        FlexStrain = 6,
        /// unsupported, will cause an error if used
        Distance = 7,
    }
    /// Type of tendon (`mjtTendon`).
    TendonType TENDON {
        /// linear combination of joint coordinates
        Fixed = 0,
        /// path through sites, around geoms
        Spatial = 1,
    }
    /// Type of tendon wrap object (`mjtWrap`).
    WrapType WRAP {
        /// null object
        None = 0,
        /// constant moment arm
        Joint = 1,
        /// pulley used to split tendon
        Pulley = 2,
        /// pass through site
        Site = 3,
        /// wrap around sphere
        Sphere = 4,
        /// wrap around (infinite) cylinder
        Cylinder = 5,
    }
    /// Type of actuator transmission (`mjtTrn`).
    TrnType TRN {
        /// force on joint
        Joint = 0,
        /// force on joint, expressed in parent frame
        JointInParent = 1,
        /// force via slider-crank linkage
        SliderCrank = 2,
        /// force on tendon
        Tendon = 3,
        /// force on site
        Site = 4,
        /// adhesion force on a body's geoms
        Body = 5,
        /// torque on a relative orientation (3 force outputs)
        So3 = 6,
        /// undefined transmission type
        Undefined = 1000,
    }
    /// Type of actuator dynamics (`mjtDyn`).
    DynType DYN {
        /// no internal dynamics; ctrl specifies force
        None = 0,
        /// integrator: da/dt = u
        Integrator = 1,
        /// linear filter: da/dt = (u-a) / tau
        Filter = 2,
        /// linear filter: da/dt = (u-a) / tau, with exact integration
        FilterExact = 3,
        /// piecewise linear filter with two time constants
        Muscle = 4,
        /// DC motor electrical dynamics
        DcMotor = 5,
        /// PID controller states: slew, integral
        Pid = 6,
        /// user-defined dynamics type
        User = 7,
    }
    /// Type of actuator gain (`mjtGain`).
    GainType GAIN {
        /// fixed gain
        Fixed = 0,
        /// const + kp*length + kv*velocity
        Affine = 1,
        /// muscle FLV curve computed by mju_muscleGain()
        Muscle = 2,
        /// DC motor gain: K or K/R
        DcMotor = 3,
        /// geodesic servo on an SO3 transmission: force = kp * log(error)
        So3 = 4,
        /// PID controller: position and velocity setpoint inputs
        Pid = 5,
        /// user-defined gain type
        User = 6,
    }
    /// Type of actuator bias (`mjtBias`).
    BiasType BIAS {
        /// no bias
        None = 0,
        /// const + kp*length + kv*velocity
        Affine = 1,
        /// muscle passive force computed by mju_muscleBias()
        Muscle = 2,
        /// DC motor bias: back-EMF, cogging, LuGre friction
        DcMotor = 3,
        /// damping term of the SO3 geodesic servo
        So3 = 4,
        /// user-defined bias type
        User = 5,
    }
    /// So3 input signature (actuator_ctrlspec): orientation chart (`mjtCtrlChart`).
    CtrlChart CHART {
        /// exponential-map orientation target: 3 controls
        Expmap = 1,
        /// quaternion orientation target: 4 controls
        Quat = 2,
    }
    /// Input signature (actuator_ctrlspec): present/declared inputs (`mjtCtrlInput`).
    CtrlInput INPUT {
        /// position setpoint input
        Pos = 1,
        /// velocity setpoint input
        Vel = 2,
        /// feedforward input, in the actuator's output space
        Ff = 4,
        /// raw terminal voltage input (dcmotor)
        Voltage = 8,
        /// explicitly no inputs: purely passive (dcmotor)
        None = 16,
        /// pressure input (cylinder)
        Pressure = 32,
    }
    /// Type of MujoCo object (`mjtObj`).
    ObjType OBJ {
        /// unknown object type
        Unknown = 0,
        /// body
        Body = 1,
        /// body, used to access regular frame instead of i-frame
        XBody = 2,
        /// joint
        Joint = 3,
        /// dof
        Dof = 4,
        /// geom
        Geom = 5,
        /// site
        Site = 6,
        /// camera
        Camera = 7,
        /// light
        Light = 8,
        /// flex
        Flex = 9,
        /// mesh
        Mesh = 10,
        /// skin
        Skin = 11,
        /// heightfield
        Hfield = 12,
        /// texture
        Texture = 13,
        /// material for rendering
        Material = 14,
        /// geom pair to include
        Pair = 15,
        /// body pair to exclude
        Exclude = 16,
        /// equality constraint
        Equality = 17,
        /// tendon
        Tendon = 18,
        /// actuator
        Actuator = 19,
        /// sensor
        Sensor = 20,
        /// numeric
        Numeric = 21,
        /// text
        Text = 22,
        /// tuple
        Tuple = 23,
        /// keyframe
        Key = 24,
        /// plugin instance
        Plugin = 25,
        /// frame
        Frame = 100,
        /// default
        Default = 101,
        /// entire model
        Model = 102,
    }
    /// Type of sensor (`mjtSensor`).
    SensorType SENS {
        /// scalar contact normal forces summed over sensor zone
        Touch = 0,
        /// 3D linear acceleration, in local frame
        Accelerometer = 1,
        /// 3D linear velocity, in local frame
        Velocimeter = 2,
        /// 3D angular velocity, in local frame
        Gyro = 3,
        /// 3D force between site's body and its parent body
        Force = 4,
        /// 3D torque between site's body and its parent body
        Torque = 5,
        /// 3D magnetometer
        Magnetometer = 6,
        /// scalar distance to nearest geom along z-axis
        Rangefinder = 7,
        /// pixel coordinates of a site in the camera image
        CamProjection = 8,
        /// scalar joint position (hinge and slide only)
        JointPos = 9,
        /// scalar joint velocity (hinge and slide only)
        JointVel = 10,
        /// scalar tendon position
        TendonPos = 11,
        /// scalar tendon velocity
        TendonVel = 12,
        /// scalar actuator position
        ActuatorPos = 13,
        /// scalar actuator velocity
        ActuatorVel = 14,
        /// scalar actuator force
        ActuatorFrc = 15,
        /// scalar actuator force, measured at the joint
        JointActFrc = 16,
        /// scalar actuator force, measured at the tendon
        TendonActFrc = 17,
        /// 4D ball joint quaternion
        BallQuat = 18,
        /// 3D ball joint angular velocity
        BallAngVel = 19,
        /// joint limit distance-margin
        JointLimitPos = 20,
        /// joint limit velocity
        JointLimitVel = 21,
        /// joint limit force
        JointLimitFrc = 22,
        /// tendon limit distance-margin
        TendonLimitPos = 23,
        /// tendon limit velocity
        TendonLimitVel = 24,
        /// tendon limit force
        TendonLimitFrc = 25,
        /// 3D position
        FramePos = 26,
        /// 4D unit quaternion orientation
        FrameQuat = 27,
        /// 3D unit vector: x-axis of object's frame
        FrameXAxis = 28,
        /// 3D unit vector: y-axis of object's frame
        FrameYAxis = 29,
        /// 3D unit vector: z-axis of object's frame
        FrameZAxis = 30,
        /// 3D linear velocity
        FrameLinVel = 31,
        /// 3D angular velocity
        FrameAngVel = 32,
        /// 3D linear acceleration
        FrameLinAcc = 33,
        /// 3D angular acceleration
        FrameAngAcc = 34,
        /// 3D center of mass of subtree
        SubtreeCom = 35,
        /// 3D linear velocity of subtree
        SubtreeLinVel = 36,
        /// 3D angular momentum of subtree
        SubtreeAngMom = 37,
        /// 1 if object is inside a site, 0 otherwise
        InsideSite = 38,
        /// signed distance between two geoms
        GeomDist = 39,
        /// normal direction between two geoms
        GeomNormal = 40,
        /// segment between two geoms
        GeomFromTo = 41,
        /// contacts which occurred during the simulation
        Contact = 42,
        /// potential energy
        EPotential = 43,
        /// kinetic energy
        EKinetic = 44,
        /// simulation time
        Clock = 45,
        /// tactile sensor
        Tactile = 46,
        /// plugin-controlled
        Plugin = 47,
        /// sensor data provided by mjcb_sensor callback
        User = 48,
    }
    /// Plugins that MuJoCo ships, by the slots in which its package registers them.
    PluginKind PLUGIN {
        /// controller of an actuator
        Pid = 0,
        /// pressure and shear over a grid of angles
        TouchGrid = 1,
        /// shape of a bolt
        Bolt = 2,
        /// shape of a bowl
        Bowl = 3,
        /// shape of a gear
        Gear = 4,
        /// shape of a nut
        Nut = 5,
        /// shape of a torus
        Torus = 6,
    }
    /// Computation stage (`mjtStage`).
    NeedStage STAGE {
        /// no computations
        None = 0,
        /// position-dependent computations
        Pos = 1,
        /// velocity-dependent computations
        Vel = 2,
        /// acceleration/force-dependent computations
        Acc = 3,
    }
    /// Data type for sensors (`mjtDataType`).
    DataType DATATYPE {
        /// real values, no constraints
        Real = 0,
        /// positive values; 0 or negative: inactive
        Positive = 1,
        /// 3D unit vector
        Axis = 2,
        /// unit quaternion
        Quaternion = 3,
    }
    /// Interpolation of a history between its samples.
    Interp INTERP {
        /// the last sample before
        Zoh = 0,
        /// a line from sample to sample
        Linear = 1,
        /// a cubic spline (Catmull-Rom)
        Cubic = 2,
    }
    /// Data fields returned by contact sensors (`mjtConDataField`).
    ConDataField CONDATA {
        /// whether a contact was found
        Found = 0,
        /// contact force
        Force = 1,
        /// contact torque
        Torque = 2,
        /// contact penetration distance
        Dist = 3,
        /// contact position
        Pos = 4,
        /// contact frame normal
        Normal = 5,
        /// contact frame first tangent
        Tangent = 6,
        /// contact linear velocity
        LinVel = 7,
        /// contact angular velocity
        AngVel = 8,
    }
    /// How the contacts of a contact sensor are reduced.
    Reduce REDUCE {
        /// the first ones
        None = 0,
        /// the nearest ones
        MinDist = 1,
        /// the strongest ones
        MaxForce = 2,
        /// all, as one force
        NetForce = 3,
    }
    /// Data fields returned by rangefinder sensors (`mjtRayDataField`).
    RayDataField RAYDATA {
        /// distance from ray origin to nearest surface
        Dist = 0,
        /// normalized ray direction
        Dir = 1,
        /// ray origin
        Origin = 2,
        /// point at which ray intersects nearest surface
        Point = 3,
        /// surface normal at intersection point
        Normal = 4,
        /// depth along z-axis
        Depth = 5,
    }
    /// Frame alignment of bodies with their children (`mjtSameFrame`).
    SameFrame SAMEFRAME {
        /// no alignment
        None = 0,
        /// frame is same as body frame
        Body = 1,
        /// frame is same as inertial frame
        Inertia = 2,
        /// frame orientation is same as body orientation
        BodyRot = 3,
        /// frame orientation is same as inertia orientation
        InertiaRot = 4,
    }
    /// Search for elements of a flex that touch each other (`mjtFlexSelf`).
    FlexSelf FLEXSELF {
        /// no self-collisions
        None = 0,
        /// all pairs
        Narrow = 1,
        /// tree of boxes
        Bvh = 2,
        /// sweep along an axis
        Sap = 3,
        /// sweep of lines and triangles, tree of tetrahedra
        Auto = 4,
    }
    /// Per-tree sleep policy (`mjtSleepPolicy`).
    SleepPolicy SLEEP {
        /// compiler chooses sleep policy
        Auto = 0,
        /// compiler sleep policy: never
        AutoNever = 1,
        /// compiler sleep policy: allowed
        AutoAllowed = 2,
        /// user sleep policy: never
        Never = 3,
        /// user sleep policy: allowed
        Allowed = 4,
        /// user sleep policy: initialized asleep
        Init = 5,
    }
    /// Type of constraint (`mjtConstraint`).
    ConstraintType CNSTR {
        /// equality constraint
        Equality = 0,
        /// dof friction
        FrictionDof = 1,
        /// tendon friction
        FrictionTendon = 2,
        /// joint limit
        LimitJoint = 3,
        /// tendon limit
        LimitTendon = 4,
        /// frictionless contact
        ContactFrictionless = 5,
        /// frictional contact, pyramidal friction cone
        ContactPyramidal = 6,
        /// frictional contact, elliptic friction cone
        ContactElliptic = 7,
    }
    /// Constraint state (`mjtConstraintState`).
    ConstraintState CNSTRSTATE {
        /// constraint satisfied, zero cost (limit, contact)
        Satisfied = 0,
        /// quadratic cost (equality, friction, limit, contact)
        Quadratic = 1,
        /// linear cost, negative side (friction)
        LinearNeg = 2,
        /// linear cost, positive side (friction)
        LinearPos = 3,
        /// squared distance to cone cost (elliptic contact)
        Cone = 4,
    }
    /// Warning types (`mjtWarning`).
    Warning WARN {
        /// (near) singular inertia matrix
        Inertia = 0,
        /// too many contacts in contact list
        ContactFull = 1,
        /// too many constraints
        CnstrFull = 2,
        /// bad number in qpos
        BadQpos = 3,
        /// bad number in qvel
        BadQvel = 4,
        /// bad number in qacc
        BadQacc = 5,
        /// bad number in ctrl
        BadCtrl = 6,
    }
}

/// Declares named numbers together with the table that the shaders read.
macro_rules! numbers {
    ($table:ident: $ty:ty { $($(#[doc = $doc:literal])+ $name:ident = $value:expr;)+ }) => {
        $($(#[doc = $doc])+ pub const $name: $ty = $value;)+
        const $table: &[(&str, $ty)] = &[$((stringify!($name), $name)),+];
    };
}

numbers! { NUMBERS: f64 {
    /// Smallest value in any denominator (`mjMINVAL`); in the shaders it is used in products that stay above the least normal f32.
    MINVAL = 1e-15;
    /// Largest admissible value in qpos, qvel and qacc (`mjMAXVAL`).
    MAXVAL = 1e10;
    /// Smallest friction coefficient (`mjMINMU`).
    MINMU = 1e-5;
    /// Smallest constraint impedance (`mjMINIMP`).
    MINIMP = 0.0001;
    /// Largest constraint impedance (`mjMAXIMP`).
    MAXIMP = 0.9999;
    /// Largest share of an acceleration that rounding of the inertia matrix may lose without a report (ours).
    MAXLOSS = 0.01;
} }

/// Largest number of solver iterations whose statistics are kept (`mjNSOLVER`).
pub const MAXSOLVER: i32 = 200;

/// Largest number of contacts of one geom pair (`mjMAXCONPAIR`).
pub const MAXCONPAIR: usize = 50;

/// Number of elements of a run, around which kernels have one box where they look for pairs of elements of flexes (ours).
pub const BLOCK_RUN: usize = 32;

numbers! { BITS: i32 {
    /// Disable every constraint.
    DSBL_CONSTRAINT = 1 << 0;
    /// Disable equality constraints.
    DSBL_EQUALITY = 1 << 1;
    /// Disable joint and tendon friction loss.
    DSBL_FRICTIONLOSS = 1 << 2;
    /// Disable joint and tendon limits.
    DSBL_LIMIT = 1 << 3;
    /// Disable contacts.
    DSBL_CONTACT = 1 << 4;
    /// Disable passive springs.
    DSBL_SPRING = 1 << 5;
    /// Disable passive dampers.
    DSBL_DAMPER = 1 << 6;
    /// Disable gravity.
    DSBL_GRAVITY = 1 << 7;
    /// Do not clamp control to its range.
    DSBL_CLAMPCTRL = 1 << 8;
    /// Do not warm-start the solver.
    DSBL_WARMSTART = 1 << 9;
    /// Keep collisions of a body with its parent.
    DSBL_FILTERPARENT = 1 << 10;
    /// Disable actuation.
    DSBL_ACTUATION = 1 << 11;
    /// Do not enforce timeconst of solref to be at least two timesteps.
    DSBL_REFSAFE = 1 << 12;
    /// Disable sensors.
    DSBL_SENSOR = 1 << 13;
    /// Disable the mid phase of collision.
    DSBL_MIDPHASE = 1 << 14;
    /// Disable implicit integration of joint damping in Euler.
    DSBL_EULERDAMP = 1 << 15;
    /// Do not reset a world that diverged.
    DSBL_AUTORESET = 1 << 16;
    /// Disable native convex collision.
    DSBL_NATIVECCD = 1 << 17;
    /// Disable constraint islands.
    DSBL_ISLAND = 1 << 18;
    /// Disable multiple contacts from the convex collider.
    DSBL_MULTICCD = 1 << 19;
    /// Override contact parameters by those of the options.
    ENBL_OVERRIDE = 1 << 0;
    /// Compute energy.
    ENBL_ENERGY = 1 << 1;
    /// Compare forward and inverse dynamics.
    ENBL_FWDINV = 1 << 2;
    /// Discrete-time inverse dynamics.
    ENBL_INVDISCRETE = 1 << 3;
    /// Let trees sleep.
    ENBL_SLEEP = 1 << 4;
    /// Exact diagonal of the constraint inertia.
    ENBL_DIAGEXACT = 1 << 5;
    /// IPC flex contact mode.
    ENBL_IPC = 1 << 6;
    /// Speculative contacts.
    ENBL_SPECULATIVE = 1 << 7;
    /// Keep statistics of each iteration of the solver, for readers alone (ours).
    ENBL_SOLVERSTAT = 1 << 28;
    /// Allocate buffers for inverse dynamics on a device (ours).
    ENBL_INVERSE = 1 << 29;
    /// Compute accelerations of bodies and the forces between them although no sensor needs them (ours).
    ENBL_RNEPOST = 1 << 30;
    /// Overflow bit: more contacts than `nconmax`.
    OVERFLOW_CONTACT = 1 << 0;
    /// Overflow bit: more constraint rows than `njmax`.
    OVERFLOW_CONSTRAINT = 1 << 1;
    /// Overflow bit: the convex collider ran out of iterations.
    OVERFLOW_CCD = 1 << 2;
    /// Overflow bit: the adapter ended the loops of a kernel early.
    OVERFLOW_TURNS = 1 << 3;
    /// Overflow bit: this precision does not suffice for the inertia matrix, accelerations may be off by more than [`MAXLOSS`].
    OVERFLOW_PRECISION = 1 << 4;
    /// Overflow bit: contacts of flexes ended a step early (flag `ipc`), which then is shorter than its time.
    OVERFLOW_IPC = 1 << 5;
} }

// Elements of a state vector (`mjtState`).
/// Element of a state: time (s).
pub const STATE_TIME: i32 = 1 << 0;
/// Element of a state: position.
pub const STATE_QPOS: i32 = 1 << 1;
/// Element of a state: velocity.
pub const STATE_QVEL: i32 = 1 << 2;
/// Element of a state: actuator activation.
pub const STATE_ACT: i32 = 1 << 3;
/// Element of a state: history buffer.
pub const STATE_HISTORY: i32 = 1 << 4;
/// Element of a state: acceleration used for warmstart.
pub const STATE_WARMSTART: i32 = 1 << 5;
/// Element of a state: control.
pub const STATE_CTRL: i32 = 1 << 6;
/// Element of a state: applied generalized force.
pub const STATE_QFRC_APPLIED: i32 = 1 << 7;
/// Element of a state: applied Cartesian force and torque.
pub const STATE_XFRC_APPLIED: i32 = 1 << 8;
/// Element of a state: which equality constraints hold.
pub const STATE_EQ_ACTIVE: i32 = 1 << 9;
/// Element of a state: positions of mocap bodies.
pub const STATE_MOCAP_POS: i32 = 1 << 10;
/// Element of a state: orientations of mocap bodies.
pub const STATE_MOCAP_QUAT: i32 = 1 << 11;
/// Element of a state: user data.
pub const STATE_USERDATA: i32 = 1 << 12;
/// Element of a state: state of plugins, which is empty here.
pub const STATE_PLUGIN: i32 = 1 << 13;
/// Element of a state: plastic state.
pub const STATE_PLASTIC: i32 = 1 << 14;
/// Number of elements of a state (`mjNSTATE`).
pub const NSTATE: usize = 15;
/// Elements of a state that physics changes (`mjSTATE_PHYSICS`).
pub const STATE_PHYSICS: i32 = STATE_QPOS | STATE_QVEL | STATE_ACT | STATE_HISTORY | STATE_PLASTIC;
/// Elements that physics changes, time and the state of plugins (`mjSTATE_FULLPHYSICS`).
pub const STATE_FULLPHYSICS: i32 = STATE_PHYSICS | STATE_TIME | STATE_PLUGIN;
/// Elements of a state that users set (`mjSTATE_USER`).
pub const STATE_USER: i32 = STATE_CTRL
    | STATE_QFRC_APPLIED
    | STATE_XFRC_APPLIED
    | STATE_EQ_ACTIVE
    | STATE_MOCAP_POS
    | STATE_MOCAP_QUAT
    | STATE_USERDATA;
/// Elements of a state that the next step depends on (`mjSTATE_INTEGRATION`).
pub const STATE_INTEGRATION: i32 = STATE_FULLPHYSICS | STATE_USER | STATE_WARMSTART;
