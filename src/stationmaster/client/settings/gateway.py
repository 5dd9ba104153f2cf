"""The settings that make each agent call its models through a gateway.

The person's Stationmaster key stands where the provider's key would stand, in a file that its owner
alone can read or behind a helper command. Where an agent's own login can pass, it stays, and the
key goes beside it.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from stationmaster.client.hooks import files as hook_files
from stationmaster.client.server import Server
from stationmaster.client.settings.telemetry import Recipe, SettingsFile
from stationmaster.errors import BadRequest, did_you_mean

PURPOSE = "gateway"
"""Of the changes of files, which are undone by themselves."""
_PORT = 8701
_LOCAL = ("localhost", "127.0.0.1", "::1")
_HEADER = "X-Stationmaster-Key"
_NAME = "stationmaster"
Kind = Literal["anthropic", "openai", "gemini"]
Login = Literal["keep", "replace"]


class Gateway(NamedTuple):
    """Where agents call: the address of a gateway, or of one of its providers
    (`…/gateway/NAME`); with which key, and whether the agent's own login stays."""

    url: str
    key: str
    login: Login | None = None
    model: str | None = None

    def address(self, kind: Kind) -> str:
        """Of a provider; one that was not named is called as its kind is."""
        base = self.url.rstrip("/")
        return base if "/gateway/" in urlsplit(base).path else f"{base}/gateway/{kind}"


def beside(server: Server) -> str:
    """The usual address of a server's gateway: its own, or on one machine another port."""
    parts = urlsplit(server.url)
    if parts.port is None:
        return server.url
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}:{_PORT}"


def _claude_code(gateway: Gateway) -> Recipe:
    environment = {"ANTHROPIC_BASE_URL": gateway.address("anthropic")}
    if gateway.login == "replace":
        helper = f"{shlex.quote(hook_files.program())} agents key"
        content = {"apiKeyHelper": helper, "env": environment}
        return Recipe((SettingsFile(".claude/settings.json", content, has_key=False),))
    environment["ANTHROPIC_CUSTOM_HEADERS"] = f"{_HEADER}: {gateway.key}"
    return Recipe(
        (SettingsFile(".claude/settings.json", {"env": environment}),),
        remark="Your own login stays and passes through the gateway. For the organization's key "
        "in its place: --login replace.",
    )


def _codex(gateway: Gateway) -> Recipe:
    provider = {
        "name": "Stationmaster",
        "base_url": f"{gateway.address('openai')}/v1",
        "wire_api": "responses",
        "http_headers": {_HEADER: gateway.key},
    }
    content = {"model_provider": _NAME, f"model_providers.{_NAME}": provider}
    return Recipe((SettingsFile(".codex/config.toml", content),))


def _gemini_cli(gateway: Gateway) -> Recipe:
    address = gateway.address("gemini")
    parts = urlsplit(address)
    if parts.scheme != "https" and parts.hostname not in _LOCAL:
        raise BadRequest(
            f"Gemini CLI calls only https addresses and this machine, not {address}",
            code="needs_https",
        )
    variables = {"GOOGLE_GEMINI_BASE_URL": address, "GEMINI_API_KEY": gateway.key}
    return _of_gemini_kind(".gemini", variables, "gemini-api-key")


def _qwen_code(gateway: Gateway) -> Recipe:
    variables = {
        "OPENAI_BASE_URL": f"{gateway.address('openai')}/v1",
        "OPENAI_API_KEY": gateway.key,
        **({} if gateway.model is None else {"OPENAI_MODEL": gateway.model}),
    }
    return _of_gemini_kind(".qwen", variables, "openai")


def _of_gemini_kind(folder: str, variables: dict[str, str], login: str) -> Recipe:
    settings = {"security": {"auth": {"selectedType": login}}}
    return Recipe(
        (
            SettingsFile(f"{folder}/settings.json", settings, has_key=False),
            SettingsFile(f"{folder}/.env", variables),
        ),
        remark="In a project with a file `.env` of its own the agent may read only that one, "
        f"not ~/{folder}/.env: put {', '.join(variables)} there as well, or into the environment.",
    )


def _opencode(gateway: Gateway) -> Recipe:
    addresses = {
        "anthropic": f"{gateway.address('anthropic')}/v1",
        "openai": f"{gateway.address('openai')}/v1",
        "google": f"{gateway.address('gemini')}/v1beta",
    }
    providers = {
        name: {"options": {"baseURL": address, "apiKey": gateway.key}}
        for name, address in addresses.items()
    }
    return Recipe((SettingsFile(".config/opencode/opencode.json", {"provider": providers}),))


def _copilot_cli(gateway: Gateway) -> Recipe:
    model = _model_of(gateway, "copilot-cli")
    kind = _kind_of(model)
    return Recipe(
        environment={
            "COPILOT_PROVIDER_BASE_URL": _base_of(gateway, kind),
            "COPILOT_PROVIDER_TYPE": kind,
            "COPILOT_PROVIDER_API_KEY": gateway.key,
            "COPILOT_MODEL": model,
        },
        remark="Models that GitHub hosts do not pass through a gateway: this uses the "
        "organization's provider in their place.",
    )


def _droid(gateway: Gateway) -> Recipe:
    model = _model_of(gateway, "droid")
    kind = _kind_of(model)
    entry = {
        "model": model,
        "displayName": f"{model} (Stationmaster)",
        "baseUrl": _base_of(gateway, kind),
        "apiKey": gateway.key,
        "provider": kind,
    }
    return Recipe(
        (SettingsFile(".factory/settings.json", {"customModels": [entry]}),),
        remark=f"Choose {entry['displayName']} with /model. Models that the vendor hosts do not "
        "pass through a gateway.",
    )


def _model_of(gateway: Gateway, agent: str) -> str:
    if gateway.model is None:
        raise BadRequest(f"{agent} has to be given a model: --model NAME", code="no_model")
    return gateway.model


def _kind_of(model: str) -> Kind:
    return "anthropic" if "claude" in model.lower() else "openai"


def _base_of(gateway: Gateway, kind: Kind) -> str:
    address = gateway.address(kind)
    return address if kind == "anthropic" else f"{address}/v1"


RECIPES: dict[str, Callable[[Gateway], Recipe]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini-cli": _gemini_cli,
    "qwen-code": _qwen_code,
    "opencode": _opencode,
    "copilot-cli": _copilot_cli,
    "droid": _droid,
}


def check(product: str, login: Login | None = None) -> None:
    """Raise BadRequest for an agent that is unknown or cannot call through a gateway so."""
    if product == "cursor":
        raise BadRequest(
            "Cursor calls models through its vendor's servers, not through a gateway; its hooks "
            "can ask: `stationmaster hooks install cursor --gate`",
            code="no_gateway",
        )
    if product not in RECIPES:
        raise BadRequest(
            f"{product!r} has no settings for this; known are {', '.join(RECIPES)}."
            f"{did_you_mean(product, RECIPES)}",
            code="no_gateway",
        )
    if login == "keep" and product != "claude-code":
        raise BadRequest(
            f"a login of {product} does not pass through a gateway, only one of claude-code does",
            code="no_login",
        )


def recipe_of(product: str, gateway: Gateway) -> Recipe:
    """The settings with which an agent calls through a gateway. Raises BadRequest."""
    check(product, gateway.login)
    return RECIPES[product](gateway)


def undoing(product: str) -> Recipe:
    """What there is to undo, whatever address and key it was made with. Raises BadRequest."""
    return recipe_of(product, Gateway("https://localhost", "", model="any"))
