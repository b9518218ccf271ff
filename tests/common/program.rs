//! Runs the program as a child process, and reads and writes its files.

use assert_cmd::Command;
use tempfile::TempDir;

/// A small model.
pub const CARTPOLE: &str = "models/cartpole.xml";

/// A command of the program with arguments.
pub fn manyworlds(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("manyworlds").unwrap();
    command.args(args).env("NO_COLOR", "1");
    command
}

/// Runs the program; returns exit code, stdout, stderr.
pub fn run(args: &[&str]) -> (i32, String, String) {
    let out = manyworlds(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        out.status.code().unwrap(),
        text(out.stdout),
        text(out.stderr).trim_end().to_owned(),
    )
}

/// The path of a file in a temporary folder.
pub fn path(dir: &TempDir, name: &str) -> String {
    dir.path().join(name).to_str().unwrap().to_owned()
}

/// Name, shape and values of an array.
pub type Named<'a> = (&'a str, &'a [u64], &'a [f64]);

/// Writes an npz file of f64 arrays.
pub fn npz(path: &str, arrays: &[Named]) {
    use npyz::WriterBuilder;
    let mut npz = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    for (name, shape, x) in arrays {
        let entry = zip::write::SimpleFileOptions::default();
        npz.start_file(format!("{name}.npy"), entry).unwrap();
        let array = npyz::WriteOptions::<f64>::new().default_dtype();
        let mut writer = array.shape(shape).writer(&mut npz).begin_nd().unwrap();
        writer.extend(x.iter().copied()).unwrap();
        writer.finish().unwrap();
    }
    npz.finish().unwrap();
}

/// Shape and values of an array of an npz file.
pub fn array(path: &str, name: &str) -> (Vec<u64>, Vec<f64>) {
    let mut npz = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let entry = npz.by_name(&format!("{name}.npy"));
    let array = npyz::NpyFile::new(entry.unwrap_or_else(|e| panic!("{name}: {e}"))).unwrap();
    (array.shape().to_vec(), array.into_vec().unwrap())
}
