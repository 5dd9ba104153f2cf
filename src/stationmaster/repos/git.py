"""Every call of git: an argument list, its own process group, bounds, and no configuration.

Nothing of a repository or of the machine is trusted:
configuration files are replaced by an empty one, and what remains dangerous is switched off by
name. Credentials go in as configuration of the environment, so that no argument, address or file
ever holds one.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, NamedTuple, Required, TypedDict, Unpack

from stationmaster.catalogue import table
from stationmaster.children import process as children
from stationmaster.errors import OperatorError

VERSION_MIN = (2, 39)
"""The oldest version whose options are used here; it pins addresses since 2.37."""
THREADS = 4
"""Of git when it takes in a pack."""
OUTPUT_MAX = 64 * 2**20
_STDERR_KEPT = 4096
_TABLE = table.read("git", dict[str, dict[str, str]], Path(__file__).parent)
_CONFIG = {**_TABLE["config"], "pack.threads": str(THREADS)}
_CREDENTIALS = re.compile(r"(?i)(authorization:\s*)[^\r\n]*|(?<=://)[^/@\s]*@")
_UNPRINTABLE = re.compile(r"[^\x20-\x7e…]+")


class GitLimits(NamedTuple):
    """Of one process: seconds of wall clock and of CPU, bytes of address space, of one file."""

    wall_s: float = 60
    cpu_s: int = 600
    memory: int = 2 * 2**30
    file_size: int = 2**20


class GitError(Exception):
    """git did not succeed. `stderr` is its last words, printable and without credentials."""

    def __init__(self, status: int, stderr: str, *, timed_out: bool = False) -> None:
        super().__init__(f"git ended with status {status}")
        self.status = status
        self.stderr = stderr
        self.timed_out = timed_out


class Process:
    """A running git. Its group is killed when its time is over."""

    def __init__(
        self, popen: subprocess.Popen[bytes], limits: GitLimits, secrets: Sequence[str]
    ) -> None:
        self._popen = popen
        self._secrets = secrets
        self._timed_out = False
        self._last_words = bytearray()
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._timer = threading.Timer(limits.wall_s, self._expire)
        self._timer.daemon = True
        self._reader.start()
        self._timer.start()

    @property
    def stdin(self) -> IO[bytes]:
        """The pipe that git reads from."""
        assert self._popen.stdin is not None
        return self._popen.stdin

    @property
    def stdout(self) -> IO[bytes]:
        """The pipe that git writes to."""
        assert self._popen.stdout is not None
        return self._popen.stdout

    def finish(self) -> None:
        """Wait for the end; raises GitError unless it was a good one."""
        # Until it is reaped no other process can get its number, so its group can be killed safely.
        os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOWAIT)
        self.kill()
        if self._popen.returncode != 0:
            raise self.failure()

    def failure(self) -> GitError:
        """Why it ended, once killed or finished."""
        text = self._last_words.decode(errors="replace")
        for secret in self._secrets:
            text = text.replace(secret, "…")
        message = _UNPRINTABLE.sub(" ", redacted(text)).strip()
        return GitError(self._popen.returncode, message, timed_out=self._timed_out)

    def kill(self) -> None:
        """End it and everything it started; harmless when it has ended."""
        self._timer.cancel()
        if self._popen.returncode is None:
            self._kill_group()
            self._popen.wait()
        self._reader.join()
        for pipe in (self._popen.stdin, self._popen.stdout):
            if pipe is not None:
                _close(pipe)

    def _expire(self) -> None:
        self._timed_out = True
        self._kill_group()

    def _kill_group(self) -> None:
        children.kill(self._popen)

    def _listen(self) -> None:
        """Keep the end of what a server may send without end."""
        assert self._popen.stderr is not None
        with self._popen.stderr as pipe:
            while chunk := os.read(pipe.fileno(), _STDERR_KEPT):
                self._last_words += chunk
                del self._last_words[:-_STDERR_KEPT]


class Options(TypedDict, total=False):
    """`home` is an empty folder of the caller's. `config` is passed through the environment, where
    only this user's processes can read it; `secrets` are texts that no message may repeat."""

    home: Required[Path]
    limits: Required[GitLimits]
    environment: Mapping[str, str]
    config: Mapping[str, str]
    secrets: Sequence[str]


@contextmanager
def running(arguments: Sequence[str], **options: Unpack[Options]) -> Iterator[Process]:
    """git with these arguments, killed with all it started when the block ends."""
    home, limits = options["home"], options["limits"]
    environment = _environment(home, {**_CONFIG, **options.get("config", {})})
    popen = subprocess.Popen(  # noqa: S603 - our options first, no shell; see the module
        [*_bounds(limits), *command(), *arguments],
        cwd=home,
        env=environment | dict(options.get("environment", {})),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=children.own_group(),
    )
    process = Process(popen, limits, options.get("secrets", ()))
    try:
        yield process
    finally:
        process.kill()


def run(arguments: Sequence[str], *, stdin: bytes = b"", **options: Unpack[Options]) -> bytes:
    """What git prints, at most OUTPUT_MAX bytes. Raises GitError.

    `stdin` is given before anything is read: for commands that read it to its end first.
    """
    with running(arguments, **options) as process:
        with suppress(BrokenPipeError):  # Its status shows why it would not read to the end.
            process.stdin.write(stdin)
            process.stdin.close()
        printed = process.stdout.read(OUTPUT_MAX + 1)
        if len(printed) > OUTPUT_MAX:
            process.kill()
            raise process.failure()
        process.finish()
        return printed


@cache
def command() -> tuple[str, ...]:
    """The program and the options of every call. Raises OperatorError without a fitting git."""
    program = shutil.which("git")
    if program is None:
        raise OperatorError("Reading repositories needs git; install it.", code="no_git")
    options = (program, "--no-pager", "--literal-pathspecs")
    if not children.own_group():  # Who started this child process has asked for the version.
        return options
    version_line = subprocess.run(  # noqa: S603 - a constant argument of the program that was found
        [program, "version"], capture_output=True, check=False, timeout=10
    ).stdout
    version = re.match(rb"git version (\d+)\.(\d+)", version_line)
    if version is None or (int(version[1]), int(version[2])) < VERSION_MIN:
        oldest = ".".join(map(str, VERSION_MIN))
        raise OperatorError(f"Reading repositories needs git {oldest} or newer.", code="old_git")
    return options


def make_folder(folder: Path, oid: str, head: str = "refs/heads/none") -> None:
    """An empty bare repository for objects named by hashes of this length, with nothing else."""
    (folder / "refs").mkdir(parents=True)
    (folder / "objects").mkdir()
    (folder / "HEAD").write_text(f"ref: {head}\n")
    form = "sha256" if len(oid) == 64 else "sha1"
    (folder / "config").write_text(
        f"[core]\nrepositoryformatversion = 1\nbare = true\n[extensions]\nobjectFormat = {form}\n"
    )


def borrow(folder: Path, oid: str, objects: Path, shallow: Path | None = None) -> dict[str, str]:
    """The environment in which git reads objects of elsewhere, from a new folder of its own.
    `shallow` is the file that lists where a shallow repository's history ends, if it is there."""
    make_folder(folder, oid)
    environment = {"GIT_DIR": str(folder), "GIT_OBJECT_DIRECTORY": str(objects)}
    if shallow is not None and shallow.is_file():
        environment["GIT_SHALLOW_FILE"] = str(shallow)
    return environment


def redacted(text: str) -> str:
    """A message without the parts of addresses and header fields that can hold a credential."""
    return _CREDENTIALS.sub(lambda match: (match[1] or "") + "…", text)


def _environment(home: Path, config: Mapping[str, str]) -> dict[str, str]:
    numbered = {}
    for number, (name, value) in enumerate(config.items()):
        numbered[f"GIT_CONFIG_KEY_{number}"] = name
        numbered[f"GIT_CONFIG_VALUE_{number}"] = value
    return {
        **_TABLE["environment"],
        "PATH": os.pathsep.join((str(Path(command()[0]).parent), os.defpath)),
        "HOME": str(home),
        **numbered,
        "GIT_CONFIG_COUNT": str(len(config)),
    }


def _bounds(limits: GitLimits) -> list[str]:
    """The limits as a program that sets them and becomes git: no code runs between fork and exec,
    where other threads of this process could hold any lock.
    """
    program = shutil.which("prlimit")
    if program is None:  # Only Linux has it; elsewhere the wall clock alone bounds a call.
        return []
    return [
        program,
        f"--cpu={limits.cpu_s}",
        f"--as={limits.memory}",
        f"--fsize={limits.file_size}",
        "--core=0",
    ]


def _close(pipe: IO[bytes]) -> None:
    with suppress(BrokenPipeError):  # What was still to be written has no reader any more.
        pipe.close()
