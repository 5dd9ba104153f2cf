"""How firmly references name what they mean: in classes, with the owners of what they name."""

from __future__ import annotations

import re

from stationmaster.catalogue import ci
from stationmaster.pipelines.model import LOCAL, Pin

_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.IGNORECASE)
_DIGEST = re.compile(r"@sha(?:256:[0-9a-f]{64}|512:[0-9a-f]{128})$")
_COMPUTED = re.compile(r"\$|\{\{|<<|<\+|\(\(|%[A-Za-z_]+%")
"""Marks of values that are filled in when a pipeline runs, in any provider's way."""
_EXACT = re.compile(r"(?:[A-Za-z][\w.-]{0,60}[-/@_])?v?\d+\.\d+\.\d+(?:[-+.][\w.+-]{1,60})?")
_FLOATING = re.compile(r"v?\d+(?:\.(?:\d+|x|\*)){0,2}(?:[-+.][\w.+-]{1,60})?|volatile")
_IMAGE_EXACT = re.compile(r"(?:^|[^\d.])\d+\.\d+\.\d+|\d{8}")
_CODENAMES = frozenset(
    {"buster", "bullseye", "bookworm", "trixie", "forky"}
    | {"xenial", "bionic", "focal", "jammy", "noble", "questing"}
)
"""Distributions by name: a tag of them moves, yet within one release."""


def of_ref(ref: str | None) -> Pin:
    """The class of a branch, tag, version or hash; of none and of a computed one it is `dynamic`.

    A short hash could be any branch, and counts as one.
    """
    if not ref or _COMPUTED.search(ref):
        return "dynamic"
    if _HASH.fullmatch(ref):
        return "hash"
    if _EXACT.fullmatch(ref):
        return "exact"
    return "floating" if _FLOATING.fullmatch(ref) else "branch"


def of_use(reference: str) -> tuple[Pin, str | None]:
    """The class and the version of `owner/name[/folder]@ref`, `./folder`, `$/folder`, or
    `docker://image`; the version is the text behind the mark."""
    if reference.startswith("docker://"):
        image = reference.removeprefix("docker://")
        return of_image(image), image_version(image)
    if reference.startswith(LOCAL):
        return "local", None
    name, _, ref = reference.partition("@")
    return ("dynamic" if _COMPUTED.search(name) else of_ref(ref)), ref or None


def of_image(reference: str) -> Pin:
    """The class of a container image."""
    if _DIGEST.search(reference):
        return "hash"
    if _COMPUTED.search(reference):
        return "dynamic"
    tag = image_version(reference)
    if tag is None:
        return "branch"
    if _IMAGE_EXACT.search(tag):
        return "exact"
    words = set(re.split(r"[^a-z]+", tag.lower()))
    return "floating" if re.search(r"\d", tag) or words & _CODENAMES else "branch"


def image_version(reference: str) -> str | None:
    """The digest of an image, else its tag; a port is none."""
    name, _, digest = reference.partition("@")
    return digest or name.rpartition("/")[2].partition(":")[2] or None


def is_first_party(provider: str, reference: str) -> bool:
    """Is the owner, which `owner/name` begins with, the provider itself?

    What the repository's own owner made is marked by the scan, which knows the owner.
    """
    system = ci.systems().get(provider)
    return system is not None and owner(reference) in system.owners


def owner(reference: str) -> str:
    """The owner in `owner/name…` or `https://host/owner/name…`, in lower case."""
    _, _, path = reference.rpartition("://")
    steps = path.lower().split("/")
    return steps[1] if "://" in reference and len(steps) > 1 else steps[0]
