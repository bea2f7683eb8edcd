//! Another machine, as its kernel described it over a connection.

use std::fs;
use std::path::Path;

use super::{Files, cpu_list};

/// What another machine said of itself, kept as files in a folder.
#[derive(Debug)]
pub struct Remote {
    /// Its host name.
    pub host: String,
    /// Its architecture, as `uname -m` has it.
    pub architecture: String,
    /// Its kernel's release.
    pub kernel: String,
    /// The processor that a meter there pins itself to: the last of those that it may use.
    pub cpu: u32,
    folder: tempfile::TempDir,
}

/// Which of two looks at the counters.
#[derive(Clone, Copy, Debug)]
pub enum Look {
    /// The first.
    First,
    /// A fifth of a second later.
    Second,
}

impl Look {
    fn folder(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Second => "second",
        }
    }
}

/// Where the files are that were read once.
const FILES: &str = "files";

impl Remote {
    /// Reads what a machine said.
    ///
    /// # Errors
    ///
    /// What is missing or out of place.
    pub fn parse(said: &str) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut remote = Self {
            host: String::new(),
            architecture: String::new(),
            kernel: String::new(),
            cpu: 0,
            folder,
        };
        let rest = remote.facts(said)?;
        remote.looks(rest)?;
        let status = remote.files().text("proc/self/status").unwrap_or_default();
        let allowed = status
            .lines()
            .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        let allowed = allowed.and_then(|list| cpu_list(list.trim()));
        remote.cpu = allowed.and_then(|list| list.last().copied()).unwrap_or(0);
        Ok(remote)
    }

    /// Its files.
    pub fn files(&self) -> Files {
        Files::below(&self.folder.path().join(FILES))
    }

    /// Its counters of work, at one of two looks.
    pub fn counters(&self, look: Look) -> Files {
        Files::below(&self.folder.path().join(look.folder()))
    }

    /// Names and files; what follows them is returned.
    fn facts<'a>(&mut self, said: &'a str) -> Result<&'a str, String> {
        let place = said.find("look first\n");
        let (facts, rest) = said.split_at(place.ok_or("it did not finish its answer")?);
        let mut file: Option<(&str, Vec<u8>)> = None;
        for line in facts.lines() {
            match line.split_once(' ') {
                Some(("node", name)) => self.host = name.to_owned(),
                Some(("machine", name)) => self.architecture = name.to_owned(),
                Some(("release", name)) => self.kernel = name.to_owned(),
                Some(("file", name)) => {
                    self.keep(FILES, file.replace((name, Vec::new())))?;
                }
                _ => {
                    let bytes = line.split_whitespace();
                    let bytes = bytes.map(|digits| u8::from_str_radix(digits, 16));
                    let bytes: Result<Vec<u8>, _> = bytes.collect();
                    let bytes = bytes.map_err(|_| format!("it said {line:?}"))?;
                    if let Some((_, content)) = &mut file {
                        content.extend(bytes);
                    }
                }
            }
        }
        self.keep(FILES, file)?;
        Ok(rest)
    }

    /// The two looks: the kernel's counters, then a line of every process.
    fn looks(&self, said: &str) -> Result<(), String> {
        let said = said.strip_suffix("end\n");
        let said = said.ok_or("it did not finish its answer")?;
        for look in said.split("look ").filter(|text| !text.is_empty()) {
            let (name, text) = look.split_once('\n').unwrap_or((look, ""));
            let look = match name {
                "first" => Look::First,
                "second" => Look::Second,
                _ => return Err(format!("it looked {name:?}")),
            };
            let (counters, processes) = text.split_once("processes\n").unwrap_or((text, ""));
            let folder = look.folder();
            self.keep(folder, Some(("proc/stat", counters.into())))?;
            for line in processes.lines() {
                // A name may hold a line feed; what is no line of a process is none.
                if let Some((Ok(id), _)) =
                    line.split_once(' ').map(|(id, _)| (id.parse::<u32>(), ()))
                {
                    self.keep(folder, Some((&format!("proc/{id}/stat"), line.into())))?;
                }
            }
        }
        Ok(())
    }

    /// Writes a file into one of our folders. Names come from elsewhere, and stay below it.
    fn keep(&self, folder: &str, file: Option<(&str, Vec<u8>)>) -> Result<(), String> {
        let Some((name, content)) = file else {
            return Ok(());
        };
        let is_plain = |part: &str| !matches!(part, "" | "." | "..");
        if !name.split('/').all(is_plain) {
            return Err(format!("it named the file {name:?}"));
        }
        let path = self.folder.path().join(folder).join(Path::new(name));
        let write = || {
            fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
            fs::write(&path, &content)
        };
        write().map_err(|error: std::io::Error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "node board\nmachine aarch64\nrelease 6.1.0\nfile proc/self/status\n \
        43 70 75 73 5f 61 6c 6c 6f 77 65 64 5f 6c 69 73 74 3a 09\n 30 2d 33 0a\n\
        file etc/empty\nlook first\ncpu0 1 2\nprocesses\n7 (a) R 1\nlook second\ncpu0 3 4\n\
        processes\n7 (a) R 1\n8 (b\nc) R 1\nend\n";

    #[test]
    fn a_machine_is_what_it_said() {
        let remote = Remote::parse(SAID).unwrap();
        let names = (&*remote.host, &*remote.architecture, &*remote.kernel);
        assert_eq!(names, ("board", "aarch64", "6.1.0"));
        assert_eq!(remote.cpu, 3);
        assert!(remote.files().has("etc/empty"));
        let second = remote.counters(Look::Second);
        assert_eq!(second.text("proc/stat").as_deref(), Some("cpu0 3 4"));
        assert_eq!(second.text("proc/7/stat").as_deref(), Some("7 (a) R 1"));
        assert!(!remote.counters(Look::First).has("proc/8/stat"));
    }

    #[test]
    fn what_is_cut_off_or_leads_elsewhere_is_refused() {
        for (from, to) in [
            ("end\n", ""),
            ("look first\n", ""),
            ("etc/empty", "../x"),
            ("43 70", "welcome"),
        ] {
            assert!(Remote::parse(&SAID.replace(from, to)).is_err(), "{to}");
        }
    }
}
