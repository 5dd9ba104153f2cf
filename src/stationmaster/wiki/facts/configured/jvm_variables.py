"""The variables of the environment that Spring, Quarkus and Micronaut take keys from."""

from __future__ import annotations

import re

from stationmaster.catalogue import code
from stationmaster.reading.code.model import Setting
from stationmaster.wiki.facts.model import Facts

_PACKAGES = code.table("jvm.settings.variables", dict[str, str])
"""What becomes of a hyphen in a name, by the package that fills settings."""
_KEY = re.compile(r"[A-Za-z][\w.\-]{0,200}")


def variable(facts: Facts, path: str, setting: Setting) -> str:
    """The variable that a key which a file declares or injects can be set by; '' for none."""
    names = [it.name for it in facts.code[path].imports]
    signs = [
        sign
        for package, sign in _PACKAGES.items()
        if any(name.startswith(package) for name in names)
    ]
    if not signs or "Map<" in setting.type or not _KEY.fullmatch(setting.name):
        return ""
    is_injected = setting.type or f"{{{setting.name}" in facts.tree.text(path)
    return setting.name.replace("-", signs[0]).replace(".", "_").upper() if is_injected else ""
