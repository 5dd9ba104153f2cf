"""The schema revisions of this version, known without loading the tables; another table or column
makes another revision.

Revisions are four digits, so that later ones are greater as text.
"""

HEAD = "0045"
OLDEST = "0010"
"""The oldest revision whose software works with this schema: later ones only add to it."""


def is_usable(version: str, oldest: str) -> bool:
    """May this version use a schema of that revision, which software from `oldest` on may use?"""
    return version == HEAD or (version > HEAD and oldest <= HEAD)
