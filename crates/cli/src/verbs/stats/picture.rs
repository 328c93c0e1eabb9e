//! The charts as SVG.

use std::fmt::Write;

use super::{Data, cut, markup, share};
use crate::report::commas;

/// The maximum length of a label, in characters.
const LABEL: usize = 42;

/// The height of a row, the left edge of the bars, and the maximum length of a bar, in pixels.
const ROW: usize = 22;
const BARS: usize = 300;
const LONGEST: f64 = 420.0;

/// Returns all charts, one below the other. In dark mode, their colors are light on dark.
pub fn svg(data: &Data) -> String {
    let charts = data.charts();
    let rows: usize = charts.iter().map(|chart| chart.bars.len() + 3).sum();
    let height = ROW * rows + 10;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"{height}\" viewBox=\"0 0 900 {height}\" \
         role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n\
         <title>Requests and escapes in {} records</title>\n\
         <style>.g{{fill:#fff}}text{{fill:#1d2126}}.b{{fill:#2a7f9e}}\
         @media(prefers-color-scheme:dark){{.g{{fill:#14171a}}text{{fill:#dfe4e8}}.b{{fill:#58a6c4}}}}</style>\n\
         <rect class=\"g\" width=\"100%\" height=\"100%\"/>\n",
        commas(data.seen.records)
    );
    let mut y = 10;
    for chart in charts {
        let most = chart.most();
        y += ROW;
        let _ = writeln!(svg, "<text x=\"20\" y=\"{y}\" font-weight=\"bold\">{}</text>", markup(&chart.title));
        for (label, count) in chart.bars {
            y += ROW;
            let width = LONGEST * count as f64 / most as f64;
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{y}\" text-anchor=\"end\">{}</text>\
                 <rect class=\"b\" x=\"{BARS}\" y=\"{}\" width=\"{width:.1}\" height=\"16\" rx=\"2\"/>\
                 <text x=\"{:.1}\" y=\"{y}\">{} ({:.1} %)</text>",
                BARS - 10,
                markup(&cut(&label, LABEL)),
                y - 13,
                BARS as f64 + 6.0 + width,
                commas(count),
                share(count, chart.all)
            );
        }
        y += ROW;
    }
    svg.push_str("</svg>\n");
    svg
}
