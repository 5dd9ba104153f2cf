"""What well-known actions do beside their name: keep caches, hand artifacts on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stationmaster.pipelines.model import Step, distinct

_LIST_MAX = 100
_ALWAYS = frozenset(
    {"actions/cache", "actions/cache/restore", "actions/cache/save", "swatinem/rust-cache"}
    | {
        "gradle/actions/setup-gradle",
        "gradle/gradle-build-action",
        "mozilla-actions/sccache-action",
    }
    | {"hendrikmuhs/ccache-action", "runs-on/cache", "buildjet/cache", "ubicloud/cache"}
    | {"nix-community/cache-nix-action", "cachix/cachix-action"}
    | {"determinatesystems/magic-nix-cache-action", "golangci/golangci-lint-action"}
)
"""Actions that keep something between runs, whatever they are given."""
_BY_DEFAULT = {
    "actions/setup-go": "cache",
    "astral-sh/setup-uv": "enable-cache",
    "actions-rust-lang/setup-rust-toolchain": "cache",
    "julia-actions/cache": "cache-artifacts",
}
"""Actions that do unless this input says no."""
_SWITCHES = ("cache", "bundler-cache", "enable-cache", "use-cache", "package-manager-cache")
_STORES = ("cache-from", "cache-to")
_UPLOADS = {"actions/upload-artifact": "artifact", "actions/upload-pages-artifact": "github-pages"}
"""Actions that hand files to later jobs and to people, with the name they go by."""


def caching(steps: Iterable[Step]) -> list[str]:
    """The actions that keep a cache, and what of: `actions/setup-node: npm`."""
    found = [told for step in steps if (told := _cache(step)) is not None]
    return distinct(found, _LIST_MAX)


def artifacts(steps: Iterable[Step]) -> list[str]:
    """The names of what is uploaded."""
    named = (
        step.inputs.get("name") or _UPLOADS[action]
        for step in steps
        if (action := _action(step)) in _UPLOADS
    )
    return distinct(list(named), _LIST_MAX)


def _action(step: Step) -> str:
    return (step.uses or "").partition("@")[0].lower()


def _cache(step: Step) -> str | None:
    action = _action(step)
    if not action or step.agents:
        return None
    if action in _ALWAYS:
        path = step.inputs.get("path", "").strip().split("\n")[0]
        return f"{action}: {path}" if path else action
    if action in _BY_DEFAULT:
        return None if step.inputs.get(_BY_DEFAULT[action]) == "false" else action
    return _switched(action, step.inputs)


def _switched(action: str, inputs: Mapping[str, str]) -> str | None:
    for switch in _SWITCHES:
        value = inputs.get(switch, "false")
        if value not in ("", "false"):
            return action if value == "true" else f"{action}: {value}"
    stores = [inputs[store] for store in _STORES if inputs.get(store)]
    return f"{action}: {stores[0].split(chr(10))[0]}" if stores else None
