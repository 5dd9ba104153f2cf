"""A small wiki, as it is stored."""

from __future__ import annotations

from stationmaster.wiki.making.written import Written

COMMIT = "0123456789abcdef0123456789abcdef01234567"
CITED = "[`src/core.py:1-4`](source:src/core.py#L1-L4)"


def sheet(key: str, title: str, *parts: str, description: str = "") -> Written:
    return Written(key, title, description, "\n\n".join([f"# {title}", *parts]) + "\n")


WIKI = (
    sheet(
        "index", "demo", f"A library of clocks, see {CITED}.",
        "- [Modules](modules/core.md)\n- [How \\[to\\]](guide.md#at-a-glance) · [x](https://h.example/a.md)",
        "`[no link](guide.md)`", "```sh\n[nor](guide.md)\n```",
        description=f"A library of *clocks*\\_, see {CITED}.",
    ),
    sheet("guide", "Getting started", "## At a glance", "[Back](index.md)",
          description="How to build it."),
    sheet("modules/core", "core", "[Here](core.md) [Other](util/deep.md#x) [Top](../index.md)",
          "## At a glance", "## At a glance", "[second](../modules/core.md#at-a-glance-1)"),
    sheet("modules/util/deep", "deep", "## x", "[up](../core.md)", "[gone](../none.md)"),
    sheet("api/http", "HTTP API", "[Top](../index.md)"),
)  # fmt: skip
