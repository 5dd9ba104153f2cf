"""What holds of every agent's card, and of where else agents may be named."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stationmaster.agents import cards, recognition
from stationmaster.agents.cards import PRODUCTS, traces
from stationmaster.agents.cards.card import Card
from stationmaster.agents.cards.home import Home
from stationmaster.agents.cards.ranks import (
    DEFAULT,
    FAMILIES_COUNTED,
    FAMILY_OF_KIND,
    NAMED,
    precedence,
)
from stationmaster.agents.cards.settings import Gateway
from stationmaster.agents.interface import Intake
from stationmaster.client.hooks import files as hook_files
from stationmaster.client.server import Server
from stationmaster.client.settings import gateway as gateway_settings, telemetry
from stationmaster.gateway import agents as callers
from stationmaster.pipelines.agents import recognition as workflows
from stationmaster.web.charts.model import COLOURS, slots
from stationmaster.web.figures.blocks import agent_name
from tests.support import recordings, tellings

SOURCE = Path(cards.__file__).parents[2]
DOCS = SOURCE.parents[1] / "docs"
THEIRS = '{\n    "theirs": {"kept": [1, 2]}\n}\n'
SERVER = Server("https://stationmaster.example.com", "sm_key")
GATEWAY = Gateway("https://gateway.example.com", "sm_key", model="claude-sonnet-5")
every_card = pytest.mark.parametrize("card", cards.every(), ids=PRODUCTS)
OPTIONAL = ("export", "hooks", "gate", "telemetry", "gateway", "recorded", "program", "caller")


@every_card
def test_its_identity_is_well_formed(card: Card) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", card.product)
    assert card.title.strip() == card.title
    assert card.title
    assert 1 <= card.colour <= COLOURS
    assert recognition.by_product(card.product) is not None


def test_no_two_agents_share_an_identity() -> None:
    for names in (
        [card.product for card in cards.every()],
        [card.title.lower() for card in cards.every()],
        [folder for card in cards.every() for folder in _folders(card)],
        [name for card in cards.every() for name in dict.fromkeys(_names(card))],
        [program for card in cards.every() for program in traces.of(card.product).programs],
        [package for card in cards.every() for package in traces.of(card.product).packages],
        [key for card in cards.every() for key in traces.of(card.product).keys],
        [action for card in cards.every() for action in traces.of(card.product).actions],
        [card.hook_signs.path for card in cards.every() if card.hook_signs.path],
    ):
        assert sorted(names) == sorted(set(names))
    if len(PRODUCTS) <= COLOURS:
        assert len({card.colour for card in cards.every()}) == len(PRODUCTS)
    assert [card.product for card in cards.every() if card.hook_signs.is_usual] == [PRODUCTS[0]]


def _folders(card: Card) -> list[str]:
    usual = {folder.usual for kind in card.files for folder in kind.folders}
    return [folder for folder in usual if folder is not None]


def _names(card: Card) -> tuple[str, ...]:
    return () if card.export is None else card.export.names


@every_card
def test_what_it_lacks_says_why(card: Card) -> None:
    assert set(card.lacks) == {part for part in OPTIONAL if getattr(card, part) is None}
    assert all(len(why) > 20 for why in card.lacks.values())


@every_card
def test_its_session_files_lie_below_folders_of_its_own(card: Card) -> None:
    roots = Home("/home/dev").roots(card.files)

    assert roots
    for root in roots:
        assert root.folder.startswith("/home/dev/")
        assert "*" in root.pattern or "." in root.pattern


@every_card
def test_its_records_are_recognised_as_its_own_and_read_without_a_loss(card: Card) -> None:
    if card.export is None:
        assert recognition.find_otlp(card.product, card.product, f"{card.product}.x") is None
        return
    export = card.export
    sender = recognition.find_otlp(export.service, export.scope, export.name)
    assert sender is recognition.by_product(card.product)
    for name in export.imitates:
        named = recognition.find_otlp("", "", name.replace("*", "x"))
        assert named is not None
        assert named.product != card.product


@every_card
def test_recorded_session_files_are_its_own_and_no_others(card: Card, tmp_path: Path) -> None:
    home = tellings.make_home(tmp_path, card.product)
    files = tellings.files_of(card.product, home)

    assert files
    for file in files:
        with open(file.path, "rb") as opened:
            head = opened.read(65_536)
        found = recognition.find_transcript(file.path, head)
        assert found is not None
        assert found.product == card.product
    for other in PRODUCTS:
        assert other == card.product or tellings.files_of(other, home) == []


@every_card
def test_a_sample_of_its_hook_starts_a_session(card: Card) -> None:
    if card.hooks is None:
        return
    agent, intake = tellings.known(card.product), Intake()
    agent.hook(card.hooks.sample_event or None, dict(card.hooks.sample), 1_000, intake)

    assert {"session_start", "session_context"} & {event.kind for event in intake.events}
    assert {event.product for event in intake.events} == {card.product}


@every_card
def test_recorded_hooks_that_say_whose_they_are_say_it_right(card: Card) -> None:
    wrong = [
        event
        for event, given in recordings.hooks_by_event(card.product)
        if (agent := recognition.find_hook(given)) is None or agent.product != card.product
    ]
    is_named_by_us = card.hooks is not None and card.hooks.plugin is not None
    assert wrong == [] or is_named_by_us


@every_card
def test_every_source_has_a_rank_in_every_family(card: Card) -> None:
    for row in card.ranks:
        assert row.families == ("*",) or set(row.families) <= FAMILIES_COUNTED
        assert set(row.sources) <= set(DEFAULT)
        assert row.like in ("", *NAMED)
        assert row.like or row.sources
    for kind in FAMILY_OF_KIND:
        for source in DEFAULT:
            rank, group = precedence(card.product, kind, source)
            assert rank >= 0
            assert group >= 1
        assert precedence(card.product, kind, "gateway")[0] == 0


@every_card
@pytest.mark.parametrize("gate", [None, "allow", "refuse"])
def test_its_hooks_are_installed_and_removed_without_a_trace(
    card: Card, gate: hook_files.Gate | None, tmp_path: Path
) -> None:
    if card.hooks is None:
        return
    path = hook_files.path_of(card.product, tmp_path, None)
    path.parent.mkdir(parents=True)
    if card.hooks.plugin is None:
        path.write_text(THEIRS)
    before = path.read_bytes() if path.exists() else None

    done = hook_files.install(card.product, path, "/usr/bin/stationmaster", gate)
    assert done.missing == []
    assert done.gate == gate
    assert set(card.hooks.events) <= set(done.installed)
    assert hook_files.remove(card.product, path).installed == []

    assert (path.read_bytes() if path.exists() else None) == before
    assert sorted(file for file in tmp_path.rglob("*") if file.is_file()) == (
        [] if before is None else [path]
    )


@every_card
def test_what_its_gate_refuses_and_warns_of_is_json(card: Card) -> None:
    if card.gate is None:
        return
    assert card.gate.events
    for event, subject in card.gate.events.items():
        assert "why" in json.dumps(card.gate.refusal(subject, event, "why"))
        warning = card.gate.warning(subject, "why")
        assert warning is None or "why" in json.dumps(warning)
    assert card.gate.read_only


@every_card
def test_its_settings_are_applied_and_undone_without_a_trace(card: Card, tmp_path: Path) -> None:
    recipes = []
    if card.telemetry is not None:
        recipes.append((telemetry.recipe_of(card.product, SERVER), telemetry.PURPOSE))
    if card.gateway is not None:
        recipe = gateway_settings.recipe_of(card.product, GATEWAY)
        recipes.append((recipe, gateway_settings.PURPOSE))
    for recipe, purpose in recipes:
        assert recipe.files or recipe.environment
        for file in recipe.files:
            path = tmp_path / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(THEIRS if path.suffix == ".json" else 'theirs = "kept"\n')
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

        telemetry.apply(recipe, tmp_path, purpose)
        for file in recipe.files:
            assert (tmp_path / file.path).read_bytes() != before[tmp_path / file.path]
        telemetry.undo(recipe, tmp_path, purpose)

        assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before


@every_card
def test_a_key_is_in_nothing_that_it_prints_for_others(card: Card) -> None:
    if card.recorded is None:
        return
    variables = card.environment(SERVER.url, SERVER.key)
    assert any(SERVER.url in value for value in variables.values())
    assert all(SERVER.key in value for name, value in variables.items() if "HEADERS" in name)


@every_card
def test_its_calls_at_the_gateway_are_its_own(card: Card) -> None:
    if card.caller is None:
        return
    assert card.caller.refused_with in (400, 429)
    matching = [
        other.product
        for other in cards.every()
        if other.caller is not None
        and re.search(other.caller.user_agent, f"{card.product}/1.2.3", re.IGNORECASE)
    ]
    assert matching == [card.product]
    assert callers.of([(b"user-agent", f"{card.product}/1.2.3".encode())]).product == card.product
    for field, values in card.caller.signs.items():
        assert callers.of([(field.encode(), values[0].encode())]).product == card.product


@every_card
def test_workflows_that_run_it_are_recognised(card: Card) -> None:
    shown = traces.of(card.product)
    for action in shown.actions:
        assert workflows.of_action(f"{action.replace('*', 'x')}@v1") == card.product
    for word in (shown.engine,) if shown.engine else ():
        assert workflows.engine(word) == card.product
    for pattern in (*shown.mentions, *shown.authors):
        re.compile(pattern)
    assert shown.programs
    assert set(shown.packages.values()) <= set(shown.programs)
    if card.program is not None and card.product != "copilot-cli":
        assert card.program.command[0] in shown.programs


@every_card
def test_pages_name_it_and_give_it_its_colour(card: Card) -> None:
    assert agent_name(card.product) == card.title
    assert slots([card.product])[card.product] == card.colour


@every_card
def test_the_documentation_lists_it(card: Card) -> None:
    page = (DOCS / "agents.md").read_text()
    rows = [line for line in page.splitlines() if f"`{card.product}`" in line]

    assert any(line.startswith(f"| [{card.title}](#") for line in rows)
    assert f"## {card.title}\n" in page


def test_a_card_costs_no_reader() -> None:
    code = (
        "import sys; from stationmaster.agents import cards; cards.every();"
        "print(*sorted(m for m in sys.modules if m.startswith('stationmaster.agents.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    modules = [name.removeprefix("stationmaster.agents.") for name in done.stdout.split()]
    assert [n for n in modules if n.endswith((".agent", ".transcript", ".hooks", ".otlp"))] == []


def test_every_package_of_an_agent_has_a_card_that_is_listed() -> None:
    folders = sorted(path.parent.name for path in (SOURCE / "agents").glob("*/agent.py"))
    assert folders == sorted(product.replace("-", "_") for product in PRODUCTS)
    for product in PRODUCTS:
        assert cards.get(product).product == product


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).parts[0] not in ("agents", "catalogue")
    ],
    ids=lambda path: path.relative_to(SOURCE).as_posix(),
)
def test_no_other_module_names_two_agents(path: Path) -> None:
    named = {
        IDENTITIES[word]: (word, line)
        for line, text in _texts(path)
        for word in _IDENTITY.findall(text)
    }
    assert len(named) < 2, named


def test_no_other_module_decides_by_the_name_of_an_agent() -> None:
    paths = (it for it in SOURCE.rglob("*.py") if it.relative_to(SOURCE).parts[0] != "agents")
    compared = [
        (path.name, node.lineno)
        for path in paths
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Compare)
        for it in (node.left, *node.comparators)
        if isinstance(it, ast.Constant) and it.value in set(PRODUCTS) - WORDS
    ]
    assert compared == []


def _identities(card: Card) -> set[str]:
    """Names that are this agent's alone: its folders, packages, keys and actions too. Words that
    also name models or parts of programs, such as the cursor of a list, are none."""
    shown = traces.of(card.product)
    folders = {folder.usual for kind in card.files for folder in kind.folders if folder.usual}
    names = {card.product, card.title, *shown.packages, *shown.keys, *shown.actions, *folders}
    return {name for name in (names | {*shown.programs, *shown.words}) if name not in WORDS}


WORDS = frozenset({"claude", "gemini", "qwen", "cursor", "agent", "gh"})
IDENTITIES = {name: card.product for card in cards.every() for name in _identities(card)}
_IDENTITY = re.compile(
    rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted(IDENTITIES, key=len, reverse=True)))})(?![\w-])"
)


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a module with their lines, without its docstrings."""
    tree = ast.parse(path.read_text())
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text), lineno=line) if id(node) not in docstrings:
                yield line, text
