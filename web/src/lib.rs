//! The page: what its script (`page.js`) calls. The worlds are those of the library, the picture is that of its renderer; here is
//! only what a browser needs to hold them.
#![cfg(target_family = "wasm")]

mod canvas;
mod folder;
mod graphics;
#[cfg(feature = "kernels")]
mod kernels;
mod models;
mod sim;

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    // page.js shows it: what follows a panic is of no use to a visitor
    #[wasm_bindgen(js_name = panicked)]
    fn panicked(message: &str);
}

#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|info| panicked(&info.to_string())));
}
