//! Deriving only the fields that depend on changed numbers, in place, gives the same as deriving the whole model.

use super::*;
use crate::batch::Backend;
use crate::fields::Field;

// the numbers of an array
type Numbers = (Row, Vec<f64>);

// changed numbers of a field of the model, one for each kind of change; a model refuses some of them
fn changes(row: &[f64]) -> [Vec<f64>; 5] {
    let scaled = |k: usize, x: f64| x * (1.0 + 0.01 * (1 + k % 7) as f64);
    let mut no_number = row.to_vec();
    no_number
        .iter_mut()
        .rev()
        .take(1)
        .for_each(|x| *x = f64::NAN);
    [
        row.iter().enumerate().map(|(k, &x)| scaled(k, x)).collect(),
        row.iter()
            .map(|&x| if x == 0.0 { 0.25 } else { x })
            .collect(),
        vec![0.0; row.len()],
        row.iter().map(|x| -x).collect(),
        no_number,
    ]
}

// the fields that decide no structure, with the model's numbers
fn free(m: &Model) -> Vec<Numbers> {
    let fields = FIELDS.iter().filter(|field| varying(field.name).is_ok());
    let fields = fields.filter(|field| !STRUCTURAL.contains(&field.row));
    fields
        .filter_map(|field| match m.view(field.row) {
            Some(View::Real(x)) if !x.is_empty() => Some((field.row, x.to_vec())),
            _ => None,
        })
        .collect()
}

fn write(m: &mut Arrays, numbers: &[Numbers]) {
    for (row, values) in numbers {
        if let Some(ViewMut::Real(to)) = m.view_mut(*row) {
            to.copy_from_slice(values);
        }
    }
}

fn renumber(
    own: &mut Model,
    shared: &Model,
    numbers: &Numbers,
    work: &mut Work,
) -> Result<(Changed, Kept)> {
    let mut it = begin(own, shared, numbers)?;
    Renumbered::at_qpos0(std::iter::once(&mut it), shared, work);
    it.done(shared)
}

fn begin<'a>(own: &'a mut Model, shared: &Model, numbers: &Numbers) -> Result<Renumbered<'a>> {
    let asked = Changed {
        rows: RowSet::of(&[numbers.0]),
        options: false,
    };
    let change = |m: &mut Arrays| write(m, std::slice::from_ref(numbers));
    Renumbered::new(own, shared, &asked, change)
}

// names of the arrays that differ between two models
fn others(a: &Model, b: &Model) -> Vec<&'static str> {
    let other = |field: &&Field| a.view(field.row) != b.view(field.row);
    FIELDS.iter().filter(other).map(|f| f.name).collect()
}

// a world that differs in every field, and its numbers
fn differing(shared: &Model, work: &mut Work) -> (Model, Vec<Numbers>) {
    let mut own = shared.clone();
    let mut numbers = free(shared);
    numbers
        .iter_mut()
        .for_each(|(_, values)| *values = changes(values)[0].clone());
    numbers.retain(|numbers| renumber(&mut own, shared, numbers, work).is_ok());
    (own, numbers)
}

const MODELS: [&str; 9] = [
    "tests/golden/edit.xml",
    "models/humanoid.xml",
    "models/spatial_tendons.xml",
    "models/plastic.xml",
    "models/surfaces.xml",
    "models/delays.xml",
    "models/meshes.xml",
    "models/sticky.xml",
    "models/flexes.xml",
];

#[test]
fn numbers_are_derived_in_place_as_in_a_whole_edit() {
    let mut held = 0;
    for path in MODELS {
        let shared = Model::from_xml_path(path).unwrap();
        let mut work = Work::default();
        let (own, before) = differing(&shared, &mut work);
        for (row, values) in free(&shared) {
            for values in changes(&values) {
                let name = format!("{} of {path}", FIELDS[row as usize].name);
                held += usize::from(holds(
                    &shared,
                    &own,
                    &before,
                    &(row, values),
                    &mut work,
                    &name,
                ));
            }
        }
    }
    assert!(held > 1000, "{held}");
}

#[test]
fn models_side_by_side_have_the_bits_that_each_has_by_itself() {
    let mut held = 0;
    for path in MODELS {
        let shared = Model::from_xml_path(path).unwrap();
        let mut work = Work::default();
        let (own, _) = differing(&shared, &mut work);
        let numbers: Vec<Numbers> = free(&shared)
            .into_iter()
            .flat_map(|(row, values)| changes(&values).map(|values| (row, values)))
            .collect();
        for numbers in numbers.chunks(WIDTH) {
            let mut models = vec![own.clone(); numbers.len()];
            let them = models.iter_mut().zip(numbers);
            let mut them: Vec<_> = them
                .filter_map(|(own, numbers)| begin(own, &shared, numbers).ok())
                .collect();
            Renumbered::at_qpos0(them.iter_mut(), &shared, &mut work);
            let done: Vec<_> = them.into_iter().map(|it| it.done(&shared)).collect();
            held += done.iter().filter(|done| done.is_ok()).count();
            for (side, numbers) in models.iter().zip(numbers) {
                let mut alone = own.clone();
                let _ = renumber(&mut alone, &shared, numbers, &mut work);
                let name = FIELDS[numbers.0 as usize].name;
                assert_eq!(others(&alone, side), [""; 0], "{path}, by {name}");
            }
        }
    }
    assert!(held > 1000, "{held}");
}

// changes one field in a world that differed before: the result must equal the shared model edited with all of the world's numbers
fn holds(
    shared: &Model,
    own: &Model,
    before: &[Numbers],
    numbers: &Numbers,
    work: &mut Work,
    name: &str,
) -> bool {
    let mut all: Vec<Numbers> = before.to_vec();
    all.retain(|(row, _)| *row != numbers.0);
    all.push(numbers.clone());
    let mut whole = shared.clone();
    let done = whole.edit(|m| write(m, &all));
    let mut there = own.clone();
    let again = renumber(&mut there, shared, numbers, work);
    if let (Err(e), Err(also)) = (&done, &again) {
        assert_eq!(e.to_string(), also.to_string(), "{name}");
        assert_eq!(others(own, &there), [""; 0], "not put back: {name}");
        return false;
    }
    // a world has the same room as all others
    done.and_then(|()| whole.set_room(shared.nconmax, shared.njmax))
        .unwrap_or_else(|e| panic!("{name}: {e}"));
    let (changed, kept) = again.unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(others(&whole, &there), [""; 0], "by {name}");
    assert!(whole == there, "{name}");
    let told = |field: &str| field_row(field).is_some_and(|row| changed.rows.has(row));
    let untold: Vec<_> = others(own, &there)
        .into_iter()
        .filter(|f| !told(f))
        .collect();
    assert_eq!(untold, [""; 0], "not told: {name}");
    kept.put_back(&mut there);
    assert_eq!(others(own, &there), [""; 0], "not put back: {name}");
    assert!(*own == there, "not put back: {name}");
    true
}

fn field_row(name: &str) -> Option<Row> {
    field(name).map(|field| field.row)
}

// numbers that a model rejects, and numbers that worlds in SIMD lanes reject, each in one world of three
#[test]
fn where_one_world_is_refused_all_models_are_as_they_were() {
    let m = Model::from_xml_path("models/humanoid.xml").unwrap();
    let scaled = |x: f64| m.body_mass.iter().map(|mass| x * mass).collect::<Vec<_>>();
    let ellipsoids: Vec<f64> = (0..12 * m.ngeom).map(|k| f64::from(k % 12 == 0)).collect();
    let settings = crate::batch::Settings::default().backend(Backend::Simd);
    let mut batch = Batch::with(&m, 3, settings).unwrap();
    batch.expand(&["body_mass", "geom_fluid"]).unwrap();
    batch
        .set(
            "body_mass",
            &[scaled(1.1), scaled(1.2), scaled(1.3)].concat(),
        )
        .unwrap();
    batch.set_const().unwrap();
    let models = |batch: &Batch| {
        let own = batch.own.as_ref().unwrap();
        own.models
            .iter()
            .map(|m| Model::clone(m))
            .collect::<Vec<_>>()
    };
    let before = models(&batch);
    assert!(before[0] != before[1] && before[1] != before[2]);

    batch.set("body_mass", &scaled(2.0)).unwrap();
    let one = [false, true, false];
    for (name, bad, good) in [
        ("body_mass", vec![f64::NAN; m.nbody], scaled(2.0)),
        ("geom_fluid", ellipsoids, m.geom_fluid.clone()),
    ] {
        batch.set_where(name, &one, &bad).unwrap();
        let text = batch.set_const().unwrap_err().to_string();
        assert!(text.contains("world 1") && text.contains(name), "{text}");
        assert!(models(&batch) == before, "{name}");
        assert!(batch.step(1).is_err(), "all are stale");
        batch.set_where(name, &one, &good).unwrap();
    }
    batch.set_const().unwrap();
    let mut whole = m.clone();
    whole.edit(|own| own.body_mass = scaled(2.0)).unwrap();
    whole.set_room(m.nconmax, m.njmax).unwrap();
    assert!(models(&batch).iter().all(|own| *own == whole));
    batch.step(1).unwrap();
}
