"""The order of Alembic's migrations: each names the one before it."""

from __future__ import annotations

import re
from collections.abc import Mapping

_REVISION = re.compile(r"""(?m)^revision\b[^=\n]{0,60}=\s*["']([^"'\n]{1,100})["']""")
_BEFORE = re.compile(r"(?m)^down_revision\b[^=\n]{0,60}=\s*(\([^)]{0,500}\)|[^\n]{1,200})")
_NAME = re.compile(r"""["']([^"'\n]{1,100})["']""")


def last(texts: Mapping[str, str]) -> str:
    """The path of the one that no other follows; '' where there are several or none."""
    revisions = {
        path: found[1] for path, text in texts.items() if (found := _REVISION.search(text))
    }
    before = {
        name
        for path in revisions
        for below in _BEFORE.findall(texts[path])
        for name in _NAME.findall(below)
    }
    ends = [path for path, revision in revisions.items() if revision not in before]
    return ends[0] if len(ends) == 1 else ""
