"""What the product's own launchers start: a shell script that chooses by its first argument,
`case "$1" in worker) exec ruby script/worker.rb ;;`, and the processes of a Procfile."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from stationmaster.reading.projects.applications.units import is_tooling
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.tooling import deploys
from stationmaster.wiki.text.inline import Place

_ARMS_MIN, _ARMS_MAX, _SIZE_MAX = 2, 60, 100_000
_SHELL = re.compile(r"#!\s?\S{1,60}\b(?:ba|da|k|z)?sh\b")
_CASE = re.compile(r"\s*case\s+\"?\$(?:1|\{1(?::?-[\w-]*)?\})\"?\s+in\s*(?:#.*)?")
_INNER, _ENDED = re.compile(r"\s*case\s.{0,200}\sin\b"), re.compile(r"\s*esac\b")
_ARM = re.compile(
    r"\s*\(?[\"']?([A-Za-z][\w:.-]*+)[\"']?(?:\s*\|\s*[\"']?[\w:.-]++[\"']?)*\s*\)(.*)"
)
_SAYS = re.compile(r"\s*(?:echo|printf|shift|set|cd|export|local|#)\b.*|\s*(?:#.*|;;)?")
_BLOCK = re.compile(r"(?:case|for|if|while)\b")
_COLOUR = re.compile(r"\\(?:033|e|x1[bB])\[[\d;]{0,9}m")
_MEANING = re.compile(
    r"(?:\s*echo\s+(?:-e\s+)?[\"'])?[^\w\"']{0,20}([A-Za-z][\w:.-]*+)(?:\s++[-–—:]{1,2}\s++|\s{2,}|:\s++)"
    r"([^\"'].*?)[\"']?\s*"
)
_FILE = re.compile(r"\b(?:ruby|python\d?|node|php|perl|bun|tsx)\s+(?:-[\w-]+\s+)*([\w./-]+\.\w+)")


class Launched(NamedTuple):
    """A command of the launcher `program`, or a process without one: what it runs, the file that
    begins there, '' for none of the repository, and where it is stated."""

    program: str
    name: str
    meaning: str
    runs: str
    path: str
    place: Place


@query
def launched(facts: Facts) -> tuple[Launched, ...]:
    """The commands of launchers by file and line, then the processes of Procfiles."""
    rows = [row for path in facts.tree.glob("*", "bin/*") for row in _of_script(facts, path)]
    for name, command, place in deploys.processes(facts):
        rows.append(Launched("", name, "", command, _file(facts, command), place))
    return tuple(rows)


@query
def launched_files(facts: Facts) -> Mapping[str, str]:
    """What files in folders of tools are called that a launcher of the product starts: by the
    launcher and its command; a process has the name of its file."""
    names: dict[str, str] = {}
    for it in launched(facts):
        if it.path and is_tooling(folder_of(it.path)):
            name = f"{it.program} {it.name}" if it.program else it.path.rpartition("/")[2]
            names.setdefault(it.path, name)
    return names


def _of_script(facts: Facts, path: str) -> Iterator[Launched]:
    record = facts.records.get(path)
    if record is None or record.language not in ("Shell", "", None) or record.size > _SIZE_MAX:
        return
    lines = lines_of(facts, path)
    at = next((at for at, line in enumerate(lines) if _CASE.fullmatch(line)), None)
    if at is None or not _SHELL.match(lines[0]):
        return
    arms = [*_arms(lines, at + 1)][:_ARMS_MAX]
    usage = (_MEANING.fullmatch(_COLOUR.sub("", line)) for line in lines)
    meanings = {match[1]: match[2].strip() for match in usage if match}
    for name, line, body in arms if len(arms) >= _ARMS_MIN else ():
        runs = next((text.strip() for text in body if not _SAYS.fullmatch(text)), "")
        file = next(filter(None, (_file(facts, text) for text in body)), "")
        program = path.rpartition("/")[2]
        runs = "" if _BLOCK.match(runs) else runs.removesuffix(";;").strip()
        yield Launched(program, name, meanings.get(name, ""), runs, file, Place(path, line))


def _arms(lines: Sequence[str], first: int) -> Iterator[tuple[str, int, list[str]]]:
    """The arms of a `case` whose body begins at an index: name, line, and lines."""
    depth, name, start = 0, "", 0
    body: list[str] = []
    for at, line in enumerate(lines[first:], first):
        arm = _ARM.fullmatch(line) if depth == 0 and not name else None
        if _ENDED.match(line):
            depth -= 1
        elif _INNER.match(line):
            depth += 1
        if depth < 0:
            break
        if arm:
            name, start, body = arm[1], at + 1, [arm[2]]
        elif name:
            body.append(line)
        if name and depth == 0 and line.rstrip().endswith((";;", ";&")):
            yield name, start, body
            name = ""
    if name:
        yield name, start, body


def _file(facts: Facts, command: str) -> str:
    """The file of code that a command starts, '' for none of the repository."""
    paths = (match[1].removeprefix("./") for match in _FILE.finditer(command))
    return next((path for path in paths if path in facts.code), "")
