"""What computers can be made of: the operator's templates, in one TOML file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from stationmaster.computers.managed.providers.base import Provider
from stationmaster.computers.managed.providers.command import CommandProvider, Commands
from stationmaster.computers.managed.providers.host import HostProvider, Pool
from stationmaster.computers.managed.providers.namespace import Here, NamespaceProvider
from stationmaster.errors import OperatorError

DEFAULT = "default"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
Template = Commands | Pool | Here
Templates = Mapping[str, Template]
_Count = Annotated[int, msgspec.Meta(ge=0)]


class TemplateOffer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The templates by name; how many managed computers an owner may have; after how many minutes
    an unused one is stopped, 0 for never.
    """

    templates: dict[str, Template] = {}
    per_owner: _Count = 10
    idle_minutes: _Count = 30


def read(path: Path | None) -> TemplateOffer:
    """What a file offers; nothing without one. Raises OperatorError for one that cannot be used."""
    if path is None:
        return TemplateOffer()
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        offer = msgspec.convert(content, TemplateOffer, dec_hook=_path)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as fault:
        raise OperatorError(f"{path}: {fault}", code="bad_templates") from fault
    for name, template in offer.templates.items():
        if _NAME.fullmatch(name) is None:
            raise OperatorError(
                f"{path}: '{name}' is not a valid name; use lower-case letters, digits and hyphens",
                code="bad_templates",
            )
        if isinstance(template, Commands) and (template.start is None) != (template.stop is None):
            raise OperatorError(
                f"{path}: the template {name} has start without stop", code="bad_templates"
            )
    return offer


def provider_of(template: Template) -> Provider:
    match template:
        case Commands():
            return CommandProvider(template)
        case Pool():
            return HostProvider(template)
        case Here():
            return NamespaceProvider(template)


def can_stop(template: Template) -> bool:
    """Whether computers of a template can be paused."""
    return provider_of(template).can_stop


def chosen(templates: Templates) -> str | None:
    """The template of a computer whose owner names none: `default`, or the only one."""
    if DEFAULT in templates:
        return DEFAULT
    return next(iter(templates)) if len(templates) == 1 else None


def _path(kind: type, value: object) -> object:
    if kind is Path and isinstance(value, str):
        return Path(value)
    raise NotImplementedError(kind)
