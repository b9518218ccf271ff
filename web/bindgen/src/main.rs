//! `manyworlds-bindgen FILE.wasm FOLDER NAME`: writes the wasm for browsers, and the classic script that loads it through the global
//! function NAME.

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [wasm, folder, name] = args.as_slice() else {
        eprintln!("usage: manyworlds-bindgen FILE.wasm FOLDER NAME");
        return ExitCode::from(2);
    };
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen.input_path(wasm).out_name(name).typescript(false);
    bindgen
        .remove_name_section(true)
        .remove_producers_section(true);
    // a page that is opened from a folder may load classic scripts, but no modules
    let written = bindgen.no_modules(true);
    let written = written.and_then(|it| it.no_modules_global(name));
    let written = written.and_then(|it| it.generate(folder));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{wasm}: {e:#}");
            ExitCode::FAILURE
        }
    }
}
