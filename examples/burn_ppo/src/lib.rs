//! Learning with burn on the device of the worlds. Observations, rewards and actions are tensors; nothing passes through the host but the
//! mean return that is printed.
//!
//! * [`share`]: one device for worlds and tensors, and copies between them;
//! * [`step`]: the step of all worlds as a differentiable operation;
//! * [`task`]: what a task observes, rewards and ends, in tensors; the cartpole and the quadruped;
//! * [`net`]: policy and value, and Adam;
//! * [`ppo`]: proximal policy optimisation.

pub mod net;
pub mod ppo;
pub mod share;
pub mod step;
pub mod task;

/// Errors of the worlds, of tensors and of devices.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
