//! Batches use the tuned settings, unless the caller sets them.

use manyworlds::Model;
use manyworlds::gpu::device::{Device, Request};
use manyworlds::gpu::tune::{self, Choice, Tuned};
use manyworlds::gpu::{Config, Gpu, Unroll};

#[test]
fn a_remembered_team_is_taken() {
    let device = Device::open(&Request::any())
        .expect("these tests need an adapter; mesa-vulkan-drivers has a software one");
    let m = Model::from_xml_path("models/cartpole.xml").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let choice = Choice::OPEN
        .lanes(16)
        .worlds(2)
        .tile(4)
        .fuse(1)
        .unroll(Unroll::Never);
    let path = tune::write(folder.path(), &device.adapter, &m, choice).unwrap();
    let open = Config {
        nworld: 3,
        ..Config::default()
    };
    let looked = Config {
        tuned: Some(folder.path().to_owned()),
        ..open.clone()
    };
    let team = |config: &Config| {
        let gpu = Gpu::new(&device, &m, config).unwrap();
        (gpu.team().lanes, gpu.team().worlds, gpu.tuned().clone())
    };

    // the saved settings are used if the cache is enabled and no setting is given
    assert_eq!(team(&looked), (16, 2, Tuned::Yes));
    let (lanes, worlds, tuned) = team(&open);
    assert_eq!(tuned, Tuned::No);
    assert_ne!((lanes, worlds), (16, 2));
    let said = Config {
        lanes: 2,
        ..looked.clone()
    };
    assert_eq!(team(&said).0, 2);

    // a damaged file is ignored and reported
    std::fs::write(&path, "{").unwrap();
    let (lanes_now, worlds_now, tuned) = team(&looked);
    assert_eq!((lanes_now, worlds_now), (lanes, worlds));
    match tuned {
        Tuned::Ignored(why) => assert!(why.contains(&path.display().to_string()), "{why}"),
        other => panic!("{other:?}"),
    }
}
