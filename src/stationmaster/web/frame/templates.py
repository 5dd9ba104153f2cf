"""The templates of pages with what they may call, and our own files that pages load."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from stationmaster.limits.model import amount_text
from stationmaster.readiness import levels
from stationmaster.web.charts import axes, figures
from stationmaster.web.figures import blocks


@cache
def environment() -> Environment:
    """The templates, and what they may call."""
    made = Environment(
        loader=PackageLoader("stationmaster.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["static"] = lambda name: f"/static/{digest(name)}/{name}"
    made.filters["iso"] = lambda ms: _utc(ms).isoformat(timespec="seconds")
    made.filters["day"] = axes.long_label
    made.filters["whole"] = levels.shown
    made.filters["breakable"] = _breakable
    made.filters["coded"] = _coded
    made.filters["titled"] = _titled
    made.filters["agent"] = blocks.agent_name
    made.filters["short"] = figures.short
    made.filters["exact"] = figures.exact
    made.filters["amount"] = amount_text
    made.filters["minute"] = lambda ms: _utc(ms).strftime("%Y-%m-%d %H:%M")
    made.filters["second"] = lambda ms: _utc(ms).strftime("%H:%M:%S")
    return made


def _titled(text: str) -> str:
    """A sentence with a capital at its start, unless it starts with a name out of code."""
    return text[:1].upper() + text[1:] if re.match(r"[a-z]++['’]?[a-z]*+ ", text) else text


def _breakable(name: str) -> Markup:
    """A long name, escaped, that may wrap after its slashes and before an @."""
    return Markup(re.sub("(/)|(?=@)", r"\1<wbr>", str(escape(name))))  # noqa: S704 - escaped before


def _coded(text: str) -> Markup:
    """A sentence, escaped, with what stands between backticks as code."""
    shown = re.sub(r"`([^`]{1,200})`", r"<code>\1</code>", str(escape(text)))
    return Markup(shown)  # noqa: S704 - escaped before


def _utc(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)


@cache
def names() -> frozenset[str]:
    """The names of our own files."""
    folder = resources.files("stationmaster.web") / "static"
    return frozenset(entry.name for entry in folder.iterdir())


@cache
def content(name: str) -> bytes:
    """One of our own files."""
    return (resources.files("stationmaster.web") / "static" / name).read_bytes()


@cache
def digest(name: str) -> str:
    """What its address changes with."""
    return sha256(content(name)).hexdigest()[:16]
