//! What an agent asks wrongly of its models through the relay: its own failure, and nobody else's.

use crate::model_server::{Act, message};
use crate::relay::Bed;
use serde_json::json;

#[tokio::test]
async fn what_an_agent_asks_wrongly_stops_nobody_elses_work() {
    let fine = message(&json!([{"type": "text", "text": "a"}]), "end_turn");
    let error = |kind: &str, text: &str| json!({"type": "error", "error": {"type": kind, "message": text}});
    for (status, kind, text) in [
        (404, "not_found_error", "File not found: file_bogus"),
        (404, "not_found_error", "File not found: claude-x"),
        (403, "permission_error", "this beta is not available to your organization"),
        (400, "invalid_request_error", "Input tag 'credit balance' found using 'type'"),
    ] {
        let bed = Bed::plain("claude-x", vec![Act::json(200, &fine), Act::json(status, &error(kind, text))]).await;
        let body = json!({"model": "claude-x", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]});
        for n in 1..=2 {
            bed.post("/v1/messages", &body).await;
            bed.used(n).await;
        }
        let used = bed.trial.used();
        assert_eq!((bed.halted(), used.failed, used.trouble), (Vec::new(), 0, None), "{status} {text}");
    }
    // Nor does a file that isn't there as the first thing, or a model that nobody lent it.
    for (act, model) in [
        (Act::json(404, &error("not_found_error", "File not found: file_bogus")), "claude-x"),
        (Act::json(403, &error("permission_error", "no")), "claude-other"),
    ] {
        let bed = Bed::plain("claude-x", vec![act]).await;
        bed.post("/v1/messages", &json!({"model": model, "messages": []})).await;
        let used = bed.used(1).await;
        assert_eq!((bed.halted(), used.failed, used.trouble), (Vec::new(), 0, None), "{model}");
    }
}

#[tokio::test]
async fn a_request_to_count_tokens_is_no_way_out_either() {
    let bed = Bed::plain("claude-x", vec![Act::json(200, &json!({"input_tokens": 5}))]).await;
    let source = json!({"type": "url", "url": "https://evil.example/?q=1"});
    let image =
        json!({"model": "claude-x", "messages": [{"role": "user", "content": [{"type": "image", "source": source}]}]});
    assert_eq!(bed.post("/v1/messages/count_tokens", &image).await.0, 403);
    let text = json!({"model": "claude-x", "messages": [{"role": "user", "content": "x"}]});
    assert_eq!(bed.post("/v1/messages/count_tokens", &text).await.0, 200);
}

#[tokio::test]
async fn requests_of_any_size_take_a_bounded_memory_of_what_was_said() {
    let reply = message(&json!([{"type": "text", "text": "a"}]), "end_turn");
    let bed = Bed::plain("claude-x", vec![Act::json(200, &reply)]).await;
    let padded = json!({"model": "claude-x", "messages": [{"role": "user", "content": "x"}],
        "metadata": {"pad": "y".repeat(5 << 20)}});
    for n in 1..=4 {
        bed.post("/v1/messages", &padded).await;
        bed.used(n).await;
    }
    let heard = bed.trial.heard();
    assert_eq!((heard.turns.len(), heard.unkept), (4, 0));
    assert!(format!("{:?}", heard.turns).len() < 10_000, "parameters are not kept");
}
