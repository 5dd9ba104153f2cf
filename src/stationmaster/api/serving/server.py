"""Running the application under uvicorn: in this process, or in several that share one port."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import uvicorn
from prometheus_client.multiprocess import mark_process_dead
from starlette.types import ASGIApp
from uvicorn.supervisors import Multiprocess

from stationmaster import logs, settings as settings_room
from stationmaster.api.monitoring.metrics import SHARED_DIR
from stationmaster.api.serving import sockets
from stationmaster.api.serving.connections import Connection, allow_open_files
from stationmaster.api.serving.life import REPEAT_S
from stationmaster.api.telemetry import otlp_grpc
from stationmaster.errors import OperatorError

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_OBJECTS_BETWEEN_COLLECTIONS = 700
"""Python's own; the command that loads a server looks more rarely."""
_COUNTS = "counts-"
"""The folders in which the processes of one server count together, of one server each."""


def prepare(settings: settings_room.Settings, port: int, grpc_port: int = 0) -> None:
    """Set up logs as the settings require, and check early whether the ports are free."""
    logs.configure(settings.log_format, settings.log_level)
    check_address(settings.host, port)
    if grpc_port:
        otlp_grpc.check(settings)
        check_address(settings.host, grpc_port, "STATIONMASTER_GRPC_PORT")


def check_address(host: str, port: int, setting: str = "--host and --port") -> None:
    """Raise OperatorError when the address, which a setting names, cannot be listened on."""
    try:
        socket.create_server((host, port)).close()
    except OSError as fault:
        raise OperatorError(
            f"cannot listen on {host}:{port} ({fault.strerror}); choose another one with {setting}",
            code="address",
        ) from fault


def run(
    app: ASGIApp,
    settings: settings_room.Settings,
    port: int,
    announce: Callable[[], None] = lambda: None,
    *,
    drain_s: int | None = None,
) -> None:
    """Serve in this process until it is stopped; port 0 listens nowhere.

    `announce` is called once no other process can answer at the port any more. Requests that have
    begun may take `drain_s` more when it is stopped, by default `shutdown_seconds`.
    """
    allow_open_files()
    config = _config(app, settings, port, drain_s=drain_s)
    sockets = [config.bind_socket()] if port else []
    for bound in sockets:
        # A bound port may still be shared with another process; one that is listened on may not.
        bound.listen(config.backlog)
    announce()
    _exit_cleanly_on_signals()
    gc.freeze()  # What is loaded stays, and no collection looks at it again.
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    try:
        uvicorn.Server(config).run(sockets)
    except SystemExit as ending:
        if ending.code:
            raise
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)  # It ends already.
    if any(thread.name in ("mover", "rollup") for thread in threading.enumerate()):
        # What did not end in time is safe to cut, but not while the interpreter takes itself apart.
        sys.stderr.flush()
        os._exit(0)


def run_several(factory: str, settings: settings_room.Settings, workers: int) -> None:
    """Serve in several processes until they are stopped. `factory` names a function that makes the
    application: each process builds its own, from the environment.
    """
    allow_open_files()
    settings_room.export(settings)
    config = _config(factory, settings, settings.port, workers=workers)
    with counting_together(settings.scratch_dir) as folder:
        _Processes(config, [config.bind_socket()], folder).run()


def _config(
    app: ASGIApp | str,
    settings: settings_room.Settings,
    port: int,
    *,
    workers: int = 1,
    drain_s: int | None = None,
) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        factory=isinstance(app, str),
        workers=workers,
        host=settings.host,
        port=port,
        http=Connection,
        **sockets.OPTIONS,
        access_log=False,
        log_config=None,
        timeout_graceful_shutdown=settings.shutdown_seconds if drain_s is None else drain_s,
        server_header=False,
        # Read by our own, which trusts no proxy by default: see `api/serving/forwarded.py`.
        proxy_headers=False,
    )


def _exit_cleanly_on_signals() -> None:
    """The server raises a signal again once it has ended well, which must not look like a crash."""

    def end(_number: int, _frame: object) -> NoReturn:
        raise SystemExit(0)

    for number in _SIGNALS:
        signal.signal(number, end)


class _Processes(Multiprocess):
    """uvicorn's own, which also stops listening immediately, and passes on a second signal."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket], counts: Path) -> None:
        super().__init__(config, sockets)
        self._counts = counts

    def keep_subprocess_alive(self) -> None:
        before = {process.pid for process in self.processes}
        super().keep_subprocess_alive()
        for ended in before - {process.pid for process in self.processes}:
            # The library's multiprocess mode has no types.
            mark_process_dead(ended, str(self._counts))  # type: ignore[no-untyped-call]

    def terminate_all(self) -> None:
        super().terminate_all()
        # Or connections would still be accepted here, and never answered.
        for sock in self.sockets:
            sock.close()

    def join_all(self) -> None:
        signalled_at = time.monotonic()
        while any(process.process.is_alive() for process in self.processes):
            if self.signal_queue and time.monotonic() - signalled_at >= REPEAT_S:
                self.signal_queue.clear()
                for process in self.processes:
                    process.terminate()
            time.sleep(0.05)
        super().join_all()


@contextmanager
def counting_together(scratch: Path) -> Iterator[Path]:
    """A folder for the counts of one server's processes, which is removed with them.

    Its lock shows others that it is in use; those of servers that were killed are removed.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    for left in scratch.glob(f"{_COUNTS}*"):
        with _locked(left) as is_mine:
            if is_mine:
                shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=_COUNTS, dir=scratch))
    with _locked(folder):
        settings_room.export_variable(SHARED_DIR, str(folder))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Whether the folder's lock is ours; until the block, or the process, ends."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(descriptor)
