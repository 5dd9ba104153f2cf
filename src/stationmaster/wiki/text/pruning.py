"""What of a graph is drawn: no more boxes and edges than an eye takes in, the heaviest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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


def in_circles(edges: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Nodes that are in a cycle of two or more, with the first node of their group of cycles.

    Tarjan's strongly connected components, without recursion.
    """
    out: dict[str, list[str]] = {}
    for start, end in edges:
        out.setdefault(start, []).append(end)
        out.setdefault(end, [])
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    open_: dict[str, None] = {}
    least: dict[str, str] = {}
    for root in out:
        work = [] if root in index else [(root, iter(out[root]))]
        while work:
            node, rest = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                open_[node] = None
            for other in rest:
                if other not in index:
                    work.append((other, iter(out[other])))
                    break
                if other in open_:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    above = work[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == index[node]:
                    group: list[str] = []
                    while not group or group[-1] != node:
                        group.append(open_.popitem()[0])
                    if len(group) > 1:
                        least.update(dict.fromkeys(group, min(group)))
    return least
