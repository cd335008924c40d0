//! What is said at the place of the loss, and what to do about it.

use caulk_driver::{Finding, Loss};

/// Allocators by the function that undoes them. Only advice: what the analysis believes is in the models.
const RELEASES: [(&str, &[&str]); 21] = [
    (
        "free",
        &[
            "malloc",
            "calloc",
            "realloc",
            "reallocarray",
            "aligned_alloc",
            "posix_memalign",
            "memalign",
            "valloc",
            "strdup",
            "strndup",
            "wcsdup",
            "asprintf",
            "vasprintf",
            "getline",
            "getdelim",
            "realpath",
            "getcwd",
            "get_current_dir_name",
            "canonicalize_file_name",
            "tempnam",
            "scandir",
            "getwd",
        ],
    ),
    ("fclose", &["fopen", "fopen64", "fdopen", "freopen", "tmpfile", "fmemopen", "open_memstream"]),
    ("pclose", &["popen"]),
    ("closedir", &["opendir", "fdopendir"]),
    ("close", &["open", "open64", "openat", "creat", "socket", "accept", "accept4", "dup", "mkstemp", "eventfd"]),
    ("dlclose", &["dlopen", "dlmopen"]),
    ("freeaddrinfo", &["getaddrinfo"]),
    ("freeifaddrs", &["getifaddrs"]),
    ("if_freenameindex", &["if_nameindex"]),
    ("iconv_close", &["iconv_open"]),
    ("freelocale", &["newlocale", "duplocale"]),
    ("regfree", &["regcomp"]),
    ("globfree", &["glob"]),
    ("endmntent", &["setmntent"]),
    (
        "g_free",
        &[
            "g_malloc",
            "g_malloc0",
            "g_try_malloc",
            "g_realloc",
            "g_strdup",
            "g_strndup",
            "g_strdup_printf",
            "g_strdup_vprintf",
            "g_strconcat",
            "g_strjoin",
            "g_strjoinv",
            "g_memdup2",
            "g_build_filename",
        ],
    ),
    ("g_strfreev", &["g_strsplit", "g_strsplit_set", "g_strdupv"]),
    ("g_object_unref", &["g_object_new", "g_object_ref"]),
    ("g_hash_table_destroy", &["g_hash_table_new", "g_hash_table_new_full"]),
    ("kfree", &["kmalloc", "kzalloc", "kcalloc", "krealloc", "kstrdup", "kstrndup", "kmemdup", "kasprintf"]),
    ("vfree", &["vmalloc", "vzalloc"]),
    ("kvfree", &["kvmalloc", "kvzalloc", "kvcalloc"]),
];

/// For allocators that are not listed: resources by kind.
const RESOURCE_RELEASES: [(&str, &str); 6] = [
    ("file", "fclose"),
    ("descriptor", "close"),
    ("socket", "close"),
    ("directory", "closedir"),
    ("library", "dlclose"),
    ("process", "pclose"),
];

/// What stands under the place where it is lost.
pub(crate) fn label(finding: &Finding) -> String {
    let what = &finding.resource;
    let holder = &finding.variable;
    if holder.is_empty() {
        return match finding.loss {
            Loss::ResultDropped => "the result is not kept".to_owned(),
            Loss::HolderFreed => format!("the object that holds the {what} is freed here"),
            Loss::ReallocFailed => format!("the {what} is lost if this fails"),
            Loss::Return | Loss::Overwritten | Loss::ScopeEnd => format!("the {what} is lost here"),
        };
    }
    match finding.loss {
        Loss::Return => format!("`{holder}` still holds the {what} here"),
        Loss::Overwritten => format!("`{holder}` is overwritten while it holds the {what}"),
        Loss::ScopeEnd => format!("`{holder}` goes out of scope while it holds the {what}"),
        Loss::HolderFreed => format!("the object whose `{holder}` holds the {what} is freed here"),
        Loss::ResultDropped => "the result is not kept".to_owned(),
        Loss::ReallocFailed => format!("if this fails, `{holder}` is overwritten and the old {what} is lost"),
    }
}

/// What stands under the call that yielded it.
pub(crate) fn origin_label(finding: &Finding) -> &'static str {
    match finding.loss {
        Loss::ReallocFailed => "reallocated here",
        _ if finding.resource == "memory" => "allocated here",
        _ => "acquired here",
    }
}

/// What to do.
pub(crate) fn help(finding: &Finding) -> String {
    let holder = &finding.variable;
    let release = release(finding);
    match finding.loss {
        Loss::Return => format!("{release} before `{}` returns", finding.function),
        Loss::Overwritten if holder.is_empty() => format!("{release} before it is overwritten"),
        Loss::Overwritten => format!("{release} before `{holder}` gets its new value"),
        Loss::ScopeEnd if holder.is_empty() => format!("{release} before its scope ends"),
        Loss::ScopeEnd => format!("{release} before `{holder}` goes out of scope"),
        Loss::HolderFreed => format!("{release} before the object that holds it is freed"),
        Loss::ResultDropped => match release_function(finding) {
            Some(function) => {
                format!(
                    "keep the result of `{}` and release it with `{function}`, or leave out the call",
                    finding.allocator
                )
            }
            None => format!("keep the result of `{}` and release it, or leave out the call", finding.allocator),
        },
        Loss::ReallocFailed => {
            let old = if holder.is_empty() { "the old pointer".to_owned() } else { format!("`{holder}`") };
            format!("keep {old} until the call has succeeded: take the result in another variable and test that first")
        }
    }
}

/// The advice without the place.
fn release(finding: &Finding) -> String {
    let holder = &finding.variable;
    let call = release_function(finding);
    match (call, holder.as_str()) {
        (Some(function), "") => format!("release it with `{function}`"),
        (Some(function), _) => format!("release it with `{function}({holder})`"),
        (None, _) if finding.allocator.is_empty() => "release it".to_owned(),
        (None, _) => format!("release it with the function that undoes `{}`", finding.allocator),
    }
}

fn release_function(finding: &Finding) -> Option<&'static str> {
    let by_allocator = RELEASES.iter().find(|(_, allocators)| allocators.contains(&finding.allocator.as_str()));
    let by_kind =
        || RESOURCE_RELEASES.iter().find(|(kind, _)| *kind == finding.resource).map(|(_, function)| *function);
    by_allocator.map(|(function, _)| *function).or_else(by_kind)
}
