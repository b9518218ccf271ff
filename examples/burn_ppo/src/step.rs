//! The step as a differentiable operation.

use burn_tensor::{Device, Tensor, TensorData};
use manyworlds::batch::{Gradient, Transition};
use manyworlds::{Batch, Model};

use crate::Result;
use crate::share::{Shared, set};
use crate::task::columns;

/// Sets states, N × (nq + nv + na), and controls, N × nu, of all worlds and advances them by a step. Returns the states after it and, in
/// further columns, what the sensors read on the way: N × (nq + nv + na + nsensordata). Such columns of `state` are not read.
///
/// Gradients flow from all of it to the state before the step and to the controls, with the slopes of [`Batch::transition`]: the step takes
/// the time of 1 + 2 (nu + 2 nv + na) steps. A world whose slopes cannot be trusted is an error.
pub fn step(
    shared: &Shared,
    batch: &mut Batch,
    state: Tensor<2>,
    ctrl: Tensor<2>,
) -> Result<Tensor<2>> {
    let m = batch.model().clone();
    let parts = [("qpos", m.nq), ("qvel", m.nv), ("act", m.na)];
    let state = columns(&state, 0, m.nq + m.nv + m.na);
    give(batch, &parts, &state.clone().inner())?;
    give(batch, &[("ctrl", m.nu)], &ctrl.clone().inner())?;
    let before = batch.reals("qpos")?.to_vec();
    let slopes = batch.transition(None)?;
    if !slopes.bad.is_empty() {
        return Err(format!("no gradient through a step of worlds {:?}", slopes.bad).into());
    }
    batch.step(1)?;
    let jacobians = jacobians(&m, &slopes, [&before, batch.reals("qpos")?]);
    let [a, b, c] = parts;
    let after = take(shared, batch, &[a, b, c, ("sensordata", m.nsensordata)])?;
    // what this adds is zero; its gradient is that of the step
    let from = Tensor::cat(vec![state.autodiff(), ctrl.autodiff()], 1);
    let moved = from.clone() - from.inner();
    Ok(after + times(jacobians, moved, &shared.tensors))
}

fn give(batch: &mut Batch, parts: &[(&str, usize)], from: &Tensor<2>) -> Result<()> {
    let mut at = 0;
    for &(name, width) in parts.iter().filter(|part| part.1 > 0) {
        set(batch, name, columns(from, at, width))?;
        at += width;
    }
    Ok(())
}

fn take(shared: &Shared, batch: &mut Batch, parts: &[(&str, usize)]) -> Result<Tensor<2>> {
    let some = parts.iter().filter(|part| part.1 > 0);
    let read = some.map(|part| shared.read(batch, part.0));
    Ok(Tensor::cat(read.collect::<Result<Vec<_>>>()?, 1))
}

// a matrix of each world: a row for each number after the step, a column for each before it
fn jacobians(m: &Model, slopes: &Transition, [before, after]: [&[f64]; 2]) -> Vec<f32> {
    let mut out = Vec::new();
    let widths = [m.nq, m.nv, m.na, m.nsensordata];
    for (w, (before, after)) in before.chunks(m.nq).zip(after.chunks(m.nq)).enumerate() {
        for row in 0..widths.iter().sum() {
            let mut unit = vec![0.0; widths.iter().sum()];
            unit[row] = 1.0;
            let mut rest = unit.as_slice();
            let [qpos, qvel, act, sensordata] = widths.map(|width| {
                let (part, others) = rest.split_at(width);
                rest = others;
                part.to_vec()
            });
            let of = Gradient {
                qpos,
                qvel,
                act,
                sensordata,
                ..Gradient::default()
            };
            let by = slopes.pull_back(m, w, before, after, &of);
            let columns = [by.qpos, by.qvel, by.act, by.ctrl].concat();
            out.extend(columns.iter().map(|x| *x as f32));
        }
    }
    out
}

// the product of each world's matrix and its row
fn times(matrices: Vec<f32>, rows: Tensor<2>, device: &Device) -> Tensor<2> {
    let [n, columns] = rows.dims();
    let shape = [n, matrices.len() / (n * columns), columns];
    let matrices = Tensor::<3>::from_data(TensorData::new(matrices, shape), device);
    let found: Tensor<3> = matrices.autodiff().matmul(rows.unsqueeze_dim(2));
    found.squeeze_dim(2)
}
