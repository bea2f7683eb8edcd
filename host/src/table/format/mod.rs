//! Numbers for people, as the published pages write them.
//!
//! Which unit a number gets is decided after rounding: 999 950 cycles are `1.00 M`, never
//! `1000.0 k`.

/// A number of things: `1 record`, `2 records`.
pub fn number_of(things: usize, thing: &str) -> String {
    match things {
        1 => format!("1 {thing}"),
        _ => format!("{things} {thing}s"),
    }
}

/// Cycles, instructions or ticks: an integer below 10^4, then thousands with one decimal, then
/// millions and thousand millions with two.
pub fn count(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    for (scale, decimals, suffix, limit) in
        [(1.0, 0, "", 1e4), (1e3, 1, " k", 1e3), (1e6, 2, " M", 1e3)]
    {
        let text = format!("{:.decimals$}", value / scale);
        if rounds_below(&text, limit) {
            return text + suffix;
        }
    }
    format!("{:.2} G", value / 1e9)
}

/// A time with three significant digits in microseconds, milliseconds or seconds.
pub fn seconds(value: f64) -> String {
    for (scale, suffix) in [(1e6, " µs"), (1e3, " ms")] {
        let text = general(value * scale);
        if rounds_below(&text, 1e3) {
            return text + suffix;
        }
    }
    general(value) + " s"
}

/// Three significant digits as C's `%.3g` writes them: operations per second, ratios, calls.
pub fn general(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    // The exponent is that of the rounded number, as in C.
    let scientific = format!("{value:.2e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    match exponent {
        -4..=2 => {
            let decimals = usize::try_from(2 - exponent).unwrap_or(0);
            without_zeros(&format!("{value:.decimals$}")).to_owned()
        }
        _ => {
            let sign = if exponent < 0 { '-' } else { '+' };
            let mantissa = without_zeros(mantissa);
            format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
        }
    }
}

/// A ratio, with what it lies between where that is known: as many decimals as show two digits of
/// half the interval's width, and from two to four.
pub fn ratio(value: f64, interval: Option<(f64, f64)>) -> String {
    let Some((low, high)) = interval else {
        return general(value);
    };
    let digits = 1.0 - ((high - low) / 2.0).log10().floor();
    // An interval without width has no digits to show.
    let decimals = digits.clamp(2.0, 4.0) as usize;
    format!("{value:.decimals$} ({low:.decimals$}–{high:.decimals$})")
}

/// A fraction of the whole in percent: one decimal below 10 %, none from there on.
pub fn share(fraction: f64) -> String {
    let percent = fraction * 100.0;
    let text = format!("{percent:.1}");
    if rounds_below(&text, 10.0) {
        text + "%"
    } else {
        format!("{percent:.0}%")
    }
}

/// Memory in whole KiB.
pub fn kibibytes(bytes: u64) -> String {
    format!("{} KiB", bytes / 1024 + (bytes % 1024) / 512)
}

/// Main memory in whole MiB, from KiB.
pub fn mebibytes(kibibytes: f64) -> String {
    format!("{:.0} MiB", kibibytes / 1024.0)
}

/// A clock in GHz with two decimals.
pub fn gigahertz(hertz: f64) -> String {
    format!("{:.2} GHz", hertz / 1e9)
}

/// Calls in all trials, and how they came about.
pub fn repetitions(measurements: u64, trials: u64, iterations: u64) -> String {
    format!("{measurements} ({trials} × {iterations})")
}

fn rounds_below(text: &str, limit: f64) -> bool {
    text.parse::<f64>().is_ok_and(|value| value.abs() < limit)
}

/// C's `%g` drops zeros at the end of a fraction, and then the point.
fn without_zeros(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

#[cfg(test)]
pub(crate) mod published;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn counts_at_each_boundary() {
        for (value, text) in [
            (0.0, "0"),
            (3242.6, "3243"),
            (9999.0, "9999"),
            (9999.49, "9999"),
            (9999.5, "10.0 k"),
            (10_000.0, "10.0 k"),
            (10_049.0, "10.0 k"),
            (10_051.0, "10.1 k"),
            (99_949.0, "99.9 k"),
            (99_950.0, "100.0 k"),
            (999_949.0, "999.9 k"),
            (999_950.0, "1.00 M"),
            (999_951.0, "1.00 M"),
            (1_000_000.0, "1.00 M"),
            // The nearest binary number is below the half.
            (9_995_000.0, "9.99 M"),
            (9_995_001.0, "10.00 M"),
            (999_994_999.0, "999.99 M"),
            (999_995_001.0, "1.00 G"),
            (935.98e9, "935.98 G"),
            (12.3456e12, "12345.60 G"),
            (2.5e18, "2500000000.00 G"),
            // Less than one call's worth, as an event may be.
            (0.4, "0"),
            (0.6, "1"),
            // Exactly half goes to the even digit, as in C.
            (0.5, "0"),
            (1.5, "2"),
            (2.5, "2"),
            (9998.5, "9998"),
            (1_125_000.0, "1.12 M"),
            (1_375_000.0, "1.38 M"),
            // A difference may be negative.
            (-1.0, "-1"),
            (-9999.5, "-10.0 k"),
            (-5e6, "-5.00 M"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(count(value), text);
        }
    }

    #[test]
    fn times_at_each_boundary() {
        for (value, text) in [
            (0.0, "0 µs"),
            (12.3e-9, "0.0123 µs"),
            (1.49e-6, "1.49 µs"),
            (97e-6, "97 µs"),
            (999.4e-6, "999 µs"),
            (999.6e-6, "1 ms"),
            (1.004e-3, "1 ms"),
            (1.006e-3, "1.01 ms"),
            (9.994e-3, "9.99 ms"),
            (9.996e-3, "10 ms"),
            (10.04e-3, "10 ms"),
            (99.94e-3, "99.9 ms"),
            (99.96e-3, "100 ms"),
            (999.4e-3, "999 ms"),
            (999.6e-3, "1 s"),
            (25.5, "25.5 s"),
            (456.0, "456 s"),
            (999.6, "1e+03 s"),
            (-1.49e-6, "-1.49 µs"),
            (-25.5, "-25.5 s"),
        ] {
            assert_eq!(seconds(value), text);
        }
    }

    #[test]
    fn general_numbers_as_in_c() {
        // What printf("%.3g") of glibc prints.
        for (value, text) in [
            (0.0, "0"),
            (544.0, "544"),
            (0.868, "0.868"),
            (7580.0, "7.58e+03"),
            (0.00219, "0.00219"),
            (999.4, "999"),
            (999.5, "1e+03"),
            (1000.0, "1e+03"),
            (99.95, "100"),
            (9.995, "9.99"),
            (9.996, "10"),
            (0.0001, "0.0001"),
            (0.000_099_94, "9.99e-05"),
            (0.000_099_96, "0.0001"),
            (1e-10, "1e-10"),
            (1.5e100, "1.5e+100"),
            (-74.84, "-74.8"),
            (2.5, "2.5"),
            (0.125, "0.125"),
            (1.125, "1.12"),
            (100.0, "100"),
        ] {
            assert_eq!(general(value), text);
        }
    }

    #[test]
    fn ratios_have_the_digits_of_their_intervals() {
        for (value, interval, text) in [
            (0.95, Some((0.93, 0.97)), "0.950 (0.930–0.970)"),
            (1.234_567, Some((0.9, 1.7)), "1.23 (0.90–1.70)"),
            (35.24, Some((10.0, 90.0)), "35.24 (10.00–90.00)"),
            (1.0, Some((0.999_88, 1.000_12)), "1.0000 (0.9999–1.0001)"),
            (
                1.000_001,
                Some((1.000_001, 1.000_001)),
                "1.0000 (1.0000–1.0000)",
            ),
            (0.5, Some((0.5, 0.5)), "0.5000 (0.5000–0.5000)"),
            (1.25, None, "1.25"),
        ] {
            assert_eq!(ratio(value, interval), text);
        }
    }

    #[test]
    fn shares_at_each_boundary() {
        for (value, text) in [
            (0.0, "0.0%"),
            (0.000_49, "0.0%"),
            (0.000_51, "0.1%"),
            (0.07, "7.0%"),
            (0.099_49, "9.9%"),
            (0.099_51, "10%"),
            (0.1, "10%"),
            (0.714, "71%"),
            (1.0, "100%"),
            (1.5, "150%"),
            (-0.07, "-7.0%"),
            (-0.5, "-50%"),
        ] {
            assert_eq!(share(value), text);
        }
    }

    #[test]
    fn sizes_and_repetitions() {
        assert_eq!(kibibytes(1896 * 1024), "1896 KiB");
        assert_eq!(kibibytes(1023), "1 KiB");
        assert_eq!(kibibytes(511), "0 KiB");
        // Exactly half a KiB goes up.
        assert_eq!(kibibytes(512), "1 KiB");
        assert_eq!(kibibytes(u64::MAX), "18014398509481984 KiB");
        assert_eq!(mebibytes(32_551_340.0), "31788 MiB");
        assert_eq!(gigahertz(2.1e9), "2.10 GHz");
        assert_eq!(repetitions(245, 5, 49), "245 (5 × 49)");
    }

    proptest! {
        #[test]
        fn no_number_is_off_by_more_than_its_last_digit(exponent in -9.0f64..14.0) {
            let value = 10f64.powf(exponent);
            let general: f64 = general(value).parse().expect("a number");
            prop_assert!((general - value).abs() <= 0.005_000_1 * value);
            let text = count(value * 1e10);
            let (number, unit) = text.split_once(' ').unwrap_or((&text, ""));
            let scale = match unit { "k" => 1e3, "M" => 1e6, "G" => 1e9, _ => 1.0 };
            let shown = number.parse::<f64>().expect("a number") * scale;
            prop_assert!((shown - value * 1e10).abs() <= 0.5f64.max(0.005_000_1 * value * 1e10));
        }
    }
}
