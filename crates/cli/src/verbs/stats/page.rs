//! The report as an HTML page: one file without scripts, fonts or external images.

use std::fmt::Write;

use super::{Chart, Data, capitalized, markup, note, place, share, shown};
use crate::report::commas;
use crate::tally::Example;

/// The content security policy of the page, which allows only its own style.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE: &str = "\
:root{color-scheme:light dark;--ground:#fcfcfb;--text:#1d2126;--quiet:#667079;--line:#e4e7e9;--bar:#d3e6ee;--strong:#2a7f9e;\
--bad:#a8452f;--bad-bar:#f5dfd8}\
@media(prefers-color-scheme:dark){:root{--ground:#14171a;--text:#dfe4e8;--quiet:#8d98a2;--line:#2a3036;--bar:#1d3d4a;\
--strong:#6db9d5;--bad:#e58e76;--bad-bar:#45281f}}\
*{box-sizing:border-box}\
body{margin:0 auto;max-width:68rem;padding:3rem 1.5rem 5rem;background:var(--ground);color:var(--text);\
font:15px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif}\
h1{font-size:1.6rem;font-weight:600;letter-spacing:-.01em;margin:0 0 .3rem}\
h2{font-size:1.05rem;font-weight:600;margin:0 0 .6rem}\
h2 small,p{color:var(--quiet);font-weight:400;font-size:.85rem}p{margin:0 0 2rem}\
.numbers{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:1px;background:var(--line);\
border:1px solid var(--line);border-radius:8px;overflow:hidden;margin:0 0 2.5rem}\
.numbers div{background:var(--ground);padding:.9rem 1.1rem}\
.numbers b{display:block;font-size:1.35rem;font-weight:600;font-variant-numeric:tabular-nums}\
.numbers span{color:var(--quiet);font-size:.8rem}.numbers .bad b{color:var(--bad)}\
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(28rem,100%),1fr));gap:2.5rem}\
section{min-width:0}section.wide{margin:0 0 3rem}\
table{border-collapse:collapse;width:100%;table-layout:fixed}\
td{padding:.2rem .5rem;vertical-align:top;overflow-wrap:anywhere}\
.charts tr{background:linear-gradient(var(--bar),var(--bar)) no-repeat 0 50%/var(--w) calc(100% - 2px)}\
.charts td{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}\
.n{width:6.5rem;text-align:right;font-variant-numeric:tabular-nums}\
.s{width:4.2rem;text-align:right;color:var(--quiet);font-variant-numeric:tabular-nums}\
.wide tr{border-top:1px solid var(--line)}.wide .k{color:var(--bad)}\
code{font:13px/1.5 ui-monospace,'SF Mono',Menlo,Consolas,monospace}\
.at{color:var(--quiet);font-size:.8rem;display:block}\
@media print{body{padding:0}section{break-inside:avoid}}";

/// Returns the page.
pub fn html(data: &Data) -> String {
    let title = match &data.files[..] {
        [one] => one.clone(),
        all => format!("{} inputs", all.len()),
    };
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>{0}: requests and escapes</title>\n<style>{STYLE}</style></head>\n<body><h1>{0}</h1>\n<p>{1}</p>\n",
        markup(&title),
        markup(&match data.files.len() {
            0 | 1 => "Requests, escapes and possible attacks".to_string(),
            _ => data.files.join(", "),
        }),
    );
    numbers(data, &mut html);
    attacks(data, &mut html);
    html.push_str("<div class=\"charts\">\n");
    data.charts().iter().filter(|chart| !chart.bars.is_empty()).for_each(|chart| self::chart(chart, &mut html));
    html.push_str("</div></body></html>\n");
    html
}

fn numbers(data: &Data, html: &mut String) {
    let attacks = data.summary.attacked;
    let seen = &data.seen;
    let all = [
        ("records", seen.records, false),
        ("bytes", seen.bytes, false),
        ("escapes", seen.escapes, false),
        ("malformed or not UTF-8", seen.bad(), seen.bad() > 0),
        ("requests with possible attacks", attacks, attacks > 0),
        ("not in the format", seen.effects.unrecognized, seen.effects.unrecognized > 0),
    ];
    html.push_str("<div class=\"numbers\">");
    for (what, number, is_bad) in all {
        let class = if is_bad { " class=\"bad\"" } else { "" };
        let _ = write!(html, "<div{class}><b>{}</b><span>{what}</span></div>", commas(number));
    }
    html.push_str("</div>\n");
}

fn chart(chart: &Chart, html: &mut String) {
    let most = chart.most();
    let _ = writeln!(html, "<section><h2>{} <small>{}</small></h2><table>", markup(&chart.title), markup(&chart.note));
    for (label, count) in &chart.bars {
        let width = 100.0 * *count as f64 / most as f64;
        let _ = writeln!(
            html,
            "<tr style=\"--w:{width:.1}%\"><td title=\"{0}\">{0}</td><td class=\"n\">{1}</td><td class=\"s\">{2:.1} %</td></tr>",
            markup(label),
            commas(*count),
            share(*count, chart.all)
        );
    }
    html.push_str("</table></section>\n");
}

fn example(example: &Example) -> String {
    let value = markup(&String::from_utf8_lossy(&example.value));
    format!("<code>{value}</code><span class=\"at\">{}</span>", markup(&place(example)))
}

fn attacks(data: &Data, html: &mut String) {
    if data.summary.attacked == 0 {
        return;
    }
    html.push_str(
        "<section class=\"wide\"><h2>Possible attacks <small>with the first example of each</small></h2><table>\n",
    );
    for (kind, count, first) in data.summary.kinds() {
        if let Some(first) = first {
            let (name, count) = (markup(&capitalized(&kind.title)), commas(count));
            let _ = writeln!(
                html,
                "<tr><td class=\"k\">{name}</td><td class=\"n\">{count}</td><td>{}</td></tr>",
                example(first)
            );
        }
    }
    html.push_str("</table></section>\n");
    for (what, top) in data.attackers().into_iter().filter(|(_, top)| !top.is_empty()) {
        let _ =
            writeln!(html, "<section class=\"wide\"><h2>By {what} <small>{}</small></h2><table>", markup(&note(top)));
        for (name, count, about) in top.most(data.top) {
            let _ = writeln!(
                html,
                "<tr><td><code>{}</code><span class=\"at k\">{}</span></td><td class=\"n\">{}</td><td>{}</td></tr>",
                markup(&shown(name)),
                markup(&about.names(|kind| &kind.title).join(", ")),
                commas(count),
                example(&about.example)
            );
        }
        html.push_str("</table></section>\n");
    }
}
