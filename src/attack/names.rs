//! The attackers' name server: it says of its names what an owner of a listed name could say, keeps which it was asked
//! for, and asks nobody itself.

use crate::network::{Lookup, Resolve};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// Names below this are listed and resolve to where none may lead.
pub(super) const REBIND: &str = "rebind.test";

/// The name server.
#[derive(Debug)]
pub(super) struct Liar {
    names: BTreeMap<String, IpAddr>,
    asked: Mutex<BTreeSet<String>>,
}

impl Liar {
    /// One that gives these addresses of the runner's machine too.
    pub(super) fn new(hosts: &[IpAddr]) -> Liar {
        let fixed = [
            ("loopback", [127, 0, 0, 1].into()),
            ("any", [0, 0, 0, 0].into()),
            ("v6", IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1])),
            ("mapped", IpAddr::from([0, 0, 0, 0, 0, 0xffff, 0x7f00, 1])),
            ("nat64", IpAddr::from([0x64, 0xff9b, 0, 0, 0, 0, 0x7f00, 1])),
            ("compatible", IpAddr::from([0, 0, 0, 0, 0, 0, 0x7f00, 1])),
            ("metadata", [169, 254, 169, 254].into()),
            ("metadata-v6", IpAddr::from([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254])),
            ("link-local", [169, 254, 1, 1].into()),
        ];
        let fixed = fixed.into_iter().map(|(name, address)| (name.to_owned(), address));
        let hosts = hosts.iter().enumerate().map(|(n, host)| (format!("host{n}"), *host));
        let names = fixed.chain(hosts).map(|(name, address)| (format!("{name}.{REBIND}"), address)).collect();
        Liar { names, asked: Mutex::default() }
    }

    /// The names that it was asked for and that aren't its own.
    pub(super) fn asked_in_vain(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.iter().filter(|name| !self.names.contains_key(*name)).cloned().collect()
    }
}

impl Resolve for Liar {
    fn resolve<'a>(&'a self, name: &'a str) -> Lookup<'a> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
        let found = self.names.get(name).map(|address| vec![*address]).ok_or_else(|| "no such name".to_owned());
        Box::pin(std::future::ready(found))
    }
}
