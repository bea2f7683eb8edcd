//! C text without its comments: directives with their conditions, and what stands between them.

/// A condition that holds where a line is compiled.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Condition {
    /// `#if 0`, `#if 1`, and the guard of a header.
    Constant(bool),
    /// `#if MACRO == VALUE`.
    Equals(String, String),
    /// `#ifdef MACRO`.
    Defined(String),
    /// `#ifndef MACRO`.
    NotDefined(String),
    /// None of these, which came before.
    Else(Vec<Condition>),
    /// Another expression.
    Other(String),
}

impl Condition {
    fn of_if(expression: &str) -> Self {
        let dense: String = expression.split_whitespace().collect();
        let dense = strip_parentheses(&dense);
        if let Ok(number) = dense.parse::<u64>() {
            return Self::Constant(number != 0);
        }
        if let Some((left, right)) = dense.split_once("==") {
            let (left, right) = (strip_parentheses(left), strip_parentheses(right));
            if is_identifier(left) && is_word(right) {
                return Self::Equals(left.to_owned(), right.to_owned());
            }
        }
        let (negated, rest) = match dense.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, dense),
        };
        // `definedX` cannot be told from `defined X` without its blank; nobody writes the former.
        if let Some(name) = rest.strip_prefix("defined").map(strip_parentheses)
            && is_identifier(name)
        {
            return if negated {
                Self::NotDefined(name.to_owned())
            } else {
                Self::Defined(name.to_owned())
            };
        }
        Self::Other(expression.trim().to_owned())
    }

    /// Whether it holds when the compiler is told nothing.
    pub fn by_default(&self) -> bool {
        match self {
            Self::Constant(holds) => *holds,
            Self::NotDefined(_) => true,
            Self::Equals(..) | Self::Defined(_) | Self::Other(_) => false,
            Self::Else(earlier) => !earlier.iter().any(Self::by_default),
        }
    }
}

fn strip_parentheses(text: &str) -> &str {
    let mut inner = text;
    while let Some(within) = inner
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
    {
        if within.contains(['(', ')']) {
            break;
        }
        inner = within;
    }
    inner
}

/// Whether a text is one identifier.
pub fn is_identifier(text: &str) -> bool {
    is_word(text) && !text.starts_with(|c: char| c.is_ascii_digit())
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// One directive or one stretch of code, with the conditions that it is compiled under.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Piece<'a> {
    /// `#include` of a name; quoted or in angle brackets.
    Include(&'a str, bool),
    /// `#define` of a name without parameters as a text.
    Define(&'a str, &'a str),
    /// A conditional begins.
    If,
    /// The next branch of it begins.
    Branch,
    /// It ends; whether it was one on `__cplusplus`.
    EndIf(bool),
    /// A line of code.
    Code(&'a str),
}

struct Frame {
    earlier: Vec<Condition>,
    current: Condition,
    guard: bool,
}

/// Calls `each` for every piece of a text whose comments are removed already.
pub fn pieces<'a>(text: &'a str, mut each: impl FnMut(Piece<'a>, &[Condition])) {
    let mut frames: Vec<Frame> = Vec::new();
    let mut conditions: Vec<Condition> = Vec::new();
    let mut directives = 0;
    for line in text.lines() {
        let Some(directive) = line.trim_start().strip_prefix('#').map(str::trim) else {
            each(Piece::Code(line), &conditions);
            continue;
        };
        directives += 1;
        let end = directive.find(|c: char| !c.is_ascii_alphabetic());
        let (word, rest) = directive.split_at(end.unwrap_or(directive.len()));
        let rest = rest.trim();
        match word {
            "if" | "ifdef" | "ifndef" => {
                let current = match word {
                    "if" => Condition::of_if(rest),
                    "ifdef" => Condition::Defined(rest.to_owned()),
                    _ => Condition::NotDefined(rest.to_owned()),
                };
                frames.push(Frame {
                    earlier: Vec::new(),
                    guard: directives == 1 && matches!(current, Condition::NotDefined(_)),
                    current,
                });
                each(Piece::If, &conditions);
            }
            "elif" | "else" => {
                if let Some(frame) = frames.last_mut() {
                    let next = match word {
                        "elif" => Condition::of_if(rest),
                        _ => Condition::Constant(true),
                    };
                    let before = std::mem::replace(&mut frame.current, next);
                    frame.earlier.push(before);
                    each(Piece::Branch, &conditions);
                }
            }
            "endif" => {
                let cplusplus = Condition::Defined("__cplusplus".into());
                let ended = frames.pop();
                let was = ended.is_some_and(|frame| {
                    frame.current == cplusplus || frame.earlier.contains(&cplusplus)
                });
                each(Piece::EndIf(was), &conditions);
            }
            "include" => {
                if let Some((name, quoted)) = included(rest) {
                    each(Piece::Include(name, quoted), &conditions);
                }
            }
            "define" => {
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
                let (name, value) = rest.split_at(end.unwrap_or(rest.len()));
                if directives == 2
                    && let Some(frame) = frames.first_mut()
                    && frame.guard
                    && frame.current == Condition::NotDefined(name.to_owned())
                {
                    frame.current = Condition::Constant(true);
                } else if !value.starts_with('(') || value.ends_with(')') {
                    each(Piece::Define(name, value.trim()), &conditions);
                }
            }
            _ => {}
        }
        conditions = frames.iter().map(condition).collect();
    }
}

fn condition(frame: &Frame) -> Condition {
    match (frame.earlier.as_slice(), &frame.current) {
        ([], current) => current.clone(),
        ([Condition::Defined(name)], Condition::Constant(true)) => {
            Condition::NotDefined(name.clone())
        }
        ([Condition::NotDefined(name)], Condition::Constant(true)) => {
            Condition::Defined(name.clone())
        }
        ([Condition::Constant(holds)], Condition::Constant(true)) => Condition::Constant(!holds),
        (earlier, Condition::Constant(true)) => Condition::Else(earlier.to_vec()),
        (_, current) => current.clone(),
    }
}

fn included(rest: &str) -> Option<(&str, bool)> {
    let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
    let angled = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
    match (quoted, angled) {
        (Some((name, _)), _) => Some((name, true)),
        (None, Some((name, _))) => Some((name, false)),
        (None, None) => None,
    }
}

/// A text with a blank for each comment, and continued lines joined.
pub fn without_comments(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut quote = None;
    while let Some(character) = characters.next() {
        match (character, quote) {
            ('\\', _) if matches!(characters.peek(), Some('\n' | '\r')) => {
                if characters.next() == Some('\r') {
                    characters.next_if_eq(&'\n');
                }
            }
            ('\\', Some(_)) => {
                clean.push('\\');
                clean.extend(characters.next());
            }
            // A literal does not go over the line's end, whatever opened it.
            ('\n', _) => {
                quote = None;
                clean.push('\n');
            }
            (_, Some(open)) => {
                if character == open {
                    quote = None;
                }
                clean.push(character);
            }
            ('"' | '\'', None) => {
                quote = Some(character);
                clean.push(character);
            }
            ('/', None) if characters.peek() == Some(&'/') => {
                while characters.peek().is_some_and(|next| *next != '\n') {
                    if characters.next() == Some('\\') {
                        characters.next_if_eq(&'\r');
                        characters.next_if_eq(&'\n');
                    }
                }
            }
            ('/', None) if characters.peek() == Some(&'*') => {
                characters.next();
                let mut star = false;
                for inside in characters.by_ref() {
                    if star && inside == '/' {
                        break;
                    }
                    star = inside == '*';
                    if inside == '\n' {
                        // Lines stay lines; a directive's comment may go on for several.
                        continue;
                    }
                }
                clean.push(' ');
            }
            (_, None) => clean.push(character),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn conditions_of(text: &str, wanted: &str) -> Vec<Condition> {
        let mut found = None;
        pieces(text, |piece, conditions| {
            if piece == Piece::Code(wanted) {
                found = Some(conditions.to_vec());
            }
        });
        found.expect("the line is there")
    }

    #[test]
    fn comments_go_and_strings_stay() {
        let text = "a/* \" */b // c \\\nd\n\"/*\" '\"' x\\\ny \"\\\"//\" z";
        assert_eq!(without_comments(text), "a b \n\"/*\" '\"' xy \"\\\"//\" z");
    }

    #[test]
    fn conditions_are_read() {
        let chain =
            "#if (LEVEL == 2)\na\n#elif defined(X)\nb\n#elif !defined Y\nc\n#else\nd\n#endif\ne";
        let level = Condition::Equals("LEVEL".into(), "2".into());
        assert_eq!(conditions_of(chain, "a"), [level]);
        assert_eq!(conditions_of(chain, "b"), [Condition::Defined("X".into())]);
        assert_eq!(
            conditions_of(chain, "c"),
            [Condition::NotDefined("Y".into())]
        );
        assert!(
            matches!(&conditions_of(chain, "d")[..], [Condition::Else(earlier)] if earlier.len() == 3)
        );
        assert_eq!(conditions_of(chain, "e"), []);
        let either = "#ifndef X\na\n#else\nb\n#endif";
        assert_eq!(conditions_of(either, "b"), [Condition::Defined("X".into())]);
    }

    #[test]
    fn the_guard_of_a_header_is_no_condition() {
        let text = "#ifndef X_H\n#define X_H\na\n#endif\n";
        assert_eq!(conditions_of(text, "a"), [Condition::Constant(true)]);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([#a-z \"'/*\\\\\n(){}=é]|#if |#else\n|#endif\n|#define ){0,60}") {
            pieces(&without_comments(&text), |_, _| {});
        }
    }
}
