//! Every number of five published pages, read and written again.
//!
//! The cells are those of the pages of kex-09, kem-36, kex-05, kex-04 and kex-08 on the system
//! `x86_1` of ngcc.dev.

use super::*;

/// Cycles, mean time, operations per second, median time, calls.
const PERFORMANCE: &str = "\
60.66 M | 29 ms | 34.5 | 29 ms | 175 (5 × 35)
3.61 M | 1.73 ms | 579 | 1.73 ms | 175 (5 × 35)
3.62 M | 1.73 ms | 578 | 1.73 ms | 175 (5 × 35)
10.80 M | 5.17 ms | 194 | 5.16 ms | 175 (5 × 35)
25.42 M | 12.1 ms | 82.4 | 12.1 ms | 175 (5 × 35)
15.99 M | 7.64 ms | 131 | 7.64 ms | 175 (5 × 35)
1.17 M | 577 µs | 1.73e+03 | 562 µs | 175 (5 × 35)
343.23 M | 165 ms | 6.05 | 164 ms | 100 (5 × 20)
21.00 M | 10.2 ms | 98.5 | 10 ms | 100 (5 × 20)
21.00 M | 10 ms | 99.6 | 10 ms | 100 (5 × 20)
62.90 M | 30.1 ms | 33.3 | 30.1 ms | 100 (5 × 20)
146.90 M | 70.8 ms | 14.1 | 70.2 ms | 100 (5 × 20)
87.77 M | 42.4 ms | 23.6 | 42 ms | 100 (5 × 20)
3.64 M | 1.76 ms | 568 | 1.76 ms | 100 (5 × 20)
934.75 M | 450 ms | 2.22 | 447 ms | 100 (5 × 20)
56.52 M | 27 ms | 37 | 27 ms | 100 (5 × 20)
56.52 M | 27 ms | 37 | 27 ms | 100 (5 × 20)
169.54 M | 81.6 ms | 12.3 | 81 ms | 100 (5 × 20)
396.78 M | 191 ms | 5.25 | 190 ms | 100 (5 × 20)
241.64 M | 116 ms | 8.64 | 116 ms | 100 (5 × 20)
14.14 M | 6.94 ms | 144 | 6.92 ms | 100 (5 × 20)
1.96 G | 943 ms | 1.06 | 945 ms | 100 (5 × 20)
120.15 M | 57.6 ms | 17.4 | 57.4 ms | 100 (5 × 20)
120.27 M | 57.5 ms | 17.4 | 57.4 ms | 100 (5 × 20)
359.70 M | 172 ms | 5.82 | 172 ms | 100 (5 × 20)
838.72 M | 403 ms | 2.48 | 401 ms | 100 (5 × 20)
502.09 M | 243 ms | 4.12 | 240 ms | 100 (5 × 20)
22.91 M | 11.2 ms | 89.4 | 11.2 ms | 100 (5 × 20)
101.46 M | 48.5 ms | 20.6 | 48.5 ms | 105 (5 × 21)
9.36 M | 4.47 ms | 224 | 4.47 ms | 1120 (5 × 224)
51.33 M | 24.7 ms | 40.4 | 24.7 ms | 205 (5 × 41)
740.74 M | 355 ms | 2.82 | 354 ms | 100 (5 × 20)
69.36 M | 33.2 ms | 30.2 | 33.2 ms | 155 (5 × 31)
203.28 M | 97.3 ms | 10.3 | 97.3 ms | 100 (5 × 20)
2.41 G | 1.15 s | 0.868 | 1.15 s | 100 (5 × 20)
203.56 M | 97.3 ms | 10.3 | 97.3 ms | 100 (5 × 20)
598.79 M | 286 ms | 3.49 | 286 ms | 100 (5 × 20)
3.04 G | 1.46 s | 0.685 | 1.46 s | 100 (5 × 20)
206.80 M | 98.9 ms | 10.1 | 98.9 ms | 100 (5 × 20)
1.17 G | 559 ms | 1.79 | 559 ms | 100 (5 × 20)
30.90 M | 14.8 ms | 67.8 | 14.8 ms | 230 (5 × 46)
8.60 M | 4.11 ms | 243 | 4.11 ms | 230 (5 × 46)
9.51 M | 4.54 ms | 220 | 4.54 ms | 230 (5 × 46)
549.6 k | 262 µs | 3.81e+03 | 262 µs | 230 (5 × 46)
621.9 k | 297 µs | 3.37e+03 | 297 µs | 230 (5 × 46)
4.63 M | 2.21 ms | 452 | 2.21 ms | 230 (5 × 46)
5.79 M | 2.76 ms | 362 | 2.76 ms | 230 (5 × 46)
1.21 M | 576 µs | 1.74e+03 | 576 µs | 230 (5 × 46)
4246 | 1.86 µs | 5.39e+05 | 1.84 µs | 230 (5 × 46)
38.83 M | 18.5 ms | 53.9 | 18.5 ms | 175 (5 × 35)
8.81 M | 4.21 ms | 238 | 4.21 ms | 175 (5 × 35)
10.35 M | 4.94 ms | 202 | 4.94 ms | 175 (5 × 35)
764.7 k | 365 µs | 2.74e+03 | 365 µs | 175 (5 × 35)
881.8 k | 421 µs | 2.38e+03 | 421 µs | 175 (5 × 35)
7.42 M | 3.55 ms | 282 | 3.54 ms | 175 (5 × 35)
8.93 M | 4.26 ms | 234 | 4.26 ms | 175 (5 × 35)
1.67 M | 795 µs | 1.26e+03 | 795 µs | 175 (5 × 35)
6333 | 2.85 µs | 3.51e+05 | 2.85 µs | 175 (5 × 35)
81.64 M | 39 ms | 25.6 | 39 ms | 125 (5 × 25)
19.24 M | 9.19 ms | 109 | 9.19 ms | 125 (5 × 25)
20.27 M | 9.69 ms | 103 | 9.69 ms | 125 (5 × 25)
2.53 M | 1.22 ms | 819 | 1.22 ms | 125 (5 × 25)
3.09 M | 1.48 ms | 677 | 1.48 ms | 125 (5 × 25)
15.28 M | 7.31 ms | 137 | 7.31 ms | 125 (5 × 25)
18.04 M | 8.64 ms | 116 | 8.63 ms | 125 (5 × 25)
3.15 M | 1.5 ms | 665 | 1.5 ms | 125 (5 × 25)
11.6 k | 5.43 µs | 1.84e+05 | 5.43 µs | 125 (5 × 25)
3.84 M | 1.84 ms | 544 | 1.84 ms | 3000 (5 × 600)
267.8 k | 132 µs | 7.58e+03 | 128 µs | 3000 (5 × 600)
267.3 k | 128 µs | 7.84e+03 | 127 µs | 3000 (5 × 600)
203.3 k | 97 µs | 1.03e+04 | 97 µs | 3000 (5 × 600)
1.39 M | 662 µs | 1.51e+03 | 662 µs | 3000 (5 × 600)
1.48 M | 718 µs | 1.39e+03 | 705 µs | 3000 (5 × 600)
3243 | 1.49 µs | 6.69e+05 | 1.44 µs | 3000 (5 × 600)
287.6 k | 137 µs | 7.28e+03 | 137 µs | 3000 (5 × 600)
8.70 M | 4.16 ms | 240 | 4.16 ms | 1030 (5 × 206)
717.9 k | 343 µs | 2.92e+03 | 343 µs | 1030 (5 × 206)
724.7 k | 346 µs | 2.89e+03 | 346 µs | 1030 (5 × 206)
604.8 k | 289 µs | 3.46e+03 | 289 µs | 1030 (5 × 206)
2.90 M | 1.39 ms | 721 | 1.39 ms | 1030 (5 × 206)
3.02 M | 1.44 ms | 693 | 1.44 ms | 1030 (5 × 206)
3242 | 1.44 µs | 6.95e+05 | 1.44 µs | 1030 (5 × 206)
752.3 k | 359 µs | 2.78e+03 | 359 µs | 1030 (5 × 206)
12.24 M | 5.85 ms | 171 | 5.85 ms | 890 (5 × 178)
730.9 k | 349 µs | 2.86e+03 | 349 µs | 890 (5 × 178)
734.3 k | 351 µs | 2.85e+03 | 350 µs | 890 (5 × 178)
2.06 M | 1.01 ms | 991 | 984 µs | 890 (5 × 178)
4.71 M | 2.25 ms | 444 | 2.25 ms | 890 (5 × 178)
3.28 M | 1.57 ms | 637 | 1.57 ms | 890 (5 × 178)
9114 | 4.24 µs | 2.36e+05 | 4.25 µs | 890 (5 × 178)
768.0 k | 367 µs | 2.73e+03 | 367 µs | 890 (5 × 178)
52.91 G | 25.5 s | 0.0393 | 25.5 s | 35 (5 × 7)
14.44 G | 6.93 s | 0.144 | 6.93 s | 35 (5 × 7)
14.44 G | 6.92 s | 0.144 | 6.93 s | 35 (5 × 7)
12.01 G | 5.76 s | 0.173 | 5.76 s | 35 (5 × 7)
12.01 G | 5.76 s | 0.173 | 5.76 s | 35 (5 × 7)
935.98 G | 456 s | 0.00219 | 456 s | 1 (1 × 1)
245.28 G | 119 s | 0.0084 | 119 s | 1 (1 × 1)
245.41 G | 119 s | 0.0084 | 119 s | 1 (1 × 1)
222.88 G | 108 s | 0.00923 | 108 s | 1 (1 × 1)
222.76 G | 108 s | 0.00924 | 108 s | 1 (1 × 1)
";

/// Resident memory before and at its peak, in KiB.
const MEMORY: &str = "\
2080 2188 2056 2176 2068 2148 2064 2144 2056 2184 2056 2136 2052 2132 2660 2792 2684 2800
2712 2804 2684 2752 2588 2716 2684 2800 2708 2776 3432 3592 3440 3600 3424 3580 3416 3552
3440 3604 3444 3600 3428 3520 3008 3140 3028 3220 3008 3200 3008 3216 2992 3224 2996 3152
3020 3236 1700 1868 1780 1856 1756 2140 1732 2056 1940 2056 1900 2532 1736 2196 2116 2180
2128 3268 1796 2232 2156 2308 2196 3836 1944 2044 1936 2052 1948 2056 1968 2060 1964 2036
1964 2036 1960 2032 1948 2020 1940 2052 2080 2152 2072 2172 2076 2172 2084 2156 2048 2184
2088 2196 2068 2200 2100 2172 2060 2192 2428 2504 2400 2528 2416 2492 2404 2520 2428 2504
2424 2516 2404 2480 2416 2532 2404 2528 1896 1960 1884 1948 1888 1952 1900 1980 1876 1984
1896 1960 1892 1956 1876 1964 2068 2132 2056 2120 2072 2144 2064 2128 2048 2112 2044 2140
2048 2112 1980 2108 2124 2200 2108 2212 2132 2212 2104 2232 2104 2212 2124 2200 2124 2212
2124 2200 2748 2820 2744 2816 2744 2816 2724 2820 2744 2816 4236 5136 4096 4932 4160 4996
4208 5044 4100 4936
";

/// Share of the helpers, share of the DRNG, calls per operation.
const SHARES: &str = "\
7.0% | 0.1% | drng 14, pseudoXOF 74.8
3.6% | 0.0% | drng 14, pseudoXOF 65.4, pseudohash 9
4.4% | 0.0% | drng 14, pseudoXOF 70.7, pseudohash 9
3.8% | 0.0% | drng 14, pseudoXOF 63, pseudohash 17
0.0% | 0.8% | drng 111
4.7% | 16% | drng 267, pseudohash 2
0.8% | 2.8% | drng 266, pseudohash 2
0.0% | 0.2% | drng 171
1.4% | 3.7% | drng 433, pseudohash 2
0.5% | 1.2% | drng 432, pseudohash 2
0.0% | 0.1% | drng 255
0.9% | 2.1% | drng 663, pseudohash 2
0.3% | 0.7% | drng 662, pseudohash 2
0.0% | 0.1% | drng 339
1.5% | 2.9% | drng 881, pseudohash 2
0.3% | 0.5% | drng 880, pseudohash 2
3.1% | 71% | drng 833, pseudoXOF 84
3.4% | 69% | drng 939, pseudoXOF 63
6.2% | 67% | drng 1.75e+03, pseudoXOF 67
12% | 0.5% | drng 4, pseudoXOF 1, sm3hash 186
14% | 0.2% | drng 4, pseudoXOF 1, sm3hash 585
36% | 0.2% | drng 4, pseudoXOF 5, sm3hash 1.23e+03
0.0% | 0.0% | drng 174
0.0% | 0.0% | drng 296
";

fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().map(|line| line.split(" | ").collect())
}

fn parsed_count(cell: &str) -> f64 {
    let (number, unit) = cell.split_once(' ').unwrap_or((cell, ""));
    let scale = match unit {
        "" => 1.0,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        _ => panic!("{cell}"),
    };
    number.parse::<f64>().expect("a number") * scale
}

fn parsed_seconds(cell: &str) -> f64 {
    let (number, unit) = cell.split_once(' ').expect("a unit");
    let scale = match unit {
        "µs" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        _ => panic!("{cell}"),
    };
    number.parse::<f64>().expect("a number") * scale
}

#[test]
fn performance() {
    let mut tested = 0;
    for row in rows(PERFORMANCE) {
        let [cycles, mean, rate, median, calls] = row[..] else {
            panic!("{row:?}");
        };
        assert_eq!(count(parsed_count(cycles)), cycles);
        assert_eq!(seconds(parsed_seconds(mean)), mean);
        assert_eq!(seconds(parsed_seconds(median)), median);
        assert_eq!(general(rate.parse().expect("a number")), rate);
        let numbers: Vec<u64> = calls
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|digits| digits.parse().ok())
            .collect();
        assert_eq!(numbers[0], numbers[1] * numbers[2]);
        assert_eq!(repetitions(numbers[0], numbers[1], numbers[2]), calls);
        tested += 1;
    }
    assert_eq!(tested, 101);
}

/// The rate is the reciprocal of the mean time, so both cells must round the same number.
#[test]
fn rates_and_times_are_of_the_same_number() {
    for row in rows(PERFORMANCE) {
        let time = parsed_seconds(row[1]);
        // Half a unit of the third significant digit.
        let half = 0.5 * 10f64.powf(time.log10().floor() - 2.0);
        let rate: f64 = row[2].parse().expect("a number");
        let bound = |time: f64| general(1.0 / time).parse::<f64>().expect("a number");
        let (least, most) = (bound(time + half), bound(time - half));
        assert!(least <= rate && rate <= most, "{row:?}");
    }
}

#[test]
fn memory() {
    let cells: Vec<&str> = MEMORY.split_whitespace().collect();
    assert_eq!(cells.len(), 2 * 101);
    for cell in cells {
        let kibi: u64 = cell.parse().expect("a number");
        assert_eq!(kibibytes(kibi * 1024), format!("{cell} KiB"));
    }
}

#[test]
fn shares() {
    let mut tested = 0;
    for row in rows(SHARES) {
        for cell in &row[..2] {
            let percent: f64 = cell.trim_end_matches('%').parse().expect("a number");
            assert_eq!(share(percent / 100.0), *cell);
        }
        for call in row[2].split(", ") {
            let (_, number) = call.split_once(' ').expect("name and number");
            assert_eq!(general(number.parse().expect("a number")), number);
            tested += 1;
        }
    }
    assert_eq!(tested, 48);
}
