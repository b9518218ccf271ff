//! The browser's graphics device, on which pictures are drawn and kernels run.

use crate::sim::Said;
#[cfg(feature = "kernels")]
use crate::sim::said;
#[cfg(feature = "kernels")]
use manyworlds::wgpu_interop::Device;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use wasm_bindgen::prelude::wasm_bindgen;

/// An open graphics device. Clones share the device.
#[wasm_bindgen]
#[derive(Clone)]
pub struct Graphics(pub(crate) Device);

#[wasm_bindgen]
impl Graphics {
    /// Waits until the device has done all work submitted so far.
    pub async fn done(self) {
        let answer = Arc::new(Mutex::new((false, None::<Waker>)));
        let told = answer.clone();
        self.wgpu().1.on_submitted_work_done(move || {
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            told.0 = true;
            told.1.take().into_iter().for_each(Waker::wake);
        });
        let done = poll_fn(|context| {
            let mut answer = answer.lock().unwrap_or_else(PoisonError::into_inner);
            answer.1 = Some(context.waker().clone());
            match answer.0 {
                true => Poll::Ready(()),
                false => Poll::Pending,
            }
        });
        done.await;
    }
}

impl Graphics {
    /// Opens the device of an adapter.
    pub async fn open(adapter: &wgpu::Adapter) -> Said<Self> {
        #[cfg(feature = "kernels")]
        let device = Device::of_adapter(adapter).await.map_err(said)?;
        #[cfg(not(feature = "kernels"))]
        let device = Device::of_adapter(adapter).await?;
        Ok(Self(device))
    }

    /// The device and its queue.
    pub fn wgpu(&self) -> (&wgpu::Device, &wgpu::Queue) {
        self.0.wgpu()
    }

    /// The fault of the device, if any: after one its results are not reliable.
    pub fn fault(&self) -> Option<String> {
        self.0.check().err().map(|e| e.to_string())
    }
}

/// A device that draws but does not run kernels.
#[cfg(not(feature = "kernels"))]
#[derive(Clone)]
pub struct Device {
    device: wgpu::Device,
    queue: wgpu::Queue,
    // the first fault: later ones are its consequences
    fault: Arc<Mutex<Option<String>>>,
}

#[cfg(not(feature = "kernels"))]
impl Device {
    async fn of_adapter(adapter: &wgpu::Adapter) -> Said<Self> {
        let opened = adapter.request_device(&wgpu::DeviceDescriptor::default());
        let (device, queue) = opened.await.map_err(|e| e.to_string())?;
        let fault = Arc::new(Mutex::new(None));
        let keep = || {
            let fault = fault.clone();
            move |message: String| {
                let mut fault = fault.lock().unwrap_or_else(PoisonError::into_inner);
                fault.get_or_insert(message);
            }
        };
        let uncaptured = keep();
        device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| uncaptured(e.to_string())));
        let lost = keep();
        device.set_device_lost_callback(move |reason, message| {
            if reason != wgpu::DeviceLostReason::Destroyed {
                lost(format!("the graphics device was lost ({message})"));
            }
        });
        Ok(Self {
            device,
            queue,
            fault,
        })
    }

    fn wgpu(&self) -> (&wgpu::Device, &wgpu::Queue) {
        (&self.device, &self.queue)
    }

    fn check(&self) -> Said {
        let fault = self.fault.lock();
        match &*fault.unwrap_or_else(PoisonError::into_inner) {
            Some(fault) => Err(fault.clone()),
            None => Ok(()),
        }
    }
}
