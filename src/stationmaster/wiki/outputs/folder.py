"""A folder of Markdown that any viewer shows: pages at their keys, and the index for programs."""

from __future__ import annotations

from collections.abc import Sequence

from stationmaster.wiki import citations
from stationmaster.wiki.citations import Host
from stationmaster.wiki.outputs import llms
from stationmaster.wiki.outputs.pages import Stored, encoded


def files(pages: Sequence[Stored], host: Host | None) -> dict[str, bytes]:
    """Contents by name, in the order of `pages`, which is that of reading. Links stay relative."""
    texts = {f"{page.key}.md": citations.expand(page.body, host) for page in pages}
    return encoded({**texts, llms.NAME: llms.text(pages)})
