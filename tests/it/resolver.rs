//! The supervisor's resolver, as far as it is pure: whatever an agent sends, it answers what is asked or refuses, and a
//! name is what is listed or it is nothing.

#[path = "../../src/supervisor/dns.rs"]
mod dns;
#[path = "../../src/supervisor/names.rs"]
mod names;

use dns::Reply;
use names::{Name, Names};
use proptest::collection::vec;
use proptest::prelude::*;
use std::net::Ipv4Addr;

/// A query for a name, as a program sends it.
fn query(labels: &[&[u8]], kind: u16) -> Vec<u8> {
    let mut message = vec![0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    for label in labels {
        message.push(label.len() as u8);
        message.extend_from_slice(label);
    }
    message.push(0);
    message.extend_from_slice(&kind.to_be_bytes());
    message.extend_from_slice(&[0, 1]);
    message
}

#[test]
fn a_query_gets_its_own_question_back_with_the_address() {
    let message = query(&[b"API", b"Good", b"test"], dns::A);
    let question = dns::question(&message).expect("a question");
    assert_eq!((question.name.as_str(), question.kind), ("api.good.test", dns::A));
    let answer = dns::answer(&message, &question, Reply::Address(Ipv4Addr::new(127, 77, 0, 9)));
    assert_eq!(answer[..12], [0xab, 0xcd, 0x85, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
    assert_eq!(answer[12..message.len()], message[12..], "the question as it was asked, case and all");
    assert_eq!(answer[message.len()..], [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 77, 0, 9]);
    for (reply, code) in [(Reply::Empty, 0), (Reply::NoSuchName, 3), (Reply::Failed, 2)] {
        let answer = dns::answer(&message, &question, reply);
        assert_eq!((answer[3], answer[7], answer.len()), (0x80 | code, 0, message.len()), "{reply:?}");
    }
}

#[test]
fn what_is_no_plain_question_is_refused_or_passed_over() {
    let good = query(&[b"a", b"test"], dns::A);
    let changed = |at: usize, value: u8| {
        let mut message = good.clone();
        message[at] = value;
        message
    };
    let refused = |message: &[u8]| dns::question(message).expect_err("no question").map(|answer| answer[3] & 15);
    assert_eq!(refused(b"short"), None);
    assert_eq!(refused(&changed(2, 0x80)), None, "an answer");
    assert_eq!(refused(&changed(2, 0x28)), Some(4), "another verb than a query");
    assert_eq!(refused(&changed(5, 2)), Some(1), "two questions");
    assert_eq!(refused(&changed(5, 0)), Some(1), "no question");
    assert_eq!(refused(&changed(12, 0xc0)), Some(1), "a pointer");
    assert_eq!(refused(&changed(12, 63)), Some(1), "a label beyond the end");
    assert_eq!(refused(&good[..good.len() - 1]), Some(1), "cut short");
    assert_eq!(refused(&changed(good.len() - 1, 3)), Some(4), "another class");
    let long = [[b'x'; 63]; 4];
    assert_eq!(refused(&query(&long.each_ref().map(|label| label.as_slice()), 1)), Some(1), "a name that is too long");
    // A dot inside of a label is no border between two.
    assert_eq!(dns::question(&query(&[b"a.good", b"test"], 1)).expect("a question").name, "a?good.test");
}

#[test]
fn a_name_is_what_is_listed_and_wildcards_have_no_apex_and_no_look_alike() {
    let list = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let mut names = Names::new(&list(&["api.good.test"]), &list(&["wild.test"])).expect("names");
    let api = Ipv4Addr::new(127, 77, 0, 2);
    assert_eq!(names.find("api.good.test"), Name::At(api));
    assert_eq!((names.at(api), names.addresses()), (Some("api.good.test"), vec![api]));
    for unlisted in ["", "good.test", "x.api.good.test", "wild.test", "evilwild.test", "a?b.wild.test", "a.wild.test.x"]
    {
        assert_eq!(names.find(unlisted), Name::Unlisted, "{unlisted}");
    }
    let wild = Ipv4Addr::new(127, 77, 0, 3);
    assert_eq!(names.find("a.b.wild.test"), Name::New(wild));
    assert_eq!(names.find("a.b.wild.test"), Name::At(wild));
    let full = (0..600).map(|n| names.find(&format!("n{n}.wild.test"))).filter(|name| *name == Name::Full).count();
    assert_eq!(full, 600 - 511, "names below wildcards are so many at most");
    assert_eq!(names.find("api.good.test"), Name::At(api), "what is listed by name always has its place");
}

proptest! {
    #[test]
    fn no_message_breaks_the_resolver(message in vec(any::<u8>(), 0..600), tail in vec(any::<u8>(), 0..200)) {
        let framed = [&[0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0][..], &tail].concat();
        for message in [message, framed] {
            if let Ok(question) = dns::question(&message) {
                let answer = dns::answer(&message, &question, Reply::Empty);
                prop_assert!(answer.len() <= message.len());
                prop_assert!(question.name.len() <= 253 && question.name.is_ascii());
            }
        }
    }
}
