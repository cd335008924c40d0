//! Built-in models against the headers of this machine: a model of a function that a header declares
//! has as many parameters, is variadic if it is, and tells a result if there is one.
//!
//! For each family of models a C file that includes the family's headers goes through the front end;
//! its declarations are compared with the models. A header this machine has must declare every
//! function of its family, except those in [`NOT_IN_HEADERS`].

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use caulk_driver::{Project, Request, UnitResult, analyze};
use caulk_flow::model::builtin::FAMILIES;
use caulk_flow::model::{Model, Models};

/// Where `#include <…>` finds headers without being told.
const SEARCH_DIRECTORIES: &[&str] = &["/usr/include", "/usr/include/x86_64-linux-gnu"];

/// Libraries whose headers live in a directory of their own.
const INCLUDE_DIRECTORIES: &[&str] =
    &["/usr/include/glib-2.0", "/usr/lib/x86_64-linux-gnu/glib-2.0/include", "/usr/include/libxml2"];

/// A family whose headers are all there must find every function in them.
#[rustfmt::skip]
const FAMILY_HEADERS: &[(&str, &[&str])] = &[
    ("stdlib", &["stdlib.h", "malloc.h"]),
    ("string", &["string.h", "strings.h"]),
    ("stdio", &["stdio.h", "stdio_ext.h"]),
    ("math", &["math.h", "complex.h", "fenv.h", "inttypes.h"]),
    ("ctype", &["ctype.h"]),
    ("wchar", &["wchar.h", "wctype.h", "uchar.h"]),
    ("time", &["time.h", "sys/time.h", "sys/times.h", "sys/timeb.h", "sys/timex.h", "utime.h"]),
    ("locale", &["locale.h", "langinfo.h", "monetary.h", "libintl.h", "nl_types.h", "iconv.h"]),
    ("signal", &["signal.h", "setjmp.h", "ucontext.h", "pthread.h"]),
    ("threads", &["pthread.h", "threads.h", "semaphore.h", "sched.h"]),
    ("unistd", &["unistd.h", "getopt.h", "crypt.h"]),
    ("files", &[
        "fcntl.h", "sys/stat.h", "sys/statfs.h", "sys/statvfs.h", "sys/file.h", "sys/sendfile.h", "sys/xattr.h",
        "sys/uio.h", "sys/ioctl.h", "sys/select.h", "poll.h",
    ]),
    ("directories", &["dirent.h", "ftw.h", "fts.h", "glob.h", "fnmatch.h", "wordexp.h", "libgen.h"]),
    ("memory_ipc", &["sys/mman.h", "sys/ipc.h", "sys/shm.h", "sys/sem.h", "sys/msg.h", "mqueue.h", "aio.h"]),
    ("sockets", &["sys/socket.h", "netinet/in.h", "netinet/ether.h", "arpa/inet.h", "net/if.h", "ifaddrs.h"]),
    ("netdb", &["netdb.h", "resolv.h", "arpa/nameser.h"]),
    ("users", &["pwd.h", "grp.h", "shadow.h", "gshadow.h", "utmp.h", "utmpx.h"]),
    ("processes", &[
        "sys/wait.h", "spawn.h", "sys/resource.h", "ulimit.h", "sys/utsname.h", "sys/prctl.h", "sys/ptrace.h",
        "sys/personality.h", "sys/sysinfo.h", "sys/auxv.h", "sys/random.h", "sys/reboot.h", "sys/mount.h",
        "sys/swap.h", "sys/quota.h", "sys/klog.h", "sys/fsuid.h", "sys/sysmacros.h",
    ]),
    ("regex", &["regex.h"]),
    ("search", &["search.h", "obstack.h", "argz.h", "envz.h"]),
    ("ndbm", &["ndbm.h"]),
    ("terminals", &["termios.h", "pty.h", "syslog.h", "mntent.h", "fstab.h", "ttyent.h"]),
    ("linux", &[
        "sys/epoll.h", "sys/eventfd.h", "sys/timerfd.h", "sys/signalfd.h", "sys/inotify.h", "sys/fanotify.h",
        "sys/pidfd.h",
    ]),
    ("gnu", &[
        "argp.h", "assert.h", "err.h", "error.h", "errno.h", "execinfo.h", "dlfcn.h", "link.h", "fmtmsg.h", "mcheck.h",
        "printf.h",
    ]),
    ("compression", &["zlib.h", "bzlib.h", "lzma.h"]),
    ("zstd", &["zstd.h"]),
    ("curl", &["curl/curl.h"]),
    ("openssl", &[
        "openssl/ssl.h", "openssl/err.h", "openssl/evp.h", "openssl/x509v3.h", "openssl/pem.h", "openssl/pkcs12.h",
        "openssl/ocsp.h", "openssl/engine.h", "openssl/ui.h", "openssl/rand.h", "openssl/bn.h", "openssl/rsa.h",
        "openssl/dsa.h", "openssl/dh.h", "openssl/ec.h", "openssl/hmac.h", "openssl/cmac.h", "openssl/md4.h",
        "openssl/md5.h", "openssl/sha.h", "openssl/ripemd.h", "openssl/des.h", "openssl/aes.h", "openssl/store.h",
        "openssl/provider.h", "openssl/conf.h", "openssl/cms.h", "openssl/pkcs7.h", "openssl/ts.h", "openssl/ct.h",
        "openssl/ess.h", "openssl/kdf.h", "openssl/param_build.h", "openssl/decoder.h", "openssl/encoder.h",
    ]),
    ("gnutls", &["gnutls/gnutls.h", "gnutls/x509.h", "gnutls/crypto.h", "gnutls/abstract.h"]),
    ("expat", &["expat.h"]),
    ("libxml2", &[
        "libxml/parser.h", "libxml/parserInternals.h", "libxml/tree.h", "libxml/xpath.h", "libxml/xpathInternals.h", "libxml/xmlreader.h",
        "libxml/xmlwriter.h", "libxml/xmlschemas.h", "libxml/relaxng.h", "libxml/HTMLparser.h", "libxml/HTMLtree.h",
        "libxml/uri.h", "libxml/xmlsave.h", "libxml/catalog.h", "libxml/dict.h", "libxml/hash.h", "libxml/list.h",
        "libxml/pattern.h", "libxml/valid.h", "libxml/xinclude.h", "libxml/c14n.h", "libxml/xmlIO.h",
        "libxml/threads.h", "libxml/xmlregexp.h",
    ]),
    ("json", &["jansson.h", "json-c/json.h"]),
    ("sqlite", &["sqlite3.h"]),
    ("glib", &["glib.h", "glib/gprintf.h", "glib-object.h", "gio/gio.h"]),
    ("pcre", &["pcre2.h"]),
    ("pcre1", &["pcre.h"]),
    ("idn", &["idn2.h", "uuid/uuid.h"]),
    ("idn1", &["idna.h", "stringprep.h", "libpsl.h"]),
    ("curses", &["curses.h", "term.h", "panel.h"]),
    ("readline", &["stdio.h", "readline/readline.h", "readline/history.h"]),
    ("libevent", &["event.h"]),
    ("gmp", &["stdio.h", "gmp.h"]),
    ("system_libraries", &[
        "selinux/selinux.h", "selinux/label.h", "selinux/context.h", "magic.h", "sys/acl.h", "acl/libacl.h",
        "attr/libattr.h", "attr/error_context.h",
    ]),
    ("glibc_internal", &[
        "stdio.h", "stdlib.h", "string.h", "unistd.h", "wchar.h", "fcntl.h", "poll.h", "syslog.h", "setjmp.h", "mqueue.h",
        "sys/socket.h", "sys/select.h", "obstack.h", "inttypes.h", "gnu/libc-version.h",
    ]),
];

/// Functions that headers mention only as macros, or only for some versions or settings.
const NOT_IN_HEADERS: &[&str] = &["sigsetjmp"];

/// Names that appear only under some settings; those that do appear must agree.
const PARTIAL_FAMILIES: &[&str] = &["glibc_internal"];

/// What a header says of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Declaration {
    parameters: usize,
    is_variadic: bool,
    /// `f()`: nothing is said about parameters.
    is_unprototyped: bool,
    has_result: bool,
}

type Declarations = BTreeMap<&'static str, Declaration>;

/// By linker name and by source name: models of both exist (`sscanf`, `__isoc99_sscanf`).
fn declarations(unit: &UnitResult) -> Declarations {
    let types = &unit.module.unit.types;
    let mut found = BTreeMap::new();
    for global in &unit.module.unit.globals {
        // Some libraries have variables that are called like functions (`xmlFree`).
        let Some(function) = types.callee(global.ty) else { continue };
        let declaration = Declaration {
            parameters: function.parameters.len(),
            is_variadic: function.is_variadic,
            is_unprototyped: function.is_unprototyped,
            has_result: !types.is_void(function.result),
        };
        found.entry(global.name.as_str()).or_insert_with(|| declaration.clone());
        found.insert(global.source_name.as_str(), declaration);
    }
    found
}

/// What is wrong with a model, if anything.
fn disagreement(model: &Model, declaration: &Declaration) -> Option<String> {
    if !declaration.is_unprototyped {
        if model.parameters.len() != declaration.parameters {
            let (said, declared) = (model.parameters.len(), declaration.parameters);
            return Some(format!("the model has {said} parameters, the header {declared}"));
        }
        if model.is_variadic != declaration.is_variadic {
            return Some(format!("the header says variadic: {}", declaration.is_variadic));
        }
    }
    for case in &model.cases {
        if declaration.has_result && case.result.is_empty() && !case.never_returns {
            return Some("the header says it returns a value, a case of the model does not".to_owned());
        }
        if !declaration.has_result && !case.result.is_empty() {
            return Some("a case of the model returns a value, the header says it returns none".to_owned());
        }
    }
    None
}

fn headers_of(family: &str) -> &'static [&'static str] {
    FAMILY_HEADERS.iter().find(|(name, _)| *name == family).map_or(&[], |(_, headers)| headers)
}

fn is_present(header: &str) -> bool {
    SEARCH_DIRECTORIES.iter().chain(INCLUDE_DIRECTORIES).any(|directory| Path::new(directory).join(header).exists())
}

/// The declarations in each family's headers, as far as this machine has them.
fn read_headers(directory: &Path) -> BTreeMap<PathBuf, Declarations> {
    std::fs::create_dir_all(directory).expect("the directory for temporary files is writable");
    for family in FAMILIES {
        // The checked functions are declared only for an optimizing compiler.
        let fortify = "#define _FORTIFY_SOURCE 2\n#define __OPTIMIZE__ 1\n";
        let mut text = if PARTIAL_FAMILIES.contains(&family.name) { fortify.to_owned() } else { String::new() };
        text.push_str("#define _GNU_SOURCE 1\n#include <stddef.h>\n#include <stdint.h>\n#include <stdarg.h>\n#define PCRE2_CODE_UNIT_WIDTH 8\n");
        for header in headers_of(family.name).iter().filter(|header| is_present(header)) {
            writeln!(text, "#include <{header}>").expect("strings take everything");
        }
        std::fs::write(directory.join(format!("{}.c", family.name)), text).expect("writable, as above");
    }
    let flags = INCLUDE_DIRECTORIES.iter().map(|directory| format!("-I{directory}")).collect();
    let request = Request { paths: vec![directory.to_owned()], flags, ..Request::default() };
    let project = Project::find(&request).expect("there is no database to fail");
    let run = analyze(&project, None, |unit| (unit.file.clone(), declarations(&unit)));
    let found = run.results.into_iter().map(|result| result.expect("the file was just written")).collect();
    std::fs::remove_dir_all(directory).expect("ours to remove");
    found
}

/// Older C libraries do not have everything.
fn has_recent_c_library() -> bool {
    let text = std::fs::read_to_string("/usr/include/features.h").unwrap_or_default();
    let minor =
        text.lines().find_map(|line| line.trim().strip_prefix("#define")?.trim().strip_prefix("__GLIBC_MINOR__"));
    minor.and_then(|minor| minor.trim().parse::<u32>().ok()).is_some_and(|minor| minor >= 36)
}

#[test]
fn models_agree_with_the_headers_of_this_machine() {
    let directory = std::env::temp_dir().join(format!("caulk_models_{}", std::process::id()));
    let declared = read_headers(&directory);
    let is_recent = has_recent_c_library();
    let (mut agreeing, mut without_header) = (0, 0);
    let mut wrong = String::new();
    for family in FAMILIES {
        let file = format!("{}.model", family.name);
        let here = declared.iter().find(|(path, _)| path.file_stem().is_some_and(|stem| stem == family.name));
        let (_, here) = here.expect("a file was written for each family");
        let headers = headers_of(family.name);
        let is_checked = is_recent && !headers.is_empty() && !PARTIAL_FAMILIES.contains(&family.name);
        let is_complete = is_checked && headers.iter().all(|header| is_present(header));
        for model in Models::builtin().functions().iter().filter(|model| model.loc.file.as_str() == file) {
            let name = model.name.as_str();
            let problem = match here.get(name) {
                Some(declaration) => {
                    agreeing += 1;
                    disagreement(model, declaration)
                }
                None if is_complete && !NOT_IN_HEADERS.contains(&name) => {
                    Some("no header of its family declares it".to_owned())
                }
                None => {
                    without_header += 1;
                    None
                }
            };
            if let Some(problem) = problem {
                writeln!(wrong, "{}:{}: {name}: {problem}", family.name, model.loc.line)
                    .expect("strings take everything");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    println!("{agreeing} models agree with headers, {without_header} have none here");
}

#[test]
fn a_wrong_model_is_found_out() {
    let mut models = Models::new();
    let text = "a(x, y) { returns 1; } b(x, ...) { returns 1; } c(x) { } d(x) { never returns; } e(x) { returns 1; }";
    models.add(text, "wrong.model").expect("well-formed");
    let one_int = Declaration { parameters: 1, is_variadic: false, is_unprototyped: false, has_result: true };
    let verdict = |name: &str, declaration: &Declaration| {
        disagreement(models.named(name).expect("defined above"), declaration).unwrap_or_default()
    };
    assert_eq!(verdict("a", &one_int), "the model has 2 parameters, the header 1");
    assert_eq!(verdict("b", &one_int), "the header says variadic: false");
    assert!(verdict("c", &one_int).contains("a case of the model does not"));
    assert_eq!(verdict("d", &one_int), "");
    assert_eq!(verdict("e", &one_int), "");
    let no_result = Declaration { has_result: false, ..one_int };
    assert!(verdict("e", &no_result).contains("returns none"));
    assert_eq!(verdict("c", &no_result), "");
    assert_eq!(verdict("a", &Declaration { is_unprototyped: true, has_result: true, ..no_result }), "");
}

#[test]
fn tables_name_only_what_exists() {
    for (family, _) in FAMILY_HEADERS {
        assert!(FAMILIES.iter().any(|known| known.name == *family), "no family {family}");
    }
    for name in NOT_IN_HEADERS {
        assert!(Models::builtin().named(name).is_some(), "no model of {name}");
    }
}
