"""Where calls lead that are made on one of many, and on a variable that several calls give."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.code.stations import station_of
from stationmaster.wiki.facts.model import Spot
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


_FIELDS = {
    "a.py": "class Till:\n    def __init__(self, tin=None):\n        self.tin = tin\n\n"
    "    def load(self):\n        self.tin = Tin(1)\n\n    def run(self):\n        own = self.tin\n"
    "        own.open()\n        self.tin.open()\n\n"
    "class Tin:\n    def open(self):\n        return 1\n",
    "a.ts": "class Till {\n  constructor(private readonly tin: Tin) {}\n  run() {\n"
    "    const own = this.tin;\n    own.open();\n    this.tin.open();\n  }\n}\n"
    "class Tin {\n  open() {\n    return 1;\n  }\n}\n",
    "a.kt": "class Till {\n  val tin by lazy { Tin() }\n  fun run() {\n    tin.open()\n  }\n}\n"
    "class Tin {\n  fun open() {\n    print(1)\n  }\n}\n",
    "a.rb": "class Till\n  def tin\n    @tin ||= Tin.new\n  end\n\n  def run\n    tin.open\n"
    "    @tin.open\n  end\nend\nclass Tin\n  def open\n    1\n  end\nend\n",
    "a.rs": "pub struct Till { tin: Arc<Mutex<Tin>> }\nimpl Till {\n    pub fn run(&self) {\n"
    "        self.tin.lock().unwrap().open();\n    }\n}\n"
    "pub struct Tin;\nimpl Tin {\n    pub fn open(&self) {}\n}\n",
}


@pytest.mark.parametrize(
    ("path", "calls"),
    [("a.py", 2), ("a.ts", 2), ("a.kt", 1), ("a.rb", 2), ("a.rs", 1)],
)
def test_a_field_is_of_the_type_that_it_is_made_as_wherever_that_is(path: str, calls: int) -> None:
    facts = facts_of({path: _FIELDS[path]})
    steps = station_of(facts, Spot(path, "Till.run")).steps
    (step,) = (it for it in steps if it.end.name != "Till.tin")  # It is asked for in Ruby.
    assert (step.end.name, 1 + len(step.again)) == ("Tin.open", calls)


def test_a_field_that_is_given_something_unknown_is_of_no_type() -> None:
    text = _FIELDS["a.py"].replace("tin=None", "tin")
    assert station_of(facts_of({"a.py": text}), Spot("a.py", "Till.run")).steps == ()
