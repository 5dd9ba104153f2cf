"""What libraries call on objects of classes that extend theirs."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.code.flows import walk
from stationmaster.wiki.facts.code.stations import station_of
from stationmaster.wiki.facts.model import Spot
from stationmaster.wiki.facts.subjects.explained import Steps
from stationmaster.wiki.pages.steps.functions import steps
from tests.wiki.commits import facts_of, written

_COMPLETER = (
    "from prompt_toolkit.completion import Completer\n\n"
    "class Words(Completer):\n    def get_completions(self, document, event):\n        found = 1\n"
    "        more = 2\n        yield found + more\n\n    def load(self):\n        return 1\n"
)
_TASK = (
    "public class Task implements Runnable {\n  public void run() {\n    a();\n    b();\n  }\n}\n"
)

_MAIN = "public class Main {\n  void go() {\n    pool.submit(new Task());\n  }\n}\n"


@pytest.mark.parametrize(
    ("files", "start", "found"),
    [
        ({"words.py": _COMPLETER, "a.py": "from words import Words\n\ndef main():\n    Words()\n"},
         Spot("a.py", "main"), ["Words.get_completions"]),
        # A class of its own between.
        ({"words.py": _COMPLETER, "a.py": "from words import Words\n\nclass Own(Words):\n"
          "    kind = 1\n\ndef main():\n    Own()\n"},
         Spot("a.py", "main"), ["Words.get_completions"]),
        ({"words.py": _COMPLETER.replace("prompt_toolkit.completion", "other"),
          "a.py": "from words import Words\n\ndef main():\n    Words()\n"},
         Spot("a.py", "main"), []),
        ({"Task.java": _TASK,
          "Main.java": _MAIN},
         Spot("Main.java", "Main.go"), ["Task.run"]),
        ({"Door.java": "import org.springframework.web.filter.GenericFilterBean;\n"
          "class Door extends GenericFilterBean {\n  public void doFilter() {\n    a();\n"
          "    b();\n  }\n}\n", "Main.java": _MAIN.replace("Task", "Door")},
         Spot("Main.java", "Main.go"), ["Door.doFilter"]),
        # What the product declares itself is no class of a library.
        ({"Task.java": _TASK, "Runnable.java": "public interface Runnable {\n  void run();\n}\n",
          "Main.java": _MAIN},
         Spot("Main.java", "Main.go"), []),
        ({"Worker.cs": "namespace Shop;\npublic class Worker : BackgroundService {\n"
          "  protected override async Task ExecuteAsync(CancellationToken stop) {\n    A();\n"
          "    B();\n  }\n}\n",
          "Setup.cs": "namespace Shop;\npublic class Setup {\n  public void Add(S services) {\n"
          "    services.AddHostedService<Worker>();\n  }\n}\n"},
         Spot("Setup.cs", "Setup.Add"), ["Worker.ExecuteAsync"]),
    ],
)  # fmt: skip
def test_what_extends_a_class_of_a_library_leads_to_the_methods_that_the_library_calls(
    files: dict[str, str], start: Spot, found: list[str]
) -> None:
    (step,) = station_of(facts_of(files), start).steps
    assert [it.name for it in step.handlers] == found


def test_a_page_says_which_class_of_a_library_it_is() -> None:
    files = {
        "words.py": _COMPLETER,
        "a.py": "from words import Words\n\ndef main():\n    Words()\n",
    }
    facts = facts_of(files)
    way = walk(facts, "main", Spot("a.py", "main"), 3)
    page = written(facts, lambda page, facts, _: steps(page, facts, Steps((way,))))
    assert "; as it extends `Completer`, the library calls `Words.get_completions` (step 2)" in page
