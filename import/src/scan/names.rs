//! Values of macros: `ALGORITHM_INSTANCE`, also where it is chosen by another macro, and
//! `DIGEST_BIT_LENGTH`.

use super::source::Definition;
use super::text::{Condition, is_identifier};

/// Macros that stand for macros, at most.
const DEEPEST: u32 = 6;

/// A value, and what the compiler must be told for it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Choice {
    /// The text of a string, or the digits of a number.
    pub value: String,
    /// `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
}

/// The definitions of an instance's headers.
#[derive(Clone, Debug, Default)]
pub struct Macros<'a>(pub Vec<&'a Definition>);

impl Macros<'_> {
    /// All values that a macro can have, in the order of their definitions.
    pub fn values(&self, name: &str) -> Vec<Choice> {
        self.resolve(name, DEEPEST)
    }

    fn resolve(&self, name: &str, depth: u32) -> Vec<Choice> {
        let mut choices: Vec<Choice> = Vec::new();
        let Some(depth) = depth.checked_sub(1) else {
            return choices;
        };
        for definition in self.0.iter().filter(|definition| definition.name == name) {
            let Some(defines) = self.told(name, &definition.conditions) else {
                continue;
            };
            for choice in self.text(&definition.value, depth) {
                let mut told = defines.clone();
                for define in choice.defines {
                    if !told.contains(&define) {
                        told.push(define);
                    }
                }
                let choice = Choice {
                    value: choice.value,
                    defines: told,
                };
                if !choices.contains(&choice) {
                    choices.push(choice);
                }
            }
        }
        choices
    }

    /// What the compiler must be told so that conditions hold; `None` when they cannot.
    fn told(&self, name: &str, conditions: &[Condition]) -> Option<Vec<String>> {
        let mut defines = Vec::new();
        for condition in conditions {
            match self.holds(name, condition) {
                Holds::Always => {}
                Holds::Never => return None,
                Holds::When(define) => defines.push(define),
            }
        }
        Some(defines)
    }

    fn holds(&self, name: &str, condition: &Condition) -> Holds {
        let constant = |holds| if holds { Holds::Always } else { Holds::Never };
        match condition {
            Condition::Constant(holds) => constant(*holds),
            Condition::Equals(other, value) => match self.settled(other) {
                Some(settled) => constant(settled == value),
                None => Holds::When(format!("{other}={value}")),
            },
            Condition::Defined(other) if other == "__cplusplus" => Holds::Never,
            Condition::Defined(other) => match self.settled(other) {
                Some(_) => Holds::Always,
                None => Holds::When(other.clone()),
            },
            // `#ifndef` around a definition only lets the compiler's word go first.
            Condition::NotDefined(other) if other == name => Holds::Always,
            Condition::NotDefined(other) => constant(self.settled(other).is_none()),
            Condition::Else(earlier) => constant(
                !earlier
                    .iter()
                    .any(|condition| matches!(self.holds(name, condition), Holds::Always)),
            ),
            // Not understood: it is listed, and a person looks.
            Condition::Other(_) => Holds::Always,
        }
    }

    /// The value that the headers themselves give a macro, whatever the compiler is told.
    fn settled(&self, name: &str) -> Option<&str> {
        let mut definitions = self.0.iter().filter(|definition| definition.name == name);
        definitions
            .find(|definition| {
                let mut conditions = definition.conditions.iter();
                conditions.all(|condition| *condition == Condition::Constant(true))
            })
            .map(|definition| definition.value.trim_matches(['(', ')', ' ']))
    }

    /// What a definition's text stands for: strings side by side, a number, or another macro.
    fn text(&self, text: &str, depth: u32) -> Vec<Choice> {
        let plain = |value: String| {
            vec![Choice {
                value,
                defines: Vec::new(),
            }]
        };
        let text = text
            .trim()
            .trim_start_matches('(')
            .trim_end_matches(')')
            .trim();
        if is_identifier(text) {
            return self.resolve(text, depth);
        }
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return plain(text.to_owned());
        }
        let mut value = String::new();
        let mut rest = text;
        while let Some(inside) = rest.strip_prefix('"') {
            let Some((string, after)) = inside.split_once('"') else {
                return Vec::new();
            };
            value.push_str(string);
            rest = after.trim_start();
        }
        if rest.is_empty() && !value.is_empty() {
            plain(value)
        } else {
            Vec::new()
        }
    }
}

enum Holds {
    Always,
    Never,
    When(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::source::Source;

    fn values(text: &str) -> Vec<(String, String)> {
        let source = Source::parse(text.as_bytes());
        let values = Macros(source.definitions.iter().collect()).values("ALGORITHM_INSTANCE");
        let pairs = values.into_iter();
        pairs
            .map(|choice| (choice.value, choice.defines.join(" ")))
            .collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        let expected = expected.iter();
        expected
            .map(|(value, define)| ((*value).into(), (*define).into()))
            .collect()
    }

    #[test]
    fn one_definition_is_one_name() {
        let guarded = "#ifndef H\n#define H\n#ifndef ALGORITHM_INSTANCE\n#define ALGORITHM_INSTANCE (\"A\" \"-1\")\n#endif\n#endif";
        assert_eq!(values(guarded), pairs(&[("A-1", "")]));
        let indirect = "#define NAME \"B\"\n#define ALGORITHM_INSTANCE NAME";
        assert_eq!(values(indirect), pairs(&[("B", "")]));
        assert_eq!(values("#define ALGORITHM_INSTANCE \"A\" STR(X)"), []);
        assert_eq!(values("#define ALGORITHM_INSTANCE ALGORITHM_INSTANCE"), []);
    }

    #[test]
    fn a_macro_that_chooses_is_told() {
        let chain = "#if LEVEL == 2\n#define ALGORITHM_INSTANCE \"A-2\"\n#elif defined(FIVE)\n\
                     #define ALGORITHM_INSTANCE \"A-5\"\n#else\n#define ALGORITHM_INSTANCE \"A-9\"\n#endif";
        assert_eq!(
            values(chain),
            pairs(&[("A-2", "LEVEL=2"), ("A-5", "FIVE"), ("A-9", "")])
        );
        let nested = format!(
            "#define ALGORITHM_INSTANCE N\n{}",
            chain.replace("ALGORITHM_INSTANCE", "N")
        );
        assert_eq!(values(&nested).len(), 3);
        let default = format!("#ifndef LEVEL\n#define LEVEL 2\n#endif\n{chain}");
        assert_eq!(values(&default)[0], ("A-2".into(), "LEVEL=2".into()));
    }

    #[test]
    fn what_the_headers_settle_is_not_told() {
        let chain = "#if LEVEL == 2\n#define ALGORITHM_INSTANCE \"A-2\"\n#elif LEVEL == 5\n\
                     #define ALGORITHM_INSTANCE \"A-5\"\n#else\n#define ALGORITHM_INSTANCE \"A-9\"\n#endif";
        let settled = format!("#define LEVEL 5\n{chain}");
        assert_eq!(values(&settled), pairs(&[("A-5", "")]));
        let other = format!("#define LEVEL 7\n{chain}");
        assert_eq!(values(&other), pairs(&[("A-9", "")]));
    }
}
