//! Draws the live view on stderr: redrawn lines on a terminal, one line per ended trial elsewhere, nothing when asked
//! to be quiet. What cannot be drawn is dropped: a closed stderr must not end a job.

use super::live::{State, lines, plain_line};
use crate::event::Event;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::{Duration, Instant};

/// The shortest time between two drawings.
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
    state: State,
    bar: Option<ProgressBar>,
    begun: Instant,
    drawn: Option<Instant>,
}

impl Live {
    /// A live view that has seen nothing yet.
    pub fn new(mode: Mode) -> Live {
        let bar = (mode == Mode::Terminal).then(|| {
            let style = ProgressStyle::with_template("{msg}").expect("the template is right");
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10)).with_style(style)
        });
        Live { mode, state: State::default(), bar, begun: Instant::now(), drawn: None }
    }

    /// Takes in an event and shows what it changes.
    pub fn handle(&mut self, event: &Event) {
        self.state.apply(event, self.begun.elapsed().as_secs_f64());
        if self.mode == Mode::Plain
            && let Some(line) = plain_line(&self.state, event)
        {
            let _ = writeln!(stderr(), "{line}");
        }
        if let Some(bar) = &self.bar {
            // What needs attention stays on the screen, above the lines that are redrawn.
            let trouble = match event {
                Event::TrialRetry { .. } | Event::Interrupted | Event::Notice { .. } => true,
                Event::TrialFinished { end, .. } => end.outcome.reward().is_none(),
                _ => false,
            };
            if let Some(line) = plain_line(&self.state, event).filter(|_| trouble) {
                bar.println(line);
            }
            if matches!(event, Event::JobFinished) {
                bar.finish_and_clear();
                self.bar = None;
            }
        }
        self.tick();
    }

    /// Lets the clocks on the screen go on; to be called a few times a second, and harmless more often.
    pub fn tick(&mut self) {
        let Some(bar) = &self.bar else { return };
        if self.drawn.is_some_and(|drawn| drawn.elapsed() < REDRAW) {
            return;
        }
        self.drawn = Some(Instant::now());
        bar.set_message(lines(&self.state, width(), self.begun.elapsed().as_secs_f64()).join("\n"));
    }
}

/// The terminal's width in columns; 80 where it doesn't say.
fn width() -> usize {
    let columns = rustix::termios::tcgetwinsize(stderr()).map_or(0, |size| size.ws_col);
    if columns == 0 { 80 } else { columns.into() }
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
