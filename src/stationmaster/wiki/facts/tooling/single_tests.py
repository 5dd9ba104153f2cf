"""How one test is run, shown with a test of the repository, and what sets tests up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase

import msgspec

from stationmaster.catalogue.repositories.test_runs import Tool, test_runs
from stationmaster.catalogue.repositories.work import work
from stationmaster.catalogue.table import compiled, matching
from stationmaster.reading.code.model import Test
from stationmaster.reading.projects import runners
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.tooling import tasks, tests
from stationmaster.wiki.facts.tooling.named import Task
from stationmaster.wiki.facts.tooling.usual import options
from stationmaster.wiki.text.inline import Place

_EXECUTED = {"npm": "npx", "pnpm": "pnpm exec", "yarn": "yarn", "bun": "bunx"}
_NAME = re.compile(r"[\w.]{1,120}")
_PLAIN = re.compile(r"[\w./@+-]{1,300}")
"""A path that a shell takes as it is."""
_STARTED = re.compile(
    r"\b((?:uv|poetry|pdm|pipenv) run (?:--[\w-]{1,40}(?:[= ][\w-]{1,40})? ){0,6})"
    r"(?:python -m )?pytest\b"
)
_CONSTRAINED = re.compile(r"(?m)^//go:build ")
_ABSTRACT = re.compile(r"\babstract\b[\w ]{0,60}\bclass\b")
_SUITE = re.compile(r"\s--(?:testsuite|suite)[= ]([\w-]{1,60})")
_PASSED_ON = re.compile(
    r"(?m)^(?!\s{0,80}#)[^\n]{0,200}?\b(pytest|rspec|phpunit|jest|vitest)\s[^\n|;&]{0,80}\"?\$[@*]"
)
"""The program to which a script passes its arguments."""
_SUPPORT_MAX = 12
_UNREAD = ("test", "")
"""Class and language of tests in languages of which no code is read."""


class Single(msgspec.Struct, frozen=True):
    """The command for one test, typed in `folder`; `place` is the test."""

    tool: str
    command: str
    folder: str
    place: Place


@query
def singles(facts: Facts) -> tuple[Single, ...]:
    """One command for each tool that runs tests, with a test of the folder with most of them."""
    having = [path for path in facts.code if facts.code[path].tests]
    having += [
        path for path, it in facts.records.items() if (it.file_class, it.language) == _UNREAD
    ]
    paths = [path for path in having if _PLAIN.fullmatch(path)]
    areas = Counter(map(tests.area_of, paths))
    by_tool: dict[str, Single] = {}
    for path in sorted(paths, key=lambda path: (-areas[tests.area_of(path)], path)):
        row, mark = _tool(facts, path)
        if row is not None and row.tool not in by_tool and (one := _single(facts, path, row, mark)):
            by_tool[row.tool] = one
    return tuple(by_tool.values())


def _tool(facts: Facts, path: str) -> tuple[Tool | None, str]:
    """What runs the tests of a file, and the file that shows it."""
    for row in test_runs().tools:
        if facts.records[path].language not in row.languages:
            continue
        mark = _mark(facts, path, row)
        if mark and _fits(facts, path, row, mark):
            return row, mark
    return None, ""


def _mark(facts: Facts, path: str, row: Tool) -> str:
    """The nearest of the files that show the use of a tool, '' without one."""
    for folder in parents(folder_of(path)):
        base = "" if folder == "." else f"{folder}/"
        for name in row.marks:
            if "*" in name:
                own = facts.tree.glob(name, under=folder)
                if own:
                    return own[0]
            elif base + name in facts.records and _asks_for(facts, base, row):
                return base + name
    return next((it for it in row.marks if it in facts.records), "")


def _asks_for(facts: Facts, base: str, row: Tool) -> bool:
    """Does the package of a folder name a tool for packages of JavaScript, or configure it? Where
    none does, the whole repository is taken for what the tool works on."""
    path = f"{base}package.json"
    if not row.packages or path not in facts.records or "package.json" not in row.marks:
        return True
    name = row.packages[0].rpartition("/")[2]
    texts = facts.tree.text(path)
    return (
        any(f'"{it}' in texts for it in row.packages)
        or bool(facts.tree.glob(f"{name}.config.*", "vite.config.*", under=base.rstrip("/") or "."))
        or f" {name}" in texts
    )


def _fits(facts: Facts, path: str, row: Tool, mark: str) -> bool:
    if row.within and not compiled(row.within).search(path):
        return False
    if row.without and compiled(row.without).search(facts.tree.text(mark)):
        return False
    if row.states and not compiled(row.states).search(facts.tree.text(mark)):
        return False
    if row.typed and not any(
        compiled(row.typed).search(f"{task.text} {task.runs}")
        for task in tasks.tasks(facts, "test")
    ):
        return False
    if row.imports and all(it.name != row.imports for it in facts.code[path].imports):
        return False
    return not row.packages or not _packages(facts, path).isdisjoint(row.packages)


def _packages(facts: Facts, path: str) -> set[str]:
    """The dependencies in the manifests of its folder and of those above."""
    above = set(parents(folder_of(path)))
    manifests = (manifest for manifest in facts.tree.project.manifests if manifest.folder in above)
    return {it.name.lower() for manifest in manifests for it in manifest.dependencies}


def _single(facts: Facts, path: str, row: Tool, mark: str) -> Single | None:
    named = facts.code[path].tests if path in facts.code else (Test("", 1),)
    of_kind = (it for it in named if it.kind == "test")
    test = next((it for it in of_kind if not _is_abstract(facts, path, it)), None)
    is_named = any(key in row.command for key in ("{name}", "{last}", "{ids}"))
    if test is None or (is_named and not _NAME.fullmatch(test.name)):
        return None
    if row.tool == "Go" and _CONSTRAINED.search(facts.tree.text(path)):
        return None  # It is compiled only with tags.
    depth = next(name for name in row.marks if fnmatchcase(mark, f"*{name}")).count("/")
    place = mark.rpartition("/")[0]
    for _ in range(depth):
        place = place.rpartition("/")[0]
    is_nested = bool(place and row.nested) and _works_at_root(facts, row, place)
    values = _values(facts, path, test, place, is_nested=is_nested)
    own = [manifest for manifest in facts.tree.project.manifests if manifest.path == mark]
    skips = [name for manifest in own for name in manifest.data.get("skips", ())]
    if "" in skips:
        return None
    values["options"] = options(skips)
    values["package"] = own[0].name or "" if own else ""
    command = _as_started(facts, (row.nested if is_nested else row.command).format_map(values))
    return Single(row.tool, command, "." if is_nested else place or ".", Place(path, test.line))


def _works_at_root(facts: Facts, row: Tool, folder: str) -> bool:
    """Is there at the root what the program for a part of the repository works on?"""
    if "{package}" in row.nested:
        workspaces = facts.tree.project.workspaces
        return any(it.place.path in row.marks and folder in it.members for it in workspaces)
    program = row.nested.partition(" ")[0]
    program = {"{maven}": "mvn"}.get(program, program.strip("{}"))
    wanted = (*work().needs.get(program, ()), work().wrappers.get(program, ""))
    return wanted == ("",) or any(name in facts.records for name in wanted)


def _as_started(facts: Facts, command: str) -> str:
    """A command with its program where the repository has it, as it starts all tests."""
    first, blank, rest = command.partition(" ")
    for task in tasks.tasks(facts, "test"):
        program = task.text.partition(" ")[0]
        if task.folder == "." and program.rpartition("/")[2] == first.rpartition("/")[2] != program:
            return f"{program}{blank}{rest}"
        path = program.removeprefix("./")
        if task.folder == "." and path in facts.records:
            passed = _PASSED_ON.search(facts.tree.text(path))
            if passed is not None and f"{passed[1]} " in f"{command} ":
                return f"{program} {command.rpartition(f'{passed[1]} ')[2]}"
    return command


def _is_abstract(facts: Facts, path: str, test: Test) -> bool:
    """Is a test in a class that others extend, and that nothing runs itself?"""
    own = facts.code[path].symbols if path in facts.code else ()
    classes = (it for it in own if it.kind == "class" and it.line <= test.line)
    nearest = max((it.line for it in classes), default=0)
    return nearest > 0 and _ABSTRACT.search(lines_of(facts, path)[nearest - 1]) is not None


def _values(facts: Facts, path: str, test: Test, place: str, *, is_nested: bool) -> dict[str, str]:
    own = path.removeprefix(f"{place}/") if place else path
    start = "." if is_nested else place or "."

    def program(wrapper: str, plain: str) -> str:
        above = start == "." and wrapper in facts.records
        return f"./{wrapper}" if above else plain

    return {
        "path": own,
        "folder": folder_of(own).removeprefix("."),
        "dotted": own.rpartition(".")[0].replace("/", "."),
        "file": own.rpartition("/")[2].partition(".")[0],
        "name": test.name,
        "last": test.name.rpartition(".")[2],
        "ids": test.name.replace(".", "::"),
        "line": str(test.line),
        "mark": place,
        "project": place.replace("/", ":"),
        "python": _of_python(facts, place or "."),
        "node": _EXECUTED.get(runners.manager(facts.tree, place or "."), "npx"),
        "gradle": program("gradlew", "gradle"),
        "maven": program("mvnw", "mvn"),
    }


def _of_python(facts: Facts, folder: str) -> str:
    """What starts a program of Python in its environment, as the repository does it for tests."""
    for task in tasks.tasks(facts, "test"):
        for text in (task.text, task.runs):
            if match := _STARTED.search(text):
                return match[1]
    return runners.in_environment(facts.tree, folder)


@query
def set_up(facts: Facts) -> tuple[Place, ...]:
    """Files that set up all tests of their folder or tool, and functions of Go that do so for their
    package, nearest to the root first."""
    wanted = test_runs().support.files
    files = {path: path.rpartition("/")[2] for path in facts.records}
    named = matching({*files.values()}, wanted)
    places = [Place(path) for path, name in files.items() if name in named]
    places += [
        Place(path, symbol.line)
        for path, code in facts.code.items()
        for symbol in (code.symbols if path.endswith("_test.go") else ())
        if symbol.qualified == "TestMain"
    ]
    own = (it for it in places if facts.tree.project.products.has(it.path))
    return tuple(sorted(own, key=lambda it: (it.path.count("/"), it.path))[:_SUPPORT_MAX])


@query
def factories(facts: Facts) -> tuple[tuple[str, int], ...]:
    """Folders of what makes objects for tests, with how many files they have; by path."""
    return tuple(sorted(Counter(_of_factories(facts)).items()))


def _of_factories(facts: Facts) -> Iterator[str]:
    for path in facts.records:
        steps = path.split("/")[:-1]
        at = next((at for at, it in enumerate(steps) if it in test_runs().support.factories), None)
        if at is not None and (is_test(path) or steps[0] in ("spec", "test", "tests", "database")):
            yield "/".join(steps[: at + 1])


def part_of(task: Task) -> str:
    """The only kind of tests that a command runs, by its suite or its name; '' for all."""
    suite = _SUITE.search(f"{task.text} {task.runs}")
    words = [suite[1]] if suite else re.split("[:_.-]", task.name)
    kinds = test_runs().kinds
    return next((kinds[it] for it in words if it in kinds), suite[1] if suite else "")


def kind_of(area: str) -> str:
    """The kind of tests in a folder, by its words; '' where they do not name one."""
    kinds = test_runs().kinds
    words = (word for step in area.lower().split("/") for word in (step, *re.split("[-_.]", step)))
    return next((kinds[word] for word in words if word in kinds), "")
