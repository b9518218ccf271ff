//! The functions that the script of the page (`page.js`) calls. Worlds and pictures are made by the library and its renderer; this crate
//! only adapts them to a browser.
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
    // page.js shows the message; later messages are of no use to a visitor
    #[wasm_bindgen(js_name = panicked)]
    fn panicked(message: &str);
}

#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|info| panicked(&info.to_string())));
}
