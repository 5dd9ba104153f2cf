"""Parsing in processes: whatever one file does, the others are read."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import msgspec
import pytest

from stationmaster.children import process
from stationmaster.reading.code import reading, worker
from stationmaster.reading.code.model import FileFacts
from stationmaster.reading.code.pool import FileToRead, Pool

pytestmark = pytest.mark.attack

SABOTAGED = """
import os, signal, time
from stationmaster.reading.code import reading, worker
read = reading.read
def sabotaged(language, data):
    if data == b"busy":
        while True: pass
    if data == b"asleep":
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        time.sleep(60)
    if data == b"dead":
        os._exit(3)
    if data == b"greedy":
        bytearray(2 * worker.MEMORY_MAX)
    return read(language, data)
reading.read = sabotaged
worker.CPU_SECONDS_MAX = 1.0
worker.main()
"""


def facts_of(*files: tuple[str, str, bytes], size: int = 2) -> dict[str, FileFacts]:
    with Pool([FileToRead(*each) for each in files], size) as made:
        return {each.key: msgspec.msgpack.decode(each.facts, type=FileFacts) for each in made}


def test_many_files_are_read_as_one_after_the_other_would_be() -> None:
    texts = {f"{number}.py": f"def f{number}():\n    pass\n".encode() for number in range(150)}
    found = facts_of(*((path, "Python", data) for path, data in texts.items()))
    assert found == {path: reading.read("Python", data) for path, data in texts.items()}


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"x = " + b"[\n" * 100_000 + b"]\n" * 100_000, "nested"),
        (b"x = '" + b"a" * 200_000 + b"'\n" + b"y = 1\n" * 2000, "long-lines"),
        (b"x = [\n" + b"1,\n" * 100_000 + b"]\n", "ok"),
        (b"x = " + b"(\n" * 499 + b"1" + b")\n" * 499, "ok"),
        (b"\xff\xfe\n" * 1000, "errors"),
        (b"def f(:\n)\n" * 1000, "errors"),
    ],
    ids=["nested", "long", "list", "deep", "bytes", "broken"],
)
def test_a_hostile_file_costs_only_itself(data: bytes, status: str) -> None:
    found = facts_of(("bad", "Python", data), ("good", "Python", b"def f(): pass\n"), size=1)
    assert found["bad"].status == status
    assert [each.name for each in found["good"].symbols] == ["f"]


def test_a_file_that_takes_too_long_or_too_much_or_ends_its_process_costs_only_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "start", lambda _module: subprocess.Popen(
        [sys.executable, "-c", SABOTAGED], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ))  # fmt: skip
    words = ("x = 1\n", "busy", "y = 1\n", "dead", "asleep", "greedy", "z = 1\n", "dead")
    files = [FileToRead(f"{at}", "Python", word.encode()) for at, word in enumerate(words)]
    with Pool(files, 1) as made:
        told = {int(each.key): each for each in made}
    statuses = [
        msgspec.msgpack.decode(told[number].facts, type=FileFacts).status for number in range(8)
    ]
    assert statuses[:5] == ["ok", "timeout", "ok", "failed", "timeout"]
    assert statuses[5:] == ["failed", "ok", "failed"]
    assert [told[number].is_whole for number in range(5)] == [True, False, True, False, False]


def test_what_reading_the_files_raises_is_raised_and_leaving_early_ends_the_processes() -> None:
    def broken() -> Iterator[FileToRead]:
        yield FileToRead("a", "Python", b"")
        raise OSError("no more")

    with pytest.raises(OSError, match="no more"), Pool(broken(), 2) as made:
        list(made)
    with Pool((FileToRead(f"{n}", "Python", b"x = 1\n") for n in range(10_000)), 2) as made:
        next(iter(made))


def test_a_process_that_parses_loads_little() -> None:
    code = "import sys, stationmaster.reading.code.reading; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not {each for each in loaded if each.startswith("stationmaster.")} - {
        "stationmaster.catalogue", "stationmaster.catalogue.code", "stationmaster.catalogue.table",
        "stationmaster.catalogue.repositories", "stationmaster.catalogue.repositories.expressions",
        "stationmaster.reading", "stationmaster.reading.code",
        "stationmaster.reading.code.components", "stationmaster.reading.code.explaining",
        "stationmaster.reading.code.given",
        "stationmaster.reading.code.languages",
        "stationmaster.reading.code.languages.docs",
        "stationmaster.reading.code.languages.names",
        "stationmaster.reading.code.languages.receivers",
        "stationmaster.reading.code.languages.scopes",
        "stationmaster.reading.code.languages.source",
        "stationmaster.reading.code.languages.typed",
        "stationmaster.reading.code.languages.unit",
        "stationmaster.reading.code.looks", "stationmaster.reading.code.model",
        "stationmaster.reading.code.reading", "stationmaster.reading.code.signatures",
        "stationmaster.reading.code.stored",
    }  # fmt: skip
    assert not {"sqlalchemy", "yaml", "sqlite3"} & loaded
    assert worker.ran_out(-27)
