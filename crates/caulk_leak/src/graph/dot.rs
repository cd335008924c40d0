//! Graphs in the language of Graphviz.
//!
//! Nodes stand in clusters or outside of them, and are named by what adds them; labels may be any text. What comes out
//! depends on the order of additions only.

use std::fmt::Write;

/// Labels of edges longer than this end in `…`.
const MAX_EDGE_LABEL: usize = 80;

#[derive(Default)]
pub(super) struct Digraph {
    name: &'static str,
    clusters: Vec<Cluster>,
    edges: String,
}

#[derive(Default)]
struct Cluster {
    /// `None`: nodes outside of any cluster.
    label: Option<String>,
    nodes: String,
}

/// How a node looks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Plain,
    /// Where something begins.
    Start,
    /// Where something ends.
    End,
    /// Memory.
    Cell,
    /// Memory that outlives the function.
    Shared,
}

impl Shape {
    fn attributes(self) -> &'static str {
        match self {
            Shape::Plain => "shape=box",
            Shape::Start => "shape=box, style=bold",
            Shape::End => "shape=box, peripheries=2",
            Shape::Cell => "shape=box, style=rounded",
            Shape::Shared => "shape=box, style=\"rounded,dashed\"",
        }
    }
}

impl Digraph {
    pub(super) fn new(name: &'static str) -> Digraph {
        Digraph { name, ..Digraph::default() }
    }

    /// Nodes added from now on stand in a box of their own; without a label, in none.
    pub(super) fn cluster(&mut self, label: Option<String>) {
        self.clusters.push(Cluster { label, nodes: String::new() });
    }

    /// Each line of the label is a line of the node, set from the left.
    pub(super) fn node(&mut self, id: &str, lines: &[String], shape: Shape) {
        if self.clusters.is_empty() {
            self.cluster(None);
        }
        let cluster = self.clusters.last_mut().expect("one was just made");
        let label = match lines {
            [line] => quoted(line),
            _ => format!("\"{}\"", lines.iter().map(|line| escaped(line) + "\\l").collect::<String>()),
        };
        write_line(&mut cluster.nodes, format_args!("{} [label={label}, {}];", quoted(id), shape.attributes()));
    }

    pub(super) fn edge(&mut self, from: &str, to: &str, label: &str) {
        let (from, to) = (quoted(from), quoted(to));
        if label.is_empty() {
            return write_line(&mut self.edges, format_args!("  {from} -> {to};"));
        }
        let mut short: String = label.chars().take(MAX_EDGE_LABEL).collect();
        if short.len() < label.len() {
            short.push('…');
        }
        write_line(&mut self.edges, format_args!("  {from} -> {to} [label={}];", quoted(&short)));
    }

    pub(super) fn print(&self) -> String {
        let mut out = format!("digraph {} {{\n", quoted(self.name));
        out.push_str("  node [fontname=monospace, fontsize=10];\n  edge [fontname=monospace, fontsize=9];\n");
        for (number, cluster) in self.clusters.iter().enumerate() {
            let indent = if cluster.label.is_some() { "    " } else { "  " };
            if let Some(label) = &cluster.label {
                write_line(&mut out, format_args!("  subgraph \"cluster{number}\" {{\n    label={};", quoted(label)));
            }
            cluster.nodes.lines().for_each(|line| write_line(&mut out, format_args!("{indent}{line}")));
            if cluster.label.is_some() {
                out.push_str("  }\n");
            }
        }
        out.push_str(&self.edges);
        out.push_str("}\n");
        out
    }
}

fn write_line(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    writeln!(out, "{arguments}").expect("writing to a string does not fail");
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// A backslash is doubled: Graphviz would read it as the beginning of an escape.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\n' => out.push_str("\\n"),
            _ if letter.is_control() => out.push(' '),
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_a_label() {
        let mut graph = Digraph::new("g");
        graph.cluster(Some("a \"b\"".to_owned()));
        graph.node("n 1", &["x = \"\\n\"\t".to_owned()], Shape::Plain);
        graph.node("n 2", &["two".to_owned(), "lines".to_owned()], Shape::End);
        graph.edge("n 1", "n 2", "a\nb");
        let text = graph.print();
        assert!(text.contains(r#"label="a \"b\"";"#), "{text}");
        assert!(text.contains(r#""n 1" [label="x = \"\\n\" ", shape=box];"#), "{text}");
        assert!(text.contains(r#"[label="two\llines\l", shape=box, peripheries=2];"#), "{text}");
        assert!(text.contains(r#""n 1" -> "n 2" [label="a\nb"];"#), "{text}");
    }

    #[test]
    fn long_labels_of_edges_are_cut_between_letters() {
        let mut graph = Digraph::new("g");
        graph.edge("a", "b", &"ä".repeat(200));
        assert!(graph.print().contains(&format!("\"{}…\"", "ä".repeat(MAX_EDGE_LABEL))));
    }
}
