import json

from stationmaster.wiki.facts.texts.gaps import unknown_imports
from stationmaster.wiki.pages.dependencies import plan
from tests.wiki.commits import facts_of, written

TIPTAP = {f"@tiptap/part-{number}": "^3.0.0" for number in range(6)}
CONTENTS = {
    "package.json": json.dumps({"name": "shop", "dependencies": {"shop-core": "1", **TIPTAP}}),
    "core/package.json": '{"name": "shop-core", "devDependencies": {"vitest": "^2"}}',
}


def page(contents: dict[str, str]) -> str:
    facts = facts_of(contents)
    (planned,) = plan(facts)
    return written(facts, planned.write, planned.subject, planned.key)


def test_packages_are_put_by_who_needs_them() -> None:
    told = page(CONTENTS).partition("## For development")[2]
    assert "| `vitest` | `^2` | [`core/package.json:1`](source:core/package.json#L1) |" in told


def test_each_of_many_packages_of_one_publisher_has_a_row() -> None:
    told = page(CONTENTS)
    assert all(f"| `{name}` | `^3.0.0` |" in told for name in TIPTAP)


def test_the_packages_of_the_repository_are_drawn_and_listed() -> None:
    told = page(CONTENTS)
    assert 'n1["shop"]\n  n2["shop-core"]\n  n1 --> n2' in told
    assert "- shop → shop-core" in told


def test_few_packages_make_no_page() -> None:
    assert list(plan(facts_of({"package.json": '{"dependencies": {"react": "^19"}}'}))) == []


def test_code_of_others_in_the_repository_is_named_once() -> None:
    copies = {"vendor/a/one.php": "<?php\n", "vendor/b/two.php": "<?php\n", "src/c.php": "<?php\n"}
    body = page({**CONTENTS, **copies})
    assert body.count("vendor") == 1
    assert "that this wiki does not describe: `vendor` (2 files)." in body


def test_a_crate_that_code_calls_by_the_end_of_its_name_is_imported() -> None:
    asked = "".join(f'part{n} = "1"\n' for n in range(5))
    manifest = (
        "[package]\nname = 'shop'\n\n[dependencies]\nacme_till_grid = \"1\"\n"
        f'{asked}\n[dev-dependencies]\nprobe = "1"\n'
    )
    files = {
        "Cargo.toml": manifest,
        "src/lib.rs": "use till_grid::Grid;\n\npub fn show() -> Grid {\n    Grid::new()\n}\n",
        "tests/all.rs": "use probe::Probe;\n\n#[test]\nfn it_works() {\n    Probe::run();\n}\n",
    }
    body = page(files)
    grid = next(line for line in body.split("\n") if "`acme_till_grid`" in line)
    assert "| src |" in grid
    assert "| tests |" in next(line for line in body.split("\n") if "`probe`" in line)
    assert not unknown_imports(facts_of(files))
