//! `seatrial doctor --network` on a real Docker engine: every attack is tried, each probe proves itself, and all hold. The
//! rows are what its users see, so they are what is read here.

use crate::support::{self, Suite};

#[tokio::test]
async fn every_attack_on_the_closed_network_is_tried_and_holds() {
    if support::docker("every_attack_on_the_closed_network").await.is_none() {
        return;
    }
    let ran = Suite::new().run(&["doctor", "--network"]).expect_code(0);
    let rows: Vec<&str> = ran.stdout.lines().skip(1).take_while(|line| !line.is_empty()).collect();
    assert!(rows.len() >= 50, "{}", ran.stdout);
    for row in &rows {
        assert!(row.starts_with("ok "), "{row}\n{}", ran.stdout);
    }
    assert!(ran.stdout.ends_with(&format!("\n{0} of {0} attacks held\n", rows.len())), "{}", ran.stdout);
    for attack in ["families that no network namespace keeps in", "10,000 connections", "another trial meanwhile"] {
        assert!(rows.iter().any(|row| row.contains(attack)), "{attack}: {}", ran.stdout);
    }
}
