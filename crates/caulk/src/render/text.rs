//! Findings for people, as rustc would write them.
//!
//! ```text
//! warning[conditional-leak]: memory allocated by `malloc` is lost when `parse` returns
//!   --> src/a.c:12:9
//!    |
//!  7 |     char *p = malloc(n);
//!    |               ------ allocated here
//! ...
//! 12 |         return -1;
//!    |         ^^^^^^^^^^ `p` still holds the memory here
//!    |
//!    = steps: 1. src/a.c:7:15  memory is allocated here
//!             2. src/a.c:9:9   `n > 10` is true
//!    = help: release it with `free(p)` before `parse` returns
//! ```
//!
//! The block is drawn by annotate-snippets; here is decided what goes into it. Columns are counted in
//! characters, as the renderer does for its arrow; JSON has bytes.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Message, Origin, Renderer, Snippet};
use caulk_driver::{Confidence, Finding, Place, Step};

use super::advice;
use super::extent::extent;
use super::source::{Sources, clean};

/// Lines between allocation and loss in one excerpt; further apart each gets its own.
const REACH: u32 = 200;

/// A longer path is cut in the middle: its ends say where memory comes from and how it is lost.
const MAX_STEPS: usize = 40;

/// Further places of loss that are listed; the rest is counted.
const MAX_ALSO: usize = 10;

/// All findings, with an empty line after each.
pub(crate) fn text(findings: &[Finding], sources: &mut Sources, has_color: bool) -> String {
    // Links would need absolute paths, which the same report from elsewhere would not have.
    let renderer = if has_color { Renderer::styled().hyperlink(false) } else { Renderer::plain() };
    let blocks = findings.iter().map(|finding| renderer.render(&[block(finding, sources)]) + "\n\n");
    blocks.collect()
}

fn block<'a>(finding: &Finding, sources: &mut Sources) -> Group<'a> {
    let title = Level::WARNING.primary_title(clean(&finding.message)).id(finding.rule.name());
    let mut group = excerpts(Group::with_title(title), finding, sources);
    if !finding.path.is_empty() {
        group = group.element(labelled("steps", steps(&finding.path, sources)));
    }
    if !finding.also.is_empty() {
        group = group.element(Level::NOTE.message(also(&finding.also, sources)));
    }
    if finding.confidence == Confidence::Low {
        group = group.element(Level::NOTE.message("low confidence: this may well be no leak"));
    }
    group.element(Level::HELP.message(clean(&advice::help(finding))))
}

fn labelled<'a>(name: &'static str, text: String) -> Message<'a> {
    Level::NOTE.with_name(name).message(text)
}

/// The place of the loss and the allocation, as far as their sources can be read.
fn excerpts<'a>(group: Group<'a>, finding: &Finding, sources: &mut Sources) -> Group<'a> {
    let (leak, alloc) = (&finding.leak, &finding.alloc);
    let lost = (leak, Mark { kind: AnnotationKind::Primary, label: clean(&advice::label(finding)) });
    let is_same = leak == alloc;
    let made = (alloc, Mark { kind: AnnotationKind::Context, label: advice::origin_label(finding).to_owned() });
    let is_within_reach = leak.file == alloc.file && leak.line.abs_diff(alloc.line) <= REACH;
    if is_within_reach
        && !is_same
        && let Some(snippet) = snippet(&[&lost, &made], &finding.variable, sources)
    {
        return group.element(snippet);
    }
    let group = match snippet(&[&lost], &finding.variable, sources) {
        Some(snippet) => group.element(snippet),
        None => group.element(origin(leak, sources)).element(Level::NOTE.message(lost.1.label)),
    };
    match snippet(&[&made], "", sources) {
        _ if is_same => group,
        Some(snippet) => group.element(snippet),
        None => group.element(Level::NOTE.message(format!("{}: {}", made.1.label, shown(alloc, sources)))),
    }
}

struct Mark {
    kind: AnnotationKind,
    label: String,
}

/// One excerpt that shows all these places of one file; `None` if a line is not there.
fn snippet<'a>(
    marks: &[&(&Place, Mark)],
    variable: &str,
    sources: &mut Sources,
) -> Option<Snippet<'a, Annotation<'a>>> {
    let (first, last) = lines_of(marks)?;
    let file = &marks.first()?.0.file;
    let lines = sources.lines(file, first, last)?;
    let mut text = lines.join("\n");
    if text.is_empty() || text.ends_with('\n') {
        // The renderer sees no line after the last newline, and there is one that we point at.
        text.push(' ');
    }
    let mut annotations = Vec::new();
    for (place, mark) in marks {
        let spot = sources.spot(place)?;
        let start: usize = lines[..(place.line - first) as usize].iter().map(|line| line.len() + 1).sum();
        let span = start + spot.at..start + extent(&spot.line, spot.at, variable);
        annotations.push(mark.kind.span(span).label(mark.label.clone()));
    }
    Some(Snippet::source(text).line_start(first as usize).path(clean(file)).annotations(annotations))
}

fn lines_of(marks: &[&(&Place, Mark)]) -> Option<(u32, u32)> {
    let lines = marks.iter().map(|(place, _)| place.line);
    Some((lines.clone().min()?, lines.max()?))
}

/// A place without its text.
fn origin<'a>(place: &Place, sources: &mut Sources) -> Origin<'a> {
    let origin = Origin::path(file_name(place));
    match place.line {
        0 => origin,
        line => origin.line(line as usize).char_column(column(place, sources)),
    }
}

/// `src/a.c:7:15`.
fn shown(place: &Place, sources: &mut Sources) -> String {
    match place.line {
        0 => file_name(place),
        line => format!("{}:{line}:{}", file_name(place), column(place, sources)),
    }
}

fn file_name(place: &Place) -> String {
    if place.file.is_empty() { "(unknown place)".to_owned() } else { clean(&place.file) }
}

fn column(place: &Place, sources: &mut Sources) -> usize {
    sources.spot(place).map_or(place.column as usize, |spot| spot.column())
}

/// The numbered list, places and messages each in their column.
fn steps(path: &[Step], sources: &mut Sources) -> String {
    let kept = |index: &usize| path.len() <= MAX_STEPS || *index < MAX_STEPS / 2 || path.len() - index <= MAX_STEPS / 2;
    let places: Vec<(usize, String)> =
        (0..path.len()).filter(kept).map(|index| (index, shown(&path[index].place, sources))).collect();
    let number_width = path.len().to_string().len();
    let place_width = places.iter().map(|(_, place)| place.chars().count()).max().unwrap_or(0);
    let mut lines = Vec::with_capacity(places.len() + 1);
    let mut next = 0;
    for (index, place) in places {
        if index > next {
            let left_out = index - next;
            lines.push(format!("{:>number_width$}  {left_out} more steps, which --format json shows", ""));
        }
        next = index + 1;
        lines.push(format!("{next:>number_width$}. {place:<place_width$}  {}", clean(&path[index].message)));
    }
    lines.join("\n")
}

fn also(places: &[Place], sources: &mut Sources) -> String {
    let mut names: Vec<String> = places.iter().take(MAX_ALSO).map(|place| shown(place, sources)).collect();
    if places.len() > MAX_ALSO {
        names.push(format!("and at {} more places", places.len() - MAX_ALSO));
    }
    format!("also lost at {}", names.join("\n             "))
}
