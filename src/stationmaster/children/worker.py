"""The child process: it does one call, within limits that the kernel enforces, and ends.

The pipe that brought the call stays open as long as the parent lives. When it closes, the kernel
sends SIGIO to the whole process group, which ends it whatever it computes.
"""

from __future__ import annotations

import errno
import fcntl
import gc
import importlib
import os
import resource
import select
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import get_type_hints

import msgspec

from stationmaster import settings
from stationmaster.children import frames, process
from stationmaster.children.limits import Limits
from stationmaster.children.messages import (
    TEXT_MAX,
    Answer,
    Call,
    Exceeded,
    Failed,
    Message,
    Progress,
    refused,
)
from stationmaster.errors import StationmasterError

_NICE = 5
_OOM_SCORE = "500"


def main() -> None:
    """Run the one call that stdin has, within its limits, and write its result to stdout.

    Modules that are named as arguments are loaded before: the caller may not be ready yet.
    """
    gc.set_threshold(process.OBJECTS_BETWEEN_COLLECTIONS)
    for module in sys.argv[1:]:
        with suppress(ImportError):  # It is raised again by the call.
            importlib.import_module(module)
    asked = frames.take(sys.stdin.buffer)
    if asked is None:
        return
    call = msgspec.msgpack.decode(asked, type=Call)
    del asked
    process.enter_child()
    settings.export_variable("TMPDIR", call.folder)
    _end_with_parent()
    _limit(call.limits)
    try:
        message: Message = Answer(_done(call))
    except MemoryError:
        message = Exceeded("memory")
    except StationmasterError as fault:
        message = refused(fault)
    except OSError as fault:
        message = Exceeded("file_size") if fault.errno == errno.EFBIG else _failed()
    except Exception:  # The process's edge: the parent logs it.
        message = _failed()
    _give(message)


def _done(call: Call) -> bytes:
    function = getattr(importlib.import_module(call.module), call.name)
    hints = get_type_hints(function)
    names = [name for name in hints if name not in ("report", "return")]
    encoded = msgspec.msgpack.decode(call.arguments, type=list[msgspec.Raw])
    arguments = [
        msgspec.msgpack.decode(value, type=hints[name])
        for value, name in zip(encoded, names, strict=False)
    ]
    del encoded
    call.arguments = b""
    keywords = {"report": _report} if "report" in hints else {}
    return msgspec.msgpack.encode(function(*arguments, **keywords))


def _report(step: str, done: int, of: int) -> None:
    _give(Progress(step, done, of))


def _give(message: Message) -> None:
    frames.give(sys.stdout.buffer, msgspec.msgpack.encode(message))


def _failed() -> Failed:
    return Failed(traceback.format_exc()[-TEXT_MAX:])


def _end_with_parent() -> None:
    group = os.getpgrp()
    if group != os.getpid():
        return
    fcntl.fcntl(0, fcntl.F_SETOWN, -group)
    fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([0], [], [], 0)[0]:  # The parent ended before the kernel watched for it.
        sys.exit(1)


def _limit(limits: Limits) -> None:
    """Soft limits, which the kernel enforces; processes that are started here may set their own."""
    os.nice(_NICE)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_OOM_SCORE)
    for kind, most in (
        (resource.RLIMIT_CPU, limits.cpu_s),
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_FSIZE, limits.file_size),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (soft, hard))


if __name__ == "__main__":
    main()
