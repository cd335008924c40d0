//! The projects of the corpus: one flat table.
//!
//! Chosen to differ: amalgamations, generated parsers, K&R remains, gnulib, the kernel's dialect, SIMD code, macro
//! heaps, several programs in one build. A recipe is run by `sh -e` in the unpacked sources; it configures away what
//! would need further libraries, as long as the interesting code stays.

/// Where sources come from. Both kinds are mirrored widely and need no account.
pub(super) enum Source {
    /// A crate that carries C sources, at a fixed version.
    Crate { name: &'static str, version: &'static str },
    /// A source package of Debian 12.
    Debian { package: &'static str },
}

pub(super) struct Project {
    pub(super) name: &'static str,
    pub(super) source: Source,
    pub(super) recipe: &'static str,
    /// The others are built with `-O0`, several times faster; this one does not build so.
    pub(super) needs_optimiser: bool,
}

const fn from_crate(name: &'static str, krate: &'static str, version: &'static str, recipe: &'static str) -> Project {
    Project { name, source: Source::Crate { name: krate, version }, recipe, needs_optimiser: false }
}

const fn debian(name: &'static str, package: &'static str, recipe: &'static str) -> Project {
    Project { name, source: Source::Debian { package }, recipe, needs_optimiser: false }
}

/// As GNU expects, except that Debian's patches to `configure.ac` are no reason to make `configure` anew: that would
/// take the very autotools of the release.
const GNU: &str = "./configure --disable-nls && make AUTOCONF=: AUTOHEADER=: AUTOMAKE=: ACLOCAL=: MAKEINFO=:";

pub(super) const PROJECTS: &[Project] = &[
    // Crates that carry C.
    from_crate("sqlite", "libsqlite3-sys", "0.39.1", "cargo build --features bundled"),
    from_crate("zlib", "libz-sys", "1.1.31", "cargo build --features static"),
    from_crate("zstd", "zstd-sys", "2.0.17+zstd.1.5.7", "cargo build"),
    from_crate("curl", "curl-sys", "0.4.91+curl-8.22.0", "cargo build --features static-curl,http2,protocol-ftp,ntlm"),
    from_crate("lua", "lua-src", "551.1.0", "cd lua-5.5*; for f in *.c; do cc -O2 -DLUA_USE_LINUX -c $f; done"),
    from_crate("libgit2", "libgit2-sys", "0.18.8+1.9.7", "cargo build --features vendored"),
    from_crate("libssh2", "libssh2-sys", "0.3.3", "cargo build"),
    from_crate(
        "openssl",
        "openssl-src",
        "400.0.2+4.0.3",
        "cd openssl && ./Configure linux-x86_64 no-shared no-module no-tests && make build_sw",
    ),
    from_crate("mbedtls", "mbedtls-sys-auto", "2.28.15", "cd vendor/library && make"),
    from_crate(
        "jemalloc",
        "tikv-jemalloc-sys",
        "0.7.1+5.3.1-0-g81034ce1f1373e37dc865038e1bc8eeecf559ce8",
        "cp configure/configure jemalloc && cd jemalloc && \
         ./configure --disable-cxx --with-version=5.3.1-0-g81034ce1f1373e37dc865038e1bc8eeecf559ce8 && make build_lib_static",
    ),
    from_crate("freetype", "freetype-sys", "0.23.0", "cargo build --features bundled"),
    from_crate("oniguruma", "onig_sys", "69.9.3", "cargo build"),
    from_crate("quickjs", "rquickjs-sys", "0.14.0", "cargo build"),
    from_crate("lmdb", "lmdb-master-sys", "0.2.6", "cargo build"),
    from_crate("librdkafka", "rdkafka-sys", "4.10.0+2.12.1", "cd librdkafka && ./configure && make -C src"),
    // Programs and libraries from Debian.
    debian("wget", "wget", "./configure --with-ssl=openssl && make"),
    debian("coreutils", "coreutils", GNU),
    debian("bash", "bash", "./configure && make"),
    debian("make", "make-dfsg", "autoreconf -fi && ./configure && make"),
    debian("gzip", "gzip", GNU),
    debian("tar", "tar", GNU),
    debian("sed", "sed", GNU),
    debian("grep", "grep", GNU),
    debian("gawk", "gawk", "./configure --disable-nls && make -C support && make gawk && make -C extension"),
    debian("findutils", "findutils", GNU),
    debian("diffutils", "diffutils", GNU),
    debian("vim", "vim", "cd src && ./configure --with-features=huge --disable-gui --without-x && make vim xxd/xxd"),
    debian(
        "nginx",
        "nginx",
        "./configure --with-http_ssl_module --with-http_v2_module --with-stream --with-mail && make",
    ),
    debian("redis", "redis", "make MALLOC=libc"),
    debian("postgresql", "postgresql-15", "./configure --without-icu && make && make -C contrib"),
    debian("git", "git", "make NO_TCLTK=1 NO_GETTEXT=1"),
    debian("openssh", "openssh", "autoreconf -fi && ./configure && make"),
    debian("python", "python3.11", "./configure && make"),
    debian("busybox", "busybox", "make defconfig && make busybox_unstripped"),
    debian("tmux", "tmux", "autoreconf -fi && ./configure && make"),
    debian("haproxy", "haproxy", "make TARGET=linux-glibc USE_OPENSSL=1"),
    debian("libxml2", "libxml2", "autoreconf -fi && ./configure --without-python && make"),
    debian(
        "binutils",
        "binutils",
        "./configure --disable-gdb --disable-gprofng --disable-nls MAKEINFO=true && make MAKEINFO=true",
    ),
    debian("ffmpeg", "ffmpeg", "./configure --disable-x86asm --disable-doc --disable-stripping && make"),
    Project {
        name: "linux",
        source: Source::Debian { package: "linux" },
        recipe: "make x86_64_defconfig && make prepare modules_prepare && \
                 make kernel/ mm/ lib/ block/ fs/ext4/ fs/proc/ fs/nfs/ net/core/ net/ipv4/ drivers/tty/ drivers/usb/core/",
        needs_optimiser: true,
    },
];
