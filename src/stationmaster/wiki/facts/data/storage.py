"""Where data is stored: files of databases and folders that code names, and volumes of images."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.symbols import suites
from stationmaster.wiki.facts.data.stores import stores
from stationmaster.wiki.facts.extending.offered import is_aside
from stationmaster.wiki.facts.interfaces.settings import settings
from stationmaster.wiki.facts.model import Facts, of_file, query
from stationmaster.wiki.facts.tooling import deploys
from stationmaster.wiki.text.inline import Place

ROWS_MAX = 24
"""Of one kind."""
_LINE_MAX = 400
_PATH = r"((?=[^\"'`;?]{0,120}[./])[\w{$.][\w.{}$/\\:@%-]{0,120})"
_FILES = re.compile(
    r"(?i)[\"'`](?:data ?source|filename)\s?=\s?" + _PATH + r"[;\"'`]"
    r"|[\"'`]sqlite3?:(?://)?/?" + _PATH + r"[?\"'`]"
    r"|[\"'`]jdbc:(?:sqlite|h2:file|hsqldb:file):" + _PATH + r"[;?\"'`]"
    r"|\b(?:sqlite3?\.(?:connect|Database|open)|sql\.Open\([\"'`]sqlite3?[\"'`],\s?|b?bolt\.Open"
    r"|badger\.DefaultOptions|new Database)\(?\s?[\"'`]" + _PATH + r"[\"'`]"
)
"""A file in which a database is, by what opens it."""
_FOLDER = re.compile(
    r"(?i)(?<![a-z_])(?P<name>(?!output|full|source|target|dest|test)[a-z_]{0,40}"
    r"(?:data|db|database|storage|upload|cache|log|backup|media|cover|bookmark|attachment|avatar|thumbnail|export|cert|key)s?_?"
    r"(?:image_?)?(?:dir|directory|path|folder|root|location))"
    r"(?::\s?[a-z.]{1,30})?\s?(?::=|=>|=(?!=)|:)\s?(?P<rest>[^=].*)$"
)
"""A name that states which folder it is, with its value."""
_SETTING = re.compile(
    r"(?i)(?:^|[_. ])(?:db|database)_?(?:driver|type|file(?:name)?|path|engine|dialect|client)$"
    r"|(?:data|upload|storage|file|media|cache|log|backup|database|db)s?_?"
    r"(?:dir|directory|path|folder|root)$"
    r"|(?:^|[_. ])(?:database|db|sqlite|storage|store)[._](?:\w{1,40}[._])?"
    r"(?:dir|file|folder|path)$"
)
"""A setting that decides where something is stored, and of what kind."""
_BESIDE_DATA = re.compile(r"(?i)cache|cert|key|log|temp")
"""In the name of a place that has no data of users."""
_LITERAL = re.compile(r"""(?<!\[)["'](/?(?![A-Z_]+["'])[\w.][\w./\\-]{0,80})["'](?!\s?:)""")
"""None that names a setting, and no key."""
_CALL = re.compile(r"\.\w{1,40}\(")
_ADDED = re.compile(r"[+.]\s*\Z")
"""Before what is put behind a text without a sign between."""
_OF_DATA = re.compile(r"(?i)db|data|path|file(?!name)|stor|sqlite|dir|folder")
"""In the name of a variable that states what a path is of."""
_OPENING = (
    "sqlite", "SQLite", "Sqlite", "ata Source=", "ata source=", "ataSource=", "bolt.Open",
    "badger.", "jdbc:h2", "jdbc:hsqldb",
)  # fmt: skip
_DATABASE = re.compile(
    r"(?i)(?:(?<![a-z_])(?P<name>[a-z_]{1,60})\s?(?::=|=(?!=)|:)\s?)?"
    r"(?P<rest>[^=;]{0,100}?[(.,]\s?[\"'`]/?[\w.-]{1,60}\.(?:db|sqlite3?)[\"'`])"
)
"""What joins a folder and the file of a database."""
_FOREIGN = re.compile(
    r"(?i)(?:^|/)import(?:s|ers?)?(?:/|\.\w{1,5}\Z)|migrat(?:e|ions?|ors?)[^/]*/|/migrate\w*\.\w+\Z"
)
"""Files about data of other programs, or of earlier versions."""
_FORMER = re.compile(r"(?i)_?(?:old|legacy)(?!er)")
_JOIN = re.compile(
    r"(?i)((?:(?:[\w$:@.?]|\(\)){1,80}(?=\.))?)\.?(?:join|joinpath|combine|resolve)\Z"
)
_OF_PATHS = re.compile(r"(?i)(?:.*\W)?(?:path|filepath|posixpath|paths|file)")
_MADE = re.compile(r"(?i)(?:\bfile|\bpaths?\.get|path)\Z")
"""What is called with a whole path."""
_OPERAND = re.compile(r"([^\s,=?&|]{1,80})\s*[+.]\s*\Z")
_COMMA = re.compile(r",\s*(?![^(]*\))")
_BASE_MAX = 120
_JOINING = (
    "Join(", "join(", "Combine(", "joinpath(", "path.resolve(", "new File(", "aths.get(", " . '/",
    ' . "/',
)  # fmt: skip
"""What a line with a file of a database, and one with a folder, has in it."""


class Storage(msgspec.Struct, frozen=True):
    """What is stored, where, and the place that states it; `name` `is_plain` if it is not code."""

    name: str
    where: str
    place: Place
    is_plain: bool = False


@query
def storage(facts: Facts) -> tuple[Storage, ...]:
    """Databases that settings name, files of databases, folders and volumes, all distinct; none
    where no place of data is among them."""
    rows: dict[tuple[str, str], Storage] = {}
    of_settings = [*_settings(facts)]
    taken = {it.name for it in of_settings}
    in_code = (it for it in _in_code(facts) if it.name not in taken)
    for row in (*_databases(facts), *of_settings, *in_code, *_volumes(facts)):
        rows.setdefault((row.name, row.where), row)
    is_known = any(not _BESIDE_DATA.search(it.name) for it in rows.values())
    return tuple(rows.values()) if is_known else ()


def _databases(facts: Facts) -> Iterator[Storage]:
    for store in stores(facts):
        name = f"{store.name} (profile {store.profile})" if store.profile else store.name
        yield Storage(name, "", store.place, is_plain=True)


def _settings(facts: Facts) -> Iterator[Storage]:
    """Those with a default, or a value in a file of settings."""
    for setting in settings(facts):
        values = [value for value, _ in setting.values]
        places = (*setting.reads, *setting.documented, *setting.set_at)
        if setting.sample and not (values or setting.default):
            values, places = [setting.sample], setting.documented
        if _SETTING.search(setting.name) and places and (values or setting.default):
            where = setting.default or values[0]
            if where not in ("None", "null", "nil"):
                yield Storage(setting.name, where, Place(*places[0]))


def _in_code(facts: Facts) -> Iterator[Storage]:
    """Files of databases first, then folders whose paths are joined of literals."""
    files, folders = list[Storage](), list[Storage]()
    for path in facts.code:
        is_product = facts.records[path].file_class == "source" and path not in suites(facts)
        if is_product and not (is_aside(path) or _FOREIGN.search(path)):
            own_files, own_folders = _in_file(facts, path)
            files += own_files
            folders += [it for it in own_folders if not _FORMER.match(it.name)]
    yield from files[:ROWS_MAX]
    named = {_name(it) for it in (*files, *folders) if it in files or not it.is_plain}
    yield from [it for it in folders if not (it.is_plain and _name(it) in named)][:ROWS_MAX]


def _name(stored: Storage) -> str:
    return posixpath.basename(stored.where)


@of_file
def _in_file(facts: Facts, path: str) -> tuple[list[Storage], list[Storage]]:
    """The files of databases, and the folders."""
    text = facts.tree.text(path)
    files, folders = list[Storage](), list[Storage]()
    for number, line in _lines_with(text, _OPENING):
        if match := _FILES.search(line):
            where = next(filter(None, match.groups()))
            files.append(Storage("Database", where, Place(path, number), is_plain=True))
    for number, line in _lines_with(text, _JOINING):
        match = _DATABASE.search(line) or _FOLDER.search(line)
        where = _joined(match["rest"]) if match else ""
        if match and where.strip("./") and where[-1] not in ".-_":
            is_folder = match.re is _FOLDER
            is_named = is_folder or bool(match["name"] and _OF_DATA.search(match["name"]))
            name = match["name"] if is_named else "Database"
            folders.append(Storage(name, where, Place(path, number), not is_named))
    return files, folders


def _joined(words: str) -> str:
    """The path that texts are joined to, with what it is below in braces, and `{…}` for what else
    is between them; '' where the first is only an ending, or it is not plain what it is below."""
    where, end = "", 0
    for match in _LITERAL.finditer(words):
        between = _CALL.sub(",", words[end : match.start()])
        is_added = _ADDED.search(between) is not None
        hole = "{…}" if re.search(r"\w", between) else ""
        if not where:
            base = _base(words[: match.start()], words[match.end() :])
            if base is None or (is_added and match[1][0] == "."):
                return ""
            hole, where = "", base
        step = "" if is_added and "," not in between else "/"
        where += f"{step}{hole}{'' if is_added else step}{match[1]}" if where else match[1]
        end = match.end()
    return re.sub("//+", "/", where).removeprefix("/")


def _base(before: str, after: str) -> str | None:
    """What the first text of a path is joined to, in braces: '' for nothing, None where that is not
    plain."""
    if operand := _OPERAND.search(before):
        return f"{{{operand[1].rpartition('(')[2]}}}"
    depth, at = 0, len(before)
    while depth <= 0 < at:
        at -= 1
        depth += {"(": 1, ")": -1}.get(before[at], 0)
    if depth <= 0:
        return ""
    above, call = before[at + 1 :].strip().rstrip(","), _JOIN.search(before[:at])
    if call is None:
        return "" if _MADE.search(before[:at]) and not above else None
    above = above or ("" if _OF_PATHS.fullmatch(call[1]) else call[1])
    is_part = not above and re.match(r"\s*,\s*[^\s\"']", after)
    if is_part or len(above) > _BASE_MAX:
        return None
    return f"{{{_COMMA.sub('}/{', above)}}}" if above else ""


def _lines_with(text: str, words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The lines that have one of some words, with their numbers."""
    present = [word for word in words if word in text]
    if present:
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) <= _LINE_MAX and any(word in line for word in present):
                yield number, line


def _volumes(facts: Facts) -> Iterator[Storage]:
    for image in deploys.images(facts):
        for volume in image.volumes:
            yield Storage("Volume of the image", volume, image.place, is_plain=True)
    users: dict[str, list[deploys.Service]] = defaultdict(list)
    for _, services in deploys.services(facts):
        for service in services:
            for volume in service.volumes:
                users[volume].append(service)
    for volume, some in users.items():
        if not _is_given(facts, some[0], volume):
            names = ", ".join(dict.fromkeys(it.name for it in some))
            yield Storage(f"Volume of {names}", volume, some[0].place, is_plain=True)


def _is_given(facts: Facts, service: deploys.Service, volume: str) -> bool:
    """Does a service only read a volume, or is it a file of the repository, or all of it?"""
    source = volume.partition(":")[0]
    near = posixpath.normpath(posixpath.join(folder_of(service.place.path), source))
    is_own = near in (".", "..") or near in facts.tree.paths
    return volume.endswith(":ro") or (source.startswith(".") and ":" in volume and is_own)
