//! Builds the supervisor (the program inside the container) and leaves it where the runner embeds it, and tells the
//! runner the digest of the rules it judges by, so that verdicts of other rules are never taken for those of these.
//!
//! Why here and so: `cargo build` and `cargo install` must both give a working product, a whole-program
//! `target-feature=+crt-static` breaks procedural macros, and a second package would not be installed with the first.
//! The supervisor needs the standard library alone, so one call of the compiler builds it, statically linked.

use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let var = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("cargo sets `{name}`"));
    println!("cargo::rerun-if-changed=src/supervisor");
    println!("cargo::rerun-if-changed=src/wire");
    println!("cargo::rerun-if-changed=src/judge/rules");
    println!("cargo::rustc-env=SEATRIAL_RULES={}", sources(Path::new("src/judge/rules")));
    let out = PathBuf::from(var("OUT_DIR")).join("supervisor");
    println!("cargo::rustc-env=SEATRIAL_SUPERVISOR={}", out.display());
    if var("CARGO_CFG_TARGET_OS") != "linux" {
        // The runner works on other systems; the program inside a Linux container can't be built there without a
        // Linux target. The runner says so when it would need it.
        std::fs::write(&out, b"").expect("the build folder can be written");
        return;
    }
    let status = Command::new(var("RUSTC"))
        .args(["--crate-name", "supervisor", "--crate-type", "bin", "--edition", "2024"])
        .args(["-C", "opt-level=s", "-C", "panic=abort", "-C", "lto=fat", "-C", "codegen-units=1"])
        .args(["-C", "strip=symbols", "-C", "target-feature=+crt-static", "--target", &var("TARGET")])
        .args(["--cap-lints", "allow", "src/supervisor/main.rs", "-o"])
        .arg(&out)
        .status()
        .expect("the Rust compiler runs");
    assert!(status.success(), "the supervisor did not build: see the compiler's messages above");
}

/// The digest of every file below `dir`, by name, length and bytes, in the order of their names: 64 hexadecimal digits.
fn sources(dir: &Path) -> String {
    let (mut folders, mut files) = (vec![dir.to_path_buf()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the sources can be read") {
            let path = entry.expect("the sources can be read").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let mut digest = Sha256::new();
    for file in files {
        let bytes = std::fs::read(&file).expect("the sources can be read");
        digest.update(format!("{} {}\n", file.display(), bytes.len()));
        digest.update(bytes);
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
