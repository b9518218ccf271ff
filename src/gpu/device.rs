//! Adapters: listing them, choosing one, and an open device that reports every fault as an [`Error`].

use std::future::poll_fn;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::gpu::pipelines::Pipelines;
use crate::gpu::subgroup::is_whole;

/// Longest wait for the device before it is an error.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Longest wait for a software adapter, which compiles a kernel when it first runs it.
pub const SOFTWARE_PATIENCE: Duration = Duration::from_secs(600);

/// The adapter to choose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The best hardware adapter; an error if there is none.
    #[default]
    Hardware,
    /// The best hardware adapter, or a software one if there is none.
    Any,
    /// A software adapter.
    Software,
    /// The first adapter whose name contains these letters, hardware or software.
    Named(String),
}

/// Properties of an adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter {
    /// Name of the device.
    pub name: String,
    /// Driver and its version.
    pub driver: String,
    /// Interface: `vulkan`, `metal`, `dx12`; `webgpu` in a browser.
    pub backend: String,
    /// True if it is emulated on the CPU.
    pub software: bool,
    /// Largest buffer that a shader can bind (bytes).
    pub binding: u64,
    /// Memory of one workgroup (bytes).
    pub workgroup_memory: u32,
    /// Smallest and largest number of invocations of a subgroup.
    pub subgroup: (u32, u32),
}

impl Adapter {
    /// True if the platform keeps every buffer access within its binding, as Vulkan does with the robust access that wgpu
    /// requests.
    pub fn keeps_within(&self) -> bool {
        self.backend == wgpu::Backend::Vulkan.to_str()
    }

    /// True if it is a browser's adapter, which reveals little of the hardware and cannot be waited for.
    pub fn browser(&self) -> bool {
        self.backend == wgpu::Backend::BrowserWebGpu.to_str()
    }

    /// True if it may end long loops without an error, as Mesa's software adapter does.
    pub fn ends_loops(&self) -> bool {
        self.software && !self.browser()
    }

    /// True if its compiler is slow on large kernels, so that every stage becomes a kernel of its own.
    pub fn compiles_slowly(&self) -> bool {
        self.software || self.browser()
    }

    /// True if its compiler takes seconds over long kernels without loops, as NVIDIA's and AMD's do. Direct3D's older compiler and browsers
    /// may take minutes.
    pub fn takes_long_kernels(&self) -> bool {
        let known = [wgpu::Backend::Vulkan, wgpu::Backend::Metal];
        !self.software && known.iter().any(|known| self.backend == known.to_str())
    }

    fn of(info: wgpu::AdapterInfo, limits: &wgpu::Limits) -> Self {
        Self {
            name: match info.name.is_empty() {
                true => "a GPU".to_owned(),
                false => info.name,
            },
            driver: format!("{} {}", info.driver, info.driver_info)
                .trim()
                .to_owned(),
            backend: info.backend.to_str().to_owned(),
            software: info.device_type == wgpu::DeviceType::Cpu,
            binding: limits.max_storage_buffer_binding_size,
            workgroup_memory: limits.max_compute_workgroup_storage_size,
            subgroup: (info.subgroup_min_size, info.subgroup_max_size),
        }
    }
}

impl std::fmt::Display for Adapter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = if self.software { ", software" } else { "" };
        write!(f, "{} ({}{kind})", self.name, self.backend)
    }
}

/// How a device is opened.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The adapter to open.
    pub choice: Choice,
    /// Request no more than WebGPU's default limits, even if the adapter has more.
    pub portable: bool,
}

impl Request {
    /// A device on any adapter, hardware preferred.
    pub fn any() -> Self {
        Self {
            choice: Choice::Any,
            portable: false,
        }
    }
}

/// An open device. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Device {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    /// The adapter of the device.
    pub adapter: Adapter,
    /// True if stages can be timed on the device.
    pub timestamps: bool,
    waits: bool,
    fault: Arc<Mutex<Option<String>>>,
    pub(super) pipelines: Pipelines,
    // whether workgroups of the size of a subgroup are subgroups
    whole: Arc<OnceLock<bool>>,
}

/// False where the system has no graphics device, so that no driver needs loading: this check is cheaper than loading one.
pub(crate) fn may_have_hardware() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    // device nodes of GPUs without `/dev/dri/renderD*`: NVIDIA, also on boards; Windows underneath (WSL); phones and boards
    const NAMES: &[&str] = &["nvidia", "nvhost", "nvgpu", "dxg", "mali", "kgsl", "pvr"];
    let named = |folder: &str, starts: &[&str]| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names
            .into_iter()
            .any(|name| starts.iter().any(|start| name.starts_with(start)))
    };
    named("/dev/dri", &["renderD"]) || named("/dev", NAMES)
}

/// Waits for the result of a device future.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    pollster::block_on(future)
}

/// The result of a device future if it is ready at once, else an error: in a browser nothing can be waited for.
#[cfg(target_arch = "wasm32")]
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    let mut at_once = std::task::Context::from_waker(Waker::noop());
    match std::pin::pin!(future).poll(&mut at_once) {
        Poll::Ready(found) => found,
        Poll::Pending => Err(Error::Device(
            "a page cannot wait for its device, and this call has no async variant".to_owned(),
        )),
    }
}

pub(crate) fn instance() -> &'static wgpu::Instance {
    static INSTANCE: OnceLock<wgpu::Instance> = OnceLock::new();
    INSTANCE.get_or_init(|| {
        let mut desc = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
        // the GL backend lacks features that the kernels need
        desc.backends &= wgpu::Backends::VULKAN
            | wgpu::Backends::METAL
            | wgpu::Backends::DX12
            | wgpu::Backends::BROWSER_WEBGPU;
        // without optimisation wgpu looks up the line of each statement for the driver, a fifth of the time until a kernel runs;
        // WGPU_DEBUG=1 asks for it
        desc.flags = (desc.flags - wgpu::InstanceFlags::debugging()).with_env();
        wgpu::Instance::new(desc)
    })
}

// adapters sorted by type: hardware first, discrete before integrated; equal ones in the order of the system
async fn ranked() -> Vec<wgpu::Adapter> {
    let all = wgpu::Backends::all();
    let mut list = instance().enumerate_adapters(all).await;
    list.sort_by_key(|adapter| match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    });
    list
}

fn told(adapter: &wgpu::Adapter) -> Adapter {
    Adapter::of(adapter.get_info(), &adapter.limits())
}

/// Every adapter of this machine, best first; none in a browser, where [`Device::request`] opens one.
pub fn adapters() -> Vec<Adapter> {
    let list = block_on(async { Ok(ranked().await) }).unwrap_or_default();
    list.iter().map(told).collect()
}

async fn choose(choice: &Choice) -> Result<wgpu::Adapter> {
    let list = ranked().await;
    let found: Vec<String> = list.iter().map(|a| told(a).to_string()).collect();
    let wanted = |adapter: &wgpu::Adapter| {
        let it = told(adapter);
        match choice {
            Choice::Hardware => !it.software,
            Choice::Any => true,
            Choice::Software => it.software,
            Choice::Named(letters) => it.name.to_lowercase().contains(&letters.to_lowercase()),
        }
    };
    list.into_iter().find(wanted).ok_or_else(|| {
        let found = match found.as_slice() {
            [] if cfg!(target_arch = "wasm32") => {
                "none: this browser has no WebGPU, or no graphics adapter for it".to_owned()
            }
            [] => "no adapter at all: install a Vulkan driver".to_owned(),
            list => format!("only {}: give its name", list.join(", ")),
        };
        let what = match choice {
            Choice::Hardware => "no hardware adapter".to_owned(),
            Choice::Any => "no adapter".to_owned(),
            Choice::Software => "no software adapter".to_owned(),
            Choice::Named(letters) => format!("no adapter whose name contains \"{letters}\""),
        };
        Error::Device(format!("{what}; there is {found}"))
    })
}

/// Operations and barriers of subgroups.
const SUBGROUPS: wgpu::Features = wgpu::Features::SUBGROUP.union(wgpu::Features::SUBGROUP_BARRIER);

/// Storage buffers that a stage binds: the model's and the worlds', or those of a transfer.
const BUFFERS: u32 = 3;

impl Device {
    /// Opens an adapter. Fails with [`Error::Device`] if none fits or the driver refuses; in a browser always, where
    /// [`Device::request`] opens one.
    pub fn open(request: &Request) -> Result<Self> {
        block_on(Self::request(request))
    }

    /// Like [`Device::open`], where the host cannot wait.
    pub async fn request(request: &Request) -> Result<Self> {
        Self::of(&choose(&request.choice).await?, request.portable).await
    }

    // opens a device on an adapter; a portable one has WebGPU's default limits
    pub(crate) async fn of(chosen: &wgpu::Adapter, portable: bool) -> Result<Self> {
        let mut limits = if portable {
            wgpu::Limits::default()
        } else {
            chosen.limits()
        };
        // limits that no kernel needs are not raised; a portable device still needs the adapter's buffer offset alignment
        limits.min_storage_buffer_offset_alignment =
            chosen.limits().min_storage_buffer_offset_alignment;
        let want = wgpu::Features::TIMESTAMP_QUERY | SUBGROUPS;
        let features = if portable {
            wgpu::Features::empty()
        } else {
            chosen.features() & want
        };
        let asked = wgpu::DeviceDescriptor {
            label: Some("manyworlds"),
            required_features: features,
            required_limits: limits,
            experimental_features: wgpu::ExperimentalFeatures::disabled(),
            memory_hints: wgpu::MemoryHints::Performance,
            trace: wgpu::Trace::Off,
        };
        let opened = chosen.request_device(&asked).await;
        let (device, queue) = opened.map_err(|e| Error::Device(e.to_string()))?;
        Self::around(device, queue)
    }

    /// The device that batches and pictures on the same adapter share: opened for the first of them, and kept with its kernels as long as
    /// it has no fault.
    pub(crate) fn shared(choice: &Choice) -> Result<Self> {
        static OPEN: Mutex<Vec<(Choice, Device)>> = Mutex::new(Vec::new());
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(_, device)| device.check().is_ok());
        if let Some((_, device)) = open.iter().find(|(of, _)| of == choice) {
            return Ok(device.clone());
        }
        let chosen = block_on(choose(choice))?;
        let mut devices = open.iter().map(|(_, device)| device);
        let device = match devices.find(|device| device.is_of(&chosen)) {
            Some(device) => device.clone(),
            None => block_on(Self::of(&chosen, false))?,
        };
        open.push((choice.clone(), device.clone()));
        Ok(device)
    }

    /// True if the device was opened on this adapter.
    pub(crate) fn is_of(&self, adapter: &wgpu::Adapter) -> bool {
        self.device.adapter_info() == adapter.get_info()
    }

    /// Wraps a wgpu device that is open already: [`Device::from_wgpu`].
    pub(crate) fn around(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self> {
        let limits = device.limits();
        let have = limits.max_storage_buffers_per_shader_stage;
        if have < BUFFERS {
            return Err(Error::Size {
                what: "storage buffers of a stage, by the limits of the device".to_owned(),
                need: BUFFERS.into(),
                have: have.into(),
            });
        }
        // the first fault is kept: later ones are its consequences
        let fault = Arc::new(Mutex::new(None));
        let keep = |fault: &Arc<Mutex<Option<String>>>| {
            let fault = fault.clone();
            move |msg: String| {
                fault
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .get_or_insert(msg);
            }
        };
        let uncaptured = keep(&fault);
        device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| uncaptured(e.to_string())));
        let lost = keep(&fault);
        device.set_device_lost_callback(move |reason, msg| {
            if reason != wgpu::DeviceLostReason::Destroyed {
                lost(format!("lost: {msg}"));
            }
        });
        let adapter = Adapter::of(device.adapter_info(), &limits);
        Ok(Self {
            timestamps: device.features().contains(wgpu::Features::TIMESTAMP_QUERY),
            waits: !adapter.browser(),
            adapter,
            device,
            queue,
            fault,
            pipelines: Pipelines::default(),
            whole: Arc::default(),
        })
    }

    /// False where the host cannot wait for the device, as in a browser: arrays of worlds are then asked for
    /// ([`Batch::ask`](crate::Batch::ask)).
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// The same device, treated as if the host could not wait for it.
    #[doc(hidden)]
    pub fn without_waiting(self) -> Self {
        Self {
            waits: false,
            ..self
        }
    }

    /// Number of compiled kernels in the cache.
    #[doc(hidden)]
    pub fn kernels(&self) -> usize {
        self.pipelines.len()
    }

    /// The limits with which the device was opened.
    pub(crate) fn limits(&self) -> wgpu::Limits {
        self.device.limits()
    }

    /// The subgroup size if subgroup operations can be used: it must be fixed, so that a kernel never runs with another one.
    pub fn subgroups(&self) -> Option<u32> {
        let (min, max) = self.adapter.subgroup;
        (min == max && self.device.features().contains(SUBGROUPS)).then_some(min)
    }

    /// True if every workgroup of `invocations` is one subgroup. The device itself is asked, once.
    pub(crate) fn is_subgroup(&self, invocations: u32) -> Result<bool> {
        if self.subgroups() != Some(invocations) {
            return Ok(false);
        }
        if let Some(whole) = self.whole.get() {
            return Ok(*whole);
        }
        let whole = is_whole(self, invocations)?;
        Ok(*self.whole.get_or_init(|| whole))
    }

    /// The first fault since the device was opened, as an error.
    pub fn check(&self) -> Result<()> {
        match &*self.fault.lock().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some(msg) => Err(Error::Device(msg.clone())),
        }
    }

    /// Waits until all work submitted so far is done, or for [`PATIENCE`] ([`SOFTWARE_PATIENCE`]).
    pub fn wait(&self) -> Result<()> {
        let patience = match self.adapter.software {
            true => SOFTWARE_PATIENCE,
            false => PATIENCE,
        };
        let timeout = Some(patience);
        let polled = self.device.poll(wgpu::PollType::Wait {
            submission_index: None,
            timeout,
        });
        self.check()?;
        polled.map(|_| ()).map_err(|_| {
            Error::Device(format!(
                "no answer for {} s: submit fewer worlds or steps at once",
                patience.as_secs()
            ))
        })
    }

    /// Appends the first `words` words of a mappable buffer to `out`.
    pub(crate) async fn words_of(
        &self,
        buffer: &wgpu::Buffer,
        words: u64,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        if words == 0 {
            return Ok(());
        }
        let bytes = ..4 * words;
        // the driver's answer, and the task that waits for it
        let answer = Arc::new(Mutex::new((None, None::<Waker>)));
        let told = answer.clone();
        buffer.map_async(wgpu::MapMode::Read, bytes, move |mapped| {
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            told.0 = Some(mapped);
            told.1.take().into_iter().for_each(Waker::wake);
        });
        // in a browser the device makes progress by itself
        self.wait()?;
        let mapped = poll_fn(|context| {
            let mut answer = answer.lock().unwrap_or_else(PoisonError::into_inner);
            answer.1 = Some(context.waker().clone());
            answer.0.take().map_or(Poll::Pending, Poll::Ready)
        });
        if let Err(e) = mapped.await {
            self.check()?;
            return Err(Error::Device(format!("cannot read back: {e}")));
        }
        let failed = |e: wgpu::MapRangeError| Error::Device(format!("cannot read back: {e}"));
        let view = buffer.get_mapped_range(bytes).map_err(failed)?;
        out.extend_from_slice(bytemuck::cast_slice(&view));
        drop(view);
        buffer.unmap();
        Ok(())
    }

    pub(crate) fn buffer(
        &self,
        label: &str,
        words: u64,
        usage: wgpu::BufferUsages,
    ) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: (words * 4).max(16),
            usage,
            mapped_at_creation: false,
        })
    }
}
