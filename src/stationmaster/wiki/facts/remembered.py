"""Answers that follow from one file alone, remembered between runs by its path and content."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, get_type_hints

import msgspec

from stationmaster.reading.code.classes import Record
from stationmaster.reading.code.shelf import Head
from stationmaster.wiki.making.memo import Memory, Nothing

_ANSWERS = msgspec.msgpack.Decoder(dict[bytes, msgspec.Raw])
_UNCERTAIN = ("failed", "timeout")
"""What another run may read in full."""
_LINKS = ("submodule", "symlink")
"""Whose content is that of another file."""
MISSING = object()
Reader = Callable[..., Any]


class _File(NamedTuple):
    """What is remembered of a file and what was asked, both by encoded questions; `words` are what
    it is remembered by."""

    words: tuple[str, ...]
    kept: Mapping[bytes, msgspec.Raw]
    asked: dict[bytes, msgspec.Raw]


class Remembered:
    """Answers by file. Those that nobody asked for in a run are forgotten with the next change."""

    def __init__(self, memory: Memory, records: Mapping[str, Record]) -> None:
        self._memory = memory
        self._records = records
        self.heads: Mapping[str, Head] = {}
        """Of code, before anything is asked of it."""
        self._files: dict[str, _File | None] = {}

    def get(self, path: str, read: Reader, more: Hashable = ()) -> Any:
        """What `read` has made of the file, with `more` that it was given besides; MISSING where
        nothing is remembered."""
        file = self._of(path)
        content = file.kept.get(key := _key(read, more)) if file else None
        if file is None or content is None:
            return MISSING
        try:
            answer = _decoder(read).decode(content)
        except msgspec.MsgspecError:  # The memory is damaged.
            return MISSING
        file.asked[key] = content
        return answer

    def put(self, path: str, answer: Any, read: Reader, more: Hashable = ()) -> None:
        """Remember what `read` makes of the file, once `keep` is called."""
        if file := self._of(path):
            file.asked[_key(read, more)] = msgspec.Raw(msgspec.msgpack.encode(answer))

    def made(self, path: str, read: Reader, make: Callable[[], Any]) -> Any:
        """What `read` has made of the file, or what `make` gives."""
        answer = self.get(path, read)
        if answer is MISSING:
            answer = make()
            self.put(path, answer, read)
        return answer

    def keep(self) -> None:
        """Remember what was asked of files that were asked something new."""
        for file in filter(None, self._files.values()):
            if not file.asked.keys() <= file.kept.keys():
                self._memory.keep(msgspec.msgpack.encode(file.asked), *file.words)

    def _of(self, path: str) -> _File | None:
        """None for a file of which nothing is to be remembered."""
        if path not in self._files:
            self._files[path] = self._read(path)
        return self._files[path]

    def _read(self, path: str) -> _File | None:
        record, head = self._records.get(path), self.heads.get(path)
        is_uncertain = head is not None and head.status in _UNCERTAIN
        is_link = record is not None and record.file_class in _LINKS
        if record is None or is_link or is_uncertain or isinstance(self._memory, Nothing):
            return None
        words = ("answers", path, record.oid, record.language)
        try:
            kept = _ANSWERS.decode(self._memory.get(*words) or b"\x80")
        except msgspec.MsgspecError:
            kept = {}
        return _File(words, kept, {})


def _key(read: Reader, more: Hashable) -> bytes:
    return msgspec.msgpack.encode((f"{read.__module__}.{read.__qualname__}", more))


@lru_cache(1_000)
def _decoder(read: Reader) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(get_type_hints(read)["return"])
