//! A browser without a window: Chromium, asked over the pipe of its DevTools protocol
//! (<https://chromedevtools.github.io/devtools-protocol/>).
//!
//! Messages are JSON with a zero byte behind each; the browser reads them from its file descriptor
//! 3 and writes to 4. It ends when the pipe does, so that none outlives its test.

use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use command_fds::{CommandFdExt, FdMapping};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long the browser may take for one answer, on a machine that does much else.
const LIMIT: Duration = Duration::from_secs(120);

/// A page in a browser.
pub struct Page {
    browser: Child,
    requests: io::PipeWriter,
    answers: Receiver<Value>,
    /// The number of the last request.
    last: u64,
    /// The page, as the browser calls it.
    session: Option<String>,
    /// What happened meanwhile.
    events: Vec<Value>,
    /// Whatever the browser keeps.
    _profile: TempDir,
}

impl Page {
    /// Opens a file.
    pub fn open(file: &Path) -> Self {
        let mut page = Self::start();
        let target = page.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = page.call("Target.attachToTarget", attach);
        page.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        let file = file.canonicalize().expect("the file is there");
        page.visit(&format!("file://{}", file.display()));
        page
    }

    fn start() -> Self {
        let profile = tempfile::tempdir().expect("a folder");
        let (from_us, requests) = io::pipe().expect("a pipe");
        let (answers, from_browser) = io::pipe().expect("a pipe");
        let mut command = Command::new("chromium");
        command
            .args(["--headless", "--remote-debugging-pipe", "--disable-gpu"])
            .args(["--no-first-run", "--disable-background-networking"])
            .args(["--disable-dev-shm-usage", "--force-color-profile=srgb"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .env("HOME", profile.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // The browser refuses to shut root into its sandbox.
        if rustix::process::geteuid().is_root() {
            command.arg("--no-sandbox");
        }
        let mapping = |parent_fd: OwnedFd, child_fd| FdMapping {
            parent_fd,
            child_fd,
        };
        let pipes = vec![mapping(from_us.into(), 3), mapping(from_browser.into(), 4)];
        command.fd_mappings(pipes).expect("no descriptor twice");
        let browser = command
            .spawn()
            .expect("Debian's package chromium is installed: `cargo host setup` brings it");
        // The command keeps the browser's ends open, and the browser would never see ours close.
        drop(command);
        let (send, receive) = mpsc::channel();
        thread::spawn(move || {
            let messages = BufReader::new(answers).split(0);
            for message in messages.map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("JSON");
                if send.send(message).is_err() {
                    break;
                }
            }
        });
        Self {
            browser,
            requests,
            answers: receive,
            last: 0,
            session: None,
            events: Vec::new(),
            _profile: profile,
        }
    }

    fn visit(&mut self, address: &str) {
        self.call("Page.navigate", json!({ "url": address }));
        let is_loaded = |event: &Value| event["method"] == "Page.loadEventFired";
        while !self.events.iter().any(is_loaded) {
            let event = self.receive();
            self.events.push(event);
        }
    }

    fn receive(&self) -> Value {
        let answer = self.answers.recv_timeout(LIMIT);
        answer.expect("the browser answers")
    }

    /// Calls a method of the protocol; its result.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut request = json!({"id": self.last, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            request["sessionId"] = json!(session);
        }
        let mut bytes = request.to_string().into_bytes();
        bytes.push(0);
        self.requests
            .write_all(&bytes)
            .expect("the browser listens");
        loop {
            let mut message = self.receive();
            if message["id"] == self.last {
                assert_eq!(message["error"], Value::Null, "{method}");
                return message["result"].take();
            }
            self.events.push(message);
        }
    }

    /// The value of an expression in the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "returnByValue": true});
        let mut result = self.call("Runtime.evaluate", parameters);
        assert_eq!(result["exceptionDetails"], Value::Null, "{expression}");
        result["result"]["value"].take()
    }

    /// The texts that an expression gives.
    pub fn texts(&mut self, expression: &str) -> Vec<String> {
        let value = self.evaluate(expression);
        serde_json::from_value(value).unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    /// Presses a key where the focus is.
    pub fn press(&mut self, key: &str) {
        let text = if key == "Enter" { "\r" } else { "" };
        let code = match key {
            "Enter" => 13,
            "Tab" => 9,
            _ => panic!("no code is known for {key}"),
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({
                "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code,
            });
            if kind == "keyDown" {
                event["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Shows the page on this medium (`screen`, `print`) to a reader whose system is `light` or
    /// `dark`.
    pub fn show_on(&mut self, medium: &str, colours: &str) {
        let scheme = json!({"name": "prefers-color-scheme", "value": colours});
        let media = json!({"media": medium, "features": [scheme]});
        self.call("Emulation.setEmulatedMedia", media);
    }

    /// Every address that was asked for, and everything that the console complains of.
    pub fn events(&self) -> (Vec<String>, Vec<String>) {
        let (mut addresses, mut complaints) = (Vec::new(), Vec::new());
        for event in &self.events {
            match event["method"].as_str() {
                Some("Network.requestWillBeSent") => {
                    let address = event["params"]["request"]["url"].as_str();
                    addresses.extend(address.map(str::to_owned));
                }
                Some("Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded") => {
                    complaints.push(event["params"].to_string());
                }
                _ => {}
            }
        }
        (addresses, complaints)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // Whether it answers is of no interest any more.
        let _ = self
            .requests
            .write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        for _ in 0..100 {
            if let Ok(Some(_)) = self.browser.try_wait() {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
        let _ = self.browser.kill();
        let _ = self.browser.wait();
    }
}
