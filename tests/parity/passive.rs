//! Parity of `passive`.

// nodes a metre away from the world's origin: an f32 tells where they are to 6e-8 m, which 3 kN/m make 2e-4 N of
#[test]
fn shader_and_twin_agree() {
    let but = [
        ("cages qfrc_spring", 2e-4),
        ("cages qfrc_damper", 2e-4),
        ("cages qfrc_passive", 2e-4),
    ];
    super::body::parity_but("passive", 2e-5, &[], &but);
}
