"""A real Spark standalone cluster on loopback: a master and two workers, each its own process."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE_S
from tests.support.processes import free_port

WORKERS = 2
_DAEMON = "org.apache.spark.deploy"
# Short lives: compiling well costs more than it gains.
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"
_DEFAULTS = """
spark.driver.host 127.0.0.1
spark.driver.bindAddress 127.0.0.1
spark.driver.memory 1g
spark.driver.extraJavaOptions {java}
spark.executor.memory {memory}
spark.executor.extraJavaOptions {java}
spark.sql.shuffle.partitions 2
spark.log.level OFF
"""


class Cluster:
    """A running cluster. Everything that it writes lies in its folder."""

    def __init__(self, folder: Path, memory: str, java: str) -> None:
        import pyspark

        self._folder = folder
        self._memory = memory
        self._home = Path(pyspark.__file__).parent
        self._port = free_port()
        self.master = f"spark://127.0.0.1:{self._port}"
        self._processes: list[subprocess.Popen[bytes]] = []
        configuration = folder / "conf"
        configuration.mkdir(parents=True)
        (configuration / "spark-defaults.conf").write_text(
            _DEFAULTS.format(memory=memory, java=java)
        )
        self.env = {
            "SPARK_HOME": str(self._home),
            "SPARK_CONF_DIR": str(configuration),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(folder / "local"),
        }

    def start(self) -> None:
        self._run("master.Master", "--port", str(self._port))
        _await_port(self._port)
        for number in range(WORKERS):
            work = self._folder / f"worker-{number}"
            self._run(
                "worker.Worker", self.master, "--port", "0", "--cores", "1",
                "--memory", self._memory, "--work-dir", str(work),
            )  # fmt: skip

    @property
    def pids(self) -> list[int]:
        """Of master and workers; executors are their children."""
        return [process.pid for process in self._processes]

    def stop(self) -> None:
        """End every process, and what the workers have started."""
        for process in self._processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _run(self, daemon: str, *arguments: str) -> None:
        log = (self._folder / f"{daemon}-{len(self._processes)}.log").open("wb")
        with log:
            self._processes.append(
                subprocess.Popen(
                    [self._home / "bin" / "spark-class", f"{_DAEMON}.{daemon}",
                     "--host", "127.0.0.1", "--webui-port", "0", *arguments],
                    env={**os.environ, **self.env, "SPARK_DAEMON_MEMORY": "256m",
                         "SPARK_DAEMON_JAVA_OPTS": _JAVA},
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                )
            )  # fmt: skip


@contextmanager
def running_cluster(folder: Path, memory: str = "512m", java: str = _JAVA) -> Iterator[Cluster]:
    """A cluster, and an environment in which drivers find its configuration; so much memory for
    each executor, and options of Java for driver and executors."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java here: Spark is not tested (install a JRE of version 17 or newer)")
    from pyspark import SparkContext

    cluster = Cluster(folder, memory, java)
    before = dict(os.environ)
    os.environ.update(cluster.env)
    try:
        cluster.start()
        yield cluster
    finally:
        if SparkContext._active_spark_context is not None:
            SparkContext._active_spark_context.stop()
        cluster.stop()
        os.environ.clear()
        os.environ.update(before)


def _await_port(port: int) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the master did not start")
