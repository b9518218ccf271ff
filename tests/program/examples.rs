//! The examples run, and are short.

macro_rules! examples {
    ($($name:ident $path:literal)+) => {
        $(
            #[path = $path]
            mod $name;
        )+

        mod runs {
            $(
                #[test]
                fn $name() {
                    super::$name::main().unwrap_or_else(|e| panic!("{e}"));
                }
            )+
        }

        const NAMES: &[&str] = &[$(stringify!($name)),+];
    };
}

examples! {
    derivative "../../examples/derivative.rs"
    estimation "../../examples/estimation.rs"
    functions "../../examples/functions.rs"
    identification "../../examples/identification.rs"
    inverse "../../examples/inverse.rs"
    planning "../../examples/planning.rs"
    randomised "../../examples/randomised.rs"
    rollout "../../examples/rollout.rs"
    sensor "../../examples/sensor.rs"
    trajectory "../../examples/trajectory.rs"
}

#[test]
fn every_example_is_here_and_has_less_than_sixty_lines() {
    let mut names: Vec<String> = std::fs::read_dir("examples")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        // a folder is a package of its own
        .filter(|path| path.is_file())
        .map(|path| {
            let lines = std::fs::read_to_string(&path).unwrap().lines().count();
            assert!(lines < 60, "{}: {lines} lines", path.display());
            path.file_stem().unwrap().to_string_lossy().into_owned()
        })
        .collect();
    names.sort();
    assert_eq!(names, NAMES);
}
