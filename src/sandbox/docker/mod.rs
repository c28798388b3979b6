//! Sandboxes as containers of a Docker engine, 20.10 or newer. The only folder that names `bollard`.
//!
//! A trial is create, attach, start, wait, remove: no exec, no upload, no network object. Everything that is created
//! carries labels with our name, job and trial, so that whatever a dead job leaves can be found.

mod archive;
mod base;
mod client;
mod container;
mod context;
mod dockerfile;
mod ignore;
mod image;
mod labels;
mod supervisor;
mod sweep;

pub use base::{BASE, Base, build_base};
pub use client::{Engine, Facts};
pub use container::Sandbox;
pub use context::pack;
pub use sweep::Swept;
