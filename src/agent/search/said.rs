//! What a run has said over all its replies, and the answer in it.

/// What was said.
#[derive(Debug, Default)]
pub struct Said {
    all: String,
    /// The last reply, with those before it whose text it goes on with.
    last: String,
    goes_on: bool,
}

impl Said {
    /// Adds a reply's text; `cut` where the next one goes on with it.
    pub fn add(&mut self, text: &str, cut: bool) {
        self.all.push_str(text);
        if !self.goes_on {
            self.last.clear();
        }
        self.last.push_str(text);
        self.goes_on = cut;
    }

    /// What stands in the last pair of this tag, which may have been opened in one reply and closed in a later one. `None`
    /// where there is no pair, or nothing in it.
    pub fn tagged(&self, tag: &str) -> Option<&str> {
        // ASCII alone is changed, so that places in one are places in the other.
        let lower = self.all.to_ascii_lowercase();
        let tag = tag.to_ascii_lowercase();
        let end = lower.rfind(&format!("</{tag}>"))?;
        let open = format!("<{tag}>");
        let start = lower[..end].rfind(&open)? + open.len();
        Some(self.all[start..end].trim()).filter(|text| !text.is_empty())
    }

    /// All of the last reply, where it says anything.
    pub fn last(&self) -> Option<&str> {
        Some(self.last.trim()).filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_pair_of_tags_is_the_answer_wherever_replies_were_cut() {
        let text = "In <result> tags, as told. <RESULT>é first</result> or rather\n<Result>\n 漢 42,\n7 </RESULT> so.";
        for at in text.char_indices().map(|(at, _)| at) {
            let mut said = Said::default();
            said.add(&text[..at], true);
            said.add(&text[at..], false);
            assert_eq!(said.tagged("result"), Some("漢 42,\n7"), "cut at {at}");
            assert_eq!(said.last(), Some(text));
        }
        for none in ["", "no tag", "<result>open", "closed</result>", "<result> \n</result>", "</result><result>"] {
            let mut said = Said::default();
            said.add(none, false);
            assert_eq!(said.tagged("result"), None, "{none}");
        }
        let mut said = Said::default();
        said.add("Looking.", false);
        said.add("It is ", true);
        said.add("42.", false);
        assert_eq!((said.last(), said.tagged("answer")), (Some("It is 42."), None));
    }
}
