"""What C and C++ include."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator

from stationmaster.reading.code.model import Import
from stationmaster.reading.code.resolving.model import Index, Resolved, Resolver
from stationmaster.reading.projects.paths import folder_of
from stationmaster.reading.projects.queries import Tree

_BUILD_FILES_MAX = 3_000
_BUILD_BYTES_MAX = 256 * 1024
_CMAKE = re.compile(r"(?i)\binclude_directories\s*\(([^()]{0,4000})\)")
_FLAG = re.compile(r"(?<![\w-])-I[ \t]*([^\s\"',;)]{1,200})")
_VARIABLE = re.compile(r"\$\{(\w{1,80})\}|\$\((\w{1,80})\)|@(\w{1,80})@")
_BELOW_ROOT = re.compile(r"(?i)(?:top_?srcdir|abs_top_srcdir|topdir|root|.*source_dir|.*_root_dir)")
_HERE = re.compile(r"(?i)(?:srcdir|curdir|cmake_current_(?:source|list)_dir|pwd)")
_PATH = re.compile(r"[\w./+-]{1,200}")
_CONVENTIONAL = frozenset({"include", "inc"})
_LIBRARY = frozenset(
    """
    assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal
    stdalign stdarg stdatomic stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn
    string tgmath threads time uchar wchar wctype aio alloca byteswap cpio crypt dirent dlfcn
    endian err execinfo fcntl fnmatch ftw getopt glob grp iconv ifaddrs io langinfo libgen link
    malloc memory mntent monetary ndbm netdb nl_types paths poll pthread pty pwd regex resolv
    sched search semaphore shadow spawn strings stropts sysexits syslog tar termio termios
    ucontext ulimit unistd util utime utmp utmpx values wait wordexp features direct process
    conio crtdbg windows winsock winsock2 ws2tcpip winbase winnt windef winerror winuser winreg
    winioctl wincrypt wincon winternl wininet shlobj shellapi shlwapi tchar tlhelp32 psapi
    dbghelp objbase ole2 oleauto bcrypt ntstatus sspi schannel iphlpapi mstcpip afunix share
    mbctype intrin immintrin emmintrin xmmintrin smmintrin wmmintrin tmmintrin nmmintrin
    x86intrin cpuid arm_neon arm_acle availability
    """.split()  # noqa: SIM905 - a list of quoted words would fill a page
)
"""Headers of C, of POSIX, and those that come with systems and compilers."""
_SYSTEM_FOLDERS = frozenset(
    {
        "sys",
        "net",
        "netinet",
        "arpa",
        "linux",
        "asm",
        "bits",
        "mach",
        "machine",
        "libkern",
        "os",
        "rpc",
        "dispatch",
        "experimental",
        "ext",
    }
)


def resolver(index: Index) -> Resolver:
    """Leads to the one file that an include names: beside the file, below a folder that the build
    includes from, else the only one of the commit whose path ends so."""
    paths = [*index.paths.get("C", ()), *index.paths.get("C++", ())]
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in sorted(paths):
        by_name[path.rpartition("/")[2]].append(path)
    known = frozenset(paths)
    folders = _folders(index.tree, known)
    top = {path.partition("/")[0] for path in known}

    def resolve(path: str, given: Import) -> Resolved:
        name = given.name.strip("<>")
        is_angled = given.name.startswith("<")
        beside = posixpath.normpath(posixpath.join(folder_of(path), name))
        if not is_angled and beside in known:
            return Resolved((beside,))
        ending = posixpath.normpath(name).removeprefix("../").removeprefix("../")
        found = [
            each
            for each in by_name.get(ending.rpartition("/")[2], ())
            if each == ending or each.endswith(f"/{ending}")
        ]
        included = [each for each in found if (each[: -len(ending)].rstrip("/") or ".") in folders]
        if told := _nearest(path, included):
            return Resolved((told,))
        if is_builtin(name):
            return Resolved(outside=name, is_builtin=True)
        if found and (not is_angled or "/" in name) and (told := _nearest(path, found)):
            return Resolved((told,))
        package = name.partition("/")[0]
        if found or (not is_angled and (package in top or "/" not in name)):
            return Resolved()
        return Resolved(outside=package.partition(".")[0])

    return resolve


def is_builtin(name: str) -> bool:
    """Does a header come with the language or the system?"""
    folder, _, _ = name.partition("/")
    if "/" in name:
        return folder in _SYSTEM_FOLDERS
    return "." not in name or (name.endswith(".h") and name[:-2].lower() in _LIBRARY)


def _nearest(path: str, found: list[str]) -> str | None:
    """The one that shares more folders with a file than any other does; None where two do."""
    if len(found) < 2:
        return found[0] if found else None
    ranked = sorted((_shared(path, each), each) for each in found)
    return ranked[-1][1] if ranked[-1][0] > ranked[-2][0] else None


def _shared(one: str, other: str) -> int:
    count = 0
    for mine, its in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if mine != its:
            break
        count += 1
    return count


def _folders(tree: Tree, known: frozenset[str]) -> frozenset[str]:
    """Folders that compilers are told to look in, and those that are called so."""
    folders = {folder for path in known for folder in _above(path)}
    found = {each for each in folders if each.rpartition("/")[2] in _CONVENTIONAL}
    files = tree.glob(
        "**/CMakeLists.txt",
        "**/Makefile",
        "**/Makefile.am",
        "**/Makefile.in",
        "**/meson.build",
        "**/configure.ac",
        "**/*.cmake",
        "**/*.mk",
        "**/Makefile.inc",
    )
    for path, text in tree.files.contents.each(files[:_BUILD_FILES_MAX], _BUILD_BYTES_MAX):
        found.update(_told(folder_of(path), text))
    return frozenset(found & folders | ({"."} & found))


def _above(path: str) -> Iterator[str]:
    folder = folder_of(path)
    while folder != ".":
        yield folder
        folder = folder_of(folder)


def _told(folder: str, text: str) -> Iterator[str]:
    words = _FLAG.findall(text)
    for each in _CMAKE.findall(text):
        words += re.split(r"[\s\"',]+", each)
    for word in words:
        yield from _places(folder, word)


def _places(folder: str, word: str) -> Iterator[str]:
    """The folders that a word may mean."""
    word = word.removeprefix("$<BUILD_INTERFACE:").rstrip(">")
    base = folder
    if variable := _VARIABLE.match(word):
        name = next(filter(None, variable.groups()))
        word = word[variable.end() :].lstrip("/") or "."
        if _HERE.fullmatch(name):
            base = folder
        elif _BELOW_ROOT.fullmatch(name):
            base = "."
        else:
            return
    if _PATH.fullmatch(word) and not word.startswith("/"):
        path = posixpath.normpath(posixpath.join(base, word))
        if not path.startswith(".."):
            yield path
