from stationmaster.wiki.facts.extending.extensions import extension_points
from tests.wiki.commits import facts_of

BASE = 'class Store:\n    """Keeps things."""\n    def read(self): ...\n    def _hide(self): ...\n'


def test_a_type_that_three_others_extend_is_a_point_whatever_it_is_called_there() -> None:
    facts = facts_of({
        "shop/__init__.py": "", "shop/base.py": BASE,
        "shop/a.py": "from shop.base import Store\n\nclass A(Store): ...\n",
        "shop/b.py": "from shop import base\n\nclass B(base.Store): ...\n",
        "shop/c.py": "from shop.base import Store as S\n\nclass C(S): ...\n\nclass D(C): ...\n",
        "tests/test_a.py": "from shop.base import Store\n\nclass Fake(Store): ...\n",
    })  # fmt: skip
    (point,) = extension_points(facts)
    assert (point.path, point.symbol.name) == ("shop/base.py", "Store")
    assert [each.name for each in point.methods] == ["read"]
    assert [(path, each.name) for path, each in point.implementations] == [
        ("shop/a.py", "A"), ("shop/b.py", "B"), ("shop/c.py", "C"),
    ]  # fmt: skip


def test_a_trait_of_rust_may_be_implemented_in_another_file_than_the_type() -> None:
    own = "use crate::shelf::Shelf;\n\npub struct {0};\n\nimpl Shelf for {0} {{}}\n"
    facts = facts_of(
        {
            "Cargo.toml": '[package]\nname = "shop"\n',
            "src/main.rs": "mod a;\nmod b;\nmod state;\nmod shelf;\nmod more;\n\nfn main() {}\n",
            "src/shelf.rs": "pub trait Shelf {\n    fn rows(&self) -> u8;\n}\n",
            "src/a.rs": own.format("Glass"),
            "src/b.rs": own.format("Wood"),
            "src/state.rs": "pub struct State {\n    rows: u8,\n}\n",
            "src/more.rs": "use crate::shelf::Shelf;\nuse crate::state::State;\n\n"
            "impl Shelf for State {\n    fn rows(&self) -> u8 { 1 }\n}\n",
        }
    )
    (point,) = extension_points(facts)
    assert [(path, it.name) for path, it in point.implementations] == [
        ("src/a.rs", "Glass"), ("src/b.rs", "Wood"), ("src/state.rs", "State"),
    ]  # fmt: skip


def test_errors_types_from_outside_and_types_of_few_are_no_points() -> None:
    facts = facts_of({
        "base.py": "class ShopError(Exception): ...\n\nclass Few: ...\n",
        **{f"e{n}.py": "from base import ShopError\nimport abc\n\n"
           f"class E{n}(ShopError): ...\n\nclass F{n}(abc.ABC): ...\n" for n in range(4)},
        "two.py": "from base import Few\n\nclass A(Few): ...\n\nclass B(Few): ...\n",
    })  # fmt: skip
    assert extension_points(facts) == ()


def test_interfaces_of_go_have_those_that_implement_them_and_what_is_embedded_is_no_point() -> None:
    methods = "func (s {0}) Get(k Key) (Value, error) {{}}\nfunc (s {0}) Put(k Key) {{}}\n"
    facts = facts_of({
        "go.mod": "module shop\n",
        "store.go": "package shop\n\ntype Store interface {\n\tGet(k Key) (Value, error)\n"
        "\tPut(k Key)\n}\n\ntype Base struct{}\n\ntype Named interface {\n\tName() string\n}\n",
        **{f"{name}.go": f"package shop\n\ntype {name} struct {{\n\tBase\n}}\n\n"
           + methods.format(name) + f"func (s {name}) Name() string {{}}\n"
           for name in ("a", "b", "c")},
        "cache.go": "package shop\n\ntype cache struct {\n\tStore\n}\n\n"
        "func (c cache) Get(k Key) (Value, error) {}\n",
        "odd.go": "package shop\n\ntype odd struct{}\n\nfunc (o odd) Get(k int) Value {}\n"
        "func (o odd) Put(k Key) {}\n",
    })  # fmt: skip
    (point,) = extension_points(facts)
    assert point.symbol.name == "Store"
    assert [each.name for _, each in point.implementations] == ["a", "b", "c"]


def test_what_a_class_above_leaves_open_and_nothing_has_written_yet_is_a_duty() -> None:
    facts = facts_of({
        "shop/Bill.java": "package shop;\npublic abstract class Bill {\n"
        "  public abstract void pay();\n  public abstract void send();\n  void keep() {}\n}\n",
        "shop/Small.java": "package shop;\npublic abstract class Small extends Bill {\n"
        "  public static boolean isSmall() { return true; }\n  public void send() {}\n}\n",
        **{f"shop/{it}.java": f"package shop;\npublic class {it} extends Small {{\n"
           "  public void pay() {}\n}\n" for it in ("A", "B", "C")},
    })  # fmt: skip
    (point,) = extension_points(facts)
    assert (point.symbol.name, [it.name for it in point.methods]) == ("Small", ["send"])
    assert point.duties == ("Bill.pay",)


def test_what_only_marks_or_holds_values_and_what_all_build_on_is_no_point() -> None:
    text = "class {0}(Base):\n    def run(self):\n        return 1\n"
    marks = {
        "src/marks.ts": "export interface HasCover { cover: string; }\n"
        "export interface Reads { read(): string; }\n"
        + "".join(
            f"export class A{n} implements HasCover, Reads {{\n  cover = '';\n"
            "  read() {\n    return '';\n  }\n}\n"
            for n in range(3)
        )
    }
    assert [point.symbol.name for point in extension_points(facts_of(marks))] == ["Reads"]
    base = {"shop/base.py": "class Base:\n    def box(self):\n        return 1\n"}
    head = "from shop.base import Base\n\n\n"
    few = {f"shop/a{n}.py": head + text.format(f"A{n}") for n in range(9)}
    many = {f"shop/b{n}.py": head + text.format(f"B{n}") for n in range(99)}
    assert len(extension_points(facts_of({**base, **few}))) == 1
    assert not extension_points(facts_of({**base, **few, **many}))


def test_what_is_deprecated_is_no_point_and_no_first_example() -> None:
    java = (
        "package shop;\n{}public class {} implements Till {{\n  public void open() {{\n  }}\n}}\n"
    )
    files = {
        "shop/Till.java": "package shop;\npublic interface Till {\n  void open();\n}\n",
        "shop/Ante.java": java.format("@Deprecated\n", "Ante"),
        "shop/Bank.java": java.format("", "Bank"),
        "shop/Cash.java": java.format("", "Cash"),
    }
    (point,) = extension_points(facts_of(files))
    assert [it.name for _, it in point.implementations] == ["Bank", "Cash", "Ante"]
    old = files["shop/Till.java"].replace("public interface", "@Deprecated\npublic interface")
    assert not extension_points(facts_of({**files, "shop/Till.java": old}))


def test_what_only_tests_of_rust_build_on_a_trait_is_not_listed() -> None:
    tested = "#[cfg(test)]\nmod tests {\n    struct Fake;\n    impl Cap for Fake {}\n}\n"
    facts = facts_of({
        "src/lib.rs": "pub trait Cap {\n    fn name(&self) -> String;\n}\n"
        + "".join(f"pub struct {it};\nimpl Cap for {it} {{}}\n" for it in ("A", "B", "C"))
        + tested,
    })  # fmt: skip
    (point,) = extension_points(facts)
    assert [it.name for _, it in point.implementations] == ["A", "B", "C"]


def test_types_build_on_an_interface_that_a_global_using_names_with_and_without_parameters() -> (
    None
):
    handlers = {
        f"App/{name}Handler.cs": (
            f"namespace App;\n\npublic class {name}Handler(\n    ILog log)\n"
            f"    : IHandler<{name}>\n{{\n    public void Handle({name} it) {{ }}\n}}\n"
        )
        for name in ("Paid", "Sent", "Lost")
    }
    facts = facts_of({
        "App/App.csproj": '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup>'
        '<ProjectReference Include="../Bus/Bus.csproj" /></ItemGroup></Project>',
        "App/GlobalUsings.cs": "global using Shop.Bus;\n",
        "Bus/Bus.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>',
        "Bus/IHandler.cs": (
            "namespace Shop.Bus;\n\npublic interface IHandler<in T> : IHandler\n"
            "{\n    void Handle(T it);\n}\n\npublic interface IHandler\n{\n}\n"
        ),
        **handlers,
    })  # fmt: skip
    (point,) = extension_points(facts)
    assert [symbol.name for _, symbol in point.implementations] == [
        "LostHandler", "PaidHandler", "SentHandler",
    ]  # fmt: skip
