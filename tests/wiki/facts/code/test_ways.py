"""The way of a program to its longest function."""

from __future__ import annotations

from stationmaster.wiki.facts.code.flows import flow, flows
from tests.wiki.commits import facts_of

BODY = "    a = 1\n    b = 2\n    return a + b\n"
MAIN = "if __name__ == '__main__':\n    main()\n"


def test_the_way_of_a_program_goes_on_to_its_longest_function() -> None:
    lines = "".join(f"    a = {number}\n" for number in range(120))
    chain = "".join(
        f"def step{n}():\n    step{n + 1}()\n    b = 1\n    return b\n\n" for n in range(8)
    )
    facts = facts_of({
        "a.py": f"import other\n\ndef main():\n    other.help()\n    other.step0()\n\n{MAIN}",
        "other.py": f"def step8():\n{lines}\n{chain}def help():\n{BODY}\n",
    })  # fmt: skip
    (walked,) = (flow(facts, key) for key in flows(facts))
    names = [it.spot.name for it in walked.stations]
    assert names[-9:] == [f"step{n}" for n in range(9)]
