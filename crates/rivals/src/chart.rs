//! Draws charts as SVG: line charts with a logarithmic scale, and bar charts.

use std::fmt::Write;

use crate::peers::Side;

/// A line of a line chart, or a bar of a bar chart.
pub struct Series {
    pub name: String,
    pub side: Side,
    /// A line has a value, or `None`, for each place on the horizontal axis. A bar has one value.
    pub values: Vec<Option<f64>>,
}

const WIDTH: f64 = 960.0;
const FONT: &str = "font-family=\"system-ui, sans-serif\"";
const INK: &str = "#1f2328";
const FAINT: &str = "#d8dee4";
const OURS: [&str; 2] = ["#0550ae", "#54a0ff"];
const REFERENCE: [&str; 2] = ["#8c959f", "#b6bec7"];
const PEERS: [&str; 12] = [
    "#cf222e", "#bf8700", "#1a7f37", "#8250df", "#bc4c00", "#0e8a8a", "#a40e59", "#6e7781", "#4d7c0f", "#7a4b00",
    "#d4577b", "#3b5b92",
];

/// The peers in a fixed order. The order determines their colours, so a peer has the same colour in all charts.
const KNOWN: [&str; 12] = [
    "percent-encoding",
    "urlencoding",
    "url-escape",
    "fluent-uri",
    "percent-encoding-rfc3986",
    "actix-router Quoter",
    "iri-string",
    "pct-str",
    "codex-percent",
    "use-percent",
    "form_urlencoded",
    "libcurl (C)",
];

/// Returns a colour for each series: a blue for this project, a grey for a copy, and for each peer a different colour.
fn colours(all: &[Series]) -> Vec<&'static str> {
    let mut taken = [0; 2];
    let mut next = |side: usize| {
        taken[side] += 1;
        taken[side] - 1
    };
    all.iter()
        .map(|series| match series.side {
            Side::Ours => OURS[next(0) % OURS.len()],
            Side::Reference => REFERENCE[next(1) % REFERENCE.len()],
            Side::Peer => PEERS[KNOWN.iter().position(|known| *known == series.name).unwrap_or_default()],
        })
        .collect()
}

fn open(title: &str, note: &str, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         role=\"img\" {FONT}>\n<title>{0}</title>\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"24\" y=\"34\" font-size=\"19\" font-weight=\"600\" fill=\"{INK}\">{0}</text>\n\
         <text x=\"24\" y=\"56\" font-size=\"13\" fill=\"#59636e\">{1}</text>\n",
        escape(title),
        escape(note),
    )
}

/// Draws a line chart. `places` are the labels of the horizontal axis, evenly spaced. The vertical axis is logarithmic.
pub fn lines(title: &str, note: &str, across: &str, places: &[String], all: &[Series]) -> String {
    const TOP: f64 = 78.0;
    const BOTTOM: f64 = 500.0;
    const LEFT: f64 = 64.0;
    const RIGHT: f64 = 720.0;
    let mut svg = open(title, note, BOTTOM + 56.0);
    let values = || all.iter().flat_map(|series| series.values.iter().flatten());
    let (low, high) = values().fold((f64::MAX, f64::MIN), |(low, high), &v| (low.min(v.log10()), high.max(v.log10())));
    let (low, high) = (low - 0.05, high + 0.05);
    let x = |place: usize| LEFT + (RIGHT - LEFT) * place as f64 / (places.len().max(2) - 1) as f64;
    let y = |value: f64| BOTTOM - (BOTTOM - TOP) * (value.log10() - low) / (high - low).max(0.1);
    for tick in ticks(low, high) {
        let at = y(tick);
        _ = write!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"{FAINT}\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" font-size=\"12\" text-anchor=\"end\" fill=\"{INK}\">{}</text>\n",
            LEFT - 8.0,
            at + 4.0,
            number(tick),
        );
    }
    for (place, label) in places.iter().enumerate() {
        let at = x(place);
        _ = write!(
            svg,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{BOTTOM}\" stroke=\"{FAINT}\" stroke-dasharray=\"2 4\"/>\n\
             <text x=\"{at:.1}\" y=\"{:.1}\" font-size=\"12\" text-anchor=\"middle\" fill=\"{INK}\">{}</text>\n",
            BOTTOM + 20.0,
            escape(label),
        );
    }
    _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"13\" text-anchor=\"middle\" fill=\"{INK}\">{}</text>",
        (LEFT + RIGHT) / 2.0,
        BOTTOM + 44.0,
        escape(across),
    );
    let colours = colours(all);
    // Each label is at the end of its line. Sort the labels from top to bottom, and move them apart.
    let mut labels: Vec<(f64, usize)> =
        all.iter().enumerate().filter_map(|(number, series)| Some((y((*series.values.last()?)?), number))).collect();
    labels.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ends: Vec<f64> = labels.iter().map(|label| label.0).collect();
    spread(&mut labels, TOP, BOTTOM);
    // Draw the peers first, so that this project's lines lie over theirs.
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&number| (all[number].side == Side::Ours, number == 0));
    for number in order {
        let series = &all[number];
        let (width, dash) = match series.side {
            Side::Ours => (3.5, ""),
            Side::Reference => (2.0, " stroke-dasharray=\"6 5\""),
            Side::Peer => (1.6, ""),
        };
        let point = |(place, value): (usize, &Option<f64>)| Some((x(place), y((*value)?)));
        let points: Vec<(f64, f64)> = series.values.iter().enumerate().filter_map(point).collect();
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let colour = colours[number];
        _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
             stroke-linejoin=\"round\"{dash}/>",
            path.join(" "),
        );
        for (x, y) in points {
            _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\" fill=\"{colour}\"/>", width + 0.4);
        }
    }
    for ((at, number), end) in labels.into_iter().zip(ends) {
        let (series, colour) = (&all[number], colours[number]);
        let weight = if series.side == Side::Ours { 700 } else { 400 };
        _ = write!(
            svg,
            "<polyline points=\"{:.1},{end:.1} {:.1},{at:.1} {:.1},{at:.1}\" fill=\"none\" stroke=\"{colour}\" \
             stroke-width=\"0.8\"/>\n<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"12.5\" font-weight=\"{weight}\" \
             fill=\"{colour}\">{}</text>\n",
            RIGHT + 6.0,
            RIGHT + 22.0,
            RIGHT + 28.0,
            RIGHT + 32.0,
            at + 4.0,
            escape(&series.name),
        );
    }
    svg + "</svg>\n"
}

/// Moves overlapping labels apart.
fn spread(labels: &mut [(f64, usize)], top: f64, bottom: f64) {
    const STEP: f64 = 17.0;
    let mut least = top;
    for (at, _) in labels.iter_mut() {
        *at = at.max(least);
        least = *at + STEP;
    }
    let mut most = bottom;
    for (at, _) in labels.iter_mut().rev() {
        *at = at.min(most);
        most = *at - STEP;
    }
}

/// Draws a bar chart. The longest bar is on top, or the shortest one if `less_is_better` is set.
pub fn bars(title: &str, note: &str, unit: &str, less_is_better: bool, all: &[Series]) -> String {
    const TOP: f64 = 78.0;
    const ROW: f64 = 27.0;
    const LEFT: f64 = 250.0;
    const RIGHT: f64 = 860.0;
    let colours = colours(all);
    let mut rows: Vec<(&Series, f64, &str)> = all
        .iter()
        .zip(colours)
        .filter_map(|(series, colour)| Some((series, (*series.values.first()?)?, colour)))
        .collect();
    rows.sort_by(|a, b| if less_is_better { a.1.total_cmp(&b.1) } else { b.1.total_cmp(&a.1) });
    let longest = rows.iter().fold(f64::MIN_POSITIVE, |longest, row| longest.max(row.1));
    let mut svg = open(title, note, TOP + ROW * rows.len() as f64 + 16.0);
    for (row, (series, value, colour)) in rows.into_iter().enumerate() {
        let at = TOP + ROW * row as f64;
        let colour = if series.side == Side::Peer { "#9aa4af" } else { colour };
        let weight = if series.side == Side::Ours { 700 } else { 400 };
        let width = ((RIGHT - LEFT) * value / longest).max(1.5);
        _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"13\" font-weight=\"{weight}\" text-anchor=\"end\" \
             fill=\"{INK}\">{}</text>\n<rect x=\"{LEFT}\" y=\"{at:.1}\" width=\"{width:.1}\" height=\"19\" rx=\"2\" \
             fill=\"{colour}\"/>\n<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"12.5\" font-weight=\"{weight}\" \
             fill=\"{INK}\">{} {}</text>\n",
            LEFT - 10.0,
            at + 14.0,
            escape(&series.name),
            LEFT + width + 7.0,
            at + 14.0,
            number(value),
            escape(unit),
        );
    }
    svg + "</svg>\n"
}

/// Returns the values at the marks of an axis: 1, 2 and 5 times each power of ten, from 10^`low` to 10^`high`.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let powers = low.floor() as i32..=high.ceil() as i32;
    let ticks = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power)));
    ticks.filter(|tick| (low..=high).contains(&tick.log10())).collect()
}

/// Formats `value` to three significant digits.
pub fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_string(),
        v if v >= 99.95 => format!("{value:.0}"),
        v if v >= 9.995 => trimmed(format!("{value:.1}")),
        v if v >= 0.9995 => trimmed(format!("{value:.2}")),
        _ => trimmed(format!("{value:.3}")),
    }
}

fn trimmed(number: String) -> String {
    number.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
