"""A look that costs next to nothing: has anything changed since a run that left nothing to do?

`collect` is run often and mostly for nothing. A run that has sent everything leaves a note under
its arguments: what it read, and the state of all that before it was read. While that is the same,
the same command has the same output, and loads neither agents nor a database for it. Only modules
that start in no time are loaded here.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from hashlib import blake2b

from stationmaster import __version__
from stationmaster.agents.cards.home import Home, Root
from stationmaster.client.collecting.folders import Search, look_of
from stationmaster.client.hooks.run import FOLDER, client_folder

_SETTLED_NS = 100_000_000
"""A file that was written just before we looked may be written again in the same tick of its
clock."""


def print_same() -> bool:
    """Print the last output of the run before, where nothing changed since; False where something
    did."""
    try:
        with open(_note(), "rb") as file:
            note = json.load(file)
        if note["version"] != __version__ or _has_hooks():
            return False
        if any(os.environ.get(name) != value for name, value in note["variables"].items()):  # noqa: TID251 - as in `hook`
            return False
        if any(look_of(path) != look for path, look in note["beside"].items()):
            return False
        search = Search()
        for folder, pattern in note["roots"]:
            for _ in search.below(Root(folder, pattern)):
                pass
        if search.unreadable or search.digest() != note["digest"]:
            return False
        out, remark = note["out"], note["remark"]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False
    sys.stdout.write(out)
    sys.stderr.write(remark)
    return True


def remember(
    home: Home,
    roots: Iterable[Root],
    search: Search,
    beside: Iterable[str],
    answer: tuple[str, str],
) -> None:
    """Leave a note of a run that has sent all that `search` found, and its `answer` for
    nothing new: on standard output and as a remark. `beside` are further files that mattered."""
    if search.unreadable or not search.is_whole or search.newest_ns > search.began_ns - _SETTLED_NS:
        return
    note = {
        "version": __version__,
        "variables": home.asked,
        "roots": [(root.folder, root.pattern) for root in roots],
        "digest": search.digest(),
        "beside": {path: look_of(path) for path in beside},
        "out": answer[0],
        "remark": answer[1],
    }
    path = _note()
    draft = f"{path}.{os.getpid()}.part"
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(note, file)
    os.replace(draft, path)


def _note() -> str:
    """The path of the note of this very command: its arguments hold a key, and are only hashed."""
    environment = sorted(
        item
        for item in os.environ.items()  # noqa: TID251 - as in `hook`
        if item[0].startswith("STATIONMASTER_") or item[0] in ("HOME", "USERPROFILE")
    )
    whole = repr((sys.argv[1:], os.getcwd(), environment)).encode(errors="surrogatepass")
    name = blake2b(whole, digest_size=8).hexdigest()
    return os.path.join(client_folder(), f"unchanged-{name}.json")


def _has_hooks() -> bool:
    try:
        with os.scandir(os.path.join(client_folder(), FOLDER)) as entries:
            return any(entry.name.endswith(".events") for entry in entries)
    except FileNotFoundError:
        return False
