"""What launchers of the product start: scripts that choose by an argument, processes."""

from __future__ import annotations

from stationmaster.wiki.facts.code.work import begins, commands
from stationmaster.wiki.facts.tooling.programs.launched import launched
from tests.wiki.commits import facts_of

LAUNCHER = """\
#!/bin/sh
set -e
case "$1" in
  serve|web)
    echo "Serving"
    run "bundle exec ruby script/serve.rb"
    ;;
  check) exec ./script/check.sh "$@" ;;
  pack)
    case "$2" in
      all) tar c . ;;
    esac
    ;;
  --help)
    exit ;;
  *)
    echo "Usage: till [command]"
    echo -e " * \\033[35mserve\\033[0m - answer requests"
    echo "  check      look at the data"
    ;;
esac
"""
FILES = {
    "bin/till": LAUNCHER,
    "lib/till.rb": "module Till\n  def self.go\n    1\n  end\nend\n",
    "script/serve.rb": "require_relative '../lib/till'\nTill.go\n",
    "script/sweep.rb": "#!/usr/bin/env ruby\nputs 1\n",
    "script/other.rb": "#!/usr/bin/env ruby\nputs 1\n",
    "Procfile": "clock: bundle exec ruby script/sweep.rb\n",
}


def test_a_script_that_chooses_by_its_first_argument_has_commands_with_its_usage() -> None:
    rows = [(it.program, it.name, it.meaning, it.runs, it.path) for it in launched(facts_of(FILES))]
    assert rows == [
        ("till", "serve", "answer requests", 'run "bundle exec ruby script/serve.rb"',
         "script/serve.rb"),
        ("till", "check", "look at the data", 'exec ./script/check.sh "$@"', ""),
        ("till", "pack", "", "", ""),
        ("", "clock", "", "bundle exec ruby script/sweep.rb", "script/sweep.rb"),
    ]  # fmt: skip
    listed = [f"{it.below} {' '.join(it.words)}" for it in commands(facts_of(FILES))]
    assert listed == ["till serve", "till check", "till pack"]


def test_what_a_launcher_or_a_process_starts_is_a_beginning_of_the_product() -> None:
    named = {it.path: it.name for it in begins(facts_of(FILES))}
    assert named["script/serve.rb"] == "till serve"
    assert named["script/sweep.rb"] == "sweep.rb"


def test_what_only_takes_options_or_another_argument_is_no_launcher() -> None:
    options = '#!/bin/sh\ncase "$1" in\n  --a) x ;;\n  -b) y ;;\nesac\n'
    other = '#!/bin/sh\ncase "$KIND" in\n  a) x ;;\n  b) y ;;\nesac\n'
    assert launched(facts_of({"bin/one": options, "two.sh": other})) == ()
