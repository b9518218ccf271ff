//! The examples run, and are short.

macro_rules! examples {
    ($($name:ident)+) => {
        $(
            #[allow(dead_code, reason = "an example's main is not this program's")]
            mod $name {
                include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/", stringify!($name), ".rs"));

                #[test]
                fn runs() {
                    main().unwrap_or_else(|e| panic!("{e}"));
                }
            }
        )+
        const NAMES: &[&str] = &[$(stringify!($name)),+];
    };
}

examples! { derivative inverse randomised rollout sensor }

#[test]
fn every_example_is_here_and_has_less_than_sixty_lines() {
    let mut names: Vec<String> = std::fs::read_dir("examples")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let lines = std::fs::read_to_string(&path).unwrap().lines().count();
            assert!(lines < 60, "{}: {lines} lines", path.display());
            path.file_stem().unwrap().to_string_lossy().into_owned()
        })
        .collect();
    names.sort();
    assert_eq!(names, NAMES);
}
