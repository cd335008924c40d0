//! The models that come with Caulk, one file per family of functions.

use std::sync::OnceLock;

use super::models::Models;

/// A file of built-in models.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    pub name: &'static str,
    pub text: &'static str,
}

macro_rules! families {
    ($($name:literal)*) => {
        /// All families, in the order they are read: later ones may use the kinds of earlier ones.
        pub const FAMILIES: &[Family] = &[
            $(Family { name: $name, text: include_str!(concat!("../../models/", $name, ".model")) },)*
        ];
    };
}

families! {
    "kinds"
    "stdlib" "string" "stdio" "math" "ctype" "wchar" "time" "locale" "signal" "threads"
    "unistd" "files" "directories" "memory_ipc" "sockets" "netdb" "users" "processes" "regex" "search" "ndbm"
    "terminals" "linux" "gnu" "glibc_internal" "other_libcs"
    "compression" "zstd" "curl" "openssl" "openssl_old" "gnutls" "expat" "libxml2" "json" "sqlite" "glib" "pcre" "pcre1"
    "idn" "idn1" "curses" "readline" "libevent" "gmp" "system_libraries" "kernel"
}

/// All built-in models.
pub(super) fn all() -> &'static Models {
    static ALL: OnceLock<Models> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut models = Models::new();
        for family in FAMILIES {
            let file = format!("{}.model", family.name);
            if let Err(errors) = models.add(family.text, &file) {
                let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
                panic!("built-in models are tested to be well-formed:\n{}", errors.join("\n"));
            }
        }
        models
    })
}
