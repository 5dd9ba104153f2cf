"""What of a graph is drawn: no more boxes and edges than an eye takes in, the heaviest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

EDGES_MAX = 40


class Edge(NamedTuple):
    start: str
    end: str
    label: str = ""
    weight: float = 1.0
    is_sure: bool = True


def pruned(
    labels: Mapping[str, str], edges: Sequence[Edge], most: int
) -> tuple[Mapping[str, str], list[Edge]]:
    """The boxes with the heaviest edges, at most so many, and the edges to draw between them."""
    kept = list(edges)
    if len(labels) > most:
        weights = dict.fromkeys(labels, 0.0)
        for edge in kept:
            weights[edge.start] += edge.weight
            weights[edge.end] += edge.weight
        order = sorted(labels, key=lambda label: (-weights[label], label))
        labels = {key: labels[key] for key in order[:most]}
        kept = [edge for edge in kept if edge.start in labels and edge.end in labels]
    kept.sort(key=lambda edge: (-edge.weight, edge.start, edge.end))
    kept = kept[:EDGES_MAX]
    joined = {end for edge in kept for end in (edge.start, edge.end)}
    labels = {key: name for key, name in labels.items() if key in joined}
    return labels, sorted(kept, key=lambda edge: (edge.start, edge.end, edge.label))
