//! What numbers decide is derived of them alone as it is of the whole model.

use super::*;

// other numbers in a field of the model, each kind of change that there is
fn changes(row: &[f64]) -> [Vec<f64>; 3] {
    let scaled = |k: usize, x: f64| x * (1.0 + 0.01 * (1 + k % 7) as f64);
    [
        row.iter().enumerate().map(|(k, &x)| scaled(k, x)).collect(),
        row.iter()
            .map(|&x| if x == 0.0 { 0.25 } else { x })
            .collect(),
        vec![0.0; row.len()],
    ]
}

#[test]
fn numbers_are_derived_as_in_a_whole_edit() {
    let mut held = 0;
    for path in [
        "tests/golden/edit.xml",
        "models/humanoid.xml",
        "models/spatial_tendons.xml",
        "models/plastic.xml",
        "models/surfaces.xml",
        "models/delays.xml",
        "models/meshes.xml",
        "models/sticky.xml",
        "models/flexes.xml",
    ] {
        let shared = Model::from_xml_path(path).unwrap();
        for field in FIELDS
            .iter()
            .filter(|field| varying(field.name).is_ok() && !STRUCTURAL.contains(&field.name))
        {
            let Some(View::Real(row)) = shared.view(field.row) else {
                continue;
            };
            for values in changes(row).into_iter().filter(|values| *values != row) {
                let change = |m: &mut Arrays| {
                    if let Some(ViewMut::Real(to)) = m.view_mut(field.row) {
                        to.copy_from_slice(&values);
                    }
                };
                let mut whole = shared.clone();
                let done = whole.edit(change);
                let again = shared.with_numbers(change);
                let name = format!("{} of {path}", field.name);
                if let (Err(e), Err(also)) = (&done, &again) {
                    assert_eq!(e.to_string(), also.to_string(), "{name}");
                    continue;
                }
                // a world has the room of all
                done.and_then(|()| whole.set_room(shared.nconmax, shared.njmax))
                    .unwrap_or_else(|e| panic!("{name}: {e}"));
                let numbers = again.unwrap_or_else(|e| panic!("{name}: {e}"));
                for field in FIELDS {
                    let [a, b] = [&whole, &numbers].map(|m| m.view(field.row));
                    assert!(a == b, "{} by {name}", field.name);
                }
                assert_eq!(whole, numbers, "{name}");
                held += 1;
            }
        }
    }
    assert!(held > 500, "{held}");
}
