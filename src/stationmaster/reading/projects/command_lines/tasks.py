"""Tasks that a repository names for people: scripts of packages, targets of make and its kin."""

from __future__ import annotations

import configparser
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from stationmaster.catalogue.repositories.task_files import runners, task_files
from stationmaster.reading.projects.command_lines import scripts
from stationmaster.reading.projects.imports import code_of
from stationmaster.reading.projects.manifests.common import (
    Lines,
    Reading,
    inside,
    mapping,
    sequence,
    strings,
    within,
)
from stationmaster.reading.projects.model import Command, CommandSource, Manifest, Place
from stationmaster.reading.projects.paths import folder_of
from stationmaster.repos import yaml_nodes
from stationmaster.repos.yaml_nodes import Node, get, items, members, text

_TARGET = re.compile(r"^([A-Za-z0-9][\w./ -]{0,200}?)\s*&?::?(?!=)\s*([^#=]*)(?:#.*)?$")
_OTHER_TARGET = re.compile(r"[$%_/~][^\s:=]{0,200}\s{0,8}:(?!=)")
_GIVEN = re.compile(
    r"(?m)^([A-Za-z_]\w{0,60})[ \t]*(?::{0,3}|\?)="
    r"[ \t]*((?:[\w./-]|\$[({]\w{1,60}[)}]){1,200})[ \t]*$"
)
_NAMED = re.compile(r"\$[({](\w{1,60})[)}]")
_HEAD = re.compile(r"(?m)^(?![ \t#])[^\n=]{0,400}:(?!=)[^\n=]*$")
"""A line that may be the head of a rule."""
_DEPTH_MAX = 4
_RECIPE = re.compile(r"^@?([A-Za-z_][\w-]{0,100}+)((?:\s[^:\n]{0,200}+)?+):(?!=)\s*+([^#]*)$")
_AUTOMATIC = re.compile(r"(?<!\$)\$(?:[@<](?!\w)|\([@<]\))")
_NOTHING = re.compile(r"#.*|clear|set(?: [-+][\w-]+)*(?: pipefail)?")
"""A line of a recipe that runs nothing."""
_TARGETS_MAX = 20
"""Of one rule."""
_INCLUDE = re.compile(r"(?m)^-?include\s+(?:\./)?([\w./-]{1,200})\s*$")
_RAKE = re.compile(r"^\s*+task\s*+(?:\(\s*+)?[:\"']?([\w:]{1,100})")
_SESSION = re.compile(r"^@(?:nox\.)?session\b")
_DEFINED = re.compile(r"^def\s+(\w{1,100})\s*\(")
_NOX_RUN = re.compile(r"\bsession\.(?:run|run_always|run_install)\(([^)]{0,500})")
_QUOTED = re.compile(r"[\"']([^\"']{0,200})[\"']")
_ENV = re.compile(r"testenv(?::(.{1,100}))?$")


def of_manifests(manifests: Sequence[Manifest], reading: Reading) -> Iterator[Command]:
    """The scripts that packages declare."""
    for manifest in manifests:
        name = manifest.path.rpartition("/")[2]
        if name in ("package.json", "composer.json"):
            yield from _scripts(manifest, manifest.data.get("scripts"), reading)
        elif name.startswith("deno.json"):
            yield from _scripts(manifest, manifest.data.get("tasks"), reading)
        elif name == "pyproject.toml":
            yield from _python(manifest, mapping(manifest.data.get("tool")), reading)
        elif name == "setup.cfg":
            yield from _tox(manifest.path, reading, manifest.data)


def _scripts(manifest: Manifest, table: object, reading: Reading) -> Iterator[Command]:
    at = Lines(reading.contents.text(manifest.path))
    at.seek(r'^[ \t]*"(?:scripts|tasks)"\s*:')
    for name, value in list(mapping(table).items())[: scripts.LINES_MAX]:
        line = at.of(f'"{name}"')
        environment = ""  # Of all commands behind it.
        for command in _texts(value):
            if command.startswith("@putenv "):
                environment += f"{command.removeprefix('@putenv ').strip()} "
                continue
            text = f"{environment}{command}"
            yield Command(name, text, "script", manifest.folder, Place(manifest.path, line))


def _texts(value: object) -> list[str]:
    """The texts of a script, which is one text, several, or a table with it."""
    if isinstance(value, str):
        return [value]
    table = mapping(value)
    if isinstance(table.get("shell"), str):
        return [command for command, _ in scripts.lines(table["shell"])]
    for key in ("command", "cmd", "shell", "script"):
        if isinstance(table.get(key), str):
            return [table[key]]
        if strings(table.get(key)):
            return [" ".join(strings(table[key]))]
    if names := strings(table.get("sequence")):  # Poe starts other tasks by their names.
        return [f"poe {name}" for name in names]
    return strings(value)


def _python(manifest: Manifest, tool: Mapping[str, Any], reading: Reading) -> Iterator[Command]:
    """Tasks of pdm, poe, hatch, taskipy, pixi and tox in a pyproject.toml."""
    at = Lines(reading.contents.text(manifest.path))
    tables = [inside(tool, *keys.split(".")) for keys in task_files().pyproject]
    tables += [
        mapping(env).get("scripts") for env in mapping(inside(tool, "hatch", "envs")).values()
    ]
    for table in tables:
        for name, value in mapping(table).items():
            at.seek("^")
            line = at.of(name)
            for script in _texts(value):
                yield Command(name, script, "task", manifest.folder, Place(manifest.path, line))
    tox = mapping(tool.get("tox"))
    legacy = tox.get("legacy_tox_ini")
    if isinstance(legacy, str):
        yield from _tox(manifest.path, reading, _ini(legacy))
    yield from _environments(manifest.path, tox, at)


def _environments(path: str, tox: Mapping[str, Any], at: Lines) -> Iterator[Command]:
    """Commands of the environments of tox in TOML."""
    for name, env in [("test", tox.get("env_run_base")), *mapping(tox.get("env")).items()]:
        for command in sequence(mapping(env).get("commands")):
            words = strings(command)
            if words:
                section = "env_run_base" if name == "test" else f"env\\.[\"']?{re.escape(name)}"
                at.seek(rf"^\[(?:tool\.tox\.)?{section}\b")
                place = Place(path, at.of(f'"{words[0]}"'))
                yield Command(name, " ".join(words), "task", folder_of(path), place)


def _make(path: str, reading: Reading) -> Iterator[Command]:
    yield from _recipes(_TARGET, path, reading)
    for other in included(path, reading.contents.text(path)):
        if other in reading.files and not other.endswith(".mk"):
            yield from _recipes(_TARGET, other, reading)


def included(path: str, source: str) -> list[str]:
    """The files that a Makefile includes, as it names them."""
    return [within(folder_of(path), name) for name in _INCLUDE.findall(source)]


def prerequisites(name: str, source: str) -> dict[str, tuple[str, ...]]:
    """The prerequisites of the targets in a file of tasks of this name: targets and files."""
    is_make = name.endswith(".mk") or name.startswith(("Make", "make", "GNU"))
    needs: dict[str, tuple[str, ...]] = {}
    for line in (_expanded(source) if is_make else source).replace("\\\n", " ").split("\n"):
        if match := (_TARGET if is_make else _RECIPE).match(line):
            words = re.split("[#;]", match[2 if is_make else 3], maxsplit=1)[0]
            for target in match[1].split()[:_TARGETS_MAX]:
                needs[target] = (*needs.get(target, ()), *_of_target(target, words))
    return needs


def _expanded(source: str) -> str:
    """The text of a Makefile whose rules have the values of variables that are one word each in
    their heads: `$(BIN): main.go` is `bin/shop: main.go`."""
    given: dict[str, set[str]] = {}
    for variable, value in _GIVEN.findall(source):
        given.setdefault(variable, set()).add(value)
    values = {variable: some.pop() for variable, some in given.items() if len(some) == 1}

    def expand(match: re.Match[str], depth: int = 0) -> str:
        own = values.get(match[1], match[0])
        is_open = own != match[0] and depth < _DEPTH_MAX
        return _NAMED.sub(lambda it: expand(it, depth + 1), own) if is_open else own

    return _HEAD.sub(lambda line: _NAMED.sub(expand, line[0]), source) if values else source


def _of_target(name: str, words: str) -> list[str]:
    """The prerequisites of one of the targets of a rule, which may be made of a pattern of their
    names: `bin/a bin/b: bin/%: lib/%`."""
    pattern, colon, needs = words.partition(":")
    before, percent, after = pattern.strip().partition("%")
    if not (colon and percent):
        return words.split()
    stem = name.removeprefix(before).removesuffix(after)
    return [word.replace("%", stem, 1) for word in needs.split()]


def _filled(text: str, name: str, needs: Sequence[str]) -> str:
    """A line of a recipe with the target and the first prerequisite, where these are there."""
    values = dict(zip("@<", (name, *(it for it in needs[:1] if "$" not in it)), strict=False))
    return _AUTOMATIC.sub(lambda match: values.get(match[0].strip("$()"), match[0]), text)


def _recipes(head: re.Pattern[str], path: str, reading: Reading) -> Iterator[Command]:
    """A target has a command for every line of its recipe; one with no recipe an empty one."""
    names: list[str] = []
    begun, has_recipe, words = 0, False, ""
    source = reading.contents.text(path)
    source = _expanded(source) if head is _TARGET else source
    lines = source.replace("\\\n", "\\\0").split("\n")
    number = 1

    def step(line: str) -> Iterator[Command]:
        text = _recipe_line(line)
        for name in names if text and not _NOTHING.fullmatch(text) else ():
            filled = _filled(text, name, _of_target(name, words)) if head is _TARGET else text
            yield Command(name, filled, "task", folder_of(path), Place(path, number))

    for line in [*lines, "end:"]:
        if line[:1] in ("\t", " ") and names:
            made = [*step(line)]
            has_recipe |= bool(made)
            yield from made
        elif (match := head.match(line.split("\0")[0])) and not line.startswith((".", "%")):
            if names and not has_recipe:
                for name in names:
                    yield Command(name, "", "task", folder_of(path), Place(path, begun))
            names = [part for part in match[1].split()[:_TARGETS_MAX] if "%" not in part]
            words, _, inline = match[2].partition(";")
            if head is _RECIPE:
                names = names[:1]
            made = [*step(inline)] if head is _TARGET else []
            begun, has_recipe = number, bool(made)
            yield from made
        elif _OTHER_TARGET.match(line):
            names = []  # The following lines belong to a target whose name is a variable.
        number += 1 + line.count("\0")


def _recipe_line(line: str) -> str:
    text = line.replace("\\\0", " ").strip().lstrip("@-+ ")
    return " ".join(re.sub(r"\$[({]MAKE[)}]", "make", text).split())[:2000]


def _taskfile(path: str, reading: Reading) -> Iterator[Command]:
    for name, task in members(get(reading.contents.yaml(path), "tasks")).items():
        steps = items(get(task, "cmds")) or [get(task, "cmd") or task]
        for item in steps:
            command = get(item, "cmd") or item
            yield from of_node(name, command, "task", folder_of(path), path)
        for item in items(get(task, "deps")) if steps == [task] else ():
            needed = text(get(item, "task") or item)
            if needed is not None:
                place = Place(path, item.line)
                yield Command(name, f"task {needed}", "task", folder_of(path), place)


def _mise(path: str, reading: Reading) -> Iterator[Command]:
    at = Lines(reading.contents.text(path))
    for name, task in mapping(reading.contents.toml(path).get("tasks")).items():
        run = mapping(task).get("run", task)
        at.seek("^")
        line = at.of(name)
        for string in strings(run) or _texts(run):
            for command, _ in scripts.lines(string):
                yield Command(name, command, "task", folder_of(path), Place(path, line))


def _cargo(path: str, reading: Reading) -> Iterator[Command]:
    at = Lines(reading.contents.text(path))
    folder = folder_of(folder_of(path))
    for name, value in mapping(reading.contents.toml(path).get("alias")).items():
        words = value if isinstance(value, str) else " ".join(strings(value))
        yield Command(name, f"cargo {words}", "task", folder, Place(path, at.of(name)))


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


def _tox(path: str, reading: Reading, data: Mapping[str, Any] | None = None) -> Iterator[Command]:
    """Of a file of tox, or of what another file has of one."""
    source = reading.contents.text(path)
    if path.endswith(".toml") and data is None:
        yield from _environments(path, reading.contents.toml(path), Lines(source))
        return
    for section, settings in (_ini(source) if data is None else data).items():
        match = _ENV.match(section)
        if match is None:
            continue
        name = match[1] or "test"
        at = Lines(source)
        at.seek(rf"^\[{re.escape(section)}\]")
        for command, _ in scripts.lines(str(mapping(settings).get("commands", ""))):
            words = command.split()
            place = Place(path, at.of(" ".join(words[:2])) or at.of(words[0]))
            yield Command(name, command.lstrip("- "), "task", folder_of(path), place)


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
    for name, target in mapping(data.get("targets")).items():
        options = mapping(mapping(target).get("options"))
        command = options.get("command") or options.get("commands") or f"nx {name}"
        place = Place(path, at.of(f'"{name}"'))
        yield Command(
            name,
            " && ".join(strings(command)) or str(command)[:500],
            "task",
            folder_of(path),
            place,
        )


def _procfile(path: str, reading: Reading) -> Iterator[Command]:
    for number, line in enumerate(reading.contents.text(path).split("\n"), start=1):
        name, colon, command = line.partition(":")
        if colon and re.fullmatch(r"[\w-]{1,60}", name) and command.strip():
            yield Command(
                name, command.strip()[:2000], "container", folder_of(path), Place(path, number)
            )


def _devcontainer(path: str, reading: Reading) -> Iterator[Command]:
    at = Lines(reading.contents.text(path))
    for name, value in mapping(reading.contents.json(path)).items():
        if name.endswith("Command"):
            several = mapping(value).values() or [value]
            for command in several:
                line = command if isinstance(command, str) else " ".join(strings(command))
                if line:
                    yield Command(name, line, "container", ".", Place(path, at.of(f'"{name}"')))


_Reader = Callable[[str, Reading], Iterator[Command]]
_READERS: dict[str, _Reader] = {
    "make": _make,
    "just": partial(_recipes, _RECIPE),
    "task": _taskfile,
    "mise": _mise,
    "rake": _rake,
    "nox": _nox,
    "tox": _tox,
    "nx": _nx,
    "procfile": _procfile,
    "devcontainer": _devcontainer,
}
"""By what runs the tasks of a file."""
_ENDINGS: dict[str, _Reader] = {".mk": _READERS["make"], ".rake": _rake}


def of_files(paths: Sequence[str], reading: Reading) -> Iterator[Command]:
    """The targets and tasks in files of tasks."""
    for path in paths:
        name = path[path.rfind("/") + 1 :]
        read = _READERS.get(runners().get(name, "")) or _ENDINGS.get(name[name.rfind(".") :])
        if read is None and name in ("config.toml", "config"):
            read = _cargo if path.split("/")[-2:-1] == [".cargo"] else None
        if read is not None:
            yield from read(path, reading)


def of_node(
    name: str, node: Node | None, source: CommandSource, folder: str, path: str
) -> Iterator[Command]:
    """The lines of a script in YAML, a text or a list of them."""
    for item in items(node) or ([node] if node is not None else []):
        script = text(item)
        if script is not None:
            below = 1 if isinstance(item, yaml_nodes.Scalar) and item.is_block else 0
            for line, at in scripts.lines(script):
                yield Command(name, line, source, folder, Place(path, item.line + below + at))
