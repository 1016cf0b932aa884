//! [`LineMembers`]: the members of a line, by name.

use crate::import::contract::ProblemKind;
use crate::import::json::{self, Member};

use super::problems::{BROKEN, OUT_OF_RANGE};

/// The members of a line.
pub struct LineMembers<'a> {
    members: Vec<Member<'a>>,
}

impl<'a> LineMembers<'a> {
    /// Parses the members of an object; `None` if the text is not a complete object.
    pub fn new(text: &'a str) -> Option<Self> {
        json::members(text).ok().map(|members| Self { members })
    }

    /// Name and value of the first member, which is the kind of line.
    pub fn first(&self) -> (&str, &'a str) {
        self.members.first().map_or(("", ""), |member| (&*member.key, member.value))
    }

    /// All members, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.members.iter().map(|member| (&*member.key, member.value))
    }

    /// The value of a member, as written; `None` if there is none, or if it is null.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        let found = self.members.iter().find(|member| member.key == name);
        found.map(|member| member.value).filter(|&value| value != "null")
    }

    /// The whole number in the member `name`; `None` if there is no such member.
    pub fn num(&self, name: &str) -> Result<Option<i64>, ProblemKind> {
        self.get(name).map(|value| value.parse().map_err(|_| BROKEN)).transpose()
    }

    /// A required time, in nanoseconds.
    pub fn time(&self, name: &str) -> Result<i64, ProblemKind> {
        self.num(name)?.ok_or(BROKEN)
    }

    /// A required duration, in nanoseconds.
    pub fn duration(&self, name: &str) -> Result<i64, ProblemKind> {
        let time = self.time(name)?;
        if time >= 0 { Ok(time) } else { Err(OUT_OF_RANGE) }
    }

    /// The members of the object in the member `name`; `None` if there is no such member.
    pub fn object(&self, name: &str) -> Option<LineMembers<'a>> {
        self.get(name).and_then(LineMembers::new)
    }
}
