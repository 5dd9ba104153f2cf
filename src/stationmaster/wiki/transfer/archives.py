"""Zip archives as named bytes: packed the same way every time, and unpacked from strangers.

Nothing is ever written to a disk. Unpacking trusts no number in an archive: entries are read as
streams and counted. Every refusal is a BadRequest: `invalid_archive`, or `invalid_path` for a name.
"""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import NamedTuple

from stationmaster.errors import BadRequest
from stationmaster.wiki.transfer.names import checked, shown

MEDIA_TYPE = "application/zip"
ENTRIES_MAX = 5_000
RATIO_MAX = 100
"""Text seldom shrinks to a tenth; an archive that grows more than this is made to harm."""
RATIO_FREE_BYTES = 2**20
"""What any archive may grow to, however well it is packed."""
_LEVEL = 6
_STEP = 64 * 1024
_EPOCH = (1980, 1, 1, 0, 0, 0)
_MODE = stat.S_IFREG | 0o644
_UNIX = 3
_CENTRAL, _END = b"PK\x01\x02", b"PK\x05\x06"
_LOCAL = struct.Struct("<4s22x2H")
_END_SIZE = 22
_IS_ENCRYPTED = 0x1 | 0x40 | 0x2000
_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
)
"""What the library raises on archives that break its expectations."""


class Entry(NamedTuple):
    name: str
    content: bytes


def pack(files: Iterable[Entry]) -> bytes:
    """An archive of files in their order: the same files give the same bytes."""
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
        for name, content in files:
            info = zipfile.ZipInfo(name, _EPOCH)
            info.create_system = _UNIX
            info.external_attr = _MODE << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return target.getvalue()


def unpack(data: bytes, size_max: Callable[[str], int], total_max: int) -> Iterator[Entry]:
    """The files of an archive in its order; folders are checked and left out.

    `size_max` returns how large a file of that name may be, or refuses the name by raising.
    """
    if data.count(_CENTRAL) > ENTRIES_MAX:  # Before the library makes an object of every entry.
        raise _invalid(f"has more than {ENTRIES_MAX} entries")
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            infos = archive.infolist()
            _check_frame(data, archive, infos)
            names = {id(info): _name(info) for info in infos}
            _check_kinds(infos, names)
            _check_sizes(data, infos, total_max)
            for info in infos:
                name = checked(names[id(info)].removesuffix("/"))
                if not _is_folder(info):
                    yield Entry(name, _content(archive, info, name, size_max(name)))
    except _FAULTS as fault:
        raise _invalid("is damaged, or no zip archive") from fault


def _check_frame(data: bytes, archive: zipfile.ZipFile, infos: list[zipfile.ZipInfo]) -> None:
    """The archive is the whole body, and no two entries share bytes."""
    end = len(data) - _END_SIZE - len(archive.comment)
    if end < 0 or data[end : end + 4] != _END:
        raise _invalid("continues after its end")
    ordered = sorted(infos, key=lambda info: info.header_offset)
    if ordered and ordered[0].header_offset != 0:
        raise _invalid("does not begin with its first entry")
    limits = [*(info.header_offset for info in ordered[1:]), archive.start_dir]
    for info, limit in zip(ordered, limits, strict=False):
        signature, name_size, extra_size = _LOCAL.unpack_from(data, info.header_offset)
        head = info.header_offset + _LOCAL.size + name_size + extra_size
        if signature != b"PK\x03\x04" or head + info.compress_size > limit:
            raise _invalid(f"has an entry {_shown(info)} that overlaps another one")


def _check_kinds(infos: list[zipfile.ZipInfo], names: dict[int, str]) -> None:
    """Refuse anything but plain files and folders, without duplicates, in a form that we read."""
    for info in infos:
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise _invalid(f"has an entry {_shown(info)} that is a link or a device")
        if info.flag_bits & _IS_ENCRYPTED:
            raise _invalid(f"has an encrypted entry {_shown(info)}")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _invalid(f"has an entry {_shown(info)} that is neither stored nor deflated")
        if kind != 0 and (kind == stat.S_IFDIR) != _is_folder(info):
            raise _invalid(f"has an entry {_shown(info)} that is a file and a folder")
        if _is_folder(info) and info.file_size:
            raise _invalid(f"has a folder {_shown(info)} with content")
    if len(set(names.values())) < len(infos):
        raise _invalid("has two entries of one name")


def _check_sizes(data: bytes, infos: list[zipfile.ZipInfo], total_max: int) -> None:
    """Check what the archive states of itself, before anything is unpacked."""
    total = sum(info.file_size for info in infos)
    if total > total_max:
        raise _invalid(f"holds more than {total_max} bytes")
    if total > max(RATIO_FREE_BYTES, RATIO_MAX * len(data)):
        raise _invalid(f"grows to more than {RATIO_MAX} times its size")


def _name(info: zipfile.ZipInfo) -> str:
    """The entry's name, which is UTF-8 whether or not the archive marks it so."""
    name = info.orig_filename
    is_marked = info.flag_bits & 0x800
    return name if is_marked else name.encode("cp437").decode()


def _is_folder(info: zipfile.ZipInfo) -> bool:
    # The library asks the name that it has cut at the first NUL.
    return info.orig_filename.endswith("/")


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, size_max: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    with archive.open(info) as stream:
        while part := stream.read(_STEP):
            size += len(part)
            if size > size_max:
                raise _invalid(f"has a file {shown(name)} of more than {size_max} bytes")
            parts.append(part)
    if size != info.file_size:
        raise _invalid(f"has an entry {shown(name)} whose length differs from its header")
    return b"".join(parts)


def _shown(info: zipfile.ZipInfo) -> str:
    return shown(info.orig_filename)


def _invalid(fault: str) -> BadRequest:
    return BadRequest(f"The archive {fault}.", code="invalid_archive")
