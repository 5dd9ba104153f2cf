"""Parts of a whole, as Mermaid's `pie` has them: drawn as bars, which can be compared."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from stationmaster.web.diagrams import bars
from stationmaster.web.diagrams.drawing import BOXES_MAX, Diagram, short

_PART = re.compile(r"\"([^\"]{1,200})\" ?: ?(\d{1,30}(?:\.\d{1,30})?)")
_IGNORED = ("title ", "showData", "accTitle", "accDescr")


def read(lines: Sequence[str]) -> Diagram | None:
    """The diagram of the lines below the first; None for lines that are not understood."""
    parts: list[tuple[str, float]] = []
    for line in lines:
        if (part := _PART.fullmatch(line)) is not None:
            parts.append((short(part[1]), float(part[2])))
        elif not line.startswith(_IGNORED):
            return None
    whole = math.fsum(value for _, value in parts)
    if not whole:
        return None
    rows = [(name, f"{value:,.10g}", f"{value / whole:.1%}") for name, value in parts]
    drawing = None
    if len(parts) <= BOXES_MAX:
        names, values = zip(*parts, strict=True)
        texts = [f"{number} ({share})" for _, number, share in rows]
        drawing = bars.drawn(f"Chart of {len(parts)} parts of a whole", names, values, texts)
    return Diagram(rows, drawing, ("Part", "Number", "Share"))
