"""The figures of generated wikis of public repositories, as docs/wiki-quality.md.

python -m benchmarks.wiki_quality FOLDER… : bare or plain repositories, in which nothing is changed.
Each is read in a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.results import ROOT, machine
from stationmaster.children.process import OBJECTS_BETWEEN_COLLECTIONS
from stationmaster.reading.code.pool import FileToRead, Pool
from stationmaster.repos.reading import Snapshot, open_path
from stationmaster.wiki.checks import links
from stationmaster.wiki.checks.lines import line_counts
from stationmaster.wiki.facts.model import Commit
from stationmaster.wiki.making.gathering import gather
from stationmaster.wiki.making.generate import generate, write
from stationmaster.wiki.making.memo import Kept, Nothing

WORKERS = os.cpu_count() or 1
FILES_AT_ONCE = 64
"""That a parsing process is given: for few files one is started alone."""
_HEAD = """# How good generated wikis are

The table is written by `python -m benchmarks.wiki_quality`. Of citations and links the share is
given that leads to lines and pages that are there. A refresh is the newest commit after a wiki of
the one before it, compared with a run that remembers nothing; its share is of the time that
processors worked. Lines are those of all code that is read, tests with the rest, and a second is
one of this process and of those that parse, which share their work. Start-up is apart: tables and
modules are loaded by a run before, and what each parsing process takes to read an empty file of
each language is taken off. {machine}

"""


def main() -> None:
    if sys.argv[1] == "--one":
        print(json.dumps(_one(Path(sys.argv[2]))))
        return
    told = [(_name(Path(each)), _measured(Path(each))) for each in sys.argv[1:]]
    page = ROOT / "docs" / "wiki-quality.md"
    _, sign, read_by_people = page.read_text().partition("\n## ")
    page.write_text(_page(told) + sign + read_by_people)


def _measured(path: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.wiki_quality", "--one", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    print(path, done.stdout.strip(), flush=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _one(path: Path) -> dict[str, Any]:
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)  # As in the processes that make wikis.
    with open_path(path) as snapshot:
        commit = _commit(snapshot, path)
        generate(snapshot, commit, Nothing())  # Loads what every run needs.
        began = _begun()
        facts = gather(snapshot, commit, Nothing())
        wiki = write(facts, commit, Nothing())
        own, parsing = _worked() - began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        pages = {f"{each.key}.md": each.body for each in wiki.pages}
        report = links.check(pages, lines_of=line_counts(snapshot))
    start = _started({head.language for head in facts.heads.values()})
    processes = min(WORKERS, 1 + len(facts.heads) // FILES_AT_ONCE)
    same, share = _refreshed(path, wiki.pages, start, processes)
    return {
        "citations": _share(report.citations, report.unresolved or 0),
        "links": _share(report.links, len(report.problems) - (report.unresolved or 0)),
        "lines": sum(head.lines for head in facts.heads.values()), "pages": len(wiki.pages),
        "seconds": own + max(0.0, parsing / processes - start), "peak": peak,
        "same": same, "share": share, "ctags": _ctags(path),
    }  # fmt: skip


def _refreshed(path: Path, fresh: object, start: float, processes: int) -> tuple[bool, float]:
    """Is a refresh equal to the run that remembered nothing, and what part of its work it took."""
    folder = Path(tempfile.mkdtemp())
    pages, seconds = None, []
    try:
        for ref, started in ((_parent(path), processes), (None, 1)):
            with Kept(folder / "memory.db") as memory, open_path(path, ref) as snapshot:
                began = _begun()
                pages = generate(snapshot, _commit(snapshot, path), memory).pages
                own, parsing = _worked() - began
                seconds.append(own + max(0.0, parsing - started * start))
    finally:
        shutil.rmtree(folder)
    return pages == fresh, seconds[1] / seconds[0]


def _commit(snapshot: Snapshot, path: Path) -> Commit:
    return Commit(snapshot.commit, snapshot.committed_at, snapshot.branch, None, _name(path))


class _Worked(NamedTuple):
    """Seconds that processors worked for this process and for those that it started and ended."""

    own: float
    others: float

    def __sub__(self, before: _Worked) -> _Worked:
        return _Worked(self.own - before.own, self.others - before.others)


def _worked() -> _Worked:
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return _Worked(*(each.ru_utime + each.ru_stime for each in used))


def _begun() -> _Worked:
    """What was worked until now, once what earlier runs left is freed, which is no work of the next
    one: processes that make wikis make one."""
    gc.collect()
    return _worked()


def _started(languages: Iterable[str]) -> float:
    """Seconds that a process works until it has read an empty file of each language."""
    began = _worked()
    with Pool([FileToRead(each, each, b"\n") for each in languages], size=1) as pool:
        list(pool)
    return (_worked() - began).others


def _parent(path: Path) -> str:
    return _git(path, "rev-parse", "HEAD~1").decode().strip()


def _git(path: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=path, capture_output=True, check=True).stdout


def _ctags(path: Path) -> float | None:
    """Seconds that universal-ctags takes for the same tree; None where it is not installed."""
    program = shutil.which("ctags")
    if program is None:
        return None
    folder = Path(tempfile.mkdtemp())
    try:
        tar = _git(path, "archive", "HEAD")
        subprocess.run(["tar", "x", "-C", str(folder)], input=tar, check=True)
        began = time.perf_counter()
        subprocess.run([program, "-R", "-f", "/dev/null", str(folder)], capture_output=True,
                       check=False)  # fmt: skip
        return time.perf_counter() - began
    finally:
        shutil.rmtree(folder)


def _name(path: Path) -> str:
    return (path.parent.name if path.name == "repo" else path.name).replace("+", "/")


def _page(told: list[tuple[str, dict[str, Any]]]) -> str:
    columns = ["repository", "lines", "pages", "citations", "links", "refresh equal",
               "refresh / full", "1,000 lines/s", "of ctags", "peak MiB"]  # fmt: skip
    rows = []
    for name, each in told:
        speed = each["lines"] / each["seconds"] / 1000
        ratio = "" if each["ctags"] is None else f"{each['seconds'] / each['ctags']:.1f}"
        rows.append([
            name, f"{each['lines']:,}", str(each["pages"]),
            each["citations"], each["links"],
            "yes" if each["same"] else "**no**", f"{each['share']:.2f}", f"{speed:.1f}", ratio,
            str(each["peak"]),
        ])  # fmt: skip
    table = [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
    table += [f"| {' | '.join(row)} |" for row in rows]
    return _HEAD.format(machine=machine()) + "\n".join(table) + "\n"


def _share(count: int, bad: int) -> str:
    share = 1 - bad / count if count else 1.0
    return f"{share:.4f}".rstrip("0").rstrip(".")


if __name__ == "__main__":
    main()
