//! Draws the live view on stderr: redrawn lines on a terminal, one line per ended trial elsewhere, nothing when asked
//! to be quiet. What cannot be drawn is dropped: a closed stderr must not end a job.

use super::live::{State, lines, plain_line};
use crate::event::Event;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal as _, Write as _, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The time between two drawings.
const REDRAW: Duration = Duration::from_millis(100);

/// How a job is shown while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Lines that are redrawn.
    Terminal,
    /// One line per trial that has ended.
    Plain,
    /// Nothing.
    Quiet,
}

impl Mode {
    /// Quiet where asked for, redrawn lines where stderr is a terminal that can, else plain lines.
    pub fn detect(quiet: bool) -> Mode {
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        match quiet {
            true => Mode::Quiet,
            false if stderr().is_terminal() && !dumb => Mode::Terminal,
            false => Mode::Plain,
        }
    }
}

/// The second reader of a job's event stream.
#[derive(Debug)]
pub struct Live {
    mode: Mode,
    begun: Instant,
    screen: Option<Screen>,
    state: Arc<Mutex<State>>,
}

/// The lines that are redrawn: when something happens, and by a thread while nothing does, so that clocks go on.
#[derive(Debug)]
struct Screen {
    bar: ProgressBar,
    ended: Arc<AtomicBool>,
    clock: Option<JoinHandle<()>>,
}

impl Live {
    /// A live view that has seen nothing yet.
    pub fn new(mode: Mode) -> Live {
        let (begun, state) = (Instant::now(), Arc::new(Mutex::new(State::default())));
        let screen = (mode == Mode::Terminal).then(|| Screen::new(Arc::clone(&state), begun));
        Live { mode, begun, screen, state }
    }

    /// Takes in an event and shows what it changes.
    pub fn handle(&mut self, event: &Event) {
        let line = {
            let mut state = hold(&self.state);
            state.apply(event, self.begun.elapsed().as_secs_f64());
            plain_line(&state, event)
        };
        let Some(line) = line else { return };
        match (self.mode, &self.screen) {
            (Mode::Plain, _) => drop(writeln!(stderr(), "{line}")),
            (Mode::Quiet, _) if line.starts_with("warning: ") => drop(writeln!(stderr(), "{line}")),
            // What needs attention stays on the screen, above the lines that are redrawn.
            (_, Some(screen)) if is_trouble(event) => screen.bar.println(line),
            _ => {}
        }
    }
}

impl Screen {
    fn new(state: Arc<Mutex<State>>, begun: Instant) -> Screen {
        let style = ProgressStyle::with_template("{msg}").expect("the template is right");
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10)).with_style(style);
        let ended = Arc::new(AtomicBool::new(false));
        let (thread_bar, thread_ended) = (bar.clone(), Arc::clone(&ended));
        let clock = std::thread::spawn(move || {
            while !thread_ended.load(Ordering::Relaxed) {
                let lines = lines(&hold(&state), width(), begun.elapsed().as_secs_f64());
                thread_bar.set_message(lines.join("\n"));
                std::thread::park_timeout(REDRAW);
            }
        });
        Screen { bar, ended, clock: Some(clock) }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(clock) = self.clock.take() {
            clock.thread().unpark();
            let _ = clock.join();
        }
        self.bar.finish_and_clear();
    }
}

fn hold(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn is_trouble(event: &Event) -> bool {
    match event {
        Event::TrialRetry { .. } | Event::Interrupted | Event::Notice { .. } => true,
        Event::TrialFinished { end, .. } => end.outcome.reward().is_none(),
        _ => false,
    }
}

/// The terminal's width in columns; 80 where it doesn't say.
fn width() -> usize {
    let columns = rustix::termios::tcgetwinsize(stderr()).map_or(0, |size| size.ws_col);
    if columns == 0 { 80 } else { columns.into() }
}
