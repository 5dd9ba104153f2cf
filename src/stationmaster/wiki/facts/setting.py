"""One setting with all that is known of it, and what settings of a kind are called."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from stationmaster.reading.code.model import SettingKind
from stationmaster.wiki.facts.model import Place

TITLES: Mapping[SettingKind, str] = {
    "env": "Environment variables",
    "flag": "Flags",
    "key": "Keys",
    "feature": "Features",
}
BUNDLED = "Variables that web bundles are built with"
OF_CRATES = "Features by crate"
DOCUMENTED = "Environment variables of which no reading was found"


class Configured(msgspec.Struct, frozen=True):
    """One setting: `reads` are the places where code reads it, `count` of them in all, `documented`
    those where a document or an example names it, `set_at` those where containers or files of
    settings set it. `default` is None where there is none, or none that may be shown. `variable` is
    the variable of the environment that also sets a key, or '', and `type` '' where the code
    declares none. One that is `built` is only part of a web bundle. `values` are those of shipped
    files that may be shown, each with the profiles that it is for, or (). `declared` are those of
    `reads` that only declare it: the field of a struct, the row of a schema. Under a `condition`
    alone it is required, '' for none. What `has_hidden` one has a default that may not be shown, or
    several. The compose file `demanded_by` is not read without it, '' for none. A `sample` has a
    value for it that may be shown, '' for none."""

    name: str
    kind: SettingKind
    default: str | None
    is_required: bool
    doc: str
    reads: tuple[Place, ...]
    count: int
    documented: tuple[Place, ...]
    set_at: tuple[Place, ...]
    variable: str = ""
    type: str = ""
    built: bool = False
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()
    declared: tuple[Place, ...] = ()
    condition: str = ""
    has_hidden: bool = False
    demanded_by: str = ""
    sample: str = ""

    @property
    def is_needed(self) -> bool:
        """Is it required, and nothing stands in for it?"""
        return self.is_required and self.default is None

    @property
    def is_only_documented(self) -> bool:
        """True for a variable that documents or examples name and that no code is seen to read."""
        places = (*self.reads, *self.set_at, *self.declared)
        return self.kind == "env" and not places and bool(self.documented)

    @property
    def title(self) -> str:
        """What settings like this one are called."""
        if self.kind == "feature" and "/" in self.name:
            return OF_CRATES
        if self.is_only_documented:
            return DOCUMENTED
        return BUNDLED if self.built else TITLES[self.kind]
