//! Was a leak found before its fix, and is the finding gone after it?
//!
//! A finding *matches* a leak if it stands in the leak's function and names its variable, or has its allocation within
//! three lines of a listed one. For [kinds that count anywhere](Leak::counts_anywhere) the allocation alone decides.
//! Two findings of different trees are *about the same* if their fingerprints agree, or their functions and variables.
//! Then the texts of the lines that lose the memory tell whether something has gone. The numbers of lines never decide: they
//! shift between trees.
//!
//! ```c
//! char *p = malloc(16);      /* listed: f, p, line 1 */
//! if (bad) return -1;        /* before: a finding in f for p — it matches */
//! if (worse) return -2;      /* after a fix of line 2 only: still one for f and p, with another fingerprint */
//! ```

use super::check::Finding;
use super::list::Leak;

/// How far a reported allocation may be from a listed one: a call can span lines.
const NEAR: u64 = 3;

/// A finding with the texts of the lines that allocate and that lose.
pub(super) struct Located {
    pub(super) finding: Finding,
    pub(super) allocation: String,
    pub(super) losses: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    Found,
    /// A place where the memory was lost is gone, another one stays. Either the fix left a leak, as some did, or the
    /// finding only looks different: a person has to look.
    OtherLeft,
    /// All such places stay.
    NotGone,
    Missed,
}

impl Verdict {
    pub(super) const ALL: [Self; 4] = [Self::Found, Self::OtherLeft, Self::NotGone, Self::Missed];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::OtherLeft => "other left",
            Self::NotGone => "not gone",
            Self::Missed => "missed",
        }
    }
}

/// Without a tree after, being reported before is all that is asked. Of several matches the best one counts.
pub(super) fn judge(leak: &Leak, before: &[Located], after: Option<&[Located]>) -> Verdict {
    let matching = before.iter().filter(|found| matches(leak, &found.finding));
    matching.map(|found| fate(found, after.unwrap_or_default())).min().unwrap_or(Verdict::Missed)
}

pub(super) fn matches(leak: &Leak, finding: &Finding) -> bool {
    let listed = leak
        .allocations
        .iter()
        .any(|line| line.file == finding.alloc.file && line.line.abs_diff(finding.alloc.line) <= NEAR);
    let named = || finding.variable.as_deref().is_some_and(|name| plain(name) == plain(&leak.variable));
    if finding.function == leak.function { listed || named() } else { listed && leak.counts_anywhere() }
}

/// Findings in the function of the leak that do not match it: what to look at when it was missed.
pub(super) fn near_misses<'a>(leak: &Leak, before: &'a [Located]) -> Vec<&'a Finding> {
    let findings = before.iter().map(|found| &found.finding);
    findings.filter(|finding| finding.function == leak.function && !matches(leak, finding)).collect()
}

fn fate(found: &Located, after: &[Located]) -> Verdict {
    let fates = after.iter().filter(|other| about_the_same(found, other)).map(|other| {
        let mut left = other.losses.clone();
        let stays = |loss: &String| left.iter().position(|text| text == loss).map(|at| left.swap_remove(at)).is_some();
        if found.losses.iter().all(stays) { Verdict::NotGone } else { Verdict::OtherLeft }
    });
    fates.max().unwrap_or(Verdict::Found)
}

fn about_the_same(a: &Located, b: &Located) -> bool {
    let (first, second) = (&a.finding, &b.finding);
    let same_print = first.fingerprint == second.fingerprint && !first.fingerprint.is_empty();
    // Nameless memory of one function is told apart by where it comes from.
    let same_name = first.variable == second.variable && (first.variable.is_some() || a.allocation == b.allocation);
    same_print || (first.function == second.function && same_name)
}

/// `( *url )` and `*url` are one name.
fn plain(name: &str) -> String {
    let text: String = name.split_whitespace().collect();
    match text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) if !inner.contains(['(', ')']) => inner.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::Place;
    use super::super::list::Line;
    use super::*;

    fn leak(kind: &str) -> Leak {
        Leak {
            repo: "curl".to_owned(),
            before: "p".to_owned(),
            after: Some("f".to_owned()),
            function: "f".to_owned(),
            variable: "p->q".to_owned(),
            allocations: vec![Line { file: "lib/a.c".to_owned(), line: 100 }],
            kind: kind.to_owned(),
            explanation: String::new(),
        }
    }

    fn found(function: &str, variable: &str, line: u64, fingerprint: &str) -> Located {
        let finding = Finding {
            function: function.to_owned(),
            variable: (!variable.is_empty()).then(|| variable.to_owned()),
            alloc: Place { file: "lib/a.c".to_owned(), line },
            fingerprint: fingerprint.to_owned(),
            ..Finding::default()
        };
        Located { finding, allocation: format!("line {line}"), losses: vec!["return -1;".to_owned()] }
    }

    fn losing(mut located: Located, losses: &[&str]) -> Located {
        located.losses = losses.iter().map(|text| (*text).to_owned()).collect();
        located
    }

    #[test]
    fn the_name_or_the_line_matches_in_the_function() {
        let leak = leak("error-path");
        let verdict = |finding| judge(&leak, &[finding], Some(&[]));
        assert_eq!(verdict(found("f", "p->q", 900, "1")), Verdict::Found);
        assert_eq!(verdict(found("f", "(p->q)", 900, "1")), Verdict::Found);
        assert_eq!(verdict(found("f", "r", 103, "1")), Verdict::Found);
        assert_eq!(verdict(found("f", "", 97, "1")), Verdict::Found);
        assert_eq!(verdict(found("f", "r", 104, "1")), Verdict::Missed);
        assert_eq!(verdict(found("g", "p->q", 100, "1")), Verdict::Missed);
        assert_eq!(judge(&leak, &[], Some(&[])), Verdict::Missed);
    }

    #[test]
    fn some_kinds_match_in_any_function() {
        for kind in ["field-not-freed", "partial-free", "container-elements", "callback-context", "param-ownership"] {
            assert_eq!(judge(&leak(kind), &[found("g", "r", 101, "1")], Some(&[])), Verdict::Found, "{kind}");
            assert_eq!(judge(&leak(kind), &[found("g", "p->q", 900, "1")], Some(&[])), Verdict::Missed, "{kind}");
            assert_eq!(judge(&leak(kind), &[found("f", "p->q", 900, "1")], Some(&[])), Verdict::Found, "{kind}");
        }
    }

    #[test]
    fn another_file_is_another_line() {
        let mut other = found("f", "r", 100, "1");
        other.finding.alloc.file = "src/a.c".to_owned();
        assert_eq!(judge(&leak("error-path"), &[other], Some(&[])), Verdict::Missed);
    }

    #[test]
    fn a_finding_has_to_go() {
        let leak = leak("error-path");
        let before = [found("f", "p->q", 100, "1")];
        let verdict = |after| judge(&leak, &before, Some(&[after]));
        assert_eq!(verdict(found("g", "r", 108, "1")), Verdict::NotGone);
        assert_eq!(verdict(found("f", "p->q", 108, "2")), Verdict::NotGone);
        assert_eq!(verdict(losing(found("f", "p->q", 108, "1"), &["return -2;"])), Verdict::OtherLeft);
        assert_eq!(verdict(found("f", "r", 100, "2")), Verdict::Found);
        assert_eq!(verdict(found("g", "p->q", 100, "2")), Verdict::Found);
        assert_eq!(judge(&leak, &before, None), Verdict::Found);
    }

    #[test]
    fn of_several_losses_one_may_go() {
        let leak = leak("error-path");
        let before = [losing(found("f", "p->q", 100, "1"), &["return -1;", "return -1;", "return -2;"])];
        let verdict = |losses| judge(&leak, &before, Some(&[losing(found("f", "p->q", 90, "1"), losses)]));
        assert_eq!(verdict(&["return -2;", "return -1;"]), Verdict::OtherLeft);
        assert_eq!(verdict(&["return -2;", "return -1;", "return -1;", "return 0;"]), Verdict::NotGone);
    }

    #[test]
    fn one_finding_that_goes_is_enough() {
        let before = [found("f", "p->q", 100, "1"), found("f", "r", 100, "2")];
        assert_eq!(judge(&leak("error-path"), &before, Some(&[found("f", "r", 100, "2")])), Verdict::Found);
    }

    #[test]
    fn without_a_name_the_allocating_text_decides() {
        let before = [found("f", "", 100, "1")];
        let mut shifted = found("f", "", 140, "2");
        let leak = leak("temp-expression");
        assert_eq!(judge(&leak, &before, Some(&[found("f", "", 140, "2")])), Verdict::Found);
        shifted.allocation = "line 100".to_owned();
        assert_eq!(judge(&leak, &before, Some(&[shifted])), Verdict::NotGone);
    }

    #[test]
    fn near_misses_are_of_the_same_function() {
        let before = [found("f", "r", 900, "1"), found("f", "p->q", 100, "2"), found("g", "r", 900, "3")];
        let near = near_misses(&leak("error-path"), &before);
        assert_eq!(near.iter().map(|finding| finding.fingerprint.as_str()).collect::<Vec<_>>(), ["1"]);
    }
}
