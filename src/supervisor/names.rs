//! Which names there are inside the container, and the loopback address of each. Pure.

use std::collections::HashMap;
use std::net::Ipv4Addr;

/// How many names below wildcards get an address; each takes sockets.
const WILD: usize = 512;

/// The listed names.
pub struct Names {
    addresses: HashMap<String, Ipv4Addr>,
    by_address: HashMap<Ipv4Addr, String>,
    suffixes: Vec<String>,
    /// How many addresses are for names below wildcards.
    wild: usize,
}

/// What is known of a name.
#[derive(Debug, PartialEq, Eq)]
pub enum Name {
    /// It has this address.
    At(Ipv4Addr),
    /// It is below a wildcard and was asked for the first time. It has this address from now on.
    New(Ipv4Addr),
    /// It is below a wildcard, but there are too many of those.
    Full,
    /// It isn't listed.
    Unlisted,
}

impl Names {
    /// Gives each name an address.
    pub fn new(names: &[String], suffixes: &[String]) -> Result<Names, String> {
        let (addresses, by_address) = (HashMap::new(), HashMap::new());
        let mut listed = Names { addresses, by_address, suffixes: suffixes.to_vec(), wild: 0 };
        for name in names {
            listed.add(name).ok_or("there are more names than loopback addresses for them")?;
        }
        Ok(listed)
    }

    /// All addresses that stand for names.
    pub fn addresses(&self) -> Vec<Ipv4Addr> {
        self.by_address.keys().copied().collect()
    }

    /// The name that an address stands for.
    pub fn at(&self, address: Ipv4Addr) -> Option<&str> {
        self.by_address.get(&address).map(String::as_str)
    }

    /// Looks a name up, lower case and without a final dot.
    pub fn find(&mut self, name: &str) -> Name {
        if let Some(address) = self.addresses.get(name) {
            return Name::At(*address);
        }
        let below =
            |suffix: &String| name.strip_suffix(suffix).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'));
        // `?` stands for what no host name holds.
        if name.contains('?') || !self.suffixes.iter().any(below) {
            return Name::Unlisted;
        }
        if self.wild >= WILD {
            return Name::Full;
        }
        self.wild += 1;
        self.add(name).map_or(Name::Full, Name::New)
    }

    fn add(&mut self, name: &str) -> Option<Ipv4Addr> {
        if let Some(address) = self.addresses.get(name) {
            return Some(*address);
        }
        // 127.77.0.1 is the resolver.
        let index = u16::try_from(self.addresses.len() + 2).ok().filter(|index| *index < u16::MAX)?;
        let [high, low] = index.to_be_bytes();
        let address = Ipv4Addr::new(127, 77, high, low);
        self.addresses.insert(name.to_owned(), address);
        self.by_address.insert(address, name.to_owned());
        Some(address)
    }
}
