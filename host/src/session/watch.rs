//! When to send a request again, and when to give the meter up: all on the host's clock.

use std::time::{Duration, Instant};

/// Longest pause between two sendings of one request.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// The pause doubles to so many times the first one: a busy meter should not find its line full
/// of repetitions, and a lost one should not cost minutes.
const LONGEST_DOUBLING: u32 = 8;

/// Pause after a damaged frame, which may have been the answer: a frame of 4 KiB takes 0.4 s at
/// 115200 baud, and another one may be on its way.
const AFTER_DAMAGE: Duration = Duration::from_millis(500);

/// How often the predicted time may pass.
pub const PATIENCE_FACTOR: u32 = 5;

/// How patient the host is with one request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patience {
    /// Time that the answer needs: until then the meter is busy and does not listen.
    pub answer: Duration,
    /// Pause beyond that before the request is sent again; it doubles each time.
    pub resend: Duration,
    /// Longest time to the answer, until the meter itself announces a longer one.
    pub deadline: Duration,
    /// Longest time on the target's clock, after which the meter itself says where it hangs: well
    /// before the deadline here, which is for meters that cannot.
    pub on_target: Option<Duration>,
    /// Wall-clock seconds for one second on the target's clock.
    pub wall_per_target: f64,
    /// What is granted beyond the announced time.
    pub slack: Duration,
}

/// The clock of one request.
#[derive(Debug)]
pub struct Watch {
    patience: Patience,
    started: Instant,
    deadline: Instant,
    pause: Duration,
    resend_at: Instant,
    announced: bool,
}

impl Watch {
    /// Starts now; the first sending is due at once.
    pub fn start(patience: Patience) -> Self {
        let now = Instant::now();
        Self {
            patience,
            started: now,
            deadline: later(now, patience.deadline),
            pause: patience
                .answer
                .saturating_add(patience.resend)
                .min(LONGEST_PAUSE),
            resend_at: now,
            announced: false,
        }
    }

    /// When to look again at [`Watch::expired`] and [`Watch::send_is_due`].
    pub fn next(&self) -> Instant {
        self.resend_at.min(self.deadline)
    }

    /// Whether the deadline has passed.
    pub fn expired(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// Seconds from the start to the deadline.
    pub fn allowed_seconds(&self) -> u64 {
        self.deadline.duration_since(self.started).as_secs()
    }

    /// Whether the request should be sent (again) now.
    pub fn send_is_due(&self) -> bool {
        Instant::now() >= self.resend_at
    }

    /// It was sent.
    pub fn sent(&mut self) {
        self.resend_at = later(Instant::now(), self.pause);
        let longest = self.patience.resend.saturating_mul(LONGEST_DOUBLING);
        self.pause = self.pause.saturating_mul(2).min(longest.min(LONGEST_PAUSE));
    }

    /// A frame arrived damaged: perhaps the answer, so ask again soon.
    pub fn damaged(&mut self) {
        self.pause = self.patience.resend;
        let soon = later(Instant::now(), AFTER_DAMAGE.min(self.patience.resend));
        self.resend_at = self.resend_at.min(soon);
    }

    /// A part of the answer arrived: the rest is on its way.
    pub fn progress(&mut self) {
        self.pause = self.patience.resend;
        self.resend_at = later(Instant::now(), self.pause);
    }

    /// The meter says how far it is: it has as much time again, and is too busy to listen. What it
    /// does has an end, which it cannot put off by saying so.
    pub fn alive(&mut self) {
        let now = Instant::now();
        self.deadline = later(now, self.patience.deadline);
        self.pause = self.patience.answer.saturating_add(self.patience.resend);
        self.resend_at = later(now, self.pause.min(LONGEST_PAUSE));
    }

    /// A part of the answer is known to be missing.
    pub fn send_now(&mut self) {
        self.resend_at = Instant::now();
    }

    /// The meter starts now and announced this much time on its own clock. Only the first
    /// announcement counts: a meter that starts over and over again has no end.
    pub fn announced(&mut self, target: Duration) {
        if std::mem::replace(&mut self.announced, true) {
            return;
        }
        let now = Instant::now();
        let wall = scale(target, self.patience.wall_per_target);
        self.deadline = self.deadline.max(later(
            now,
            wall.saturating_mul(PATIENCE_FACTOR)
                .saturating_add(self.patience.slack),
        ));
        // The request has arrived; only its answer can get lost now.
        self.resend_at = later(now, wall.saturating_add(self.patience.resend));
        self.pause = self.patience.resend;
    }
}

/// `duration` times `factor`, without ever failing on what a meter claims.
pub fn scale(duration: Duration, factor: f64) -> Duration {
    Duration::try_from_secs_f64(duration.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}

/// `now` plus `duration`, or a month from now: what a meter claims must not overflow a clock.
fn later(now: Instant, duration: Duration) -> Instant {
    const MONTH: Duration = Duration::from_secs(30 * 24 * 3600);
    now + duration.min(MONTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Patience = Patience {
        answer: Duration::ZERO,
        resend: Duration::from_secs(2),
        deadline: Duration::from_secs(10),
        on_target: None,
        wall_per_target: 20.0,
        slack: Duration::from_secs(30),
    };

    fn seconds_left(watch: &Watch) -> f64 {
        (watch.deadline - Instant::now()).as_secs_f64()
    }

    #[test]
    fn an_announcement_extends_the_deadline_and_never_shortens_it() {
        let mut watch = Watch::start(PATIENCE);
        watch.announced(Duration::from_secs(1));
        assert!((129.0..=130.0).contains(&seconds_left(&watch)));
        watch.announced(Duration::from_secs(2));
        assert!((129.0..=130.0).contains(&seconds_left(&watch)));
        assert_eq!(watch.allowed_seconds(), 130);

        let mut watch = Watch::start(Patience {
            deadline: Duration::from_secs(60),
            ..PATIENCE
        });
        watch.announced(Duration::ZERO);
        assert!((59.0..=60.0).contains(&seconds_left(&watch)));
    }

    #[test]
    fn an_absurd_announcement_does_not_break_the_clock() {
        let mut watch = Watch::start(PATIENCE);
        watch.announced(Duration::from_nanos(u64::MAX));
        assert!(seconds_left(&watch) <= 30.0 * 24.0 * 3600.0);
        assert!(!watch.expired());
    }

    #[test]
    fn pauses_double_and_damage_shortens_them() {
        let mut watch = Watch::start(PATIENCE);
        assert!(watch.send_is_due());
        watch.sent();
        assert!(!watch.send_is_due());
        let first = watch.resend_at;
        watch.sent();
        assert!(watch.resend_at > first + Duration::from_secs(1));
        watch.damaged();
        assert!(watch.resend_at <= Instant::now() + AFTER_DAMAGE);
    }
}
