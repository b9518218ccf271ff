//! Policy and value: two nets of two hidden layers, and Adam.

use burn_tensor::{Device, Distribution, Gradients, Tensor};

const HIDDEN: usize = 64;
const LAYERS: usize = 3;

/// Weights and biases of the policy, those of the value, and the logarithm of the actions' standard deviation.
#[derive(Clone)]
pub struct Net {
    pub parameters: Vec<Tensor<2>>,
}

impl Net {
    /// A net with random weights that does little at first.
    pub fn new(inputs: usize, outputs: usize, device: &Device) -> Self {
        let mut parameters = Vec::new();
        for (last, gain) in [(outputs, 0.01), (1, 1.0)] {
            let sizes = [inputs, HIDDEN, HIDDEN, last];
            for layer in 0..LAYERS {
                let [from, to] = [sizes[layer], sizes[layer + 1]];
                let gain = if layer + 1 == LAYERS { gain } else { 1.4 };
                let normal = Distribution::Normal(0.0, gain / (from as f64).sqrt());
                parameters.push(Tensor::random([from, to], normal, device));
                parameters.push(Tensor::zeros([1, to], device));
            }
        }
        parameters.push(Tensor::full([1, outputs], -0.5, device));
        Self { parameters }
    }

    /// The same net, for which gradients can be found.
    pub fn tracked(&self) -> Self {
        let track = |p: &Tensor<2>| p.clone().autodiff().require_grad();
        Self {
            parameters: self.parameters.iter().map(track).collect(),
        }
    }

    /// The mean action, N × nu.
    pub fn policy(&self, seen: Tensor<2>) -> Tensor<2> {
        self.layers(0, seen)
    }

    /// The value, N × 1.
    pub fn value(&self, seen: Tensor<2>) -> Tensor<2> {
        self.layers(2 * LAYERS, seen)
    }

    /// The logarithm of the actions' standard deviation, 1 × nu.
    pub fn spread(&self) -> Tensor<2> {
        self.parameters[4 * LAYERS].clone()
    }

    fn layers(&self, first: usize, mut x: Tensor<2>) -> Tensor<2> {
        for layer in 0..LAYERS {
            let [w, b] = [0, 1].map(|k| self.parameters[first + 2 * layer + k].clone());
            x = x.matmul(w) + b;
            if layer + 1 < LAYERS {
                x = x.tanh();
            }
        }
        x
    }
}

/// Adam, with gradients cut to a length of one half.
pub struct Adam {
    pub rate: f64,
    turn: i32,
    moments: Vec<[Tensor<2>; 2]>,
}

impl Adam {
    pub fn new(net: &Net, rate: f64) -> Self {
        let zero = |p: &Tensor<2>| [p.zeros_like(), p.zeros_like()];
        Self {
            rate,
            turn: 0,
            moments: net.parameters.iter().map(zero).collect(),
        }
    }

    /// Moves a net against the gradients of `tracked`.
    pub fn step(&mut self, net: &mut Net, tracked: &Net, gradients: &Gradients) {
        let (fast, slow) = (0.9_f64, 0.999_f64);
        self.turn += 1;
        let grads: Vec<Tensor<2>> = tracked
            .parameters
            .iter()
            .zip(&net.parameters)
            .map(|(p, plain)| p.grad(gradients).unwrap_or_else(|| plain.zeros_like()))
            .collect();
        let squares = grads.iter().map(|g| g.clone().square().sum());
        let length = squares.reduce(|a, b| a + b).map(Tensor::sqrt);
        let Some(length) = length else { return };
        let cut = length
            .add_scalar(1e-6)
            .recip()
            .mul_scalar(0.5)
            .clamp_max(1.0);
        let cut: Tensor<2> = cut.reshape([1, 1]);
        let corrected = (1.0 - slow.powi(self.turn)).sqrt() / (1.0 - fast.powi(self.turn));
        for ((p, g), [m, v]) in net.parameters.iter_mut().zip(grads).zip(&mut self.moments) {
            let g = g * cut.clone();
            *m = m.clone().mul_scalar(fast) + g.clone().mul_scalar(1.0 - fast);
            *v = v.clone().mul_scalar(slow) + g.square().mul_scalar(1.0 - slow);
            let step = m.clone() / v.clone().sqrt().add_scalar(1e-8);
            *p = p.clone() - step.mul_scalar(self.rate * corrected);
        }
    }
}
