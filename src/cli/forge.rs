//! `seatrial forge`: make a new corpus with questions whose keys are proved. Wiring and printing only.

use super::error::Error;
use super::exit;
use super::words::count;
use crate::corpus::check_id_prefix;
use crate::populate::{refuse_full, write_vendor};
use crate::question::{Baseline, Forged, Gate, QuestionType, Request, Tally, Tier, baselines, make, vendor};
use std::path::PathBuf;

/// Make a new corpus with questions whose keys are proved
///
/// All facts are invented. The same seed and numbers make the same bytes on every machine. Types of question: comparison_tiebreak, aggregation,
/// cross_file_counting, negation, set_intersection, temporal_reasoning, multi_entity_comparison, multi_hop_chain,
/// conditional, nested_superlative.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  seatrial forge --seed 7 -o vendor-7
  seatrial forge --seed 8 --people 200 --questions 12 --mix negation=1,aggregation=2 -o vendor-8")]
pub struct ForgeArgs {
    /// What decides everything that is drawn
    #[arg(long)]
    seed: u64,

    /// How many people the corpus has
    #[arg(long, value_name = "N", default_value_t = 500)]
    people: usize,

    /// How many questions are made
    #[arg(long, value_name = "N", default_value_t = 60)]
    questions: usize,

    /// Only these types, by these shares [default: all types by their usual shares]
    #[arg(long, value_name = "TYPE=SHARE,…", value_delimiter = ',', value_parser = share)]
    mix: Vec<(QuestionType, usize)>,

    /// What the suite is called and its task ids begin with [default: forged-SEED]
    #[arg(long)]
    name: Option<String>,

    /// The vendor directory to make; it must not hold anything
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

fn share(text: &str) -> Result<(QuestionType, usize), String> {
    let (word, share) = text.split_once('=').ok_or("a share is TYPE=NUMBER")?;
    let share = share.parse().ok().filter(|share| (1..=1000).contains(share));
    let share = share.ok_or_else(|| format!("the share of `{word}` is no number from 1 to 1000"))?;
    let found = QuestionType::ALL.iter().copied().find(|kind| kind.word() == word);
    found.map(|kind| (kind, share)).ok_or_else(|| {
        let close = crate::spelling::close_to(word, QuestionType::ALL.iter().map(|kind| kind.word()));
        let meant = close.first().map(|close| format!("; did you mean `{close}`?")).unwrap_or_default();
        format!("`{word}` is no type of question{meant}")
    })
}

/// Runs the verb and gives the exit code.
pub fn run(args: &ForgeArgs) -> Result<u8, Error> {
    let name = args.name.clone().unwrap_or_else(|| format!("forged-{}", args.seed));
    check_id_prefix(&name).map_err(|why| Error::Usage(format!("`--name`: {why}")))?;
    // Nobody waits for questions that can't be written down.
    refuse_full(&args.output)?;
    let request = Request { seed: args.seed, people: args.people, questions: args.questions, mix: args.mix.clone() };
    let forged = make(&request)?;
    write_vendor(&args.output, &vendor(&request, &forged, &name))?;
    super::show(&table(&forged));
    super::show(&structure(&forged));
    super::show(&guesses(&forged));
    let dir = args.output.display();
    super::say(&format!(
        "made the suite `{name}` in `{dir}`: {}, {}\n\nnext:\n  seatrial audit --vendor {dir}\n  \
         seatrial generate --vendor {dir} --all -o {dir}/tasks",
        count(args.people, "person").replace("persons", "people"),
        count(forged.questions.len(), "question")
    ));
    Ok(exit::OK)
}

/// How many gates have room beside each other.
const GATES: usize = 5;

/// How many plans of each type were drawn, how many became questions, and how many each gate stopped.
fn table(forged: &Forged) -> String {
    let mut out = String::new();
    for (place, gates) in Gate::ALL.chunks(GATES).enumerate() {
        // Where all gates don't fit beside each other, the types come again with the others.
        let first = place == 0;
        let numbers = |made: &str, drawn: &str| if first { format!("{made:>6}{drawn:>7}") } else { String::new() };
        out += &format!("{}{:24}{}", if first { "" } else { "\n\n" }, "type", numbers("made", "drawn"));
        gates.iter().for_each(|gate| out += &format!("{:>8}", gate.word()));
        for (kind, Tally { drawn, accepted, stopped }) in &forged.tallies {
            out += &format!("\n{:24}{}", kind.word(), numbers(&accepted.to_string(), &drawn.to_string()));
            gates.iter().for_each(|gate| out += &format!("{:>8}", stopped.get(gate).copied().unwrap_or(0)));
        }
    }
    out
}

fn structure(forged: &Forged) -> String {
    let mut out = String::from("\nstructural difficulty (not measured on any model)\n");
    for tier in [Tier::Easy, Tier::Medium, Tier::Hard] {
        let scores: Vec<usize> = forged.questions.iter().filter(|q| q.tier == tier).map(|q| q.score).collect();
        let (low, high) = (scores.iter().min().unwrap_or(&0), scores.iter().max().unwrap_or(&0));
        out += &format!("  {:8}{:>4}   score {low} to {high}\n", tier.word(), scores.len());
    }
    out
}

fn guesses(forged: &Forged) -> String {
    let mut out = String::from("right by guessing\n");
    for Baseline { what, right, of } in baselines(forged) {
        out += &format!("  {what:46}{right:>6.1} of {of}\n");
    }
    out.trim_end().to_owned()
}
