"""Which reader a diagram of Mermaid has."""

from __future__ import annotations

from stationmaster.web.diagrams import bars, classes, entities, flow_charts, sequences, states
from stationmaster.web.diagrams.drawing import Diagram

LINES_MAX, LINE_MAX = 400, 500
"""Lines of a diagram, and characters of a line, that are read."""
_READERS = {
    "flowchart": flow_charts.read,
    "graph": flow_charts.read,
    "sequenceDiagram": sequences.read,
    "classDiagram": classes.read,
    "classDiagram-v2": classes.read,
    "erDiagram": entities.read,
    "xychart-beta": bars.read,
    "xychart": bars.read,
    "pie": bars.read_pie,
    "stateDiagram": states.read,
    "stateDiagram-v2": states.read,
}


def read(code: str) -> Diagram | None:
    """The diagram of a Mermaid text; None for kinds and lines that are not understood."""
    lines = [" ".join(line.split()).removesuffix(";").rstrip() for line in code.splitlines()]
    lines = [line for line in lines if line and not line.startswith("%%")]
    if not lines or len(lines) > LINES_MAX or max(map(len, lines)) > LINE_MAX:
        return None
    reader = _READERS.get(lines[0].split()[0])
    return None if reader is None else reader(lines[1:])
