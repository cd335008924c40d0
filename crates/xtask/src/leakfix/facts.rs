//! What the programs want to know of the machine: flat tables of facts about Linux with glibc.
//!
//! No configure script runs. A program asks `#ifdef HAVE_POLL`; a name it does not ask for does no harm, and one that it
//! asks for and does not get sends it down a fallback that parses as well. So one table serves all years. It errs to
//! the side of few features: what needs a library beyond [`PACKAGES`] stays off.

/// Debian's packages with the headers of the libraries in use.
pub(super) const PACKAGES: &[&str] = &[
    "comerr-dev",
    "krb5-multidev",
    "libbrotli-dev",
    "libidn-dev",
    "libidn2-dev",
    "libkrb5-dev",
    "libnghttp2-dev",
    "libpcre2-dev",
    "libpsl-dev",
    "libssh2-1-dev",
    "libssl-dev",
    "libunistring-dev",
    "uuid-dev",
    "zlib1g-dev",
];

/// A program whose history has leaks in it.
pub(super) struct Program {
    /// Its name in the list, of its repository below `--repos`, and of its trees.
    pub(super) name: &'static str,
    /// What of a tree is needed.
    pub(super) archived: &'static [&'static str],
    /// Folders with sources, each with the flags of its files. `@` stands for the root of the tree.
    pub(super) folders: &'static [Folder],
    /// Files that a build for this machine leaves out, though they stand in such a folder.
    pub(super) omitted: &'static [&'static str],
    pub(super) config: Config,
    /// Small headers of our own, name and text, for those that its build would make from a template.
    pub(super) headers: &'static [(&'static str, &'static str)],
}

pub(super) struct Folder {
    pub(super) path: &'static str,
    pub(super) flags: &'static [&'static str],
}

/// A header that `configure` would have written.
pub(super) struct Config {
    pub(super) name: &'static str,
    /// Names defined to 1, the [`HAVE`] ones apart.
    pub(super) switches: &'static str,
    /// The rest of the header, as it is.
    pub(super) text: &'static str,
}

impl Config {
    pub(super) fn render(&self) -> String {
        let mut text = String::new();
        for name in HAVE.split_whitespace() {
            text.push_str(&format!("#define HAVE_{name} 1\n"));
        }
        for name in self.switches.split_whitespace() {
            text.push_str(&format!("#define {name} 1\n"));
        }
        text + SIZES + self.text
    }
}

pub(super) const PROGRAMS: &[Program] = &[CURL, WGET, WHICH];

const CURL: Program = Program {
    name: "curl",
    archived: &["lib", "src", "include"],
    folders: &[
        Folder { path: "lib", flags: &["-DHAVE_CONFIG_H", "-DBUILDING_LIBCURL", "-I@/include", "-I@/lib"] },
        Folder { path: "src", flags: &["-DHAVE_CONFIG_H", "-I@/include", "-I@/lib", "-I@/src"] },
    ],
    omitted: &["lib/dllmain.c", "src/tool_hugehelp.c"],
    config: Config {
        name: "curl_config.h",
        switches: "
            ENABLE_IPV6 USE_IPV6 USE_OPENSSL USE_NGHTTP2 USE_LIBSSH2 USE_LIBPSL USE_THREADS_POSIX USE_UNIX_SOCKETS
            USE_WEBSOCKETS USE_ALTSVC USE_HSTS USE_HTTPSRR CURL_DISABLE_LDAP CURL_DISABLE_LDAPS
            HAVE_BROTLI HAVE_BROTLI_DECODE_H HAVE_LIBIDN2 HAVE_IDN2_H HAVE_LIBPSL HAVE_LIBPSL_H HAVE_LIBSSH2
            HAVE_GSSAPI HAVE_GSSAPI_GSSAPI_H HAVE_GSSAPI_GSSAPI_GENERIC_H HAVE_GSSAPI_GSSAPI_KRB5_H HAVE_GSSMIT
            HAVE_LIBSSH2_H HAVE_LIBSSL HAVE_LIBZ HAVE_ZLIB_H HAVE_CRYPTO_CLEANUP_ALL_EX_DATA HAVE_DES_ECB_ENCRYPT
            HAVE_OPENSSL_CRYPTO_H HAVE_OPENSSL_ENGINE_H HAVE_OPENSSL_ERR_H HAVE_OPENSSL_PEM_H HAVE_OPENSSL_PKCS12_H
            HAVE_OPENSSL_RSA_H HAVE_OPENSSL_SSL_H HAVE_OPENSSL_SRP HAVE_OPENSSL_X509_H HAVE_SSL_GET_SHUTDOWN
            HAVE_SSL_SET0_WBIO HAVE_ENGINE_CLEANUP HAVE_ENGINE_LOAD_BUILTIN_ENGINES HAVE_RAND_STATUS USE_TLS_SRP",
        text: r#"
#define _GNU_SOURCE 1
#define OS "x86_64-pc-linux-gnu"
#define CURL_OS "x86_64-pc-linux-gnu"
#define PACKAGE "curl"
#define VERSION "-"
#define CURL_EXTERN_SYMBOL __attribute__((__visibility__("default")))
#define CURL_CA_BUNDLE "/etc/ssl/certs/ca-certificates.crt"
#define CURL_CA_PATH "/etc/ssl/certs"
#define RANDOM_FILE "/dev/urandom"
#define RETSIGTYPE void
#define STRERROR_R_TYPE_ARG3 size_t
#define GETHOSTNAME_TYPE_ARG2 size_t
#define GETNAMEINFO_QUAL_ARG1 const
#define GETNAMEINFO_TYPE_ARG1 struct sockaddr *
#define GETNAMEINFO_TYPE_ARG2 socklen_t
#define GETNAMEINFO_TYPE_ARG46 socklen_t
#define GETNAMEINFO_TYPE_ARG7 int
#define RECV_TYPE_ARG1 int
#define RECV_TYPE_ARG2 void *
#define RECV_TYPE_ARG3 size_t
#define RECV_TYPE_ARG4 int
#define RECV_TYPE_RETV ssize_t
#define RECVFROM_TYPE_ARG1 int
#define RECVFROM_TYPE_ARG2 void
#define RECVFROM_TYPE_ARG2_IS_VOID 1
#define RECVFROM_TYPE_ARG3 size_t
#define RECVFROM_TYPE_ARG4 int
#define RECVFROM_TYPE_ARG5 struct sockaddr
#define RECVFROM_TYPE_ARG6 socklen_t
#define RECVFROM_TYPE_RETV ssize_t
#define SEND_QUAL_ARG2 const
#define SEND_TYPE_ARG1 int
#define SEND_TYPE_ARG2 void *
#define SEND_TYPE_ARG3 size_t
#define SEND_TYPE_ARG4 int
#define SEND_TYPE_RETV ssize_t
#define SELECT_QUAL_ARG5
#define SELECT_TYPE_ARG1 int
#define SELECT_TYPE_ARG234 fd_set *
#define SELECT_TYPE_ARG5 struct timeval *
#define SELECT_TYPE_RETV int
"#,
    },
    headers: &[],
};

const WGET: Program = Program {
    name: "wget",
    archived: &["src"],
    folders: &[Folder {
        path: "src",
        flags: &["-DHAVE_CONFIG_H", "-DSYSTEM_WGETRC=\"/etc/wgetrc\"", "-DLOCALEDIR=\"/usr/share/locale\"", "-I@/src"],
    }],
    // Other systems, other libraries, what glibc has itself, and what flex would write.
    omitted: &[
        "src/alloca.c",
        "src/ansi2knr.c",
        "src/css.c",
        "src/css_.c",
        "src/decc_ver.c",
        "src/getopt.c",
        "src/gnutls.c",
        "src/metalink.c",
        "src/mswindows.c",
        "src/snprintf.c",
        "src/test.c",
        "src/vms.c",
    ],
    config: Config {
        name: "config.h",
        switches: "
            ENABLE_DEBUG ENABLE_DIGEST ENABLE_IPV6 ENABLE_IRI ENABLE_NLS ENABLE_NTLM ENABLE_OPIE ENABLE_XATTR HAVE_HSTS
            HAVE_NLS HAVE_MD5 HAVE_BUILTIN_MD5 HAVE_LIBSSL HAVE_LIBZ HAVE_LIBUUID HAVE_LIBPCRE2 HAVE_LIBPSL HAVE_IDN
            HAVE_LIBUNISTRING HAVE_WORKING_FNMATCH_H USE_UNLOCKED_IO GNULIB_STDIO_SINGLE_THREAD GNULIB_FD_SAFER_FLAG
            GNULIB_SIGPIPE GNULIB_XALLOC GNULIB_XALLOC_DIE GNULIB_DIRNAME MALLOC_0_IS_NONNULL",
        text: r#"
#define _GNU_SOURCE 1
#define OS_TYPE "linux-gnu"
#define PACKAGE "wget"
#define PACKAGE_NAME "wget"
#define VERSION "-"
#define ICONV_CONST
#define C_LOCALE_MAYBE_EILSEQ 1
#define FLEXIBLE_ARRAY_MEMBER
#define GETTIMEOFDAY_TIMEZONE void
#define USE_POSIX_THREADS 1
#define PROMOTED_MODE_T mode_t
#define HAVE_WORKING_O_NOFOLLOW 1
/* What gnulib's headers add to those of the C library. */
#define O_BINARY 0
#define O_SEARCH O_RDONLY
#define SETLOCALE_NULL_MAX 257
#define SETLOCALE_NULL_ALL_MAX 3221
/* Gone from OpenSSL. */
#define SSL_ST_OK TLS_ST_OK
/* What gnulib's macro files add to every config.h. */
#define _GL_CONFIG_H_INCLUDED 1
#define _GL_GNUC_PREREQ(major, minor) 1
#define _GL_HAS_ATTRIBUTE(name) 1
#define _GL_BEGIN_C_LINKAGE
#define _GL_END_C_LINKAGE
#define _GL_ASYNC_SAFE
#define _GL_INLINE static inline
#define _GL_EXTERN_INLINE static inline
#define _GL_INLINE_HEADER_BEGIN
#define _GL_INLINE_HEADER_END
#define _GL_CMP(a, b) (((a) > (b)) - ((a) < (b)))
#define _GL_ATTRIBUTE_ALLOC_SIZE(x) __attribute__ ((__alloc_size__ x))
#define _GL_ATTRIBUTE_ALWAYS_INLINE
#define _GL_ATTRIBUTE_ARTIFICIAL
#define _GL_ATTRIBUTE_COLD
#define _GL_ATTRIBUTE_CONST __attribute__ ((__const__))
#define _GL_ATTRIBUTE_DEALLOC(function, index) __attribute__ ((__malloc__ (function, index)))
#define _GL_ATTRIBUTE_DEALLOC_FREE
#define _GL_ATTRIBUTE_DEPRECATED
#define _GL_ATTRIBUTE_ERROR(message)
#define _GL_ATTRIBUTE_WARNING(message)
#define _GL_ATTRIBUTE_EXTERNALLY_VISIBLE
#define _GL_ATTRIBUTE_FALLTHROUGH __attribute__ ((__fallthrough__))
#define _GL_ATTRIBUTE_FORMAT(x)
#define _GL_ATTRIBUTE_LEAF
#define _GL_ATTRIBUTE_MALLOC __attribute__ ((__malloc__))
#define _GL_ATTRIBUTE_MAY_ALIAS
#define _GL_ATTRIBUTE_MAYBE_UNUSED
#define _GL_ATTRIBUTE_NODISCARD
#define _GL_ATTRIBUTE_NOINLINE
#define _GL_ATTRIBUTE_NONNULL(x)
#define _GL_ATTRIBUTE_NONNULL_IF_NONZERO(a, b)
#define _GL_ATTRIBUTE_NONSTRING
#define _GL_ATTRIBUTE_NOTHROW
#define _GL_ATTRIBUTE_PACKED __attribute__ ((__packed__))
#define _GL_ATTRIBUTE_PURE __attribute__ ((__pure__))
#define _GL_ATTRIBUTE_REPRODUCIBLE
#define _GL_ATTRIBUTE_RETURNS_NONNULL __attribute__ ((__returns_nonnull__))
#define _GL_ATTRIBUTE_SENTINEL(x)
#define _GL_ATTRIBUTE_UNSEQUENCED
#define _GL_ATTRIBUTE_UNUSED
#define _GL_UNUSED
#define _GL_UNUSED_LABEL
#define _UNUSED_PARAMETER_
#define static_assert _Static_assert
#include <stdalign.h>
#include <stdbool.h>
"#,
    },
    headers: &[
        (
            "stdckdint.h",
            "#define ckd_add(r, a, b) __builtin_add_overflow (a, b, r)\n\
             #define ckd_sub(r, a, b) __builtin_sub_overflow (a, b, r)\n\
             #define ckd_mul(r, a, b) __builtin_mul_overflow (a, b, r)\n",
        ),
        ("configmake.h", "#define LIBDIR \"/usr/lib\"\n"),
    ],
};

/// Files of gnulib that wget's build takes where glibc is the C library, whatever the year. A commit without one is
/// simply read without it.
pub(super) const GNULIB_SOURCES: &str = "
    base32 basename basename-lgpl c-ctype c-strcasecmp c-strcasestr c-strncasecmp cloexec close-stream closeout
    concat-filename dirname dirname-lgpl dup-safer exitfail fatal-signal fd-safer fd-safer-flag filenamecat-lgpl
    findprog-in getprogname hard-locale hash hash-pjw hash-triple-simple ialloc localcharset malloca mbchar mbiter md2
    md2-stream md4 md4-stream md5 md5-stream pipe-safer quotearg save-cwd sha1 sha1-stream sha256 sha256-stream sha512
    sha512-stream sockets spawn-pipe stripslash tempname tmpdir wait-process xalloc-die xmalloc xmemdup0 xsize xstrndup
    xvasprintf";

const WHICH: Program = Program {
    name: "which",
    archived: &["which"],
    folders: &[
        Folder { path: "which/tilde", flags: &["-DHAVE_CONFIG_H", "-I@/which", "-I@/which/tilde"] },
        Folder { path: "which", flags: &["-DHAVE_CONFIG_H", "-I@/which"] },
    ],
    omitted: &["which/getopt.c", "which/getopt1.c"],
    config: Config {
        name: "config.h",
        switches: "NEED_XMALLOC HAVE_GETPW_DECLS",
        text: "#define GETGROUPS_T gid_t\n#define PACKAGE \"which\"\n#define VERSION \"-\"\n",
    },
    headers: &[],
};

/// Headers and functions of glibc, each `HAVE_…`.
const HAVE: &str = "
    ALLOCA_H ARPA_INET_H ARPA_TFTP_H ASSERT_H DIRENT_H DLFCN_H ERRNO_H FCNTL_H FEATURES_H FNMATCH_H GETOPT_H ICONV_H
    IFADDRS_H INTTYPES_H LANGINFO_H LIBGEN_H LIBINTL_H LIMITS_H LINUX_TCP_H LOCALE_H MALLOC_H MEMORY_H NETDB_H
    NETINET_IN_H NETINET_TCP_H NETINET_UDP_H NET_IF_H POLL_H PTHREAD_H PWD_H SCHED_H SEARCH_H SETJMP_H SIGNAL_H SPAWN_H
    STDATOMIC_H STDBOOL_H STDINT_H STDIO_EXT_H STDIO_H STDLIB_H STRINGS_H STRING_H SYS_EVENTFD_H SYS_FILE_H SYS_IOCTL_H
    SYS_MMAN_H SYS_PARAM_H SYS_POLL_H SYS_RANDOM_H SYS_RESOURCE_H SYS_SELECT_H SYS_SOCKET_H SYS_STAT_H SYS_TIME_H
    SYS_TYPES_H SYS_UIO_H SYS_UN_H SYS_WAIT_H SYS_XATTR_H TERMIOS_H TERMIO_H TIME_H UNISTD_H UTIME_H UUID_UUID_H
    WCHAR_H WCTYPE_H

    ACCEPT4 ALARM ALLOCA ATOMIC BASENAME BTOWC CLOCK_GETRES CLOCK_GETTIME CLOCK_GETTIME_MONOTONIC
    CLOCK_GETTIME_MONOTONIC_RAW CLOSEDIR DCGETTEXT DRAND48 DUP2 EVENTFD FCHDIR FCNTL FCNTL_O_NONBLOCK FDOPEN FLOCK FMEMOPEN
    FNMATCH FORK FREEADDRINFO FREEIFADDRS FSEEKO FSETXATTR FSETXATTR_5 FTELLO FTRUNCATE FUTIMENS FUTIMES GAI_STRERROR
    GETADDRINFO GETADDRINFO_THREADSAFE GETCWD GETDELIM GETDTABLESIZE GETEUID GETHOSTBYADDR GETHOSTBYADDR_R
    GETHOSTBYADDR_R_8 GETHOSTBYNAME GETHOSTBYNAME_R GETHOSTBYNAME_R_6 GETHOSTNAME GETIFADDRS GETLINE GETNAMEINFO
    GETOPT_LONG GETPAGESIZE GETPASS GETPEERNAME GETPPID GETPROTOBYNAME GETPWENT GETPWNAM GETPWUID GETPWUID_R GETRLIMIT
    GETSOCKNAME GETTEXT GETTIMEOFDAY GLIBC_STRERROR_R GMTIME_R ICONV IF_NAMETOINDEX INET_ADDR INET_ATON INET_NTOP
    INET_PTON IOCTL IOCTL_FIONBIO IOCTL_SIOCGIFADDR ISATTY ISBLANK ISWCNTRL ISWCTYPE LANGINFO_CODESET LOCALTIME_R
    LSTAT MBRTOWC MBSINIT MBSRTOWCS MBTOWC MEMCPY MEMPCPY MEMRCHR MKOSTEMP MKSTEMP MMAP MPROTECT MSG_NOSIGNAL
    NANOSLEEP NL_LANGINFO OPENDIR PATHCONF PERROR PIPE PIPE2 POLL POLL_FINE POSIX_SPAWN PSELECT PTHREAD_SIGMASK RAISE
    RANDOM RAWMEMCHR READDIR READLINK REALLOCARRAY REALPATH RECV RECVFROM SCHED_YIELD SECURE_GETENV SELECT SEND SENDMMSG
    SENDMSG SETLOCALE SETRLIMIT SETSOCKOPT SIGACTION SIGBLOCK SIGINTERRUPT SIGNAL SIGPROCMASK SIGSETJMP SLEEP SNPRINTF
    SOCKET SOCKETPAIR STPCPY STRCASECMP STRCASESTR STRCHR STRCHRNUL STRDUP STRERROR_R STRNCASECMP STRNDUP STRNLEN STRPBRK
    STRPTIME STRSTR STRTOIMAX STRTOK_R STRTOL STRTOLL SYMLINK TIMEGM UNAME USLEEP UTIME UTIMENSAT UTIMES VASPRINTF
    VSNPRINTF WAITID WAITPID WCRTOMB WCWIDTH WRITABLE_ARGV WRITEV

    BOOL_T INT64_T INTMAX_T INTPTR_T IPV6 LL LONGLONG LONG_LONG_INT MBSTATE_T SA_FAMILY_T SIGSET_T SIG_ATOMIC_T
    SOCKADDR_IN6_SCOPE_ID SOCKADDR_IN6_SIN6_SCOPE_ID STRUCT_ADDRINFO STRUCT_POLLFD STRUCT_SOCKADDR_IN6
    STRUCT_SOCKADDR_STORAGE STRUCT_STAT_ST_ATIM_TV_NSEC STRUCT_TIMEVAL STRUCT_UTIMBUF SUSECONDS_T UINT32_T UINTPTR_T
    UNSIGNED_LONG_LONG_INT VARIADIC_MACROS_C99 VARIADIC_MACROS_GCC WCHAR_T WINT_T _BOOL __BUILTIN_EXPECT __FPURGE
    __FREADING

    DECL_ALARM DECL_CLEARERR_UNLOCKED DECL_FEOF_UNLOCKED DECL_FERROR_UNLOCKED DECL_FFLUSH_UNLOCKED DECL_FGETS_UNLOCKED
    DECL_FPUTC_UNLOCKED DECL_FPUTS_UNLOCKED DECL_FREAD_UNLOCKED DECL_FREEADDRINFO DECL_FSEEKO DECL_FTELLO
    DECL_FWRITE_UNLOCKED DECL_GAI_STRERROR DECL_GETADDRINFO DECL_GETCHAR_UNLOCKED DECL_GETC_UNLOCKED DECL_GETDELIM
    DECL_GETLINE DECL_GETNAMEINFO DECL_H_ERRNO DECL_INET_NTOP DECL_ISBLANK DECL_ISWBLANK DECL_MEMRCHR
    DECL_PROGRAM_INVOCATION_NAME DECL_PUTCHAR_UNLOCKED DECL_PUTC_UNLOCKED DECL_SNPRINTF DECL_STRDUP DECL_STRERROR_R
    DECL_STRNDUP DECL_STRNLEN DECL_STRTOK_R DECL_VSNPRINTF
    DECL___FPENDING";

const SIZES: &str = "
#define STDC_HEADERS 1
#define TIME_WITH_SYS_TIME 1
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 8
#define SIZEOF_LONG_LONG 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_OFF_T 8
#define SIZEOF_CURL_OFF_T 8
#define SIZEOF_CURL_SOCKET_T 4
#define SIZEOF_VOIDP 8
";
