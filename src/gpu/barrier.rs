//! Barriers that follow each other become one, which WGSL has no word for: it has a barrier for each kind of memory, and all lanes would
//! meet at each.

use naga::{Block, Module, Statement};

/// Makes one of each run of barriers. It orders the memory of all of them; lanes meet in their subgroup if one of them is a
/// `subgroupBarrier`, which stands only where a workgroup is one subgroup ([`super::subgroup`]).
pub(super) fn merge(module: &mut Module) {
    let functions = module.functions.iter_mut().map(|(_, f)| f);
    let entries = module.entry_points.iter_mut().map(|e| &mut e.function);
    functions.chain(entries).for_each(|f| merge_in(&mut f.body));
}

fn merge_in(block: &mut Block) {
    for statement in block.iter_mut() {
        match statement {
            Statement::Block(inner) => merge_in(inner),
            Statement::If { accept, reject, .. } => {
                merge_in(accept);
                merge_in(reject);
            }
            Statement::Switch { cases, .. } => cases.iter_mut().for_each(|c| merge_in(&mut c.body)),
            Statement::Loop {
                body, continuing, ..
            } => {
                merge_in(body);
                merge_in(continuing);
            }
            _ => {}
        }
    }
    for k in (1..block.len()).rev() {
        if let [
            Statement::ControlBarrier(first),
            Statement::ControlBarrier(next),
        ] = &mut block[k - 1..=k]
        {
            *first |= *next;
            block.cull(k..=k);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use naga::Barrier;

    fn barriers(block: &Block, out: &mut Vec<Barrier>) {
        for statement in block.iter() {
            match statement {
                Statement::ControlBarrier(barrier) => out.push(*barrier),
                Statement::Block(body) | Statement::Loop { body, .. } => barriers(body, out),
                _ => {}
            }
        }
    }

    #[test]
    fn barriers_that_follow_each_other_become_one() {
        let text = "
            var<private> x: i32;
            fn meet() { storageBarrier(); workgroupBarrier(); subgroupBarrier(); }
            @compute @workgroup_size(4) fn main() {
                for (var k = 0; k < 3; k++) { storageBarrier(); workgroupBarrier(); x = k; workgroupBarrier(); }
                meet();
            }";
        let mut module = naga::front::wgsl::parse_str(text).unwrap();
        merge(&mut module);
        let both = Barrier::STORAGE | Barrier::WORK_GROUP;
        let mut found = Vec::new();
        let entry = &module.entry_points[0].function;
        barriers(&entry.body, &mut found);
        assert_eq!(found, [both, Barrier::WORK_GROUP]);
        found.clear();
        let (_, meet) = module.functions.iter().next().unwrap();
        barriers(&meet.body, &mut found);
        assert_eq!(found, [both | Barrier::SUB_GROUP]);
    }
}
