from stationmaster.wiki.facts.code.flows import DEPTH_MAX, STEPS_MAX, flow, flows
from tests.wiki.commits import facts_of

MAIN = "if __name__ == '__main__':\n    main()\n"


def test_a_flow_goes_from_the_entry_into_each_call_in_the_order_of_the_source() -> None:
    facts = facts_of({
        "shop/__init__.py": "",
        "shop/run.py": "from shop.cart import fill\nfrom shop.pay import pay\n\ndef main():\n"
        "    fill()\n    unknown()\n    pay()\n\n" + MAIN,
        "shop/cart.py": "def fill():\n    check()\n\ndef check(): ...\n",
        "shop/pay.py": "def pay(): ...\n",
    })  # fmt: skip
    (key,) = flows(facts)
    found = flow(facts, key)
    assert key == "concepts/how-run.py"
    assert [(each.end.name, each.line, each.depth) for each in found.steps] == [
        ("main", 10, 1), ("fill", 5, 2), ("check", 2, 3), ("pay", 7, 2),
    ]  # fmt: skip
    assert (found.stop, found.doubtful) == ("end", 1)


def test_a_circle_of_calls_ends() -> None:
    facts = facts_of({
        "a.py": "from b import two\n\ndef main():\n    one()\n\ndef one():\n    two()\n\n" + MAIN,
        "b.py": "from a import one\n\ndef two():\n    one()\n    three()\n\n"
        "def three():\n    two()\n",
    })  # fmt: skip
    assert [each.end.name for each in flow(facts, flows(facts)[0]).steps] == [
        "main", "one", "two", "three",
    ]  # fmt: skip


def test_a_flow_that_goes_on_stops_with_the_reason() -> None:
    deep = "\n".join(f"def f{n}():\n    f{n + 1}()\n" for n in range(30))
    wide = "def main():\n    f0()\n" + "\n".join(f"    g{n}()" for n in range(30)) + "\n"
    facts = facts_of({
        "deep.py": f"from wide import g0\n{deep}\ndef f30(): ...\n"
        "if __name__ == '__main__':\n    g0()\n    f0()\n",
        "wide.py": "from deep import f30 as f0\n"
        + "\n".join(f"def g{n}(): ..." for n in range(30)) + f"\n{wide}\n{MAIN}",
    })  # fmt: skip
    by_key = {key: flow(facts, key) for key in flows(facts)}
    assert by_key["concepts/how-deep.py"].stop == "depth"
    assert max(each.depth for each in by_key["concepts/how-deep.py"].steps) == DEPTH_MAX
    assert by_key["concepts/how-wide.py"].stop == "length"
    assert len(by_key["concepts/how-wide.py"].steps) == STEPS_MAX


def test_what_calls_little_or_within_one_file_alone_is_no_flow() -> None:
    facts = facts_of({"a.py": "def main():\n    one()\n\ndef one(): ...\n\n" + MAIN})
    assert flows(facts) == ()
