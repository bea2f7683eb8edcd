//! Known-answer texts over a line that loses blocks, and meters that take their time.

mod support;

use std::time::{Duration, Instant};

use host::measurement::Spoiled;
use host::session::{Options, Regenerated, Session, SessionError};
use support::fake_meter::{Act, Script, hello, impatient, open, start, text};
use wire::{KatFile, Request, Response};

fn session(script: Script, options: Options) -> Session {
    open(start(hello(), script), options).unwrap()
}

/// The text as it comes, and what the session makes of it.
fn take(session: &mut Session) -> (Vec<u8>, Result<Regenerated<()>, SessionError>) {
    let mut taken = Vec::new();
    let result = session.text(KatFile::Records, &mut |piece| {
        taken.extend_from_slice(piece);
    });
    (taken, result)
}

#[test]
fn a_text_arrives_whole_whichever_of_its_blocks_gets_lost() {
    // The last one is the end.
    for lost in 0..4 {
        let mut first = true;
        let script = Box::new(move |_: u16, request: &Request| match request {
            Request::Text { .. } if std::mem::take(&mut first) => Act::LeaveOut(lost),
            _ => Act::Answer,
        });
        let (taken, result) = take(&mut session(script, impatient()));
        assert_eq!(result.unwrap(), Regenerated::Whole(()), "block {lost}");
        assert_eq!(taken, text(), "block {lost}");
    }
}

#[test]
fn a_block_that_never_arrives_has_an_end() {
    let script = Box::new(|_: u16, request: &Request| match request {
        Request::Text { from: 0, .. } => Act::LeaveOut(1),
        Request::Text { .. } => Act::LeaveOut(0),
        _ => Act::Answer,
    });
    let (taken, result) = take(&mut session(script, impatient()));
    assert!(text().starts_with(&taken));
    match result {
        Err(SessionError::Spoiled(Spoiled::Nonsense(words))) => {
            assert!(words.contains("block 1"), "{words}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_text_that_is_shorter_than_its_end_says_is_nonsense() {
    let script = Box::new(|_: u16, request: &Request| match request {
        Request::Text { .. } => Act::Instead(Box::new(Response::TextEnd {
            blocks: 0,
            bytes: 10,
        })),
        _ => Act::Answer,
    });
    let (_, result) = take(&mut session(script, impatient()));
    assert!(matches!(
        result,
        Err(SessionError::Spoiled(Spoiled::Nonsense(_)))
    ));
}

#[test]
fn a_file_that_does_not_fit_is_no_failure() {
    let (needed, available) = (1 << 30, 1 << 27);
    let script = Box::new(move |_: u16, request: &Request| match request {
        Request::Text { .. } | Request::Digest { .. } => {
            Act::Instead(Box::new(Response::TooLarge { needed, available }))
        }
        _ => Act::Answer,
    });
    let mut session = session(script, impatient());
    let (_, result) = take(&mut session);
    assert_eq!(result.unwrap(), Regenerated::TooLarge { needed, available });
    let digest = session.digest(KatFile::Records, 0).unwrap();
    assert_eq!(digest, Regenerated::TooLarge { needed, available });
}

#[test]
fn a_meter_that_only_ever_says_how_far_it_is_meets_its_deadline_after_the_last_word() {
    let mut words = 0;
    let script = Box::new(move |_: u16, request: &Request| match request {
        Request::Digest { .. } if words < 3 => {
            words += 1;
            let (done, total) = (words, 10);
            Act::Instead(Box::new(Response::Progress { done, total }))
        }
        Request::Digest { .. } => Act::Ignore,
        _ => Act::Answer,
    });
    let options = Options {
        unpredicted: Duration::from_millis(400),
        unpredicted_answer: Duration::ZERO,
        resend: Duration::from_millis(50),
        ..impatient()
    };
    let started = Instant::now();
    let result = session(script, options).digest(KatFile::Records, 0);
    assert!(started.elapsed() >= Duration::from_millis(400));
    assert!(
        matches!(result, Err(SessionError::Spoiled(Spoiled::Deadline(_)))),
        "{result:?}"
    );
}
