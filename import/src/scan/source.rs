//! What the scan wants to know of one C file.

use std::collections::BTreeSet;

use super::text::{Condition, Piece, pieces, without_comments};

/// Names whose use tells that a file needs the generator.
const DRNG: [&str; 4] = [
    "get_random_number",
    "init_random_number",
    "DRNG_ctx",
    "drng_algorithm",
];

/// Names whose use tells that a file needs the auxiliary hash functions.
const AUXFUNC: [&str; 3] = ["sm3hash", "pseudohash", "pseudoXOF"];

/// Functions that the interfaces consist of, one of each.
pub const INTERFACE: [&str; 4] = ["kem_keygen", "sig_keygen", "kex_init_a", "CryptHash"];

/// What a file says.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Its `#include` lines.
    pub includes: Vec<Include>,
    /// Its `#define` lines of macros without parameters.
    pub definitions: Vec<Definition>,
    /// Whether it has a program's entry.
    pub main: Main,
    /// Those of the names above that it uses.
    names: BTreeSet<&'static str>,
}

/// An `#include` line.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Include {
    /// What it includes.
    pub name: String,
    /// In quotes rather than angle brackets.
    pub quoted: bool,
    /// Whether it is compiled when the compiler is told nothing.
    pub by_default: bool,
}

/// A `#define` line.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Definition {
    /// The macro.
    pub name: String,
    /// What it stands for.
    pub value: String,
    /// Where that is so.
    pub conditions: Vec<Condition>,
}

/// Whether a file has a function `main`.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub enum Main {
    /// It has none.
    #[default]
    None,
    /// One that is compiled only when the compiler is told so.
    Conditional,
    /// It is a program.
    Program,
}

impl Source {
    /// Reads a text.
    pub fn parse(text: &[u8]) -> Self {
        let text = without_comments(&String::from_utf8_lossy(text));
        let mut source = Self::default();
        let mut code = Code::default();
        pieces(&text, |piece, conditions| match piece {
            Piece::Include(name, quoted) => source.includes.push(Include {
                name: name.replace('\\', "/"),
                quoted,
                by_default: conditions.iter().all(Condition::by_default),
            }),
            Piece::Define(name, value) => {
                code.names(value, &mut source.names);
                source.definitions.push(Definition {
                    name: name.to_owned(),
                    value: value.to_owned(),
                    conditions: conditions.to_vec(),
                });
            }
            Piece::If => code.saved.push(code.braces.clone()),
            Piece::Branch => {
                if let Some(saved) = code.saved.last() {
                    code.braces.clone_from(saved);
                }
            }
            Piece::EndIf(cplusplus) => {
                let saved = code.saved.pop();
                if cplusplus && let Some(saved) = saved {
                    code.braces = saved;
                }
            }
            Piece::Code(line) => {
                code.names(line, &mut source.names);
                if code.defines_main(line) {
                    let program = conditions.iter().all(Condition::by_default);
                    let main = if program {
                        Main::Program
                    } else {
                        Main::Conditional
                    };
                    source.main = source.main.max(main);
                }
            }
        });
        source
    }

    /// Whether it calls the generator.
    pub fn uses_drng(&self) -> bool {
        self.uses_any(&DRNG) || self.includes_file("drng.h")
    }

    /// Whether it calls the auxiliary hash functions.
    pub fn uses_auxfunc(&self) -> bool {
        self.uses_any(&AUXFUNC) || self.includes_file("auxfunc.h")
    }

    /// Whether it uses this one of the interface's functions.
    pub fn uses(&self, function: &str) -> bool {
        self.names.contains(function)
    }

    /// Whether it includes a file of this name, wherever it is.
    pub fn includes_file(&self, name: &str) -> bool {
        let mut names = self.includes.iter().map(|include| include.name.as_str());
        names.any(|included| included.rsplit('/').next() == Some(name))
    }

    fn uses_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.names.contains(name))
    }
}

/// Where in the code we are.
#[derive(Default)]
struct Code {
    /// Open braces; whether each is more than that of `extern "C" {`.
    braces: Vec<bool>,
    /// The same where the conditionals began that are open.
    saved: Vec<Vec<bool>>,
    /// What a function `main` has shown of itself.
    main: Progress,
    /// The last words were `extern "C"`.
    linkage: Linkage,
}

#[derive(Clone, Copy, Default, Eq, PartialEq)]
enum Progress {
    #[default]
    Nothing,
    Name,
    /// Within so many parentheses behind the name.
    Parameters(u32),
    /// Behind them.
    Head,
}

#[derive(Clone, Copy, Default, Eq, PartialEq)]
enum Linkage {
    #[default]
    None,
    Extern,
    Language,
}

impl Code {
    fn names(&self, line: &str, names: &mut BTreeSet<&'static str>) {
        for known in DRNG.iter().chain(&AUXFUNC).chain(&INTERFACE) {
            if !names.contains(known) && has_word(line, known) {
                names.insert(known);
            }
        }
    }

    /// Goes over a line; whether a definition of `main` has been seen in it.
    fn defines_main(&mut self, line: &str) -> bool {
        let mut seen = false;
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '"' | '\'' => literal(rest, first),
                c if c.is_ascii_alphanumeric() || c == '_' => rest
                    .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                    .unwrap_or(rest.len()),
                c => c.len_utf8(),
            };
            let (token, after) = rest.split_at(length);
            rest = after;
            if !first.is_whitespace() {
                seen |= self.token(token);
            }
        }
        seen
    }

    fn token(&mut self, token: &str) -> bool {
        let top = !self.braces.contains(&true);
        let mut seen = false;
        self.main = match (self.main, token) {
            (Progress::Head, "," | ";") => Progress::Nothing,
            (Progress::Head, _) => {
                seen = true;
                Progress::Nothing
            }
            (Progress::Name, "(") => Progress::Parameters(1),
            (Progress::Parameters(depth), "(") => Progress::Parameters(depth.saturating_add(1)),
            (Progress::Parameters(1), ")") => Progress::Head,
            (Progress::Parameters(depth), ")") => Progress::Parameters(depth - 1),
            (Progress::Parameters(depth), _) => Progress::Parameters(depth),
            (_, "main") if top => Progress::Name,
            _ => Progress::Nothing,
        };
        match token {
            "{" => self.braces.push(self.linkage != Linkage::Language),
            "}" => drop(self.braces.pop()),
            _ => {}
        }
        self.linkage = match (self.linkage, token) {
            (_, "extern") => Linkage::Extern,
            (Linkage::Extern, language) if language.starts_with('"') => Linkage::Language,
            _ => Linkage::None,
        };
        seen
    }
}

/// Length of the string or character literal that a text begins with.
fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (index, character) in text.char_indices().skip(1) {
        if character == quote && !escaped {
            return index + character.len_utf8();
        }
        escaped = character == '\\' && !escaped;
    }
    text.len()
}

fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.match_indices(word).any(|(start, found)| {
        let before = line.get(..start).and_then(|text| text.chars().next_back());
        let after = line
            .get(start + found.len()..)
            .and_then(|text| text.chars().next());
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn main_of(text: &str) -> Main {
        Source::parse(text.as_bytes()).main
    }

    #[test]
    fn programs_are_told_from_what_only_speaks_of_main() {
        for text in [
            "int main(void) { return 0; }",
            "int\nmain (int argc, char *(argv[]))\n{\n}",
            "main(argc, argv) int argc; char **argv; { }",
            "#include <x.h>\nextern \"C\" {\nint main() {}\n}",
            "#ifdef A\nint f(int a) {\n#else\nint f(long a) {\n#endif\n}\nint main() {}",
            "#ifndef LIBRARY\nint main() {}\n#endif",
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint main() {}",
            "char c = '{'; char *s = \"{\"; /* { */ int main() {}",
        ] {
            assert_eq!(main_of(text), Main::Program, "{text}");
        }
        for text in [
            "int main(void);",
            "/* int main() {} */ // int main() {}\nchar *s = \"int main() {}\";",
            "void f(void) { main(); }",
            "#define X int main() {}",
            "int domain(void) {} int main_loop(void) {} int main;",
        ] {
            assert_eq!(main_of(text), Main::None, "{text}");
        }
        assert_eq!(
            main_of("#ifdef TEST\nint main() {}\n#endif"),
            Main::Conditional
        );
        assert_eq!(main_of("#if 0\nint main() {}\n#endif"), Main::Conditional);
    }

    #[test]
    fn uses_and_includes_are_found() {
        let text = "#include \"a\\\\b.h\" // x\n#if 0\n#include <immintrin.h>\n#endif\n\
                    int f(void) { return get_random_number(0, 0, 8); } // sm3hash";
        let source = Source::parse(text.as_bytes());
        assert!(source.uses_drng() && !source.uses_auxfunc());
        assert_eq!(source.includes.len(), 2);
        assert!(source.includes[0].quoted && source.includes[0].by_default);
        assert!(!source.includes[1].quoted && !source.includes[1].by_default);
        assert!(!Source::parse(b"my_get_random_number();").uses_drng());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(text in proptest::collection::vec(any::<u8>(), 0..200)) {
            Source::parse(&text);
        }

        #[test]
        fn no_code_makes_it_panic(text in "([(){};,\"' \n]|main|int |extern |\"C\" |#if X\n|#else\n|#endif\n|é){0,60}") {
            Source::parse(text.as_bytes());
        }
    }
}
