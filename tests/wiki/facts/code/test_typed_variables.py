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


def test_objects_of_other_modules_and_results_without_a_declared_type_have_one() -> None:
    facts = facts_of({
        "shop/__init__.py": "",
        "shop/conf.py": "class Settings:\n    def load(self): ...\n\nsettings = Settings()\n",
        "shop/types.py": "class Bill:\n    @classmethod\n    def of(cls): ...\n\n"
        "    def pay(self): ...\n",
        "shop/ask.py": "from .types import Bill\n\n"
        'def told(bills):\n    """Asks.\n\n    :rtype: shop.types.Bill | None\n    """\n'
        "    return bills.first\n\n"
        "def made():\n    def inner():\n        return 1\n    if inner():\n        return None\n"
        "    bill = Bill()\n    return bill\n\n"
        "def any_of(it):\n    if it:\n        return Bill()\n    return it.bill\n",
        "shop/run.py": "from . import conf, types\nfrom .ask import any_of, made, told\n"
        "from .conf import settings\n\n\n"
        "def run():\n    settings.load()\n    conf.settings.load()\n"
        "    types.Bill.of()\n    bill = told([])\n    bill.pay()\n"
        "    other = made()\n    other.pay()\n    unsure = any_of(1)\n    unsure.pay()\n",
    })  # fmt: skip
    steps = station_of(facts, Spot("shop/run.py", "run")).steps
    assert [(it.end.name, it.line, it.again) for it in steps] == [
        ("Settings.load", 7, (8,)), ("Bill.of", 9, ()), ("told", 10, ()),
        ("Bill.pay", 11, (13,)), ("made", 12, ()), ("any_of", 14, ()),
    ]  # fmt: skip
