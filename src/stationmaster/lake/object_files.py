"""Part files on object storage, through fsspec: what is put there appears whole or not at all.

Parts never change, so a copy of one is as good as the part. Copies are kept in the scratch folder
for as long as they are used and there is room; each reader has them under names of its own, so
what is dropped here stays with those who still read it.
"""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa

from stationmaster.errors import MissingExtra, OperatorError, StationmasterError, Unavailable
from stationmaster.settings import Settings

FILES_AT_ONCE = 8
"""Files that one caller fetches or writes side by side."""
UNUSED_NS = 24 * 3600 * 10**9
"""A copy that was not used for so long is removed, so that none outlives an erased part for
long."""
_UPLOAD_CHUNK = 16 * 2**20
"""A file of twice this size or more is sent in several requests, each repeated for itself."""
_WHOLE = 2**20
"""A file up to this size is read in one request, whatever is wanted of it."""
_ATTEMPTS = 3
"""Of one request to S3, with a growing pause between them; what a repetition may cure only."""
_BODY_ATTEMPTS = 2
"""Of the requests whose answer breaks off; each has the attempts above."""
_S3 = ("s3", "s3a")
_PERMANENT = (
    "NoCredentialsError",
    "PartialCredentialsError",
    "CredentialRetrievalError",
    "ProfileNotFound",
    "NoRegionError",
    "InvalidRegionError",
    "ParamValidationError",
    "UnknownEndpointError",
)
_RETURNS = (408, 429)
"""Refusals among the 4xx that may pass by themselves."""


class ObjectFiles:
    """See Files. Paths are URLs."""

    writes_at_once = FILES_AT_ONCE
    is_remote = True

    def __init__(self, fs: Any, url: str, scratch: Path, copies_max: int) -> None:
        """`open` is the way to make one; `fs` is an fsspec file system."""
        self.root = url.rstrip("/")
        self._fs = fs
        self._scratch = scratch
        self._copies = scratch / "parts"
        self._copies_max = copies_max
        self._upload = {"chunksize": _UPLOAD_CHUNK} if self.root.split(":")[0] in _S3 else {}

    @classmethod
    def open(cls, url: str, settings: Settings) -> ObjectFiles:
        """OperatorError for a URL whose protocol is unknown, or not installed."""
        protocol, separator, place = url.partition("://")
        if not separator or not place.strip("/"):
            raise OperatorError(
                f"STATIONMASTER_LAKE_URL must be like s3://bucket/prefix, not {url}",
                code="bad_lake",
            )
        fs = _filesystem(protocol, os.getpid())
        return cls(fs, url, settings.scratch_dir, settings.lake_copies_max)

    def parts(self, folder: str) -> list[tuple[str, int]]:
        """(URL, bytes) of the finished parts directly in a folder."""
        with self._faults(folder):
            objects = self._fs.find(folder, detail=True, prefix="part-")
        start = f"{folder}/part-"
        urls = ((self._fs.unstrip_protocol(name), int(e["size"])) for name, e in objects.items())
        return [
            (url, size)
            for url, size in urls
            if url.startswith(start) and "/" not in url[len(start) :] and url.endswith(".parquet")
        ]

    def folders(self) -> list[str]:
        """The folder of every organization and day, without a slash at its end."""
        with self._faults(self.root):
            paths = self._fs.glob(f"{self.root}/org=*/day=*")
        return [name.rstrip("/") for name in paths]

    @contextmanager
    def replacing(self, path: str) -> Iterator[Path]:
        """A local file, uploaded to `path` if the block ends well."""
        self._scratch.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="part-", dir=self._scratch) as folder:
            partial = Path(folder) / "part.parquet"
            yield partial
            with self._faults(path):
                self._fs.put_file(str(partial), path, **self._upload)

    @contextmanager
    def reading(self, path: str, size: int) -> Iterator[pa.NativeFile]:
        """The copy kept of `path`, or its bytes: in one request up to 1 MiB, else by ranges."""
        kept = self._kept(path, size)
        if kept is not None:
            with kept:
                yield kept
            return
        with self._faults(path):
            if size <= _WHOLE:
                yield pa.BufferReader(self._fs.cat_file(path))
                return
            with self._fs.open(path, "rb", size=size, cache_type="none") as file:
                yield pa.PythonFile(file, mode="r")

    def exists(self, path: str) -> bool:
        """True where there is an object at a URL."""
        with self._faults(path):
            return bool(self._fs.exists(path))

    def probe(self) -> None:
        """Write an empty object that is no part."""
        with self._faults(self.root):
            self._fs.pipe_file(f"{self.root}/probe", b"")

    def delete(self, path: str) -> None:
        """Remove an object, if it is there, and the copy kept of it."""
        self.drop_cached(path)
        with self._faults(path), suppress(FileNotFoundError):
            self._fs.rm_file(path)

    def copies(self, paths: Sequence[str], folder: Path) -> list[str]:
        """Links to kept copies, or downloads, in `folder`; as many and in the order of `paths`."""
        self._copies.mkdir(parents=True, exist_ok=True)
        targets = [folder / f"{self._key(path)}.parquet" for path in paths]
        with ThreadPoolExecutor(FILES_AT_ONCE, "lake-fetch") as pool:
            list(pool.map(self._copy, paths, targets))
        self._drop_old()
        return [str(target) for target in targets]

    def drop_cached(self, path: str) -> None:
        """Remove the copy kept of an object, if there is one."""
        (self._copies / self._key(path)).unlink(missing_ok=True)

    def _kept(self, path: str, size: int) -> pa.NativeFile | None:
        try:
            kept = pa.OSFile(str(self._copies / self._key(path)))
        except FileNotFoundError:
            return None
        if kept.size() == size:
            return kept
        # Cut short when the machine lost its power.
        kept.close()
        self.drop_cached(path)
        return None

    def _copy(self, path: str, target: Path) -> None:
        kept = self._copies / self._key(path)
        try:
            target.hardlink_to(kept)
            os.utime(kept)
            return
        except FileExistsError:
            return
        except OSError:
            # Not kept, or dropped just now.
            target.unlink(missing_ok=True)
        with self._faults(path):
            self._fs.get_file(path, str(target))
        # A copy that cannot be kept, or that another process keeps by now, is as good to read.
        with suppress(OSError):
            kept.hardlink_to(target)

    def _drop_old(self) -> None:
        kept = []
        for entry in os.scandir(self._copies):
            with suppress(FileNotFoundError):
                status = entry.stat()
                kept.append((status.st_mtime_ns, status.st_size, entry.path))
        total = sum(size for _, size, _ in kept)
        newest = max((used for used, _, _ in kept), default=0)
        for used, size, path in sorted(kept):
            if total <= self._copies_max and used > newest - UNUSED_NS:
                break
            Path(path).unlink(missing_ok=True)
            total -= size

    @staticmethod
    def _key(path: str) -> str:
        return blake2b(path.encode(), digest_size=16).hexdigest()

    @contextmanager
    def _faults(self, path: str) -> Iterator[None]:
        """FileNotFoundError stays what it is where only the file is missing."""
        try:
            yield
        except FileNotFoundError as fault:
            if _code(fault) == "NoSuchBucket":
                raise _needs_a_person(path, fault) from fault
            raise
        except (StationmasterError, pa.ArrowException):
            raise
        except OSError as fault:
            if type(fault) is OSError and fault.errno is None and fault.__cause__ is None:
                # The error of Parquet for a file that it cannot read.
                raise
            raise _explained(path, fault) from fault
        except Exception as fault:
            raise _explained(path, fault) from fault


@functools.cache
def _filesystem(protocol: str, pid: int) -> Any:
    """One file system of a process: its connections are shared by all threads.

    `pid` keeps one apart that was made before a fork, which does not survive that.
    """
    del pid
    try:
        import fsspec

        kind = fsspec.get_filesystem_class(protocol)
    except ImportError as fault:
        if protocol in _S3:
            raise MissingExtra(f"a lake at {protocol}://", "server,s3", fault.name) from fault
        raise OperatorError(
            f"A lake at {protocol}:// needs a package that is not installed: {fault}",
            code="missing_package",
        ) from fault
    except ValueError as fault:
        raise OperatorError(f"STATIONMASTER_LAKE_URL: {fault}", code="bad_lake") from fault
    options: dict[str, Any] = {"use_listings_cache": False, "skip_instance_cache": True}
    if protocol in _S3:
        # One request of a call at a time: it bounds what is held in memory, and only then does
        # an answer that breaks off continue where it stopped. Files are read in parallel instead.
        options["max_concurrency"] = 1
        options["config_kwargs"] = {
            "retries": {"mode": "standard", "total_max_attempts": _ATTEMPTS},
            "read_timeout": 30,
            "max_pool_connections": 2 * FILES_AT_ONCE,
        }
    fs = kind(**options)
    if protocol in _S3:
        fs.retries = _BODY_ATTEMPTS
    return fs


def _explained(path: str, fault: Exception) -> StationmasterError:
    status = _status(fault)
    if status is not None:
        is_permanent = 400 <= status < 500 and status not in _RETURNS
    else:
        is_permanent = type(fault).__name__ in _PERMANENT or isinstance(fault, PermissionError)
    if is_permanent:
        return _needs_a_person(path, fault)
    return Unavailable(
        "The object storage does not answer as it should; try again.",
        code="storage_unavailable",
        internal=f"{path}: {_text(fault)}",
    )


def _needs_a_person(path: str, fault: Exception) -> OperatorError:
    return OperatorError(
        "The object storage refuses a file of the lake; the server's log has its name.",
        code="storage_refused",
        internal=f"The object storage refuses {path}: {_text(fault)}",
    )


def _text(fault: Exception) -> str:
    return str(fault) or type(fault).__name__


def _answer(fault: Exception) -> dict[str, Any]:
    """What S3 answered, if it did: s3fs hangs it on the error that it makes of it."""
    return getattr(fault, "response", None) or getattr(fault.__cause__, "response", None) or {}


def _status(fault: Exception) -> int | None:
    status = _answer(fault).get("ResponseMetadata", {}).get("HTTPStatusCode")
    return status if isinstance(status, int) else None


def _code(fault: Exception) -> str | None:
    code = _answer(fault).get("Error", {}).get("Code")
    return str(code) if code is not None else None
