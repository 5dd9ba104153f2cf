"""What a file's name shows about its language, as GitHub names languages. Content is never read.

Extensions and their languages are the data set `computer-languages`, drawn from GitHub's. Counted
as programming languages are those that GitHub counts in a repository: of the types programming and
markup, and not data (JSON, YAML, …) or prose (Markdown, …). The further rules are in
docs/events.md.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

import msgspec

from stationmaster.catalogue.file_languages import languages

_PACKAGE, _FILE = "computer_languages", "computer-languages.json"
_SUFFIX_MAX = 16
_NAME_MAX = 255
"""Characters of a file's name, on nearly every system."""


def of_path(path: str) -> tuple[str, str | None]:
    """(extension, programming language) of a path: the last suffix in lower case without its dot,
    "" if there is none or the whole name is a known one; None for what no language is known of."""
    base = path[max(path.rfind("/"), path.rfind("\\")) + 1 :]
    # Few names make up all paths; a longer one is no file's, and is not kept.
    return _of_name(base) if len(base) <= _NAME_MAX else _of_name.__wrapped__(base)


@lru_cache(maxsize=4096)
def _of_name(name: str) -> tuple[str, str | None]:
    base = name.lower()
    by_extension, by_name = _data()
    rules = languages()
    language = rules.files.get(base)
    if language is not None:
        return "", by_name.get(language.lower())
    stem, *suffixes = base.split(".")
    suffix = suffixes[-1] if suffixes else ""
    if not (stem or suffixes[1:]) or not 0 < len(suffix) <= _SUFFIX_MAX or not suffix.isalnum():
        return "", None
    if stem in rules.stems and suffix not in by_extension:
        return "", by_name.get(rules.files[stem].lower())
    compound = ".".join(suffixes[-2:])
    return suffix, by_extension.get(compound, by_extension.get(suffix))


def named(raw: str | None) -> str | None:
    """The programming language that an agent names, in GitHub's spelling; None for what is none,
    and for a name that is not known."""
    return _data()[1].get(raw.lower()) if raw else None


class _Language(msgspec.Struct):
    type: str
    extensions: list[str]


@cache
def _data() -> tuple[dict[str, str | None], dict[str, str | None]]:
    """Programming languages by extension, and by their names in lower case.

    None for an extension or a name that is known and means no programming language, or several.
    """
    spec = find_spec(_PACKAGE)
    assert spec is not None, f"the package {_PACKAGE} is not installed"
    assert spec.origin is not None
    # Its code, which puts something else in the package's place, is not run.
    content = Path(spec.origin).with_name(_FILE).read_bytes()
    data = msgspec.json.decode(content, type=dict[str, _Language])
    rules = languages()
    by_name: dict[str, str | None] = {}
    candidates: dict[str, list[str]] = {}
    for name, language in data.items():
        is_counted = language.type in rules.types or name in rules.counted
        by_name[name.lower()] = name if is_counted else None
        for extension in language.extensions:
            names = candidates.setdefault(extension.removeprefix(".").lower(), [])
            if is_counted:
                names.append(name)
    by_extension = {
        suffix: by_name[rules.extensions[suffix].lower()]
        if suffix in rules.extensions
        else (owners[0] if len(owners) == 1 else None)
        for suffix, owners in candidates.items()
    }
    return by_extension, by_name
