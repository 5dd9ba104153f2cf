"""Shell scripts whose `stationmaster` runs in the process of the test.

A program that starts anew loads modules for seconds, which dozens of documented commands need not
repeat: here a small one hands its arguments over, and gets back what the command wrote.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from contextlib import chdir
from pathlib import Path

from tests.support.commands import command

_TIMEOUT_S = 120
_PROGRAM = f"""#!{sys.executable} -IS
import json, os, socket, sys

with socket.socket(socket.AF_UNIX) as test:
    test.connect(os.environ["TEST_SOCKET"])
    asked = {{"arguments": sys.argv[1:], "folder": os.getcwd(), "env": dict(os.environ)}}
    test.sendall(json.dumps(asked).encode())
    test.shutdown(socket.SHUT_WR)
    told = json.loads(b"".join(iter(lambda: test.recv(65536), b"")))
sys.stdout.write(told["stdout"])
sys.stderr.write(told["stderr"])
sys.exit(told["code"])
"""


def run_script(
    script: str, folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run `sh -eu` in a folder, with everything in the environment; one script at a time."""
    program = folder / ".bin" / "stationmaster"
    program.parent.mkdir(exist_ok=True)
    program.write_text(_PROGRAM)
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{environment['PATH']}"
    with socket.socket(socket.AF_UNIX) as listener:
        # The name of a socket is short: so it is told from within the folder.
        with chdir(folder):
            listener.bind(".commands")
        listener.listen()
        listener.settimeout(0.02)
        shell = subprocess.Popen(
            ["sh", "-eu", "-c", script],
            cwd=folder,
            env={**environment, "PATH": path, "TEST_SOCKET": ".commands"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        _serve(listener, shell)
    (folder / ".commands").unlink()
    out, err = shell.communicate()
    return subprocess.CompletedProcess(script, shell.returncode, out, err)


def _serve(listener: socket.socket, shell: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + _TIMEOUT_S
    while shell.poll() is None:
        if time.monotonic() > deadline:
            shell.kill()
            raise AssertionError("the script did not end")
        try:
            client, _ = listener.accept()
        except TimeoutError:
            continue
        with client:
            client.setblocking(True)
            asked = json.loads(b"".join(iter(lambda: client.recv(2**16), b"")))  # noqa: B023 - called at once
            with chdir(asked["folder"]):
                done = command(*asked["arguments"], env=asked["env"])
            told = {"code": done.code, "stdout": done.stdout.decode(), "stderr": done.stderr}
            client.sendall(json.dumps(told).encode())
