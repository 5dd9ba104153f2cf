"""Which workers run: those that the product makes or registers itself."""

from __future__ import annotations

from stationmaster.wiki.facts.code.work import jobs
from tests.wiki.commits import facts_of


def test_a_thread_of_python_runs_where_something_makes_it_also_by_an_inherited_start() -> None:
    facts = facts_of({
        "till/base.py": "from threading import Thread\n\n\nclass Base(Thread):\n"
        "    def begin(self):\n        self.start()\n",
        "till/count.py": "from till.base import Base\n\n\nclass Counter(Base):\n"
        "    def run(self):\n        count()\n\n\nclass Lost(Base):\n"
        "    def run(self):\n        count()\n\n\nclass Quick(Counter):\n    pass\n",
        "till/other.py": "class Lost:\n    pass\n\n\ndef make():\n    return Lost()\n",
        "till/app.py": "from till.count import Counter, Quick\n\n\ndef open_till():\n"
        "    Counter().begin()\n    Quick().begin()\n",
    })  # fmt: skip
    assert [(it.name, it.trigger, it.handler) for it in jobs(facts)] == [
        ("Counter", "open_till", "Counter.run"), ("Quick", "open_till", "Counter.run"),
    ]  # fmt: skip


def test_a_worker_of_dotnet_that_only_a_method_for_others_registers_does_not_run() -> None:
    worker = "class {0} : BackgroundService {{\n    Task ExecuteAsync() {{ }}\n}}\n"
    again = (
        "public static class More {\n    public static IServiceCollection AddAll("
        "this IServiceCollection all) {\n        return all.AddPoller();\n    }\n}\n"
    )
    offering = (
        "public static class Offered {{\n"
        "    public static IServiceCollection {0}(this IServiceCollection all) {{\n"
        "        return all.AddHostedService<{1}>();\n    }}\n}}\n"
    )
    facts = facts_of({
        "Poller.cs": worker.format("Poller"), "Cleaner.cs": worker.format("Cleaner"),
        "Own.cs": worker.format("Own"),
        "More.cs": again,
        "AddPoller.cs": offering.format("AddPoller", "Poller"),
        "AddCleaner.cs": offering.format("AddCleaner", "Cleaner"),
        "Program.cs": "var all = new ServiceCollection();\nall.AddCleaner();\n"
        "all.AddHostedService<Own>();\n",
    })  # fmt: skip
    assert [it.name for it in jobs(facts)] == ["Cleaner", "Own"]
