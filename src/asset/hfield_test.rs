//! Height fields from images, files and attributes, against MuJoCo 4.0.0.

use proptest::prelude::*;

use super::super::golden::{list, load, unhex};
use super::*;

fn floats(v: &serde_json::Value) -> Vec<f32> {
    list(v).iter().map(|&x| x as f32).collect()
}

#[test]
fn elevations_are_mujocos() {
    let g = load();
    let rows = g["hfields"].as_array().unwrap();
    assert_eq!(rows.len(), 12);
    for row in rows {
        let bytes = unhex(row["data"].as_str().unwrap_or(""));
        let h = match row["file"].as_str().unwrap() {
            "a.png" => read_hfield_png(&bytes),
            "a.bin" => read_hfield(&bytes),
            _ => hfield(3, 4, &floats(&row["elevation"])),
        };
        let h = h.unwrap();
        assert_eq!(h.nrow as u64, row["nrow"].as_u64().unwrap());
        assert_eq!(h.ncol as u64, row["ncol"].as_u64().unwrap());
        let want = floats(&row["want"]);
        assert_eq!(h.data.len(), want.len());
        for (a, b) in h.data.iter().zip(want) {
            assert!((a - b).abs() <= 1e-7, "{a} is not {b} in {row}");
        }
    }
}

fn message<T: std::fmt::Debug>(r: Result<T, AssetError>) -> String {
    r.unwrap_err().to_string()
}

#[test]
fn bad_fields_are_refused_with_the_reason() {
    let sized = |nrow: i32, ncol: i32, rest: usize| {
        let mut b = [nrow.to_le_bytes(), ncol.to_le_bytes()].concat();
        b.resize(8 + rest, 0);
        b
    };
    for (bytes, msg) in [
        (vec![0; 7], "header"),
        (sized(-1, 4, 16), "at least 2 rows"),
        (sized(1, 4, 16), "found 1 and 4"),
        (sized(i32::MAX, i32::MAX, 4), "larger than"),
        (sized(2, 2, 12), "24 bytes announced, 20 found"),
    ] {
        let found = message(read_hfield(&bytes));
        assert!(found.contains(msg), "'{found}' should say '{msg}'");
    }
    assert!(message(hfield(2, 3, &[0.0; 5])).contains("6 numbers, found 5"));
    let nan = [0.0, f32::NAN, 0.0, 1.0];
    assert!(message(hfield(2, 2, &nan)).contains("elevation 1 is not finite"));
    assert!(message(hfield(2, 2, &[f32::MIN, 0.0, 0.0, f32::MAX])).contains("far apart"));
    assert_eq!(hfield(2, 3, &[]).unwrap().data, [0.0; 6]);
}

#[test]
fn image_that_would_decode_to_gigabytes_is_refused_at_its_header() {
    // 60 000 x 60 000 pixels announced, no pixel there
    let mut head = b"\0\0\0\rIHDR".to_vec();
    head.extend([0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60, 8, 0, 0, 0, 0]);
    let crc = head[4..].iter().fold(!0u32, |mut c, &b| {
        c ^= u32::from(b);
        for _ in 0..8 {
            c = (c >> 1) ^ (0xedb8_8320 & (c & 1).wrapping_neg());
        }
        c
    });
    head.extend((!crc).to_be_bytes());
    let file = [&b"\x89PNG\r\n\x1a\n"[..], &head].concat();
    let found = message(read_hfield_png(&file));
    assert!(found.contains("60000 x 60000 points is larger"), "{found}");
}

proptest! {
    #[test]
    fn any_bytes_are_a_field_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_hfield(&bytes);
        let _ = read_hfield_png(&bytes);
        let signed = [&b"\x89PNG\r\n\x1a\n"[..], &bytes].concat();
        let _ = read_hfield_png(&signed);
    }

    #[test]
    fn any_damage_to_a_field_is_an_error_or_a_field(which in 0usize..11, at in any::<prop::sample::Index>(), bits in 1u8..) {
        let g = load();
        let mut bytes = unhex(g["hfields"][which]["data"].as_str().unwrap());
        let i = at.index(bytes.len());
        bytes[i] ^= bits;
        for h in [read_hfield(&bytes), read_hfield_png(&bytes)].into_iter().flatten() {
            prop_assert_eq!(h.data.len(), h.nrow * h.ncol);
            prop_assert!(h.data.iter().all(|x| (0.0..=1.0).contains(x)));
        }
    }
}
