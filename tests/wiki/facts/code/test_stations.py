"""Where a function leads, step by step."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.code.comments import excerpt
from stationmaster.wiki.facts.code.flows import walk
from stationmaster.wiki.facts.code.stations import callers_of, entered, station_of
from stationmaster.wiki.facts.code.symbols import only_for_tests
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of

BODY = "    a = 1\n    b = 2\n    return a + b\n"


def test_a_signal_leads_to_the_handlers_that_are_connected_to_it() -> None:
    facts = facts_of(
        {
            "shop/__init__.py": "",
            "shop/signals.py": "from django.dispatch import Signal\n\npaid = Signal()\nother = 1\n",
            "shop/handlers.py": f"def index(sender):\n{BODY}",
            "shop/apps.py": "from django.apps import AppConfig\n\nclass Shop(AppConfig):\n"
            "    def ready(self):\n        from shop.handlers import index\n"
            "        from shop.signals import paid\n\n        paid.connect(index)\n",
            "shop/pay.py": "from shop.signals import paid, other\n\ndef pay():\n"
            "    paid.send(sender=pay)\n    other.send(1)\n",
        }
    )
    (step,) = station_of(facts, Spot("shop/pay.py", "pay")).steps
    assert (step.does, step.end.name) == ("sends", "paid")
    assert [handler.name for handler in step.handlers] == ["index"]


def test_a_record_that_is_saved_leads_to_its_callbacks_and_a_pushed_job_is_followed() -> None:
    facts = facts_of({
        "app/models/feed.rb": "class Feed < ApplicationRecord\n  has_many :entries\n"
        "  has_many :old, class_name: 'Entry'\n\n  def fetch\n    entries.create!(a: 1)\n"
        "    old.create(a: 1)\n    Entry.find(1)\n    Entry.create(b: 2)\n"
        '    Sidekiq::Client.push_bulk("args" => jobs, "class" => Crawl)\n  end\nend\n',
        "app/models/entry.rb": "class Entry < ApplicationRecord\n"
        "  after_commit :index, on: :create\n"
        "  after_destroy :forget\n\n  def index\n    1\n  end\n\n  def forget\n    2\n  end\nend\n",
        "app/jobs/crawl.rb": "class Crawl\n  include Sidekiq::Worker\n\n  def perform(id)\n"
        "    1\n  end\nend\n",
    })  # fmt: skip
    steps = station_of(facts, Spot("app/models/feed.rb", "Feed.fetch")).steps
    assert [(step.does, step.end.name, [it.name for it in step.handlers]) for step in steps] == [
        ("creates", "Entry", ["Entry.index"]),
        ("", "Crawl.perform", []),
    ]


def test_calls_on_one_line_are_in_the_order_in_which_they_run() -> None:
    facts = facts_of({
        "a.py": "def main():\n    give(one(), two()).show(three())\n    one()\n\n"
        + "".join(f"def {name}(*a): ...\n" for name in ("give", "one", "two", "three")),
        "a.ts": "function main() {\n  give(one(), two());\n}\n"
        + "".join(f"function {name}(a) {{}}\n" for name in ("give", "one", "two")),
        "a.go": "package a\n\nfunc main() {\n\tgive(one(), two())\n}\n"
        + "".join(f"func {name}() {{}}\n" for name in ("give", "one", "two")),
    })  # fmt: skip
    called = {
        path: [step.end.name for step in station_of(facts, Spot(path, "main")).steps]
        for path in ("a.py", "a.ts", "a.go")
    }
    assert called == {
        "a.py": ["one", "two", "give", "three"], "a.ts": ["one", "two", "give"],
        "a.go": ["one", "two", "give"],
    }  # fmt: skip


def test_what_handles_an_event_or_works_on_it_does_not_send_it() -> None:
    handler = "import org.springframework.context.event.EventListener;\n"
    facts = facts_of({
        "shop/Paid.java": "package shop;\npublic class Paid {}\n",
        "shop/Noted.java": "package shop;\npublic class Noted {}\n",
        "shop/Mail.java": f"package shop;\n{handler}@Component class Mail {{\n"
        "    @EventListener void on(Paid paid) {\n        write(paid);\n    }\n"
        "    void write(Paid paid) {\n        bus.publishEvent(new Noted(paid));\n    }\n}\n",
        "shop/Stock.java": f"package shop;\n{handler}@Component class Stock {{\n"
        "    @EventListener void on(Paid paid) {\n        bus.send(paid);\n    }\n}\n",
        "shop/Till.java": "package shop;\nclass Till {\n    void close(Paid paid) {\n"
        "        int a = 1;\n        bus.publish(this, paid);\n    }\n}\n",
    })  # fmt: skip
    handlers = {
        spot.name: [(step.line, [it.name for it in step.handlers])
                    for step in station_of(facts, spot).steps if step.handlers]
        for spot in (Spot("shop/Mail.java", "Mail.on"), Spot("shop/Mail.java", "Mail.write"),
                     Spot("shop/Stock.java", "Stock.on"), Spot("shop/Till.java", "Till.close"))
    }  # fmt: skip
    assert handlers == {
        "Mail.on": [], "Mail.write": [], "Stock.on": [],
        "Till.close": [(5, ["Mail.on", "Stock.on"])],
    }  # fmt: skip


def test_a_message_goes_to_what_handles_it_and_none_on_from_a_call_that_takes_it() -> None:
    facts = facts_of({
        "shop/Paid.java": "package shop;\npublic class Paid {}\n",
        "shop/Notifier.java": "package shop;\ninterface Notifier { void notify(Paid paid); }\n",
        "shop/Mail.java": "package shop;\nclass Mail extends AbstractHandler<Paid> {\n"
        "    Mail(Publisher<Paid> from) {\n        super(from);\n    }\n"
        "    void handle(Flux<Paid> all) {\n        all.map(this::write);\n    }\n"
        "    void write(Paid paid) {\n        print(paid);\n    }\n}\n",
        "shop/Later.java": "package shop;\nclass Later implements Notifier {\n"
        "    private Notifier delegate;\n    public void notify(Paid paid) {\n"
        "        this.delegate.notify(paid);\n    }\n}\n",
        "shop/Till.java": "package shop;\nclass Till {\n    void close(Paid paid) {\n"
        "        bus.publish(paid);\n    }\n}\n",
    })  # fmt: skip
    handlers = {
        spot.name: [it.name for step in station_of(facts, spot).steps for it in step.handlers]
        for spot in (Spot("shop/Later.java", "Later.notify"), Spot("shop/Till.java", "Till.close"))
    }
    assert handlers == {"Later.notify": [], "Till.close": ["Mail.handle"]}


_PHP = """<?php
namespace App;

use App\\SendMail;
use Illuminate\\Contracts\\Queue\\ShouldQueue;

class {} {{
  public function {}() {{
    {}
    return 1;
  }}
}}
"""


def test_a_method_of_an_object_that_is_made_where_it_is_called_is_followed_in_php() -> None:
    calls = ("(new Note($a))->execute();\n    app(Note::class)->undo();\n"
             "    (new Note($a))->tag()->execute();\n    dispatch(new SendMail($a));")  # fmt: skip
    facts = facts_of({
        "composer.json": '{"autoload": {"psr-4": {"App\\\\": "app/"}}}',
        "app/Store.php": _PHP.format("Store", "store", calls),
        "app/Note.php": _PHP.format("Note", "execute", "") + "class Other {}\n",
        "app/SendMail.php": _PHP.format("SendMail implements ShouldQueue", "handle", ""),
    })  # fmt: skip
    steps = station_of(facts, Spot("app/Store.php", "Store.store")).steps
    assert [(step.line, step.end.name) for step in steps if "." in step.end.name] == [
        (9, "Note.execute")
    ]
    assert [handler.name for handler in steps[-1].handlers] == ["SendMail.handle"]


def test_a_method_of_an_object_that_is_made_where_it_is_called_is_followed_in_ruby() -> None:
    facts = facts_of({
        "app/store.rb": "class Store\n  def store\n    Note.new(a(1), b).call\n"
        "    Note.new(1).other.call\n    Note.call\n  end\nend\n",
        "app/note.rb": "class Note\n  def call\n    1\n  end\nend\n",
    })  # fmt: skip
    steps = station_of(facts, Spot("app/store.rb", "Store.store")).steps
    assert [(step.line, step.end.name, step.again) for step in steps] == [(3, "Note.call", (5,))]


def test_a_name_is_followed_through_files_that_hand_on_all_of_others() -> None:
    body = "{\n  const a = 1;\n  const b = 2;\n  return a + b;\n}\n"
    facts = facts_of({
        "package.json": "{}",
        "src/index.ts": "import { save, find } from './queries';\n\n"
        "export function run() {\n  save();\n  find();\n}\n",
        "src/queries/index.ts": "export * from './sql';\n",
        "src/queries/sql/index.ts": "export * from './save';\nexport * from './find';\n",
        "src/queries/sql/save.ts": f"export function save() {body}",
        "src/queries/sql/find.ts": f"export function find() {body}",
    })  # fmt: skip
    steps = station_of(facts, Spot("src/index.ts", "run")).steps
    assert [step.end.path for step in steps] == [
        "src/queries/sql/save.ts",
        "src/queries/sql/find.ts",
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.rs", "impl Key {\n  fn make(&self, name: &str) -> u8 {\n    give(name, self.size);\n"
         "    list.map(|size| Some(size));\n    match kind {\n      Kind::Long {\n        size,\n"
         "        ..\n      } => give(size, 1),\n      Kind::Short(size) => give(size, 2),\n    }\n"
         "  }\n  fn size(&self) -> u8 {\n    1\n  }\n}\n\n"
         "mod tests {\n  fn name() -> u8 {\n    1\n  }\n}\n"),
        ("a.go", "package a\n\nfunc make(\n\tname string,\n) {\n\tfor _, size := range all {\n"
         "\t\tgive(name, size)\n\t}\n\tgo func(last int) {\n\t\tgive(last, 1)\n\t}(1)\n}\n\n"
         + "".join(f"func {it}() int {{\n\treturn 1\n}}\n\n" for it in ("name", "size", "last"))),
        ("a.ts", "class Key {\n  make({ name }, size) {\n"
         "    list.map((last) => give(last, size));\n"
         "    const {\n      first,\n    } = size;\n    give(first, name);\n  }\n}\n"
         + "".join(f"function {it}() {{\n  return 1;\n}}\n"
                   for it in ("name", "size", "last", "first"))),
        ("a.py", "def make():\n    for name, size in all():\n        give(name, size)\n"
         "    first, last = all()\n"
         "    return sorted(all(), key=lambda it: give(it, first, last))\n\n"
         + "".join(f"def {it}():\n    return 1\n\n"
                   for it in ("name", "size", "last", "first", "it"))),
        ("A.java", "class Key {\n  int make(int name) {\n    return give(name, this.size, size);\n"
         "  }\n  int size() {\n    return 1;\n  }\n  int name() {\n    return 1;\n  }\n}\n"),
        ("a.php", "<?php\nfunction make($name) {\n  give($name, $size);\n}\n"
         "function name() {\n  return 1;\n}\nfunction size() {\n  return 1;\n}\n"),
    ],
)  # fmt: skip
def test_a_name_that_something_nearer_has_is_no_function(path: str, text: str) -> None:
    facts = facts_of({path: text})
    (name,) = (it.qualified for it in facts.code[path].symbols if it.name == "make")
    assert not [step.end.name for step in station_of(facts, Spot(path, name)).steps]


@pytest.mark.parametrize(
    ("path", "text", "is_passed"),
    [
        ("a.rs", "fn make() {\n  give(work);\n}\n\nfn work() -> u8 {\n  1\n}\n", True),
        ("A.java", "class K {\n  void make() {\n    give(this::work);\n  }\n  int work() {\n"
         "    return 1;\n  }\n}\n", True),
        ("a.rb", "module K\n  def make\n    give(work, 1)\n  end\n\n"
         "  def work\n    1\n  end\nend\n", False),
        ("a.py", "def make(given=Depends(work)):\n    return given\n\ndef work():\n    return 1\n",
         True),
    ],
)  # fmt: skip
def test_a_function_is_given_away_as_its_language_writes_it(
    path: str, text: str, *, is_passed: bool
) -> None:
    facts = facts_of({path: text})
    (name,) = (it.qualified for it in facts.code[path].symbols if it.name == "make")
    steps = station_of(facts, Spot(path, name)).steps
    assert [(step.end.name.rpartition(".")[2], step.is_passed) for step in steps] == [
        ("work", is_passed)
    ]


def test_functions_of_one_name_have_their_own_calls_and_a_macro_gives_way() -> None:
    body = "".join(f"fn {it}() -> u8 {{\n  1\n}}\n" for it in ("one", "two", "three"))
    facts = facts_of({
        "a.rs": "macro_rules! make {\n  () => { make() };\n}\n\n"
        "#[cfg(unix)]\nfn make() {\n  one();\n  two();\n}\n\n"
        f"#[cfg(windows)]\nfn make() {{\n  three();\n}}\n{body}"
        "struct Key;\nimpl From<u8> for Key {\n  fn from(it: u8) -> Key {\n    Key\n  }\n}\n"
        "impl From<i8> for Key {\n  fn from(it: i8) -> Key {\n    Key\n  }\n}\n"
        "fn made() {\n  Key::from(1);\n}\n",
    })  # fmt: skip
    steps = station_of(facts, Spot("a.rs", "make")).steps
    assert [step.end.name for step in steps] == ["one", "two"]
    assert not station_of(facts, Spot("a.rs", "made")).steps


def test_what_is_compiled_for_tests_alone_is_told_apart() -> None:
    facts = facts_of({
        "src/shop.rs": "pub fn pay() {\n  1;\n}\n\n#[cfg(test)]\npub fn paid() {\n  1;\n}\n\n"
        "#[cfg(test)]\nmod checks {\n  fn help() {\n    1;\n  }\n}\n",
    })  # fmt: skip
    assert only_for_tests(facts, "src/shop.rs") == {"paid", "checks", "checks.help"}


def test_what_gives_what_is_given_back_comes_before_all_that_helps() -> None:
    chain = "\n".join(
        f"def f{n}(till):\n    Coin(till)\n    parse{n}(till)\n    found = f{n + 1}(till)\n"
        f"    return found\n\ndef parse{n}(till):\n" + "    b = 1\n" * 20
        for n in range(8)
    )
    made = "class Coin:\n    def __init__(self, till):\n" + "        a = 1\n" * 30
    facts = facts_of({"a.py": f"{chain}\ndef f8(till):\n{BODY}\n{made}"})
    walked = walk(facts, "f0", Spot("a.py", "f0"), 0, most=9)
    assert [it.spot.name for it in walked.stations] == [f"f{n}" for n in range(9)]


def test_what_a_long_chain_of_calls_makes_is_followed() -> None:
    parts = [f"take_coins_of_kind_{n}" for n in range(12)]
    methods = "".join(
        f"    pub fn {it}(self, n: u8) -> Self {{\n        self\n    }}\n" for it in parts
    )
    chain = "".join(f"\n        .{it}(1)" for it in parts)
    text = (
        "pub struct Till;\npub struct Maker;\nimpl Maker {\n"
        "    pub fn new() -> Self {\n        Maker\n    }\n"
        f"{methods}    pub fn build(self) -> Till {{\n        Till\n    }}\n}}\n"
        "impl Till {\n    pub fn pay(&self) {}\n}\n"
        f"fn main() {{\n    let till = Maker::new(){chain}\n        .build();\n"
        "    till.pay();\n}\n"
    )
    facts = facts_of({"src/main.rs": text})
    ends = [step.end.name for step in station_of(facts, Spot("src/main.rs", "main")).steps]
    assert ends == ["Maker.new", *(f"Maker.{it}" for it in parts), "Maker.build", "Till.pay"]


def test_a_method_of_a_trait_that_a_class_uses_is_followed_in_php() -> None:
    till = "<?php\nnamespace Shop;\nuse Shop\\Kinds\\Counts;\nclass Till\n{\n    use Counts;\n"
    till += "    public function pay()\n    {\n        $this->count();\n    }\n}\n"
    counts = "<?php\nnamespace Shop\\Kinds;\ntrait Counts\n{\n    public function count()\n"
    counts += "    {\n        return 1;\n    }\n}\n"
    facts = facts_of({"src/Till.php": till, "src/Kinds/Counts.php": counts})
    (step,) = station_of(facts, Spot("src/Till.php", "Till.pay")).steps
    assert step.end == Spot("src/Kinds/Counts.php", "Counts.count")


TYPED = """import argparse


def add_pay(parsers):
    parser = parsers.add_parser("pay")
    parser.add_argument("--sum")
    parser.set_defaults(run=pay)


def pay(args):
    total = args.sum
    total += 1
    return total


def wrapError(words):
    words = words.strip()
    words += "!"
    return words


def refuse(words: str) -> PayError:
    words = words.strip()
    words += "!"
    return PayError(words)


def main():
    parser = argparse.ArgumentParser()
    add_pay(parser.add_subparsers())
    args = parser.parse_args()
    refuse(wrapError(""))
    return args.run(args)
"""


def test_what_is_typed_is_followed_and_what_declares_it_or_makes_an_error_is_no_step() -> None:
    facts = facts_of({"shop/main.py": TYPED})
    way = walk(facts, "shop", Spot("shop/main.py", "main"), 1)
    assert [it.spot.name for it in way.stations] == ["main", "pay"]


def test_what_gives_back_an_error_alone_is_no_step_in_go() -> None:
    body = "\twords += 1\n\twords += 2\n\treturn take(words)\n}\n\n"
    text = f"package shop\n\nfunc argErr(words int) error {{\n{body}"
    text += (
        f"func pay(words int) error {{\n\tif words > 1 {{\n\t\treturn argErr(words)\n\t}}\n{body}"
    )
    text += f"func take(words int) error {{\n{body.replace('take', 'count')}"
    facts = facts_of({"go.mod": "module shop\n", "shop.go": text})
    way = walk(facts, "pay", Spot("shop.go", "pay"), 1)
    assert [it.spot.name for it in way.stations] == ["pay", "take"]


def test_what_variables_of_a_script_are_given_runs_at_its_top_level() -> None:
    facts = facts_of({
        "bin.ts": 'import { App } from "./app";\nfunction open() {\n  return close();\n}\n'
        "function close() {}\n"
        "const app = new App(open());\nconst later = () => close();\napp.listen(1);\n",
        "app.ts": "export class App {\n  listen(port: number) {}\n}\n",
        "run.py": "from app import make\n\nrun = make()\nlater = lambda: str(1)\n",
        "app.py": "def make(): ...\n",
    })  # fmt: skip
    for path, ends in (("bin.ts", ["open", "App", "App.listen"]), ("run.py", ["make"])):
        assert [step.end.name for step in station_of(facts, Spot(path, "")).steps] == ends
    assert [step.end.name for step in station_of(facts, Spot("run.py", "run")).steps] == ["make"]
    assert callers_of(facts, "app.py", "make") == ((Spot("run.py", "run"), 3),)
    script = excerpt(facts, "bin.ts", "", 3, (6, 8))
    assert script is not None
    assert script.text.startswith("const app")


def test_an_object_is_made_by_what_its_language_calls_so() -> None:
    facts = facts_of({
        "Till.java": "class Till {\n    void init(String[] given) { given.clone(); }\n}\n",
        "Till.swift": "class Till {\n    init(rows: Int) { open(rows) }\n}\n",
    })  # fmt: skip
    assert entered(facts, Spot("Till.java", "Till")) == Spot("Till.java", "Till")
    assert entered(facts, Spot("Till.swift", "Till")) == Spot("Till.swift", "Till.init")
