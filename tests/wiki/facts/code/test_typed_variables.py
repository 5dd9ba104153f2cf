"""Where calls lead that are made on one of many, and on a variable that several calls give."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.code.names import Spot
from stationmaster.wiki.facts.code.stations import station_of
from tests.wiki.commits import facts_of

_GO = """package shop

type Tin struct{}

func (t *Tin) Open() {
}

type Shelf struct {
	tins  []*Tin
	named map[string]*Tin
}

func (s *Shelf) All() []Tin {
	return nil
}

func load() *Shelf {
	return nil
}

func read() *Shelf {
	return nil
}

func (s *Shelf) run(more ...string) {
	for _, tin := range s.tins {
		tin.Open()
	}
	shelf := load()
	shelf = read()
	for _, it := range shelf.All() {
		it.Open()
	}
	for name := range s.named {
		name.Open()
	}
	shelf.All()
}
"""
_RUST = """pub struct Tin;
impl Tin { pub fn open(&self) {} }
pub struct Shelf { tins: Vec<Box<Tin>> }
impl Shelf {
    pub fn run(&self) {
        for tin in self.tins.iter() {
            tin.open();
        }
    }
}
"""
_CSHARP = """class Tin { public void Open() { } }
class Shelf {
    private readonly IReadOnlyList<Tin> _tins;
    public void Run() {
        foreach (var tin in _tins) {
            tin.Open();
        }
    }
}
"""
_KOTLIN = """class Tin { fun open() { } }
class Shelf(private val tins: List<Tin>) {
    fun run() {
        for (tin in tins) {
            tin.open()
        }
    }
}
"""


@pytest.mark.parametrize(
    ("path", "name", "text", "calls"),
    [
        ("shelf.go", "Shelf.run", _GO,
         [(27, "Tin.Open"), (29, "load"), (30, "read"), (31, "Shelf.All"), (32, "Tin.Open")]),
        ("src/lib.rs", "Shelf.run", _RUST, [(7, "Tin.open")]),
        ("Shelf.cs", "Shelf.Run", _CSHARP, [(6, "Tin.Open")]),
        ("Shelf.kt", "Shelf.run", _KOTLIN, [(5, "Tin.open")]),
    ],
)  # fmt: skip
def test_one_of_many_has_the_type_that_is_declared_for_them(
    path: str, name: str, text: str, calls: list[tuple[int, str]]
) -> None:
    steps = station_of(facts_of({path: text}), Spot(path, name)).steps
    lines = sorted((line, step.end.name) for step in steps for line in (step.line, *step.again))
    assert lines[: len(calls)] == calls
    assert all("name" not in step.end.name for step in steps)
