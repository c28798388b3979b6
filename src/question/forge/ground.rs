//! What the gates ask a corpus again and again: its people, its text, and its worlds in which one file's records
//! belong to others.

use super::needs::{File, shuffled};
use crate::corpus;
use crate::question::plan::{Plan, Relation, Source};
use crate::question::{Answer, Database, Error, Place, Reading, Records, Verdict, World, audit_one};
use crate::random::Random;
use std::collections::BTreeMap;

/// In how many worlds the owners of each file are shuffled.
pub const SHUFFLES: usize = 8;

/// A corpus, made ready for the gates.
pub struct Ground<'a> {
    /// Its people.
    pub world: World<'a>,
    /// The ten files, one after the other.
    text: String,
    /// Of each pet's name, how many pets of each species have it.
    pets: BTreeMap<&'a str, BTreeMap<&'a str, usize>>,
    shuffled: BTreeMap<File, Vec<World<'a>>>,
    database: Database,
}

impl<'a> Ground<'a> {
    /// Makes a corpus ready. `random` decides the shuffles.
    pub fn new(records: &'a Records, random: &mut Random) -> Result<Ground<'a>, Error> {
        let world = World::new(records);
        let mut pets: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        for pet in &records.pets {
            *pets.entry(&pet.name).or_default().entry(&pet.species).or_default() += 1;
        }
        let mut worlds = |file| (0..SHUFFLES).map(|_| shuffled(&world, file, random)).collect();
        let shuffled = File::ALL.map(|file| (file, worlds(file))).into_iter().collect();
        let text = records.write().into_iter().map(|(_, text)| text).collect();
        Ok(Ground { world, text, pets, shuffled, database: Database::load(records)? })
    }

    /// Whether the audit finds a key proved.
    pub fn proves(&self, plan: &Plan, text: &str, answer: &Answer) -> bool {
        let question = corpus::Question {
            id: String::new(),
            question: text.to_owned(),
            answer: answer.to_string(),
            difficulty: None,
            question_type: None,
            plan: None,
            key: None,
        };
        let audited = audit_one(&question, plan.clone(), &self.world, &self.database);
        audited.is_ok_and(|audited| audited.verdict == Verdict::Proved)
    }

    /// The worlds in which a file's records belong to others.
    pub fn shuffled(&self, file: File) -> &[World<'a>] {
        &self.shuffled[&file]
    }

    /// What people can be known by who share exactly one thing by a relation: all that is theirs, except names that two
    /// pets of one kind have.
    pub fn handles(&self, relation: Relation) -> Vec<Source> {
        let mut handles = Vec::new();
        for (person, life) in self.world.lives.iter().enumerate() {
            if self.shared(person, relation).is_none() {
                continue;
            }
            let pets = life.pets.iter().filter(|pet| self.pets[pet.name.as_str()][pet.species.as_str()] == 1);
            handles.extend(pets.map(|pet| Source::Pet { name: pet.name.clone(), species: Some(pet.species.clone()) }));
            handles.extend(life.vehicles.iter().map(|vehicle| Source::Plate(vehicle.license_plate.clone())));
            handles.extend(life.net.iter().map(|account| Source::User(account.username.clone())));
        }
        handles
    }

    /// The one thing that somebody shares by a relation; nothing where there are several, or where it says `None`.
    fn shared(&self, person: usize, relation: Relation) -> Option<String> {
        let mut shared = self.world.shares(person, relation, Place::Any, &Reading::default());
        let first = shared.pop_first().filter(|value| value != "None")?;
        shared.is_empty().then(|| first.into_owned())
    }

    /// Whom a source describes, if there is no doubt: it is in plain ASCII, stands in no other record (a pet's name may
    /// be that of pets of other kinds), and what that person shares by the relation is one thing, and is something.
    pub fn anchor(&self, source: &Source, relation: Relation) -> Option<usize> {
        let owners = self.world.owners(source, &Reading::default());
        let (handle, records) = match source {
            Source::Pet { name, .. } => (name, self.pets.get(name.as_str()).map_or(0, |kinds| kinds.values().sum())),
            Source::Plate(handle) | Source::User(handle) => (handle, 1),
        };
        let anchor = owners.first().copied().filter(|_| owners.len() == 1)?;
        let alone = handle.is_ascii() && self.text.matches(handle.as_str()).count() == records;
        self.shared(anchor, relation).filter(|_| alone).map(|_| anchor)
    }
}
