//! Plots as SVG within the page.
//!
//! Everything in them has a class and no colour of its own, so that the page's style shows them in
//! light, dark and on paper; everything about an instance is in a group of its own, so that the
//! script can leave out what is not chosen and close the gaps.

use maud::{Markup, PreEscaped, html};

use super::rows::Numbers;
use super::scale::Logarithmic;
use crate::notice::printable;

/// Width of a plot, and where its axis begins and ends.
const WIDTH: f64 = 960.0;
const LEFT: f64 = 276.0;
const RIGHT: f64 = 936.0;
/// Room at the left end of an axis for values of 0, which no logarithm has.
const ZERO: f64 = 28.0;
/// Height of the axis with its title, of a row, and below the last one.
const HEAD: f64 = 46.0;
const LINE: f64 = 22.0;
const FOOT: f64 = 6.0;
/// Rows of one picture: no more than a printed page can hold.
const ROWS: usize = 30;
/// Characters of a name for which there is room, with and without an operation beside it.
const NAME: usize = 38;
const NAME_BESIDE: usize = 28;
/// What ends a name for which there is not room enough.
const CUT: &str = "…";
/// Series that look different: colours and shapes that the style and [`symbols`] have.
const COLOURS: usize = 8;
const SHAPES: [&str; 5] = [
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0Z",
    "M-4-4H4V4H-4Z",
    "M0-5.2L4.9 3.8H-4.9Z",
    "M0-5.4L5.4 0L0 5.4L-5.4 0Z",
    "M0 5.2L4.9-3.8H-4.9Z",
];

/// A plot with its title and what it shows in words.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What it shows, without a full stop.
    pub title: String,
    /// What a row and a mark are.
    pub description: &'static str,
    /// The table with its figures: the id of its caption, and what it is called.
    pub table: (String, String),
    /// What is along the axis, with its unit.
    pub unit: String,
    /// The axis.
    pub axis: Axis,
    /// What marks of each kind stand for.
    pub series: Vec<String>,
    /// The rows, from top to bottom.
    pub strips: Vec<Strip>,
}

/// What is along an axis.
#[derive(Clone, Debug)]
pub enum Axis {
    /// Values.
    Logarithmic(Logarithmic),
    /// Parts of a whole.
    Share,
}

/// One row of a plot.
#[derive(Clone, Debug)]
pub struct Strip {
    /// What it is about.
    pub name: String,
    /// The operation, where the row is about one alone.
    pub operation: Option<String>,
    /// What there is.
    pub marks: Vec<Mark>,
}

/// Something in a row.
#[derive(Clone, Debug)]
pub struct Mark {
    /// What it looks like.
    pub shape: Shape,
    /// The figure, which a pointer shows.
    pub words: String,
    /// The rows of the report that it is about.
    pub numbers: Numbers,
}

/// What a mark looks like.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A symbol of a series.
    Point(usize, f64),
    /// Least, lower quartile, median, upper quartile, 95th percentile and greatest.
    Quantiles([f64; 6]),
    /// From here to there, in the colour of a series.
    Bar(usize, f64, f64),
}

impl Axis {
    /// Where a value is in the picture.
    fn x(&self, value: f64) -> Option<f64> {
        let between = |left: f64, place: f64| left + place * (RIGHT - left);
        match self {
            Self::Share => Some(between(LEFT, value.clamp(0.0, 1.0))),
            Self::Logarithmic(_) if value == 0.0 => Some(LEFT + ZERO / 2.0),
            Self::Logarithmic(axis) => axis.place(value).map(|place| between(LEFT + ZERO, place)),
        }
    }

    /// The lines across it, with their labels.
    fn lines(&self, has_zero: bool) -> Vec<(f64, Option<String>)> {
        match self {
            Self::Share => (0..=10)
                .map(|tenth| {
                    let label = (tenth % 2 == 0).then(|| format!("{}%", tenth * 10));
                    (self.x(f64::from(tenth) / 10.0).unwrap_or(LEFT), label)
                })
                .collect(),
            Self::Logarithmic(axis) => {
                let zero = has_zero.then(|| (LEFT + ZERO / 2.0, Some("0".to_owned())));
                let ticks = axis.ticks().into_iter();
                let place = |place: f64| LEFT + ZERO + place * (RIGHT - LEFT - ZERO);
                let ticks = ticks.map(|tick| (place(tick.place), tick.label));
                zero.into_iter().chain(ticks).collect()
            }
        }
    }

    /// What it is, in words for who does not see it.
    fn words(&self) -> String {
        match self {
            Self::Share => "from 0% to 100%".to_owned(),
            Self::Logarithmic(axis) => {
                let (low, high) = axis.ends();
                format!("logarithmic, from {low} to {high}")
            }
        }
    }
}

impl Shape {
    fn is_zero(&self) -> bool {
        matches!(self, Self::Point(_, value) if *value == 0.0)
    }
}

/// The symbols of all series, once for all plots.
pub fn symbols() -> Markup {
    let symbols: String = (0..COLOURS * SHAPES.len())
        .map(|series| {
            let (colour, shape) = (series % COLOURS, SHAPES[series % SHAPES.len()]);
            format!("<path id=\"m{series}\" class=\"c{colour}\" d=\"{shape}\"/>")
        })
        .collect();
    html! {
        svg.symbols width="0" height="0" aria-hidden="true" focusable="false" {
            defs { (PreEscaped(symbols)) }
        }
    }
}

fn symbol(series: usize) -> String {
    format!("#m{}", series % (COLOURS * SHAPES.len()))
}

/// Draws a figure; `id` is that of no other element.
pub fn draw(figure: &Figure, id: &str) -> Markup {
    let (table, table_name) = &figure.table;
    let panels = figure.strips.chunks(ROWS);
    let number = panels.len();
    let has_zero = figure
        .strips
        .iter()
        .any(|strip| strip.marks.iter().any(|mark| mark.shape.is_zero()));
    let lines = figure.axis.lines(has_zero);
    html! {
        (PreEscaped("\n"))
        figure.plot {
            figcaption {
                strong { (printable(&figure.title)) "." }
                " Figures: " a href={ "#" (table) } { (printable(table_name)) } "."
            }
            @if !figure.series.is_empty() {
                ul.legend { @for (series, name) in figure.series.iter().enumerate() {
                    li {
                        (key(&figure.axis, series)) (printable(name))
                    }
                } }
            }
            @for (index, strips) in panels.enumerate() {
                @let part = match number {
                    1 => String::new(),
                    _ => format!(" (part {} of {number})", index + 1),
                };
                (panel(figure, strips, &lines, &part, &format!("{id}-{index}")))
            }
        }
    }
}

/// What a series looks like, in the legend.
fn key(axis: &Axis, series: usize) -> Markup {
    let colour = format!("c{}", series % COLOURS);
    html! {
        svg viewBox="-7 -7 14 14" width="14" height="14" aria-hidden="true" focusable="false" {
            @match axis {
                Axis::Share => rect class=(colour) x="-6" y="-5" width="12" height="10" {},
                Axis::Logarithmic(_) => use href=(symbol(series)) {},
            }
        }
    }
}

fn panel(
    figure: &Figure,
    strips: &[Strip],
    lines: &[(f64, Option<String>)],
    part: &str,
    id: &str,
) -> Markup {
    let height = HEAD + LINE * strips.len() as f64 + FOOT;
    let (title, description) = (format!("{id}-t"), format!("{id}-d"));
    html! {
        (PreEscaped("\n"))
        div.scroll tabindex="0" role="group" aria-label={ "Plot: " (printable(&figure.title)) (part) } {
            svg.panel role="img" aria-labelledby={ (title) " " (description) }
                viewBox=(format!("0 0 {WIDTH} {height}")) width=(WIDTH) height=(height)
                data-head=(HEAD) data-line=(LINE) data-foot=(FOOT) {
                title id=(title) { (printable(&figure.title)) (part) }
                desc id=(description) {
                    (figure.description) " Axis: " (printable(&figure.unit)) ", "
                    (figure.axis.words()) ". The table " (printable(&figure.table.1))
                    " has the same figures."
                }
                (grid(figure, lines, height))
                @for (index, row) in strips.iter().enumerate() {
                    (strip(row, &figure.axis, HEAD + LINE * (index as f64 + 0.5)))
                }
            }
        }
    }
}

/// The axis, and its lines behind the rows.
fn grid(figure: &Figure, lines: &[(f64, Option<String>)], height: f64) -> Markup {
    let unit = &figure.unit;
    let scale = match figure.axis {
        Axis::Logarithmic(_) => ", logarithmic",
        Axis::Share => "",
    };
    let path = |labelled: bool| -> String {
        let chosen = lines
            .iter()
            .filter(|(_, label)| label.is_some() == labelled);
        chosen
            .map(|(x, _)| format!("M{x:.1} {:.0}V{height:.0}", HEAD - 5.0))
            .collect()
    };
    html! {
        path.fine d=(path(false)) {}
        path.grid d=(path(true)) {}
        text.axis x=(LEFT + ZERO) y="14" { (printable(unit)) (scale) }
        @for (x, label) in lines {
            @if let Some(label) = label {
                text.tick x=(format!("{x:.1}")) y=(HEAD - 11.0) { (label) }
            }
        }
    }
}

fn strip(strip: &Strip, axis: &Axis, y: f64) -> Markup {
    let mut numbers = Numbers::default();
    for mark in &strip.marks {
        numbers.add(mark.numbers.clone());
    }
    let room = match strip.operation {
        Some(_) => NAME_BESIDE,
        None => NAME,
    };
    html! {
        (PreEscaped("\n"))
        g.row data-r=(numbers) transform=(format!("translate(0 {y})")) {
            path.rule d=(format!("M0 11H{WIDTH}")) {}
            @let shown = shortened(&strip.name, room);
            text.name y="4" {
                @if shown.ends_with(CUT) { title { (printable(&strip.name)) } }
                (shown)
            }
            @if let Some(operation) = &strip.operation {
                text.operation x=(LEFT - 14.0) y="4" { (shortened(operation, 10)) }
            }
            @for mark in &strip.marks { (drawn(mark, axis)) }
        }
    }
}

fn drawn(mark: &Mark, axis: &Axis) -> Markup {
    let words = html! { title { (printable(&mark.words)) } };
    let at = |value: f64| axis.x(value);
    let shape = match mark.shape {
        Shape::Point(series, value) => at(value).map(|x| {
            html! { use data-r=(mark.numbers) href=(symbol(series)) x=(format!("{x:.1}")) { (words) } }
        }),
        Shape::Bar(series, from, to) => at(from).zip(at(to)).map(|(from, to)| {
            let (x, width) = (format!("{from:.1}"), format!("{:.1}", to - from));
            html! {
                rect class={ "c" (series % COLOURS) } x=(x) y="-7" width=(width) height="14" { (words) }
            }
        }),
        Shape::Quantiles(values) => {
            let [least, lower, median, upper, high, most] =
                values.map(|value| at(value).unwrap_or(LEFT));
            // Quartiles that are the same still have a width to be seen.
            let (left, width) = (lower.min(median - 1.0), (upper - lower).max(2.0));
            Some(html! {
                g {
                    (words)
                    path.whisker d=(format!("M{least:.1} 0H{high:.1}M{least:.1}-4v8M{high:.1}-4v8")) {}
                    rect.box x=(format!("{left:.1}")) y="-6" width=(format!("{width:.1}")) height="12" {}
                    path.median d=(format!("M{median:.1}-6v12")) {}
                    @if most > high + 1.0 { circle.most cx=(format!("{most:.1}")) r="3" {} }
                }
            })
        }
    };
    shape.unwrap_or_default()
}

/// As much of a name as there is room for; characters of East Asian width take two places.
fn shortened(name: &str, room: usize) -> String {
    let name = printable(name);
    let width = |c: char| if u32::from(c) >= 0x1100 { 2 } else { 1 };
    if name.chars().map(width).sum::<usize>() <= room {
        return name.into_owned();
    }
    let mut left = room - 1;
    let fits = |c: &char| {
        let width = width(*c);
        let fits = width <= left;
        left = left.saturating_sub(width);
        fits
    };
    let beginning: String = name.chars().take_while(fits).collect();
    beginning + CUT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(strips: usize) -> Figure {
        let strip = |index: usize| Strip {
            name: format!("a/<script>{index}</script>\u{202e}"),
            operation: None,
            marks: vec![Mark {
                shape: Shape::Point(1, index as f64),
                words: "\"</svg>".to_owned(),
                numbers: Numbers::default(),
            }],
        };
        Figure {
            title: "Title".to_owned(),
            description: "A row.",
            table: ("t".to_owned(), "Table 1".to_owned()),
            unit: "cycles in one call".to_owned(),
            axis: Axis::Logarithmic(Logarithmic::over([1.0, 100.0]).expect("values")),
            series: vec!["a".to_owned(), "b".to_owned()],
            strips: (0..strips).map(strip).collect(),
        }
    }

    #[test]
    fn a_plot_says_what_it_is_to_who_does_not_see_it() {
        let drawn = draw(&figure(2), "f").into_string();
        for words in [
            "role=\"img\" aria-labelledby=\"f-0-t f-0-d\"",
            "<title id=\"f-0-t\">Title</title>",
            "Axis: cycles in one call, logarithmic, from 0.5 to 200. The table Table 1 has",
            ">cycles in one call, logarithmic</text>",
            "<a href=\"#t\">Table 1</a>",
            // What is 0 has a place of its own.
            ">0</text>",
        ] {
            assert!(drawn.contains(words), "{words} is missing from {drawn}");
        }
        assert!(
            !drawn.contains("<script") && !drawn.contains("</svg></title>"),
            "{drawn}"
        );
        assert!(
            !drawn.contains("fill=") && !drawn.contains("style="),
            "{drawn}"
        );
    }

    #[test]
    fn a_long_plot_is_several_pictures_with_an_axis_each() {
        let drawn = draw(&figure(61), "f").into_string();
        assert_eq!(drawn.matches("role=\"img\"").count(), 3);
        assert_eq!(
            drawn
                .matches(">cycles in one call, logarithmic</text>")
                .count(),
            3
        );
        assert!(drawn.contains("Title (part 3 of 3)"));
        assert_eq!(drawn.matches("class=\"row\"").count(), 61);
    }

    #[test]
    fn names_are_cut_where_there_is_no_room() {
        assert_eq!(shortened("kem-36/TRIKE-2", 14), "kem-36/TRIKE-2");
        assert_eq!(shortened("kem-36/TRIKE-2", 8), "kem-36/…");
        assert_eq!(shortened("密码学密码学", 8), "密码学…");
    }
}
