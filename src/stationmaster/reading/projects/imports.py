"""Which modules source files import: lines of code alone, by the language's own words.

Comments and texts are taken out first, so that a line that only speaks of a module is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_C_COMMENT = r"/\*.*?(?:\*/|\Z)"
# What is escaped begins no text, so that a text without an end is looked through once.
_LINE_TEXT = r'"(?:[^"\\\n]|\\.)*+"' + r"|'(?:[^'\\\n]|\\.)*+'|\\."
_SLASHES = re.compile(rf"(?P<keep>{_LINE_TEXT})|{_C_COMMENT}|//[^\n]*", re.DOTALL)
_RUST = re.compile(rf'(?P<keep>"(?:[^"\\]|\\.)*+"|\\.)|{_C_COMMENT}|//[^\n]*', re.DOTALL)
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

# Patterns begin with letters: what does not begin so is passed over quickly.
_JS = re.compile(
    r"import(?<![\w.$]import)\s[\w$\s*,]{0,150}?(?:\{[\w$\s,]{0,4000}\}\s*)?from\s*"
    r"['\"]([^'\"\n]+)['\"]"
    r"|export(?<![\w.$]export)\s[\w$\s*,]{0,150}?(?:\{[\w$\s,]{0,4000}\}\s*)?from\s*"
    r"['\"]([^'\"\n]+)['\"]"
    r"|import\s*['\"]([^'\"\n]+)['\"]"
    r"|import(?<![\w.$]import)\s*\(\s*['\"](?P<called>[^'\"\n]+)['\"]"
    r"|require(?<![\w.$]require)\s*\(\s*['\"](?P<required>[^'\"\n]+)['\"]"
)
_PY = re.compile(
    r"from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]{0,4000}\)|[^\n;]+)|import[ \t]+([\w.]+[^\n;]*)"
)
_GO = re.compile(
    r"import\s*+(?:\(([^()]{0,20000})\)|(?:[\w.]{1,200}+\s++)?(\"[^\"\n]+\"|`[^`\n]+`))"
)
_GO_NAME = re.compile(r"[\"`]([^\"`\n]+)[\"`]")
_JAVA = re.compile(r"import[ \t]+(?:static[ \t]+)?([\w.]+(?:\.\*)?)")
_SCALA = re.compile(r"import[ \t]+([\w.]+)")
_CSHARP = re.compile(
    r"using[ \t]+(?:static[ \t]+)?(?:\w+[ \t]*=[ \t]*)?([\w.]+)[ \t]*;"
    r"|global[ \t]+using[ \t]+(?:static[ \t]+)?([\w.]+)[ \t]*;"
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
    **dict.fromkeys(
        ("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "astro"),
        (_SLASHES, _JS),
    ),
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
    **dict.fromkeys(
        ("c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx", "m", "mm", "inl"), (_SLASHES, _C)
    ),
    **dict.fromkeys(("ex", "exs"), (_RUBY, _ELIXIR)),
    "dart": (_SLASHES, _DART),
    "hs": (_DASHES, _HASKELL),
}


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
    if imports is not _GO:
        ends = [match.end() for match in imports.finditer(text)]
        # What follows the last that looks like one is not read: imports are on top.
        text = text[: ends[-1]] if ends else ""
    code = without_comments(text, comments)
    line, at = 1, 0
    for found in imports.finditer(code):
        line += code.count("\n", at, found.start())
        at = found.start()
        if found.lastgroup is None and imports is not _RUST_NAME:
            before = code[code.rfind("\n", 0, at) + 1 : at]
            if before.strip(" \t;"):
                continue
        for name, offset in _names(imports, found):
            yield name, line + code.count("\n", at, offset)


def without_comments(text: str, comments: re.Pattern[str]) -> str:
    """The same lines, with what is a comment left out."""

    def blank(found: re.Match[str]) -> str:
        return found["keep"] or "\n" * found[0].count("\n")

    return comments.sub(blank, text)


def _names(imports: re.Pattern[str], found: re.Match[str]) -> Iterator[tuple[str, int]]:
    """With the place in the code of each."""
    start = found.start() if not found[0].startswith("\n") else found.start() + 1
    if imports is _PY:
        yield from ((name, start) for name in _python(found))
    elif imports is _GO:
        block = 1 if found[1] else 2
        for name in _GO_NAME.finditer(found[block]):
            yield name[1], found.start(block) + name.start()
    elif imports is _RUST_NAME:
        names = _rust(found[1]) if found[1] else (found[2] or found[3],)
        yield from ((name, start) for name in names)
    elif imports is _PHP_NAME and found[2]:
        for part in found[2].split(","):
            yield f"{found[1]}\\{part.strip().partition(' ')[0]}", start
    else:
        yield next(name for name in found.groups() if name), start


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
    for word in re.findall(r"[\w:*]+|[{},]", re.sub(r"(?<!\s)\s++as\s+\w+", "", tree)):
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


def _ending(path: str) -> str:
    return path[path.rfind(".") + 1 :].lower()
