//! One runner per job: an advisory lock on `<job>/.lock`, which the operating system frees when the runner dies. The
//! file's text is for people only; whether the lock is held is the operating system's word.

use super::Error;
use std::fs::{File, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::Path;

/// The lock file's name in the job's directory.
pub const NAME: &str = ".lock";

/// The lock, held until this is dropped or the process dies.
#[derive(Debug)]
pub struct Held(File);

impl Drop for Held {
    fn drop(&mut self) {
        // Closing alone would not free it while a child process that is just being started still has the file open.
        let _ = self.0.unlock();
    }
}

/// Whether a runner has the job in `dir` now. Where there is no job, none has it.
pub fn is_running(dir: &Path) -> bool {
    // Shared, so that several may ask at a time; freed at once.
    let shared = File::open(dir.join(NAME)).map(|file| file.try_lock_shared());
    matches!(shared, Ok(Err(TryLockError::WouldBlock)))
}

/// Takes the job's lock.
pub fn take(dir: &Path) -> Result<Held, Error> {
    let path = dir.join(NAME);
    let wrap = |source| Error::Write { path: path.clone(), source };
    let mut file = File::options().create(true).read(true).write(true).truncate(false).open(&path).map_err(wrap)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            let pid = file.read_to_string(&mut text).ok().and_then(|_| text.trim().parse::<u32>().ok());
            let holder = pid.map_or("another process".to_string(), |pid| format!("process {pid}"));
            return Err(Error::Locked { dir: dir.to_path_buf(), holder });
        }
        Err(TryLockError::Error(source)) => return Err(wrap(source)),
    }
    file.set_len(0).map_err(wrap)?;
    writeln!(file, "{}", std::process::id()).map_err(wrap)?;
    Ok(Held(file))
}
