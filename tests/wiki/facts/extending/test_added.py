"""What commits that added one more type changed besides."""

from __future__ import annotations

from pathlib import Path

from stationmaster.wiki.facts.extending.added import added
from tests.wiki.making.test_log import grown

BASE = "class Kind:\n    def sold(self):\n        raise NotImplementedError\n"
KIND = "from shop.kinds.base import Kind\n\n\nclass {0}(Kind):\n    def sold(self): return 1\n"


def test_files_that_most_commits_changed_are_told_with_what_the_newest_added(
    tmp_path: Path,
) -> None:
    steps = [
        (9 - at, "Ada", {
            f"shop/kinds/{name.lower()}.py": KIND.format(name), "shop/till.py": f"KINDS = {at}\n",
            f"tests/test_{name.lower()}.py": "def test_it():\n    pass\n",
            **({"README.md": f"# Shop {at}\n"} if at == 1 else {}),
        })
        for at, name in enumerate(("Tea", "Cup", "Pot", "Tin"))
    ]  # fmt: skip
    first = {"shop/kinds/base.py": BASE, "shop/till.py": "KINDS = 9\n", "README.md": "# Shop\n"}
    facts = grown(tmp_path, (30, "Ada", first), *steps)
    (told,) = added(facts).values()
    assert told.commits == 4
    assert told.changed == (("shop/till.py", 4),)
    assert told.files == ("shop/kinds/tin.py", "tests/test_tin.py")


def test_the_newest_is_none_where_a_larger_commit_added_one_later(tmp_path: Path) -> None:
    steps = [
        (9 - at, "Ada", {f"shop/kinds/{name.lower()}.py": KIND.format(name),
                         "shop/till.py": f"KINDS = {at}\n"})
        for at, name in enumerate(("Tea", "Cup"))
    ]  # fmt: skip
    large = {f"shop/part{n}.py": "x = 1\n" for n in range(40)}
    first = {"shop/kinds/base.py": BASE, "shop/till.py": "KINDS = 9\n"}
    last = (1, "Ada", {"shop/kinds/pot.py": KIND.format("Pot"), **large})
    (told,) = added(grown(tmp_path, (30, "Ada", first), *steps, last)).values()
    assert not told.newest
    assert not told.changed  # Two commits are no habit.
