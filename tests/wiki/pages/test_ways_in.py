"""The pages of the command line, of jobs, and of routes."""

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


def test_without_ways_in_there_are_no_pages() -> None:
    facts = facts_of({"app.py": ""})
    assert not [*cli.plan(facts), *jobs.plan(facts)]


def test_handlers_of_events_do_not_run_in_the_background() -> None:
    facts = facts_of({"app.py": ""})
    event = Job("tell", "event", 7, "paid", "tell", "Django")
    for found, words in (
        ((event,), "1 handler is registered for events with Django."),
        (
            (*FACTS.jobs, event, event),
            "1 job runs in the background and 2 handlers are registered ",
        ),
    ):
        facts = facts_of({"app.py": ""})
        facts.code = {"app.py": FileFacts(jobs=found)}
        (planned,) = jobs.plan(facts)
        assert words in written(facts, planned.write, None, planned.key)
