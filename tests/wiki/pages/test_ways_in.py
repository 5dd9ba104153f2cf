"""The pages of the command line, of jobs, and of routes."""

import msgspec

from stationmaster.reading.code.model import CliCommand, Entry, FileFacts, Job, Option, Route
from stationmaster.wiki.pages.interfaces import cli, http, jobs
from tests.wiki.commits import facts_of, written

FACTS = FileFacts(
    entries=(Entry("main", "main", 3, "main"),),
    commands=(CliCommand(("serve",), 5, "Listens.", "serve", (Option(("--port",), 6, "", "80"),)),),
    jobs=(Job("clean", "schedule", 7, "0 0 * * *", "clean", "Celery"),),
    routes=(Route("GET", "/", 8, "", "app"),),
)


def test_each_way_in_has_its_page() -> None:
    facts = facts_of({"app.py": ""})
    facts.code = {"app.py": FACTS}
    planned = [*cli.plan(facts), *jobs.plan(facts), *http.plan(facts)]
    facts.planned = {each.key: each.title for each in planned}
    bodies = {each.key: written(facts, each.write, None, each.key) for each in planned}
    assert list(bodies) == ["cli", "jobs-and-events", "api/http"]
    assert "| `serve` | Listens. | `serve` | [`app.py:5`](source:app.py#L5) |" in bodies["cli"]
    assert "| `--port` | `80` |" in bodies["cli"]
    assert "| `clean` | `0 0 * * *` |" in bodies["jobs-and-events"]


def test_an_option_says_how_often_and_for_which_commands_it_may_be_given() -> None:
    facts = facts_of({"app.py": ""})
    options = (Option(("--peer",), 6, "A peer.", is_many=True), Option(("-v",), 7, for_all=True))
    serve = CliCommand(("serve",), 5, handler="run", options=options)
    below = [CliCommand(("serve", word), 8, handler="run") for word in ("now", "later")]
    facts.code = {"app.py": FileFacts(commands=(serve, *below[:1]))}
    planned = next(iter(cli.plan(facts)))
    told = written(facts, planned.write, None, planned.key)
    assert "| `--peer` | A peer. Repeatable. |" in told
    assert "| `-v` | Also for its subcommands. |" in told
    assert "`run`" in told
    facts = facts_of({"app.py": ""})
    facts.code = {
        "app.py": FileFacts(
            commands=(msgspec.structs.replace(serve, words=("serve", "all")), *below)
        )
    }
    told = written(facts, planned.write, None, planned.key)
    assert "subcommands" not in told
    assert "`run`" not in told  # It is around what all of them do.


def test_arguments_stand_apart_from_options_and_what_has_none_says_that_they_were_not_read() -> (
    None
):
    facts = facts_of({"app.py": ""})
    options = (Option(("TILL",), 6, "A till."), Option(("-v",), 7, heading="More"))
    facts.code = {"app.py": FileFacts(commands=(CliCommand(("serve",), 5, options=options),))}
    (planned,) = cli.plan(facts)
    body = written(facts, planned.write, None, planned.key)
    assert "1 command with 1 option." in body
    assert "### Arguments of serve\n\n| Argument | Meaning |" in body
    assert "| `-v` | More |" in body
    facts = facts_of({"app.py": ""})
    facts.code = {"app.py": FileFacts(commands=(CliCommand(("serve",), 5),))}
    assert "1 command. Its options were not read." in written(facts, planned.write)


def test_without_ways_in_there_are_no_pages() -> None:
    facts = facts_of({"app.py": ""})
    assert not [*cli.plan(facts), *jobs.plan(facts)]


def test_the_page_of_the_command_line_has_what_documents_say_of_it_also_without_commands() -> None:
    words = "It counts the coins in a till, and says with its status whether any are missing there."
    documents = {
        "docs/usage.md": f"# Command line\n\n{words}\n\n## Exact\n\n{words}\n",
        "docs/other.md": f"# Other\n\n{words}\n\n## Exit codes\n\n{words}\n",
        "README.md": f"# Till\n\n{words}\n",
    }
    assert not list(cli.plan(facts_of(documents)))
    facts = facts_of({**documents, "till.py": "if __name__ == '__main__':\n    print(1)\n"})
    (planned,) = cli.plan(facts)
    body = written(facts, planned.write, None, planned.key)
    titles = [line for line in body.split("\n") if line.startswith("### ")]
    assert titles == ["### Exit codes", "### Command line", "### Exact"]
    assert "### Other" not in body


def test_handlers_of_events_do_not_run_in_the_background() -> None:
    facts = facts_of({"app.py": ""})
    event = Job("tell", "event", 7, "paid", "tell", "Django")
    for found, words in (
        ((event,), "1 handler is registered for events with Django."),
        (
            (*FACTS.jobs, event, event),
            "At least 1 job runs in the background with Celery, and 2 handlers are registered for "
            "events with Django.",
        ),
    ):
        facts = facts_of({"app.py": ""})
        facts.code = {"app.py": FileFacts(jobs=found)}
        (planned,) = jobs.plan(facts)
        assert words in written(facts, planned.write, None, planned.key)


def test_an_event_of_laravel_has_its_listeners_once_and_what_sends_it() -> None:
    facts = facts_of({
        "app/Listeners/Till.php": "<?php\nnamespace App\\Listeners;\nuse App\\Events\\Paid;\n"
        "class Till {\n    public function handle(Paid $event) { return 1; }\n}\n",
        "app/Providers/Events.php": "<?php\nnamespace App\\Providers;\n"
        "class Events extends ServiceProvider {\n    protected $listen = [\n"
        "        \\App\\Events\\Paid::class => [\\App\\Listeners\\Till::class],\n    ];\n}\n",
        "app/Events/Paid.php": "<?php\nnamespace App\\Events;\nclass Paid {}\n",
        "app/Shop.php": "<?php\nnamespace App;\nuse App\\Events\\Paid;\nclass Shop {\n"
        "    function pay() {\n        event(new Paid(\n            1\n        ));\n    }\n"
        "    function give() {\n        Paid::dispatch(0);\n    }\n}\n",
    })  # fmt: skip
    (planned,) = jobs.plan(facts)
    (row,) = [
        line
        for line in written(facts, planned.write, None, planned.key).split("\n")
        if line.startswith("| `Till.handle`")
    ]
    assert "| `Paid` |" in row
    assert "app/Listeners/Till.php:5" in row
    assert "`Shop.pay` [`app/Shop.php:6`]" in row
    assert "`Shop.give` [`app/Shop.php:11`]" in row


def test_programs_of_the_product_come_first_and_scripts_beside_them_last() -> None:
    script = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--fresh')\n"
    facts = facts_of({
        "pyproject.toml": '[project]\nname = "shop"\n[project.scripts]\nsell = "shop.cli:run"\n',
        "shop/__init__.py": "", "shop/cli.py": "def run(): ...\n",
        "extras/compare.py": f"{script}if __name__ == '__main__':\n    parser.parse_args()\n",
    })  # fmt: skip
    (planned,) = cli.plan(facts)
    told = written(facts, planned.write, None, planned.key)
    assert "The product's program is `sell`. Its commands and options were not understood" in told
    assert "| `sell` | [`shop/cli.py`](source:shop/cli.py) |" in told
    assert told.index("## Scripts beside the programs") < told.index("### Options of compare.py")


def test_a_long_command_line_has_each_command_once() -> None:
    facts = facts_of({"app.py": ""})
    options = (Option(("--peer",), 6, "A peer."),)
    names = [f"{'abcdef'[n // 5]}{n:02}" for n in range(30)]
    rows = [CliCommand((name,), 5 + n, "Works.", "work") for n, name in enumerate(names)]
    facts.code = {"app.py": FileFacts(commands=tuple(rows))}
    assert [it.key for it in cli.plan(facts)] == ["cli"]
    facts = facts_of({"app.py": ""})
    rows[3] = CliCommand(("a03",), 8, "Works.", "work", options)
    facts.code = {"app.py": FileFacts(commands=tuple(rows))}
    first, sheet = cli.plan(facts)
    assert written(facts, first.write, None, first.key).count("| `a03` |") == 1
    body = written(facts, sheet.write, sheet.subject, sheet.key)
    assert "arguments and options of 1 command of" in body
    assert "`a04`" not in body
