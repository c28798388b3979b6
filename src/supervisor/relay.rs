//! The relay: a resolver and listeners on loopback, so that the agent's programs find listed hosts as they find any
//! host, and everything that connects there becomes a stream to the runner. Nothing else leads out of the container.
//!
//! One thread does all of it. It exists before the agent does, so that no lack of process ids can keep it from its
//! work; and since it is part of the container's first process, the agent can't end it.

use crate::dns::{self, Reply};
use crate::loopback;
use crate::names::{Name, Names};
use crate::socket::{self, Epoll, Event, IN};
use crate::streams::{Streams, Told};
use crate::wire::{Listed, Part, Report, UNLISTED};
use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::sync::OnceLock;
use std::sync::mpsc::{self, Receiver, Sender};

/// The thread that reads orders hands over here what the runner says of streams.
static INBOX: OnceLock<(Sender<(u32, Told)>, File)> = OnceLock::new();

/// Where the resolver listens; the container's `/etc/resolv.conf` names it.
const RESOLVER: Ipv4Addr = Ipv4Addr::new(127, 77, 0, 1);

/// What an event's token speaks of: the upper half is one of these, the lower half a number.
const BELL: u64 = 0;
const RESOLVER_UDP: u64 = 1;
const RESOLVER_TCP: u64 = 2;
const QUERY: u64 = 3;
const LISTENERS: u64 = 4;
const STREAM: u64 = 5;

/// Connections to the resolver at once; the oldest makes place.
const QUERIES: usize = 16;

struct Relay {
    epoll: Epoll,
    /// All listeners behind one descriptor, so that they can be left waiting together.
    accepts: Epoll,
    accepting: bool,
    /// Each with its port.
    listeners: Vec<(TcpListener, u16)>,
    /// All addresses of IPv4 are listened on at once.
    wide_v4: bool,
    wide_v6: bool,
    names: Names,
    ranges: Vec<(IpAddr, u8)>,
    ports: Vec<u16>,
    streams: Streams,
    inbox: Receiver<(u32, Told)>,
    bell: File,
    udp: UdpSocket,
    tcp: TcpListener,
    queries: VecDeque<(u32, TcpStream, Vec<u8>)>,
    last_query: u32,
    told: HashSet<String>,
}

/// Begins to serve what is listed.
pub fn start(listed: Listed) -> Result<(), String> {
    // On this thread: it starts the commands, and gives the capability for routes away here before the first of them.
    if !listed.ranges.is_empty() {
        loopback::claim(&listed.ranges)?;
    }
    let names = Names::new(&listed.names, &listed.suffixes)?;
    let (sender, inbox) = mpsc::channel();
    let made = make(listed, names, inbox);
    let (mut relay, bell) = made.map_err(|e| format!("listen on the container's loopback: {e}"))?;
    INBOX.set((sender, bell)).map_err(|_| "the network was given twice")?;
    let thread = std::thread::Builder::new().name("relay".to_owned()).spawn(move || {
        loop {
            relay.turn();
        }
    });
    thread.map(drop).map_err(|e| format!("start the relay: {e}"))
}

/// Takes what the runner says of a stream; `false` where there is no relay or it makes no sense.
pub fn hand_over(stream: u32, kind: u8, payload: &[u8]) -> bool {
    let Some((sender, bell)) = INBOX.get() else { return false };
    let told = match Part::decode(kind, payload) {
        Ok(Part::Data(bytes)) => Told::Data(bytes.to_vec()),
        Ok(Part::Shut) => Told::Shut,
        Ok(Part::Reset) => Told::Reset,
        Ok(Part::Credit(bytes)) => Told::Credit(bytes),
        Ok(Part::Open { .. }) | Err(_) => return false,
    };
    if sender.send((stream, told)).is_err() {
        return false;
    }
    // Where its counter is full, the bell rings already.
    let mut bell = bell;
    let _ = bell.write(&1u64.to_ne_bytes());
    true
}

fn make(listed: Listed, names: Names, inbox: Receiver<(u32, Told)>) -> io::Result<(Relay, File)> {
    let bell = socket::bell()?;
    let ringer = bell.try_clone()?;
    let mut relay = Relay {
        epoll: Epoll::new()?,
        accepts: Epoll::new()?,
        accepting: true,
        listeners: Vec::new(),
        wide_v4: false,
        wide_v6: false,
        names,
        ranges: listed.ranges,
        ports: listed.ports,
        streams: Streams::new(),
        inbox,
        bell,
        udp: UdpSocket::bind((RESOLVER, 53))?,
        tcp: TcpListener::bind((RESOLVER, 53))?,
        queries: VecDeque::new(),
        last_query: 0,
        told: HashSet::new(),
    };
    relay.udp.set_nonblocking(true)?;
    relay.tcp.set_nonblocking(true)?;
    relay.epoll.add(&relay.bell, IN, token(BELL, 0))?;
    relay.epoll.add(&relay.udp, IN, token(RESOLVER_UDP, 0))?;
    relay.epoll.add(&relay.tcp, IN, token(RESOLVER_TCP, 0))?;
    relay.epoll.add(&relay.accepts, IN, token(LISTENERS, 0))?;
    relay.listen_for_all()?;
    Ok((relay, ringer))
}

fn token(what: u64, number: u32) -> u64 {
    what << 32 | u64::from(number)
}

fn stream_token(id: u32) -> u64 {
    token(STREAM, id)
}

impl Relay {
    /// Where one network is listed, all addresses of its family are listened on at once, since the kernel knows no
    /// listening on a part of them; what is connected to beside the list is refused when it comes. Of IPv6 one address
    /// is enough: the kernel listens on none that only a route makes local.
    fn listen_for_all(&mut self) -> io::Result<()> {
        self.wide_v4 = self.ranges.iter().any(|(at, prefix)| at.is_ipv4() && *prefix < width(*at));
        self.wide_v6 = self.ranges.iter().any(|(at, _)| at.is_ipv6());
        for port in self.ports.clone() {
            if self.wide_v4 {
                self.listen(TcpListener::bind((Ipv4Addr::UNSPECIFIED, port))?, port)?;
            }
            if self.wide_v6 {
                self.listen(socket::listen_v6(port)?, port)?;
            }
        }
        let single = self.ranges.iter().filter(|(at, prefix)| *prefix == width(*at)).map(|(at, _)| *at);
        let names = self.names.addresses().into_iter().map(IpAddr::from);
        single.chain(names).collect::<Vec<_>>().into_iter().try_for_each(|at| self.listen_at(at))
    }

    /// Listens on this address, on every port.
    fn listen_at(&mut self, at: IpAddr) -> io::Result<()> {
        if if at.is_ipv4() { self.wide_v4 } else { self.wide_v6 } {
            return Ok(());
        }
        self.ports.clone().into_iter().try_for_each(|port| self.listen(TcpListener::bind((at, port))?, port))
    }

    fn listen(&mut self, socket: TcpListener, port: u16) -> io::Result<()> {
        socket.set_nonblocking(true)?;
        self.accepts.add(&socket, IN, self.listeners.len() as u64)?;
        self.listeners.push((socket, port));
        Ok(())
    }

    /// The host that a connection was made to: the name that its address stands for, or the listed address itself.
    fn host_of(&self, socket: &TcpStream) -> Option<String> {
        let at = socket.local_addr().ok()?.ip();
        let name = match at {
            IpAddr::V4(v4) => self.names.at(v4),
            IpAddr::V6(_) => None,
        };
        let listed = || self.ranges.iter().any(|range| contains(*range, at)).then(|| at.to_string());
        name.map(str::to_owned).or_else(listed)
    }

    fn turn(&mut self) {
        let mut events = [Event::default(); 64];
        let (epoll, streams) = (&self.epoll, &mut self.streams);
        let mut more = Vec::new();
        for event in epoll.ready(&mut events, true) {
            let number = event.token as u32;
            match event.token >> 32 {
                STREAM => streams.ready(epoll, number, event, stream_token),
                what => more.push((what, number)),
            }
        }
        for (what, number) in more {
            match what {
                BELL => self.hear(),
                RESOLVER_UDP => self.resolve(),
                RESOLVER_TCP => self.accept_queries(),
                QUERY => self.read_query(number),
                _ => self.accept(),
            }
        }
        self.make_room();
    }

    fn hear(&mut self) {
        let _ = self.bell.read(&mut [0; 8]);
        while let Ok((id, told)) = self.inbox.try_recv() {
            self.streams.told(&self.epoll, id, told, stream_token);
        }
    }

    /// Lets further connections wait while all places are taken, and lets them in again.
    fn make_room(&mut self) {
        let room = self.streams.has_room();
        if room != self.accepting {
            self.accepting = room;
            let _ = self.epoll.change(&self.accepts, if room { IN } else { 0 }, token(LISTENERS, 0));
        }
    }

    fn accept(&mut self) {
        let mut events = [Event::default(); 64];
        for event in self.accepts.ready(&mut events, false) {
            let Some((listener, port)) = self.listeners.get(event.token as usize) else { continue };
            while self.streams.has_room()
                && let Ok((socket, _)) = listener.accept()
            {
                match self.host_of(&socket) {
                    Some(host) => self.streams.accept(&self.epoll, socket, &host, *port, stream_token),
                    None => socket::reset_on_close(&socket),
                }
            }
        }
    }

    fn resolve(&mut self) {
        let mut buffer = [0; 4096];
        while let Ok((n, from)) = self.udp.recv_from(&mut buffer) {
            if let Some(answer) = self.answer(&buffer[..n]) {
                // A program that doesn't take its answer asks again.
                let _ = self.udp.send_to(&answer, from);
            }
        }
    }

    fn answer(&mut self, message: &[u8]) -> Option<Vec<u8>> {
        let question = match dns::question(message) {
            Ok(question) => question,
            Err(refusal) => return refusal,
        };
        let found = match self.names.find(&question.name) {
            // Not told to the program before it holds: a connection must find somebody listening.
            Name::New(at) => self.listen_at(at.into()).map_or(Name::Full, |()| Name::At(at)),
            found => found,
        };
        let say = match found {
            Name::At(at) | Name::New(at) if question.kind == dns::A => Reply::Address(at),
            Name::At(_) | Name::New(_) => Reply::Empty,
            Name::Full => Reply::Failed,
            Name::Unlisted => {
                self.tell(&question.name);
                Reply::NoSuchName
            }
        };
        Some(dns::answer(message, &question, say))
    }

    /// Tells the runner of a name, once, and of so many at most.
    fn tell(&mut self, name: &str) {
        if self.told.len() < UNLISTED && !name.is_empty() && self.told.insert(name.to_owned()) {
            crate::say(&Report::Unlisted(name.to_owned()));
        }
    }

    fn accept_queries(&mut self) {
        while let Ok((socket, _)) = self.tcp.accept() {
            self.last_query = self.last_query.wrapping_add(1);
            let id = self.last_query;
            if socket.set_nonblocking(true).and_then(|()| self.epoll.add(&socket, IN, token(QUERY, id))).is_ok() {
                self.queries.push_back((id, socket, Vec::new()));
            }
            if self.queries.len() > QUERIES {
                self.queries.pop_front();
            }
        }
    }

    /// A query over TCP has its length before it. Each connection gets one answer.
    fn read_query(&mut self, id: u32) {
        let Some(place) = self.queries.iter().position(|(number, ..)| *number == id) else { return };
        let Some((_, socket, message)) = self.queries.get_mut(place) else { return };
        let mut buffer = [0; 1024];
        let ended = match socket.read(&mut buffer) {
            Ok(0) => true,
            Ok(n) => {
                message.extend_from_slice(&buffer[..n]);
                false
            }
            Err(e) => e.kind() != io::ErrorKind::WouldBlock,
        };
        let whole = |message: &[u8]| {
            let length = usize::from(u16::from_be_bytes([*message.first()?, *message.get(1)?]));
            message.get(2..2 + length).map(<[u8]>::to_vec)
        };
        let query = whole(message);
        if query.is_none() && !ended && message.len() < 4096 {
            return;
        }
        let Some((_, mut socket, _)) = self.queries.remove(place) else { return };
        if let Some(answer) = query.and_then(|query| self.answer(&query)) {
            let length = (answer.len() as u16).to_be_bytes();
            // A short answer to a new connection fits into its buffer at once.
            let _ = socket.write_all(&[&length[..], &answer].concat());
        }
    }
}

fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn contains((network, prefix): (IpAddr, u8), at: IpAddr) -> bool {
    let same = |a: u128, b: u128| {
        let rest = u32::from(width(network) - prefix);
        a.checked_shr(rest).unwrap_or(0) == b.checked_shr(rest).unwrap_or(0)
    };
    match (network, at) {
        (IpAddr::V4(a), IpAddr::V4(b)) => same(u32::from(a).into(), u32::from(b).into()),
        (IpAddr::V6(a), IpAddr::V6(b)) => same(a.into(), b.into()),
        _ => false,
    }
}
