"""Manifests that are code, each by the expressions of its row in the catalogue."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from stationmaster.catalogue.repositories.manifest_forms import Form, forms
from stationmaster.catalogue.table import compiled
from stationmaster.reading.projects.imports import code_of
from stationmaster.reading.projects.manifests import common
from stationmaster.reading.projects.manifests.common import Reading
from stationmaster.reading.projects.model import Manifest


def readers() -> Iterator[tuple[str, Callable[[str, Reading], Manifest]]]:
    """The readers of such manifests, by the names of files or their endings."""
    for form in forms():
        for file in form.files:
            yield file, _reader(form)


def _reader(form: Form) -> Callable[[str, Reading], Manifest]:
    about = compiled(form.about)
    needs, development = compiled(form.needs), compiled(form.development)
    kept = {name: compiled(pattern) for name, pattern in form.data.items()}

    def read(path: str, reading: Reading) -> Manifest:
        source = reading.contents.text(path)
        source = code_of(f"x.{form.comments}", source) if form.comments else source
        pairs = dict(_pairs(about, source, is_last=form.last))
        values = {**pairs, "name": _first(pairs, form.names)}
        values["description"] = _first(pairs, form.texts)
        if form.files[0].startswith(".") and not values["name"]:
            values["name"] = path.rpartition("/")[2].removesuffix(form.files[0])
        data: dict[str, object] = {
            key: pairs[name] for key, name in form.kept.items() if name in pairs
        }
        for name, pattern in kept.items():
            is_list = "item" in pattern.groupindex
            data[name] = pattern.findall(source) if is_list else dict(_pairs(pattern, source))
        dependencies = common.needs(path, source, needs, development)
        return common.manifest(path, form.ecosystem, values, dependencies, data)

    return read


def _pairs(
    pattern: re.Pattern[str], source: str, *, is_last: bool = True
) -> Iterator[tuple[str, str]]:
    """Keys and values, in the order in which the one that counts comes last; without a key, a name
    is the value of `name`; without a value, the key is the value."""
    matches = list(pattern.finditer(source))
    for match in matches if is_last else reversed(matches):
        part = match.groupdict()
        key = part.get("key") or "name"
        yield key, (part.get("value") or part.get("name") or key).strip()


def _first(values: dict[str, str], keys: tuple[str, ...]) -> str:
    return next((values[key] for key in keys if values.get(key)), "")
