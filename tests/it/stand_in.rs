//! A stand-in for a model: it answers ten questions of the shipped suite from a script, by looking things up with the
//! loop's tools and computing with what they gave. Eight of its answers are right; the other two come of misreading, as a
//! model's might. It speaks Chat Completions and knows of a conversation only what a request holds.

use crate::model_server::{Act, Received, Server};
use serde_json::{Value, json};

/// A call of a tool. `{0}` and `{1}` are the owners of records that the last results show, `{answer}` is their first line.
enum Call {
    /// Lines that match in a path.
    Grep(&'static str, &'static str),
    /// The record around the hit of the n-th of the last results, which begins so many lines above.
    Read(usize, u64),
    Bash(&'static str),
    /// Python that has the functions of [`RECORDS`].
    Compute(&'static str),
    Finish(&'static str),
}

use Call::{Bash, Compute, Finish, Grep, Read};

/// What is said and called in one turn; without a call the loop asks for one.
type Turn = (&'static str, &'static [Call]);

/// Written into the container once for each question.
const RECORDS: &str = r#"import re
from functools import cache

@cache
def rows(kind):
    table = []
    for block in open(f"/app/files/{kind}.txt").read().strip().split("\n\n"):
        head, *lines = block.split("\n")
        table.append((re.search(r"pers-\d+", head)[0], dict(line.split(": ", 1) for line in lines)))
    return table

def of(kind, who):
    return [row for owner, row in rows(kind) if owner == who]

def like(kind, who, *keys):
    mine = {tuple(row[key] for key in keys) for row in of(kind, who)}
    return sorted({owner for owner, row in rows(kind) if tuple(row[key] for key in keys) in mine})

def balance(who):
    return sum(round(100 * float(row["balance"])) for row in of("bank_accounts", who)) / 100

def salary(who):
    return max((float(row["salary"]) for row in of("employments", who)), default=0)

name = {who: said for said, who in re.findall(r'### (.+) \(ID: (\S+)\)', open("/app/files/people.txt").read())}
"#;

const ACCOUNTS: &str = "/app/files/internet_accounts.txt";
const VEHICLES: &str = "/app/files/vehicles.txt";

/// Words of a question by which it is known, and the turns of its conversation.
const SCRIPT: [(&str, &[Turn]); 10] = [
    (
        "'sable_lagoon'",
        &[
            (
                "I look for both people first.",
                &[Grep("^username: sable_lagoon$", "/app/files"), Grep("^license_plate: 4HD KTI$", "/app/files")],
            ),
            ("", &[Read(0, 2), Read(1, 5)]),
            (
                "Now the two groups by bank.",
                &[Compute(
                    "best = [max(like('bank_accounts', who, 'bank_name'), key=salary) for who in ('{0}', '{1}')]\n\
                     count = lambda who: len(of('bank_accounts', who))\n\
                     print(name[max(best, key=count)])\n\
                     for who in best: print(who, name[who], salary(who), count(who))",
                )],
            ),
            ("", &[Finish("{answer}")]),
        ],
    ),
    (
        "'berry.garnet'",
        &[
            (
                "",
                &[
                    Grep("^username: berry.garnet$", "/app/files/accounts.txt"),
                    Grep("^license_plate: APJ 477$", VEHICLES),
                ],
            ),
            (
                "There is no such file; I see what there is.",
                &[
                    Bash("ls /app/files"),
                    Bash("grep -B 2 -x 'username: berry.garnet' /app/files/internet_accounts.txt"),
                ],
            ),
            ("", &[Bash("grep -B 5 -A 1 'APJ 477' /app/files/vehicles.txt; grep -B 2 berry.garnet /app/files/*.txt")]),
            (
                "",
                &[Compute(
                    "start = lambda who: max((row['start_date'] for row in of('employments', who)), default='')\n\
                     one = max(like('vehicles', '{1}', 'make'), key=salary)\n\
                     two = max(like('employments', '{0}', 'employer'), key=start)\n\
                     count = lambda who: len(of('bank_accounts', who))\n\
                     print(name[max(one, two, key=count)])\n\
                     print(one, salary(one), count(one), two, start(two), count(two))",
                )],
            ),
            ("", &[Finish("{answer}")]),
        ],
    ),
    (
        "'nettle_daisy'",
        &[
            ("", &[Bash("grep -x -B 2 'username: nettle_daisy' /app/files/internet_accounts.txt")]),
            (
                "Policies, then balances, where the blood type is the same.",
                &[Compute(
                    "group = like('medical_records', '{0}', 'blood_type')\n\
                     order = lambda who: (len(of('insurance_policies', who)), balance(who))\n\
                     for who in sorted(group, key=order, reverse=True)[:3]: print(name[who], *order(who), sep='\\n')",
                )],
            ),
            ("Three have four policies; the first has the most money.", &[Finish("{answer}")]),
        ],
    ),
    (
        "'glade_reed'",
        &[
            ("", &[Bash("grep -x -B 2 'username: glade_reed' /app/files/internet_accounts.txt")]),
            (
                "",
                &[Compute(
                    "group = like('employments', '{0}', 'job_title')\n\
                     order = lambda who: (len(of('pets', who)), balance(who))\n\
                     best = max(group, key=order)\n\
                     print(f'${balance(best):,.2f}')\n\
                     print(len(group), 'people;', name[best], order(best))",
                )],
            ),
            ("", &[Finish("{answer}")]),
        ],
    ),
    (
        "'MDG 824'",
        &[
            ("Whose vehicle is it?", &[Grep("^license_plate: MDG 824$", VEHICLES)]),
            ("", &[Read(0, 5)]),
            (
                "The earliest expiry in that state.",
                // Wrong: months before years.
                &[Compute(
                    "expiry = lambda who: min(card['expire'] for card in of('credit_cards', who))\n\
                     group = [who for who in like('addresses', '{0}', 'state') if of('credit_cards', who)]\n\
                     for who in sorted(group, key=expiry)[:3]: print(name[who], expiry(who), sep='\\n')",
                )],
            ),
            ("", &[Finish("{answer}")]),
        ],
    ),
    (
        "'Count Biscuit'",
        &[
            ("", &[Grep("^name: Count Biscuit$", "/app/files/pets.txt"), Grep("^license_plate: 289 SPK$", VEHICLES)]),
            ("", &[Read(0, 2), Read(1, 5)]),
            (
                "A and B, each with policies and money.",
                &[Compute(
                    "order = lambda who: (len(of('internet_accounts', who)), balance(who))\n\
                     a = max(like('addresses', '{0}', 'city', 'state'), key=order)\n\
                     b = max(like('bank_accounts', '{1}', 'bank_name'), key=order)\n\
                     policies = lambda who: len(of('insurance_policies', who))\n\
                     print(f'${balance(a if policies(a) > policies(b) else b):,.2f}')\n\
                     print(name[a], policies(a), name[b], policies(b))",
                )],
            ),
            ("", &[Finish("{answer}")]),
        ],
    ),
    (
        "'sail_velvet'",
        &[
            ("", &[Bash("grep -x -B 2 'username: sail_velvet' /app/files/internet_accounts.txt")]),
            (
                "The richest person of the state, then a count over four files.",
                &[Compute(
                    "best = max(like('addresses', '{0}', 'state'), key=balance)\n\
                     counts = [len(of(kind, best)) for kind in ('insurance_policies', 'vehicles', 'bank_accounts', 'pets')]\n\
                     print(sum(counts))\n\
                     print(name[best], counts)",
                )],
            ),
            ("", &[Finish("{answer}")]),
        ],
    ),
    (
        "'meadow07'",
        &[
            ("", &[Grep("^username: meadow07$", ACCOUNTS)]),
            ("", &[Read(0, 2)]),
            (
                "",
                &[Compute(
                    "for who in like('bank_accounts', '{0}', 'bank_name'):\n    \
                         home = any(row['policy_type'] == 'Home' for row in of('insurance_policies', who))\n    \
                         if home and not of('credit_cards', who): print(name[who])",
                )],
            ),
            // No call: the loop asks for one.
            ("It is the only person with a home policy and no card.", &[]),
            ("", &[Finish("Sigrid Buckthorn")]),
        ],
    ),
    (
        "'TAL-4886'",
        &[
            ("", &[Grep("^license_plate: (TAL-4886|GGN-5591)$", "/app/files")]),
            (
                "",
                &[
                    Bash("grep -B 5 -x 'license_plate: TAL-4886' /app/files/vehicles.txt"),
                    Bash("grep -B 5 -x 'license_plate: GGN-5591' /app/files/vehicles.txt"),
                ],
            ),
            (
                "The ten richest, those with such a policy, and those with that blood type.",
                &[Compute(
                    "rich = sorted(name, key=balance)[-10:]\n\
                     kind, blood = like('insurance_policies', '{0}', 'policy_type'), like('medical_records', '{1}', 'blood_type')\n\
                     for who in rich:\n    if who in kind and who in blood: print(name[who])\n\
                     print(len(kind), len(blood))",
                )],
            ),
            ("", &[Finish("{answer}")]),
        ],
    ),
    (
        "each of whom, among all people on record with that person's own blood type",
        &[
            (
                "I see how the records look.",
                &[Bash("head -n 5 /app/files/medical_records.txt"), Bash("wc -l /app/files/*.txt")],
            ),
            (
                // Wrong: whoever has the most vehicles of a blood type was asked for.
                "The highest salary of all who have a card.",
                &[Compute(
                    "best = max((who for who in name if of('credit_cards', who)), key=salary)\n\
                     print(name[best])\n\
                     print(salary(best))",
                )],
            ),
            ("", &[Finish("{answer}")]),
        ],
    ),
];

/// The stand-in as a provider on this machine.
pub fn start() -> Server {
    Server::with(answer)
}

fn answer(request: &Received) -> Act {
    let messages = request.body["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let question = messages.iter().find(|message| message["role"] == "user").map_or("", |message| text(message));
    let turn = messages.iter().filter(|message| message["role"] == "assistant").count();
    let known = SCRIPT.iter().find(|(words, _)| question.contains(words)).and_then(|(_, turns)| turns.get(turn));
    let Some((says, calls)) = known else {
        return Act::json(
            400,
            &json!({"error": {"message": "this is not in the script", "type": "invalid_request_error"}}),
        );
    };
    let results = messages.iter().rev().take_while(|message| message["role"] == "tool").map(text);
    let mut results: Vec<&str> = results.collect();
    results.reverse();
    Act::stream(&stream(says, &calls.iter().map(|call| called(call, &results)).collect::<Vec<_>>(), turn, request))
}

fn text(message: &Value) -> &str {
    message["content"].as_str().unwrap_or_default()
}

/// A tool's name and input.
fn called(call: &Call, results: &[&str]) -> (&'static str, Value) {
    let filled = |text: &str| {
        let shown = results.join("\n");
        let owners =
            shown.match_indices("(owner: ").filter_map(|(at, begin)| shown[at + begin.len()..].split(')').next());
        let mut text = text.replace("{answer}", shown.lines().next().unwrap_or_default());
        for (n, owner) in owners.enumerate() {
            text = text.replace(&format!("{{{n}}}"), owner);
        }
        text
    };
    match call {
        Grep(pattern, path) => ("grep", json!({"pattern": pattern, "path": path})),
        Read(n, above) => {
            let mut hit = results[*n].split(':');
            let (path, line) = (hit.next().unwrap_or_default(), hit.next().and_then(|line| line.parse::<u64>().ok()));
            let first = line.map_or(1, |line| line - above);
            ("read", json!({"path": path, "first_line": first, "lines": above + 1}))
        }
        Bash(line) => ("bash", json!({"command": filled(line)})),
        Compute(lines) => {
            let python = filled(lines);
            let command = format!(
                "cd /tmp\ncat > records.py <<'END'\n{RECORDS}END\npython3 - <<'END'\nfrom records import *\n{python}\nEND"
            );
            ("bash", json!({"command": command}))
        }
        Finish(answer) => ("finish", json!({"answer": filled(answer)})),
    }
}

/// A reply as the events of a stream. Tokens are characters by four.
fn stream(says: &str, calls: &[(&str, Value)], turn: usize, request: &Received) -> Vec<Value> {
    let id = format!("standin-{turn}");
    let event = |choices: Value, usage: Value| {
        json!({"id": id, "object": "chat.completion.chunk", "created": 1, "model": "stand-in", "choices": choices,
               "usage": usage})
    };
    let piece = |delta: Value, finish: Value| {
        event(json!([{"index": 0, "delta": delta, "finish_reason": finish}]), Value::Null)
    };
    let mut events = vec![piece(json!({"role": "assistant", "content": says}), Value::Null)];
    for (n, (name, input)) in calls.iter().enumerate() {
        let function = json!({"name": name, "arguments": input.to_string()});
        let call = json!({"index": n, "id": format!("call_{turn}_{n}"), "type": "function", "function": function});
        events.push(piece(json!({"tool_calls": [call]}), Value::Null));
    }
    let written: usize = says.len() + calls.iter().map(|(_, input)| input.to_string().len()).sum::<usize>();
    let (read, written) = (request.body["messages"].to_string().len() / 4, written / 4 + 1);
    events.push(piece(json!({}), if calls.is_empty() { "stop".into() } else { "tool_calls".into() }));
    events.push(event(
        json!([]),
        json!({"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}),
    ));
    events.push("[DONE]".into());
    events
}
