"""Computers on this very machine, for trying and for tests: Linux namespaces of an ordinary user.

Each has its own processes, account, home and temporary files, and sees the programs of this
machine read-only. It shares the kernel, the network and the processor: it keeps what is well-meant
apart, and is no wall against hostile code.
"""

from __future__ import annotations

import fcntl
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from stationmaster.computers.managed.providers import base, programs

_ID = 1000
_POLL_S = 0.05
_USER = "dev"
_UNSHARED = (
    *("setsid", "--fork", "unshare", "--user", f"--map-user={_ID}", f"--map-group={_ID}"),
    *("--keep-caps", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child=KILL"),
    *("sh", "-c"),
)
_SEEN = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "opt", "etc", "nix")
"""What a computer sees of this machine's root folder."""
_INIT = """\
set -eu
read -r pid rest < /proc/self/stat
echo "$pid" > {folder}/pid
root={folder}/root
mount -t tmpfs -o mode=755 root "$root"
see() {{
  if [ -L "$1" ]; then mkdir -p "$root$(dirname "$1")"; cp -P "$1" "$root$1"
  elif [ -d "$1" ]; then
    mkdir -p "$root$1"; mount --rbind "$1" "$root$1"; mount -o remount,bind,ro "$root$1"
  fi
}}
for path in {seen}; do see "$path"; done
mkdir -p "$root/proc" "$root/dev/pts" "$root/tmp" "$root/home/{user}" "$root/old"
mount -t proc proc "$root/proc"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
for name in null zero full random urandom tty; do
  : > "$root/dev/$name"; mount --bind "/dev/$name" "$root/dev/$name"
done
ln -s /proc/self/fd "$root/dev/fd"
mount --bind {folder}/tmp "$root/tmp"
mount --bind {folder}/home "$root/home/{user}"
mount --bind {folder}/passwd "$root/etc/passwd"
mount --bind {folder}/group "$root/etc/group"
hostname {hostname} 2>/dev/null || true
cd "$root"
pivot_root . old
umount -l /old
rmdir /old
echo ready > /tmp/.ready
cd /
exec setpriv --no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all sleep infinity
"""


class Here(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="provider",
    tag="namespace",
    forbid_unknown_fields=True,
):
    """A template of the provider `namespace`. `folder` holds a folder for each computer."""

    folder: Path


class NamespaceProvider:
    """A reference is the name of a computer's folder. While its file `lock` is
    locked it runs: the kernel releases that with the last of its processes.
    """

    can_stop = True

    def __init__(self, template: Here) -> None:
        self._folder = template.folder.absolute()

    def create(self, machine: base.Machine, doing: base.Doing) -> base.NewMachine:
        folder = self._folder / machine.key
        for part in (folder, folder / "root", folder / "home", folder / "tmp"):
            part.mkdir(mode=0o700, parents=True, exist_ok=True)
        user = _shown_user(machine.user)
        line = f"{user}:x:{_ID}:{_ID}::/home/{user}:{_shell()}\n"
        (folder / "passwd").write_text("root:x:0:0:root:/root:/bin/sh\n" + line)
        (folder / "group").write_text(f"root:x:0:\n{user}:x:{_ID}:\n")
        self.start(machine, doing)
        return base.NewMachine(machine.key, user, f"{sys.executable} -m stationmaster")

    def state(self, machine: base.Machine, _doing: base.Doing) -> base.State:
        folder = self._folder / machine.key
        if not (folder / "passwd").exists():
            return "absent"
        with _lock(folder) as lock:
            if lock is not None:
                return "stopped"
        return "running" if (folder / "tmp" / ".ready").exists() else "busy"

    def start(self, machine: base.Machine, doing: base.Doing) -> None:
        folder = self._folder / machine.key
        with _lock(folder) as lock:
            if lock is not None:
                (folder / "tmp" / ".ready").unlink(missing_ok=True)
                _start(folder, machine, lock)
        while not (folder / "tmp" / ".ready").exists():
            doing.look()
            with _lock(folder) as lock:
                if lock is not None:
                    doing.log((folder / "log").read_bytes()[-4096:])
                    raise base.ProviderError(
                        "This system does not allow an ordinary user to create namespaces; the "
                        "log has details.",
                        code="no_namespaces",
                    )
            if not doing.left_s:
                raise base.ProviderError("The namespaces were not ready in time.", code="too_slow")
            time.sleep(_POLL_S)

    def stop(self, machine: base.Machine, doing: base.Doing) -> None:
        folder = self._folder / machine.key
        if not folder.exists():
            return
        while True:
            with _lock(folder) as lock:
                if lock is not None:
                    return
                # Under the lock of others the number is that of the computer's first process.
                with suppress(OSError, ValueError):
                    os.kill(int((folder / "pid").read_text()), signal.SIGKILL)
            doing.look()
            if not doing.left_s:
                raise base.ProviderError("Its processes do not end.", code="too_slow")
            time.sleep(_POLL_S)

    def destroy(self, machine: base.Machine, doing: base.Doing) -> None:
        self.stop(machine, doing)
        folder = self._folder / machine.key
        if folder.exists():
            _make_deletable(folder)
            shutil.rmtree(folder)

    def run(self, machine: base.Machine, script: str, doing: base.Doing) -> int:
        folder = self._folder / machine.key
        with _lock(folder) as lock:
            if lock is not None:
                raise base.ProviderError("This computer is not running.", code="no_machine")
            first = (folder / "pid").read_text().strip()
        user = _shown_user(machine.user)
        entered = [
            *("nsenter", "--target", first, "--user", "--mount", "--pid", "--ipc", "--uts"),
            *("--preserve-credentials", "--root", "--wd", "--"),
            *("setpriv", "--no-new-privs", "--inh-caps=-all", "--ambient-caps=-all"),
            *("--pdeathsig", "KILL", "--"),
            *(
                "env",
                "-i",
                f"HOME=/home/{user}",
                f"USER={user}",
                f"LOGNAME={user}",
                f"SHELL={_shell()}",
            ),
            *(
                "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
                f"SHELL={_shell()}",
                "LANG=C.UTF-8",
            ),
            *("sh", "-c", 'cd && exec "$@"', "sh"),
            *("timeout", "-k", "5", str(int(doing.left_s) + 5), "sh", "-s"),
        ]
        return programs.run(entered, doing, content=script.encode()).status


def _start(folder: Path, machine: base.Machine, lock: int) -> None:
    """Start the first process of a computer, which outlives this one and keeps the lock."""
    folders = [f"/{name}" for name in _SEEN]
    # The agent is this program, with its interpreter and its libraries.
    for path in sorted({sys.prefix, sys.base_prefix, *filter(os.path.isdir, sys.path)}):
        if not any(Path(path).is_relative_to(other) for other in folders):
            folders.append(path)
    script = _INIT.format(
        folder=shlex.quote(str(folder)),
        seen=" ".join(map(shlex.quote, folders)),
        user=_shown_user(machine.user),
        hostname=shlex.quote(machine.key.replace("_", "-")),
    )
    try:
        with (folder / "log").open("wb") as log:
            subprocess.run(  # noqa: S603 - programs of the system, with words of ours
                [*_UNSHARED, script],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # The lock is of the open file, which the new process shares.
                pass_fds=(lock,),
                cwd="/",
                check=True,
            )
    except (OSError, subprocess.CalledProcessError) as fault:
        raise base.ProviderError(
            "Namespaces need Linux with util-linux.", code="no_namespaces"
        ) from fault


@contextmanager
def _lock(folder: Path) -> Iterator[int | None]:
    """The open lock of a computer that does not run, held in the block; None where it runs."""
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
            return
        yield descriptor
    finally:
        os.close(descriptor)


def _shown_user(user: str) -> str:
    """The account in it; none can be an administrator there."""
    return _USER if user == "root" else user


def _shell() -> str:
    return shutil.which("bash") or "/bin/sh"


def _make_deletable(folder: Path) -> None:
    """Folders without permission to write cannot be emptied."""
    for path, _, _ in os.walk(folder):
        with suppress(OSError):
            os.chmod(path, 0o700)
