"""An agent's settings: those with which it exports to a server, or calls through a gateway; and
the templates that they are made from."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

import msgspec

from stationmaster.catalogue.table import Row
from stationmaster.errors import BadRequest

Content = dict[str, Any]
Provider = Literal["anthropic", "openai", "gemini"]
Login = Literal["keep", "replace"]
SESSION = "00000000-0000-4000-8000-000000000000"
"""The session of samples, `{session}` in cards."""
_KEY_FIELD = "X-Stationmaster-Key"
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")


def filled(template: Any, values: Mapping[str, Any]) -> Any:
    """A template of a card with its values, which replace names between braces. A text that is
    one name becomes the value as it is; a member whose value is None is left out."""
    match template:
        case str():
            alone = template[1:-1]
            if template == f"{{{alone}}}" and alone in values:
                return values[alone]
            return template.format_map(values) if "{" in template else template
        case dict():
            members = {
                filled(name, values): filled(member, values) for name, member in template.items()
            }
            return {name: member for name, member in members.items() if member is not None}
        case list():
            return [filled(item, values) for item in template]
        case _:
            return template


class SettingsFile(Row, frozen=True):
    """Settings that an agent reads from a file below the home folder."""

    path: str
    content: Content
    has_key: bool = True
    """Is the server's key among them?"""


class Recipe(NamedTuple):
    """What one agent needs: settings in files, or variables of its environment."""

    files: tuple[SettingsFile, ...] = ()
    environment: Mapping[str, str] = MappingProxyType({})
    remark: str = ""


class Gateway(NamedTuple):
    """Where agents call: the address of a gateway, or of one of its providers
    (`…/gateway/NAME`); with which key, and whether the agent's own login stays. `helper` is the
    command that prints the key where the login is replaced."""

    url: str
    key: str
    login: Login | None = None
    model: str | None = None
    helper: str = ""

    def address(self, kind: Provider) -> str:
        """Of a provider; one that was not named is called as its kind is."""
        base = self.url.rstrip("/")
        return base if "/gateway/" in urlsplit(base).path else f"{base}/gateway/{kind}"

    def base(self, kind: Provider) -> str:
        """The address below which a provider's client library calls."""
        address = self.address(kind)
        return address if kind == "anthropic" else f"{address}/v1"


class Settings(Row, frozen=True):
    """A recipe as a template: see `filled`."""

    files: tuple[SettingsFile, ...] = ()
    environment: dict[str, str] | str = msgspec.field(default_factory=dict)
    remark: str = ""

    def filled(self, values: Mapping[str, Any]) -> Recipe:
        """The recipe; `names` in a remark are the names of the settings in the last file."""
        files = tuple(
            SettingsFile(file.path, filled(file.content, values), file.has_key)
            for file in self.files
        )
        names = ", ".join(files[-1].content) if files else ""
        remark = filled(self.remark, {**values, "names": names})
        return Recipe(files, filled(self.environment, values), remark)


class GatewaySettings(Settings, frozen=True):
    """The settings for a gateway. `replacing` are those that replace the agent's own login."""

    needs_model: bool = False
    needs_https: bool = False
    """Does it call other machines by https alone?"""
    replacing: Settings | None = None

    def recipe(self, product: str, title: str, gateway: Gateway) -> Recipe:
        """The settings of an agent. Raises BadRequest where it cannot call this gateway."""
        if self.needs_model and gateway.model is None:
            raise BadRequest(f"{product} has to be given a model: --model NAME", code="no_model")
        kind: Provider = "anthropic" if "claude" in (gateway.model or "").lower() else "openai"
        values = {
            **gateway._asdict(),
            "kind": kind,
            "base": gateway.base(kind),
            "field": _KEY_FIELD,
            **{name: gateway.address(name) for name in ("anthropic", "gemini")},
            "openai": gateway.base("openai"),
        }
        parts = urlsplit(values["gemini"])
        if self.needs_https and parts.scheme != "https" and parts.hostname not in _THIS_MACHINE:
            raise BadRequest(
                f"{title} calls only https addresses and this machine, not {values['gemini']}",
                code="needs_https",
            )
        replacing = self.replacing if gateway.login == "replace" else None
        return (replacing or self).filled(values)
