//! A corpus of invented people: ten tables with the proportions of Context-Bench's corpus, but with employers, banks,
//! insurers, towns and sites that several people share, half of the people in one state only, near misses of what
//! people are known by, and a fixed day on which all of it was written down.

use super::pools::{Pools, fresh, pools, two};
use super::words::{
    BLOOD, BREEDS, COLOURS, CONDITIONS, FIRST, JOBS, LAST, PET, POLICIES, PROVIDERS, SPECIES, STREET, STYLE, TOWN,
    USER, entries, words,
};
use crate::question::{
    Address, BankAccount, CreditCard, Employment, InsurancePolicy, InternetAccount, MedicalRecord, Money, Month,
    Person, Pet, Records, Vehicle,
};
use crate::random::Random;
use jiff::ToSpan;
use jiff::civil::{Date, date};
use std::collections::BTreeSet;

/// The day on which an invented corpus was written down: policies and cards lapse before and after it.
pub const AS_OF: Date = date(2026, 6, 1);

/// The only country there is.
const COUNTRY: &str = "Seaborne Union";

/// Invents the records of so many people. The same seed gives the same records.
///
/// How many records of a kind a person has is drawn evenly: 1 to 3 addresses, 1 to 6 accounts, 0 to 5 cards, 0 to 4
/// policies, user names, pets and vehicles; about one in three has no job, and half have a medical record.
pub fn invent(seed: u64, people: usize) -> Records {
    // One stream for each table: none of them moves when another one draws more numbers.
    let stream = |table| Random::new(seed, table);
    let pools = pools(&mut stream(0), people);
    Records {
        people: persons(&mut stream(1), people),
        addresses: addresses(&mut stream(2), people, &pools),
        bank_accounts: owned(&mut stream(3), people, 1, 6, |r, owner| account(r, owner, &pools)),
        credit_cards: owned(&mut stream(4), people, 0, 5, card),
        employments: owned(&mut stream(5), people, 0, 2, |r, owner| job(r, owner, &pools)),
        insurance_policies: owned(&mut stream(6), people, 0, 4, |r, owner| policy(r, owner, &pools)),
        internet_accounts: user_names(&mut stream(7), people, &pools),
        medical_records: owned(&mut stream(8), people, 0, 1, medical),
        pets: owned(&mut stream(9), people, 0, 4, pet),
        vehicles: vehicles(&mut stream(10), people, &pools),
    }
}

/// From `low` to `high` records for each person.
fn owned<R>(
    random: &mut Random,
    people: usize,
    low: i64,
    high: i64,
    mut make: impl FnMut(&mut Random, usize) -> R,
) -> Vec<R> {
    let mut table = Vec::new();
    for owner in 0..people {
        for _ in 0..random.within(low, high) {
            table.push(make(random, owner));
        }
    }
    table
}

fn persons(random: &mut Random, people: usize) -> Vec<Person> {
    let names = fresh(random, &mut BTreeSet::new(), people, |r| two(r, FIRST, " ", LAST));
    let person = |name| Person {
        name,
        dob: day(random, date(1936, 1, 1), date(2007, 12, 31)),
        // Not made from the name: who somebody is must not be guessed from it.
        email: format!("{}@example.{}", mailbox(random), random.pick(&["com", "org", "net"])),
        phone: phone(random),
    };
    names.into_iter().map(person).collect()
}

fn mailbox(random: &mut Random) -> String {
    let first = random.pick(&words(FIRST)).to_lowercase();
    match random.below(3) {
        0 => format!("{first}{}", digits(random, 2)),
        1 => format!("{first}{}", random.pick(&words(LAST)).to_lowercase()),
        _ => format!("{}{}", &first[..1], random.pick(&words(LAST)).to_lowercase()),
    }
}

/// Numbers that no telephone has, in shapes that occur.
fn phone(random: &mut Random) -> String {
    let (area, last) = (random.within(200, 999), random.within(100, 199));
    let plain = match random.below(6) {
        0 => format!("{area}5550{last}"),
        1 => format!("{area}.555.0{last}"),
        2 => format!("({area})555-0{last}"),
        3 => format!("+1-{area}-555-0{last}"),
        4 => format!("001-{area}-555-0{last}"),
        _ => format!("{area}-555-0{last}"),
    };
    if random.chance(1, 3) {
        let extension = random.below(3) + 3;
        return format!("{plain}x{}", digits(random, extension));
    }
    plain
}

/// A third of the people has one address; of the others, a quarter has all of them in one state.
fn addresses(random: &mut Random, people: usize, pools: &Pools) -> Vec<Address> {
    let mut table = Vec::new();
    for owner in 0..people {
        let many = 1 + random.below(3);
        let mut states = pools.states.clone();
        random.shuffle(&mut states);
        if random.chance(1, 4) {
            states = vec![states[0].clone(); many];
        }
        for (state, towns) in &states[..many] {
            table.push(Address {
                owner,
                street: street(random),
                city: random.pick(towns).clone(),
                state: state.to_string(),
                postal_code: digits(random, 5),
                country: COUNTRY.to_owned(),
            });
        }
    }
    table
}

fn street(random: &mut Random) -> String {
    let plain = format!("{} {}", random.within(1, 9999), two(random, TOWN, " ", STREET));
    match random.below(4) {
        0 => format!("{plain} Suite {}", random.within(100, 999)),
        1 => format!("{plain} Apt. {}", random.within(100, 999)),
        _ => plain,
    }
}

fn account(random: &mut Random, owner: usize, pools: &Pools) -> BankAccount {
    BankAccount {
        owner,
        bank_name: random.pick(&pools.banks).clone(),
        routing: digits(random, 9),
        account_no: format!("{}{}", letters(random, 4), digits(random, 14)),
        balance: dollars(random, 100, 50_000),
        currency: "USD".to_owned(),
    }
}

fn card(random: &mut Random, owner: usize) -> CreditCard {
    let providers = entries(PROVIDERS);
    // The first two stand for two each.
    let provider = providers[random.below(providers.len() + 2) % providers.len()];
    let (length, check) = (random.within(12, 19), if random.chance(1, 11) { 4 } else { 3 });
    let month = random.within(0, 125);
    CreditCard {
        owner,
        provider: provider.to_owned(),
        number: format!("{}{}", random.within(1, 9), digits(random, length as usize - 1)),
        expire: Month { year: 2025 + ((month + 6) / 12) as i16, month: ((month + 6) % 12 + 1) as i8 },
        cvc: digits(random, check),
    }
}

fn job(random: &mut Random, owner: usize, pools: &Pools) -> Employment {
    Employment {
        owner,
        employer: random.pick(&pools.employers).clone(),
        job_title: random.pick(&entries(JOBS)).to_string(),
        start_date: day(random, date(2014, 1, 1), AS_OF.saturating_sub(1.day())),
        salary: dollars(random, 40_000, 250_000),
        currency: "USD".to_owned(),
    }
}

fn policy(random: &mut Random, owner: usize, pools: &Pools) -> InsurancePolicy {
    let letters: String = letters(random, 3)
        .chars()
        .map(|letter| if random.chance(1, 2) { letter.to_ascii_lowercase() } else { letter })
        .collect();
    InsurancePolicy {
        owner,
        insurer: random.pick(&pools.insurers).clone(),
        policy_type: random.pick(&words(POLICIES)).to_string(),
        policy_number: format!("{letters}-{}", digits(random, 8)),
        expires: day(random, AS_OF.saturating_sub(1.year()), AS_OF.saturating_add(4.years())),
    }
}

fn user_names(random: &mut Random, people: usize, pools: &Pools) -> Vec<InternetAccount> {
    let mut taken = BTreeSet::new();
    owned(random, people, 0, 4, |random, owner| InternetAccount {
        owner,
        username: fresh(random, &mut taken, 1, user_name).concat(),
        email: format!("{}@{}.example", mailbox(random), random.pick(&["post", "mail", "letters"])),
        url: random.pick(&pools.sites).clone(),
        password: password(random),
    })
}

fn user_name(random: &mut Random) -> String {
    match random.below(3) {
        0 => two(random, USER, ".", USER),
        1 => two(random, USER, "_", USER),
        _ => format!("{}{}", random.pick(&words(USER)), digits(random, 2)),
    }
}

fn password(random: &mut Random) -> String {
    let signs: Vec<char> = ('a'..='z').chain('A'..='Z').chain('0'..='9').chain("!@#$%^&*()_+".chars()).collect();
    (0..12).map(|_| *random.pick(&signs)).collect()
}

fn medical(random: &mut Random, owner: usize) -> MedicalRecord {
    MedicalRecord {
        owner,
        // Numbers from 900 on are given to nobody.
        ssn: format!("9{}-{}-{}", digits(random, 2), digits(random, 2), digits(random, 4)),
        blood_type: random.pick(&words(BLOOD)).to_string(),
        condition: random.pick(&words(CONDITIONS)).to_string(),
    }
}

/// Plain names are shared by several pets; those with a style before them mostly aren't, and people can be known by
/// them.
fn pet(random: &mut Random, owner: usize) -> Pet {
    let name = if random.chance(1, 2) { two(random, STYLE, " ", PET) } else { random.pick(&words(PET)).to_string() };
    Pet {
        owner,
        name,
        species: random.pick(&words(SPECIES)).to_string(),
        breed: random.pick(&words(BREEDS)).to_string(),
    }
}

fn vehicles(random: &mut Random, people: usize, pools: &Pools) -> Vec<Vehicle> {
    let mut taken = BTreeSet::new();
    let mut last = "AAA 000".to_owned();
    owned(random, people, 0, 4, |random, owner| {
        // Some plates differ from another one in a single sign.
        let near = random.chance(1, 20);
        let made = |r: &mut Random| if near { near_miss(r, &last) } else { plate(r) };
        last = fresh(random, &mut taken, 1, made).concat();
        Vehicle {
            owner,
            make: random.pick(&pools.makes).clone(),
            model: random.pick(&words(COLOURS)).to_string(),
            year: random.within(1996, 2026) as i16,
            license_plate: last.clone(),
        }
    })
}

fn plate(random: &mut Random) -> String {
    let (abc, xy) = (letters(random, 3), letters(random, 2));
    match random.below(80) {
        // The only signs beyond ASCII in the corpus: readers must not fall over them.
        0 => format!("{}\u{b7}{abc}", digits(random, 3)),
        1..20 => format!("{abc} {}", digits(random, 3)),
        20..40 => format!("{abc}-{}", digits(random, 4)),
        40..60 => format!("{} {abc}", digits(random, 3)),
        _ => format!("{}{xy} {abc}", digits(random, 1)),
    }
}

fn near_miss(random: &mut Random, plate: &str) -> String {
    let signs: Vec<char> = plate.chars().collect();
    let places: Vec<usize> = (0..signs.len()).filter(|at| signs[*at].is_ascii_digit()).collect();
    let at = *random.pick(&places);
    let other = digits(random, 1);
    signs.iter().enumerate().map(|(n, sign)| if n == at { other.clone() } else { sign.to_string() }).collect()
}

/// An amount from `low` to `high` dollars, to the cent.
fn dollars(random: &mut Random, low: i64, high: i64) -> Money {
    Money(random.within(low * 100, high * 100))
}

fn day(random: &mut Random, first: Date, last: Date) -> Date {
    let days = (last - first).get_days();
    first.saturating_add(random.within(0, i64::from(days)).days())
}

fn digits(random: &mut Random, many: usize) -> String {
    (0..many).map(|_| char::from(b'0' + random.below(10) as u8)).collect()
}

fn letters(random: &mut Random, many: usize) -> String {
    (0..many).map(|_| char::from(b'A' + random.below(26) as u8)).collect()
}
