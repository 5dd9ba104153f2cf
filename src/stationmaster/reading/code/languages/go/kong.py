"""Commands and options of kong, which are fields of structs."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.reading.code.languages.go.frameworks import File
from stationmaster.reading.code.languages.inflections import hyphened
from stationmaster.reading.code.languages.source import line_of, one_line
from stationmaster.reading.code.model import CliCommand, Fact, Option, Setting

_KONG = "github.com/alecthomas/kong"
_TAGS = frozenset({"help", "cmd", "arg", "short", "kong"})


def read(file: File) -> Iterator[Fact]:
    """The commands of a file, the variables that set its options, and the options as those of the
    program; none where it does not import kong."""
    options: list[Option] = []
    for node in file.fields if _KONG in file.packages.values() else ():
        tags, name, line = file.tags(node), file.source.part(node, "name"), line_of(node)
        if not _TAGS & tags.keys() or not name:
            continue
        dashed, meaning = tags.get("name") or hyphened(name).lower(), one_line(tags.get("help", ""))
        if "cmd" in tags:
            yield CliCommand((dashed,), line, meaning)
        elif "arg" not in tags:
            names = (*(f"-{it}" for it in [tags.get("short")] if it), f"--{dashed}")
            options.append(Option(names, line, meaning, tags.get("default")))
        if tags.get("env"):
            variable, is_required = tags["env"].split(",")[0], "required" in tags
            yield Setting(variable, "env", line, tags.get("default"), is_required, meaning)
    if options:
        yield CliCommand((), options[0].line, options=tuple(options))
