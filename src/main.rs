//! The program's door: run the command line, print the error chain once, return its exit code.
//! It must not decide anything; everything that can be tested lives in the library.
use std::process::ExitCode;

fn main() -> ExitCode {
    seatrial::cli::main()
}
