//! What runner and supervisor say to each other: whatever comes is either exactly what was said or refused, and nothing
//! in it makes a reader panic or grow.

use proptest::collection::vec;
use proptest::prelude::*;
use seatrial::wire::{Decoder, Frame, HEADER, Listed, MAX_PAYLOAD, Order, Part, Report, WINDOW};
use std::net::IpAddr;

fn listed() -> impl Strategy<Value = Listed> {
    let name = "[a-z0-9.-]{1,40}";
    let range =
        (any::<IpAddr>(), 0..=128u8).prop_map(|(at, prefix)| (at, if at.is_ipv4() { prefix / 4 } else { prefix }));
    (vec(name, 0..5), vec(name, 0..5), vec(range, 0..5), vec(any::<u16>(), 0..5))
        .prop_map(|(names, suffixes, ranges, ports)| Listed { names, suffixes, ranges, ports })
}

/// All frames of a byte stream that is fed in pieces of this size, or where it breaks the rules.
fn frames(bytes: &[u8], piece: usize) -> Result<Vec<(u8, u32, Vec<u8>)>, String> {
    let mut decoder = Decoder::default();
    let mut found = Vec::new();
    for piece in bytes.chunks(piece.max(1)) {
        decoder.feed(piece);
        while let Some(Frame { kind, stream, payload }) = decoder.frame().map_err(|e| e.to_string())? {
            found.push((kind, stream, payload.to_vec()));
        }
    }
    Ok(found)
}

proptest! {
    #[test]
    fn a_list_of_hosts_comes_through_as_it_was_said(listed in listed(), piece in 1..50usize) {
        let order = Order::Network(listed);
        let mut bytes = Vec::new();
        order.encode(&mut bytes);
        let frames = frames(&bytes, piece).expect("frames");
        prop_assert_eq!(frames.len(), 1);
        prop_assert_eq!(Order::decode(frames[0].0, &frames[0].2), Ok(order));
        // A byte too few or too many is no order.
        let short = &frames[0].2[..frames[0].2.len() - 1];
        prop_assert!(Order::decode(b'n', short).is_err());
        prop_assert!(Order::decode(b'n', &[&frames[0].2[..], b"x"].concat()).is_err());
    }

    #[test]
    fn parts_of_streams_come_through_in_order(
        name in "[!-~]{1,253}", port: u16, data in vec(any::<u8>(), 1..300), credit: u32, id in 1..u32::MAX, piece in 1..50usize
    ) {
        let parts =
            [Part::Open { name: &name, port }, Part::Data(&data), Part::Credit(credit), Part::Shut, Part::Reset];
        let mut bytes = Vec::new();
        parts.iter().for_each(|part| part.encode(&mut bytes, id));
        let frames = frames(&bytes, piece).expect("frames");
        let read: Vec<_> = frames.iter().map(|(kind, _, payload)| Part::decode(*kind, payload)).collect();
        prop_assert_eq!(read, parts.map(Ok));
        prop_assert!(frames.iter().all(|(_, stream, _)| *stream == id));
    }

    /// What one kind of damage makes of a row of good frames: cut, changed, doubled or out of order.
    #[test]
    fn damaged_frames_are_read_or_refused_alike_however_they_come(
        reports in vec(prop_oneof![
            Just(Report::Ready), Just(Report::Done), "[ -~]{0,30}".prop_map(Report::Failed),
            "[a-z.]{1,30}".prop_map(Report::Unlisted), vec(any::<u8>(), 0..60).prop_map(Report::Bytes),
        ], 1..8),
        at: prop::sample::Index, bit in 0..8u8, cut in any::<bool>(), piece in 1..40usize
    ) {
        let mut bytes = Vec::new();
        reports.iter().for_each(|report| report.encode(&mut bytes));
        let at = at.index(bytes.len());
        if cut { bytes.remove(at); } else { bytes[at] ^= 1 << bit; }
        let (whole, pieces) = (frames(&bytes, bytes.len()), frames(&bytes, piece));
        prop_assert_eq!(&whole, &pieces);
        // What is read as a report says the same again when it is said again.
        for (kind, _, payload) in whole.unwrap_or_default() {
            if let Ok(said) = Report::decode(kind, &payload) {
                let mut again = Vec::new();
                said.encode(&mut again);
                prop_assert_eq!(&again[HEADER..], &payload[..]);
                prop_assert_eq!(again[0], kind);
            }
            if let Ok(order) = Order::decode(kind, &payload) {
                let mut again = Vec::new();
                order.encode(&mut again);
                prop_assert_eq!(Order::decode(again[0], &again[HEADER..]), Ok(order));
            }
        }
    }

    #[test]
    fn noise_is_read_or_refused_and_never_more(noise in vec(any::<u8>(), 0..3000), kind: u8, piece in 1..400usize) {
        let held: usize = frames(&noise, piece).map_or(0, |frames| frames.iter().map(|frame| frame.2.len()).sum());
        prop_assert!(held <= noise.len());
        // Each answer is data or an error; that there is one at all is what counts.
        let _ = (Order::decode(kind, &noise), Report::decode(kind, &noise));
        if let Ok(Part::Open { name, .. }) = Part::decode(kind, &noise) {
            prop_assert!(name.len() <= 253 && name.bytes().all(|byte| byte.is_ascii_graphic()));
        }
    }
}

#[test]
fn what_no_peer_may_say_is_refused() {
    let long = "x".repeat(254);
    let open = |name: &str| {
        let mut bytes = Vec::new();
        Part::Open { name, port: 443 }.encode(&mut bytes, 1);
        bytes[HEADER..].to_vec()
    };
    for payload in [open(""), open(&long), open("a b"), open("a\u{7f}"), open("a\nb"), open("\u{e9}")] {
        assert!(Part::decode(b'o', &payload).is_err(), "{payload:?}");
    }
    assert!(Part::decode(b'd', &[]).is_err());
    assert!(Part::decode(b'd', &vec![0; WINDOW as usize + 1]).is_err());
    assert!(Part::decode(b'z', &[]).is_err());
    let mut decoder = Decoder::default();
    decoder.feed(&[&[b'd', 1, 0, 0, 0][..], &(MAX_PAYLOAD as u32 + 1).to_le_bytes()].concat());
    assert!(decoder.frame().is_err(), "a frame over the limit");
}
