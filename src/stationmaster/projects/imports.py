"""Which modules source files import: lines of code alone, by the language's own words.

Comments and texts are taken out first, so that a line that only speaks of a module is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_C_COMMENT = r"/\*.*?(?:\*/|\Z)"
_LINE_TEXT = r'"(?:[^"\\\n]|\\.)*+"' + r"|'(?:[^'\\\n]|\\.)*+'"
_SLASHES = re.compile(rf"(?P<keep>{_LINE_TEXT})|{_C_COMMENT}|//[^\n]*", re.DOTALL)
_RUST = re.compile(rf'(?P<keep>"(?:[^"\\]|\\.)*+")|{_C_COMMENT}|//[^\n]*', re.DOTALL)
_PYTHON = re.compile(
    r'"""(?:[^\\]|\\.)*?(?:"""|\Z)|\'\'\'(?:[^\\]|\\.)*?(?:\'\'\'|\Z)'
    rf"|(?P<keep>{_LINE_TEXT})|\#[^\n]*",
    re.DOTALL,
)
_RUBY = re.compile(
    rf"(?P<keep>{_LINE_TEXT})|^=begin\b.*?(?:^=end\b|\Z)|\#[^\n]*", re.DOTALL | re.MULTILINE
)
_PHP = re.compile(rf"(?P<keep>{_LINE_TEXT})|{_C_COMMENT}|//[^\n]*|\#(?!\[)[^\n]*", re.DOTALL)
_DASHES = re.compile(rf"(?P<keep>{_LINE_TEXT})|--[^\n]*")

_JS = re.compile(
    r"^[ \t]*(?:import|export)\s[^;'\"`]{0,4000}?\bfrom\s*['\"]([^'\"\n]+)['\"]"
    r"|^[ \t]*import\s*['\"]([^'\"\n]+)['\"]"
    r"|\b(?:require|import)\s*\(\s*['\"]([^'\"\n]+)['\"]",
    re.MULTILINE,
)
_PY = re.compile(
    r"^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]{0,4000}\)|[^\n;]+)"
    r"|^[ \t]*import[ \t]+([\w.]+[^\n;]*)",
    re.MULTILINE,
)
_GO = re.compile(r"^import\s*(?:\(([^)]{0,20000})\)|(?:[\w.]+\s+)?(\"[^\"\n]+\"|`[^`\n]+`))", re.M)
_GO_NAME = re.compile(r"[\"`]([^\"`\n]+)[\"`]")
_JAVA = re.compile(r"^[ \t]*import[ \t]+(?:static[ \t]+)?([\w.]+(?:\.\*)?)", re.M)
_SCALA = re.compile(r"^[ \t]*import[ \t]+([\w.]+)", re.M)
_CSHARP = re.compile(
    r"^[ \t]*(?:global[ \t]+)?using[ \t]+(?:static[ \t]+)?(?:\w+[ \t]*=[ \t]*)?([\w.]+)[ \t]*;",
    re.M,
)
_FSHARP = re.compile(r"^[ \t]*open[ \t]+([\w.]+)", re.M)
_RUBY_NAME = re.compile(
    r"^[ \t]*(?:require|require_relative|load|gem)[ \t(]+['\"]([^'\"\n]+)", re.M
)
_PHP_NAME = re.compile(
    r"^[ \t]*use[ \t]+(?:function[ \t]+|const[ \t]+)?\\?([\w\\]+)(?:\\\{([^}]{0,4000})\})?", re.M
)
_RUST_NAME = re.compile(
    r"^[ \t]*(?:pub(?:\([\w: ]{1,40}\))?[ \t]+)?use[ \t]+(?:::)?([^;]{1,4000});"
    r"|^[ \t]*extern[ \t]+crate[ \t]+(\w+)"
    r"|(?<![\w:])([a-z_]\w*)::(?=\w)",
    re.M,
)
_SWIFT = re.compile(
    r"^[ \t]*(?:@\w+[ \t]+)?import[ \t]+"
    r"(?:(?:class|struct|func|enum|protocol|let|var|typealias)[ \t]+)?([\w.]+)",
    re.M,
)
_C = re.compile(r"^[ \t]*\#[ \t]*(?:include|import)[ \t]*[<\"]([^>\"\n]+)[>\"]", re.M)
_ELIXIR = re.compile(r"^[ \t]*(?:use|import|alias|require)[ \t]+([\w.]+)", re.M)
_DART = re.compile(r"^[ \t]*(?:import|export)[ \t]+['\"]([^'\"\n]+)['\"]", re.M)
_HASKELL = re.compile(r"^import[ \t]+(?:qualified[ \t]+)?([\w.]+)", re.M)

_GRAMMARS: dict[str, tuple[re.Pattern[str], re.Pattern[str]]] = {
    **dict.fromkeys(("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte",
                     "astro"), (_SLASHES, _JS)),
    **dict.fromkeys(("py", "pyi", "pyx"), (_PYTHON, _PY)),
    "go": (_SLASHES, _GO),
    **dict.fromkeys(("java", "kt", "kts", "groovy", "gradle"), (_SLASHES, _JAVA)),
    **dict.fromkeys(("scala", "sc"), (_SLASHES, _SCALA)),
    **dict.fromkeys(("cs", "cshtml", "razor"), (_SLASHES, _CSHARP)),
    **dict.fromkeys(("fs", "fsx"), (_SLASHES, _FSHARP)),
    **dict.fromkeys(("rb", "rake", "ru"), (_RUBY, _RUBY_NAME)),
    "php": (_PHP, _PHP_NAME),
    "rs": (_RUST, _RUST_NAME),
    "swift": (_SLASHES, _SWIFT),
    **dict.fromkeys(("c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx", "m", "mm", "inl"),
                    (_SLASHES, _C)),
    **dict.fromkeys(("ex", "exs"), (_RUBY, _ELIXIR)),
    "dart": (_SLASHES, _DART),
    "hs": (_DASHES, _HASKELL),
}  # fmt: skip


def is_known(path: str) -> bool:
    """Is its language one whose imports can be read?"""
    return _ending(path) in _GRAMMARS


def code_of(path: str, text: str) -> str:
    """A source file without its comments, on the same lines."""
    known = _GRAMMARS.get(_ending(path))
    return text if known is None else without_comments(text, known[0])


def of_text(path: str, text: str) -> Iterator[tuple[str, int]]:
    """The modules that a source file imports and the lines that do, counted from 1."""
    comments, imports = _GRAMMARS[_ending(path)]
    if not imports.search(text):
        return
    code = without_comments(text, comments)
    line, at = 1, 0
    for found in imports.finditer(code):
        line += code.count("\n", at, found.start())
        at = found.start()
        for name in _names(imports, found):
            yield name, line + _lines_before(found)


def without_comments(text: str, comments: re.Pattern[str]) -> str:
    """The same lines, with what is a comment left out."""

    def blank(found: re.Match[str]) -> str:
        return found["keep"] or "\n" * found[0].count("\n")

    return comments.sub(blank, text)


def _names(imports: re.Pattern[str], found: re.Match[str]) -> Iterator[str]:
    if imports is _PY:
        yield from _python(found)
    elif imports is _GO:
        yield from _GO_NAME.findall(found[1] or found[2])
    elif imports is _RUST_NAME:
        yield from _rust(found[1]) if found[1] else (found[2] or found[3],)
    elif imports is _PHP_NAME and found[2]:
        for part in found[2].split(","):
            yield f"{found[1]}\\{part.strip().partition(' ')[0]}"
    else:
        yield next(name for name in found.groups() if name)


def _python(found: re.Match[str]) -> Iterator[str]:
    if found[1]:
        yield found[1]
        for part in re.findall(r"\w+(?:\s+as\s+\w+)?", found[2]):
            yield f"{found[1]}.{part.split()[0]}"
    else:
        for part in found[3].split(","):
            if words := part.split():
                yield words[0]


def _rust(tree: str) -> Iterator[str]:
    """`a::{b, c::d}` as `a::b`, `a::c::d`."""
    above: list[str] = []
    prefix = ""
    for word in re.findall(r"[\w:*]+|[{},]", re.sub(r"\s+as\s+\w+", "", tree)):
        if word == "{":
            above.append(prefix)
        elif word == "}":
            prefix = above.pop() if above else ""
        elif word == ",":
            prefix = above[-1] if above else ""
        else:
            prefix += word
            if not prefix.endswith("::"):
                yield prefix


def _lines_before(found: re.Match[str]) -> int:
    return len(found[0]) - len(found[0].lstrip("\n"))


def _ending(path: str) -> str:
    return path[path.rfind(".") + 1 :].lower()
