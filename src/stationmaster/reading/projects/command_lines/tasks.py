"""Tasks that a repository names for people: scripts of packages, targets of make and its kin."""

from __future__ import annotations

import configparser
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from stationmaster.reading.projects.command_lines import scripts
from stationmaster.reading.projects.imports import code_of
from stationmaster.reading.projects.manifests.common import (
    Lines,
    Reading,
    mapping,
    sequence,
    strings,
)
from stationmaster.reading.projects.model import Command, CommandSource, Manifest, Place
from stationmaster.reading.projects.paths import folder_of
from stationmaster.repos import yaml_nodes
from stationmaster.repos.yaml_nodes import Node, get, items, members, text

_TARGET = re.compile(r"^([A-Za-z0-9][\w./ -]{0,200}?)\s*::?(?!=)\s*([^#=]*)(?:#.*)?$")
_RECIPE = re.compile(r"^@?([A-Za-z_][\w-]{0,100}+)((?:\s[^:\n]{0,200}+)?+):(?!=)\s*+([^#]*)$")
_RAKE = re.compile(r"^\s*+task\s*+(?:\(\s*+)?[:\"']?([\w:]{1,100})")
_SESSION = re.compile(r"^@(?:nox\.)?session\b")
_DEFINED = re.compile(r"^def\s+(\w{1,100})\s*\(")
_NOX_RUN = re.compile(r"\bsession\.(?:run|run_always|run_install)\(([^)]{0,500})")
_QUOTED = re.compile(r"[\"']([^\"']{0,200})[\"']")
_ENV = re.compile(r"testenv(?::(.{1,100}))?$")


def of_manifests(manifests: Sequence[Manifest], reading: Reading) -> Iterator[Command]:
    """Scripts that packages declare."""
    for manifest in manifests:
        name = manifest.path.rpartition("/")[2]
        if name in ("package.json", "composer.json"):
            yield from _scripts(manifest, manifest.data.get("scripts"), reading)
        elif name.startswith("deno.json"):
            yield from _scripts(manifest, manifest.data.get("tasks"), reading)
        elif name == "pyproject.toml":
            yield from _python(manifest, mapping(manifest.data.get("tool")), reading)
        elif name == "setup.cfg":
            yield from _tox(manifest.path, manifest.data, reading)


def _scripts(manifest: Manifest, said: object, reading: Reading) -> Iterator[Command]:
    at = Lines(reading.contents.text(manifest.path))
    at.seek(r'^[ \t]*"(?:scripts|tasks)"\s*:')
    for name, given in list(mapping(said).items())[: scripts.LINES_MAX]:
        line = at.of(f'"{name}"')
        for told in _texts(given):
            yield Command(name, told, "script", manifest.folder, Place(manifest.path, line))


def _texts(given: object) -> list[str]:
    """A script is one text, several, or a table that holds it."""
    if isinstance(given, str):
        return [given]
    table = mapping(given)
    for key in ("command", "cmd", "shell", "script"):
        if isinstance(table.get(key), str):
            return [table[key]]
        if strings(table.get(key)):
            return [" ".join(strings(table[key]))]
    return strings(given)


def _python(manifest: Manifest, tool: Mapping[str, Any], reading: Reading) -> Iterator[Command]:
    """Tasks of pdm, poe, hatch, taskipy, pixi and tox in a pyproject.toml."""
    at = Lines(reading.contents.text(manifest.path))
    tables = [
        mapping(tool.get("pdm")).get("scripts"),
        mapping(tool.get("poe")).get("tasks"),
        mapping(tool.get("taskipy")).get("tasks"),
        mapping(tool.get("pixi")).get("tasks"),
        mapping(tool.get("rye")).get("scripts"),
        *(
            mapping(env).get("scripts")
            for env in mapping(mapping(tool.get("hatch")).get("envs")).values()
        ),
    ]
    for table in tables:
        for name, given in mapping(table).items():
            at.seek("^")
            line = at.of(name)
            for told in _texts(given):
                yield Command(name, told, "task", manifest.folder, Place(manifest.path, line))
    tox = mapping(tool.get("tox"))
    legacy = tox.get("legacy_tox_ini")
    if isinstance(legacy, str):
        yield from _tox(manifest.path, _ini(legacy), reading)
    for name, env in [("test", tox.get("env_run_base")), *mapping(tox.get("env")).items()]:
        for command in sequence(mapping(env).get("commands")):
            words = strings(command)
            if words:
                at.seek(rf"^\[tool\.tox\.(?:env\.)?[\"']?{re.escape(name)}\b")
                place = Place(manifest.path, at.of(f'"{words[0]}"'))
                yield Command(name, " ".join(words), "task", manifest.folder, place)


def _make(path: str, reading: Reading) -> Iterator[Command]:
    yield from _recipes(path, reading, _TARGET)


def _just(path: str, reading: Reading) -> Iterator[Command]:
    yield from _recipes(path, reading, _RECIPE)


def _recipes(path: str, reading: Reading, head: re.Pattern[str]) -> Iterator[Command]:
    """A target has a command for every line of its recipe; one with no recipe an empty one."""
    names: list[str] = []
    begun, told = 0, False
    lines = reading.contents.text(path).replace("\\\n", "\\\0").split("\n")
    number = 1
    for line in [*lines, "end:"]:
        if line[:1] in ("\t", " ") and names:
            text = _recipe_line(line)
            if text and not text.startswith("#"):
                told = True
                for name in names:
                    yield Command(name, text, "task", folder_of(path), Place(path, number))
        elif (found := head.match(line.split("\0")[0])) and not line.startswith((".", "%")):
            if names and not told:
                for name in names:
                    yield Command(name, "", "task", folder_of(path), Place(path, begun))
            names = [part for part in found[1].split()[:20] if "%" not in part]
            if head is _RECIPE:
                names = names[:1]
            begun, told = number, False
        number += 1 + line.count("\0")


def _recipe_line(line: str) -> str:
    text = line.replace("\\\0", " ").strip().lstrip("@-+ ")
    return " ".join(re.sub(r"\$[({]MAKE[)}]", "make", text).split())[:2000]


def _taskfile(path: str, reading: Reading) -> Iterator[Command]:
    for name, task in members(get(reading.contents.yaml(path), "tasks")).items():
        for item in items(get(task, "cmds")) or [get(task, "cmd") or task]:
            told = get(item, "cmd") or item
            yield from of_node(name, told, "task", folder_of(path), path)


def _mise(path: str, reading: Reading) -> Iterator[Command]:
    at = Lines(reading.contents.text(path))
    for name, given in mapping(reading.contents.toml(path).get("tasks")).items():
        said = mapping(given).get("run", given)
        at.seek("^")
        line = at.of(name)
        for string in strings(said) or _texts(said):
            for each, _ in scripts.lines(string):
                yield Command(name, each, "task", folder_of(path), Place(path, line))


def _cargo(path: str, reading: Reading) -> Iterator[Command]:
    at = Lines(reading.contents.text(path))
    folder = folder_of(folder_of(path))
    for name, given in mapping(reading.contents.toml(path).get("alias")).items():
        told = given if isinstance(given, str) else " ".join(strings(given))
        yield Command(name, f"cargo {told}", "task", folder, Place(path, at.of(name)))


def _rake(path: str, reading: Reading) -> Iterator[Command]:
    source = code_of("x.rb", reading.contents.text(path))
    folder = folder_of(reading.nearest(folder_of(path), "Rakefile") or path)
    for number, line in enumerate(source.split("\n"), start=1):
        if match := _RAKE.match(line):
            name = match[1].strip(":")
            yield Command(name, f"rake {name}", "task", folder, Place(path, number))


def _nox(path: str, reading: Reading) -> Iterator[Command]:
    name, marked = "", False
    source = code_of(path, reading.contents.text(path))
    for number, line in enumerate(source.split("\n"), start=1):
        if _SESSION.match(line):
            marked = True
        elif match := _DEFINED.match(line):
            name, marked = (match[1] if marked else ""), False
            if name:
                yield Command(name, "", "task", folder_of(path), Place(path, number))
        elif name and (run := _NOX_RUN.search(line)):
            words = " ".join(_QUOTED.findall(run[1]))
            yield Command(name, words, "task", folder_of(path), Place(path, number))


def _tox_file(path: str, reading: Reading) -> Iterator[Command]:
    yield from _tox(path, _ini(reading.contents.text(path)), reading)


def _tox(path: str, data: Mapping[str, Any], reading: Reading) -> Iterator[Command]:
    source = reading.contents.text(path)
    for section, said in data.items():
        match = _ENV.match(section)
        if match is None:
            continue
        name = match[1] or "test"
        at = Lines(source)
        at.seek(rf"^\[{re.escape(section)}\]")
        for told, _ in scripts.lines(str(mapping(said).get("commands", ""))):
            place = Place(path, at.of(told[:40]))
            yield Command(name, told.lstrip("- "), "task", folder_of(path), place)


def _ini(source: str) -> dict[str, dict[str, str]]:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(source)
    except configparser.Error:
        return {}
    return {name: dict(parser.items(name)) for name in parser.sections()}


def _nx(path: str, reading: Reading) -> Iterator[Command]:
    at = Lines(reading.contents.text(path))
    data = mapping(reading.contents.json(path))
    for name, said in mapping(data.get("targets")).items():
        options = mapping(mapping(said).get("options"))
        told = options.get("command") or options.get("commands") or f"nx {name}"
        place = Place(path, at.of(f'"{name}"'))
        yield Command(
            name, " && ".join(strings(told)) or str(told)[:500], "task", folder_of(path), place
        )


def _procfile(path: str, reading: Reading) -> Iterator[Command]:
    for number, line in enumerate(reading.contents.text(path).split("\n"), start=1):
        name, colon, told = line.partition(":")
        if colon and re.fullmatch(r"[\w-]{1,60}", name) and told.strip():
            yield Command(
                name, told.strip()[:2000], "container", folder_of(path), Place(path, number)
            )


def _devcontainer(path: str, reading: Reading) -> Iterator[Command]:
    at = Lines(reading.contents.text(path))
    for name, given in mapping(reading.contents.json(path)).items():
        if name.endswith("Command"):
            several = mapping(given).values() or [given]
            for each in several:
                told = each if isinstance(each, str) else " ".join(strings(each))
                if told:
                    yield Command(name, told, "container", ".", Place(path, at.of(f'"{name}"')))


_Reader = Callable[[str, Reading], Iterator[Command]]
_READERS: dict[str, _Reader] = {
    **dict.fromkeys(("Makefile", "makefile", "GNUmakefile"), _make),
    **dict.fromkeys(("justfile", "Justfile", ".justfile"), _just),
    **dict.fromkeys(
        ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml"),
        _taskfile,
    ),
    **dict.fromkeys(("mise.toml", ".mise.toml"), _mise),
    **dict.fromkeys(("Rakefile", "rakefile"), _rake),
    "noxfile.py": _nox,
    "tox.ini": _tox_file,
    "project.json": _nx,
    **dict.fromkeys(("Procfile", "Procfile.dev"), _procfile),
    **dict.fromkeys(("devcontainer.json", ".devcontainer.json"), _devcontainer),
}
_FOLDERS: dict[str, _Reader] = {
    ".cargo/config.toml": _cargo,
    ".cargo/config": _cargo,
    ".config/mise.toml": _mise,
}


def of_files(paths: Sequence[str], reading: Reading) -> Iterator[Command]:
    """Targets and tasks that files of their own declare."""
    for path in paths:
        read = _READERS.get(path[path.rfind("/") + 1 :])
        if read is None and path.endswith((".toml", "config", ".mk", ".rake")):
            read = _FOLDERS.get("/".join(path.split("/")[-2:]))
            if read is None:
                read = _make if path.endswith(".mk") else _rake if path.endswith(".rake") else None
        if read is not None:
            yield from read(path, reading)


def of_node(
    name: str, node: Node | None, source: CommandSource, folder: str, path: str
) -> Iterator[Command]:
    """The lines of a script in YAML, a text or a list of them."""
    for item in items(node) or ([node] if node is not None else []):
        told = text(item)
        if told is not None:
            below = 1 if isinstance(item, yaml_nodes.Scalar) and item.is_block else 0
            for line, at in scripts.lines(told):
                yield Command(name, line, source, folder, Place(path, item.line + below + at))
