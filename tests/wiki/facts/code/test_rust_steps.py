"""Where calls of Rust lead that are made on what a pattern or a result holds."""

from __future__ import annotations

from stationmaster.wiki.facts.code.stations import station_of
from stationmaster.wiki.facts.code.steps.libraries import made_by_macros
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of


def test_a_conversion_that_several_files_have_for_one_type_leads_nowhere() -> None:
    convert = (
        "impl TryFrom<{0}> for Order {{\n"
        "    fn try_from(it: {0}) -> Self {{\n        {1}\n    }}\n}}\n"
    )
    files = {
        "Cargo.toml": '[package]\nname = "till"\nversion = "1.0.0"\n',
        "src/main.rs": "mod desk;\nmod keys;\nuse desk::Order;\n\n"
        "fn main() {\n    let order = Order::try_from(read());\n    order.place();\n}\n",
        "src/desk.rs": "pub struct Order;\nimpl Order {\n    pub fn place(&self) {}\n}\n"
        + convert.format("String", "Order"),
    }
    start = Spot("src/main.rs", "main")
    (first, _) = station_of(facts_of(files), start).steps
    assert first.end == Spot("src/desk.rs", "Order.try_from")
    other = "use crate::desk::Order;\n" + convert.format("Key", "Order")
    steps = station_of(facts_of({**files, "src/keys.rs": other}), start).steps
    assert [it.end.name for it in steps] == ["Order.place"]


_SHOP = {
    "Cargo.toml": '[package]\nname = "till"\nversion = "1.0.0"\n',
    "src/main.rs": """mod desk;
mod cmd;

use desk::{Book, Desk, Order};

fn main() {
    let args = read();
    match args.order {
        None => {}
        Some(order) => order.place(),
    }
    let desk = Desk::open().unwrap();
    desk.close();
    if let Ok(book) = Desk::book() {
        book.map();
        book.keep();
    }
    Desk::book().map(|it| it);
    cmd::sell::run();
}
""",
    "src/cmd/mod.rs": "pub mod sell;\n",
    "src/cmd/sell.rs": "pub fn run() {}\n",
    "src/desk.rs": """pub struct Args { pub order: Option<Order> }
pub enum Order { Plain(Box<dyn Send>), Made(Box<dyn Make>) }
pub trait Send { fn run(&self); }
pub trait Make { fn run(&self); }
pub struct Mail;
impl Send for Mail { fn run(&self) {} }
pub struct Oven;
impl Make for Oven { fn run(&self) {} }
impl Order {
    pub fn place(self) {
        match self {
            Order::Plain(it) => it.run(),
            Self::Made(ref it) => {
                it.run()
            }
        }
    }
}
pub struct Book;
impl Book {
    pub fn map(&self) {}
    pub fn keep(&self) {}
}
pub struct Desk;
impl Desk {
    pub fn open() -> Result<Desk, String> { Ok(Desk) }
    pub fn book() -> Result<Book, String> { Ok(Book) }
    pub fn close(&self) {}
}
""",
}


def test_calls_on_what_patterns_and_results_hold_lead_to_methods_of_its_type() -> None:
    files = {**_SHOP, "src/main.rs": _SHOP["src/main.rs"].replace("= read()", ": desk::Args")}
    steps = station_of(facts_of(files), Spot("src/main.rs", "main")).steps
    assert [(step.line, step.end.name) for step in steps] == [
        (10, "Order.place"), (12, "Desk.open"), (13, "Desk.close"), (14, "Desk.book"),
        (16, "Book.keep"), (19, "run"),
    ]  # fmt: skip


def test_a_name_of_several_patterns_stands_in_each_arm_for_what_that_variant_holds() -> None:
    steps = station_of(facts_of(_SHOP), Spot("src/desk.rs", "Order.place")).steps
    assert [(step.line, [end.name for end in step.ends]) for step in steps] == [
        (12, ["Send.run", "Mail.run"]), (14, ["Make.run", "Oven.run"]),
    ]  # fmt: skip


def test_a_function_that_its_module_reexports_may_be_called_as_another_module() -> None:
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "till"\n',
        "src/main.rs": "mod cmd;\n\nfn main() {\n    cmd::build(1);\n    cmd::open();\n}\n",
        "src/cmd/mod.rs": "pub use build::build;\npub use desk::open;\nmod build;\nmod desk;\n",
        "src/cmd/build.rs": "pub fn build(a: u8) {}\n",
        "src/cmd/desk.rs": "pub fn open() {}\n",
    })  # fmt: skip
    station = station_of(facts, Spot("src/main.rs", "main"))
    assert [step.ends for step in station.steps] == [
        (Spot("src/cmd/build.rs", "build"),),
        (Spot("src/cmd/desk.rs", "open"),),
    ]


def test_variants_by_their_names_alone_are_those_of_the_only_enum_that_is_used_so() -> None:
    place = "match self {\n            Order::Plain(it)"
    used = place.replace("match", "use Order::*;\n        match").replace("Order::Plain", "Plain")
    shop = {path: text.replace(place, used) for path, text in _SHOP.items()}
    steps = station_of(facts_of(shop), Spot("src/desk.rs", "Order.place")).steps
    assert [step.ends[0].name for step in steps] == ["Send.run", "Make.run"]


def test_a_macro_implements_the_traits_that_it_names_for_the_types_that_it_is_given() -> None:
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "till"\n',
        "src/main.rs": "macro_rules! paid {\n    ($it:ident) => {\n"
        "        impl crate::Paid for $it {\n            fn pay(&self) {}\n        }\n    };\n}\n\n"
        "impl Plain for Till {}\n",
    })  # fmt: skip
    assert made_by_macros(facts) == {"Paid"}
