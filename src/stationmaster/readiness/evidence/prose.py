"""The text of a page without its markup, and that of its front matter."""

from __future__ import annotations

import re

from stationmaster.repos import yaml_nodes
from stationmaster.repos.yaml_nodes import Fault, Node

_NOISE = re.compile(
    r"<!--.{0,4000}?-->"  # comments
    r"|\[!\[[^\]]{0,300}\]\([^)]{0,1000}\)\]\([^)]{0,1000}\)"  # badges that link
    r"|!\[[^\]]{0,300}\](?:\([^)]{0,1000}\)|\[[^\]]{0,100}\])"  # images
    r"|<[a-zA-Z/][^>]{0,2000}>"  # tags
    r"|\]\([^)]{0,1000}\)"  # where links lead
    r"|^\.\. [^\n]{0,1000}$|^:[\w-]{1,40}:[^\n]{0,1000}$"  # directives and attributes
    r"|^\[[^\]]{1,200}\]:[^\n]{0,1000}$"  # link references
    r"|https?://[^\s)>\]]{1,1000}",
    re.DOTALL | re.MULTILINE,
)
_NO_WORD = re.compile(r"[\W_]+")


def plain(text: str) -> str:
    """The words alone, without badges, images, tags, comments and addresses."""
    return " ".join(_NO_WORD.sub(" ", _NOISE.sub(" ", text)).split())


def front_matter(text: str) -> tuple[Node | None, str]:
    """The YAML between two lines of dashes at the top, None without any, and the rest."""
    opened, front, body = [*text.split("---\n", 2), "", ""][:3]
    if opened or not body:
        return None, text
    try:
        roots = yaml_nodes.read(front.encode(), merges=False).roots
    except Fault:
        return None, body
    return (roots[0] if roots else None), body
