//! The two flags by which every verb that reads a vendor directory is told which.

use std::path::{Path, PathBuf};

/// Which corpus, and which of its suites
#[derive(Debug, clap::Args)]
pub struct VendorArgs {
    /// The vendor directory: documents, questions, rubric [default: vendor]
    #[arg(long, value_name = "DIR")]
    pub vendor: Option<PathBuf>,

    /// The suite's manifest [default: suite.toml in the vendor directory]
    #[arg(long, value_name = "FILE")]
    pub suite: Option<PathBuf>,
}

impl VendorArgs {
    /// The vendor directory that was named, or the usual one.
    pub fn dir(&self) -> &Path {
        self.vendor.as_deref().unwrap_or(Path::new("vendor"))
    }
}
