"""Jobs that a program of Ruby lists and runs one after the other."""

from __future__ import annotations

from stationmaster.wiki.facts.code.work import jobs
from tests.wiki.commits import facts_of

WORKER = """\
module Till
  class Worker
    JOBS = [
      Jobs::SendReceipts,
      Jobs::Inherited,
    ].freeze
    TASKS = [CloseTask, ::Till::SweepTask].freeze
    UNUSED = [CloseTask].freeze

    def run
      loop do
        JOBS.each { |job| job.new(self).call }
        TASKS.each { |task| run_task(task) }
      end
    end
  end
end
"""
FILES = {
    "lib/till/worker.rb": WORKER,
    "lib/till/jobs.rb": "module Till\n  module Jobs\n    class Base\n      def call\n        1\n"
    "      end\n    end\n\n    class SendReceipts < Base\n      def call\n        2\n      end\n"
    "    end\n\n    class Inherited < Base\n    end\n  end\nend\n",
    "lib/till/tasks.rb": "module Till\n  class Task\n    def self.next_run_after\n"
    "      three_am\n    end\n\n    def call\n      1\n    end\n  end\n\n"
    "  class CloseTask < Task\n    def self.next_run_after\n      \"noon\"\n    end\n  end\n\n"
    "  class SweepTask < Task\n  end\nend\n",
}  # fmt: skip


def test_classes_of_a_list_that_a_program_runs_as_long_as_it_lasts_are_jobs() -> None:
    rows = [(it.kind, it.name, it.trigger, it.runs) for it in jobs(facts_of(FILES))]
    assert rows == [
        ("queue", "Inherited", "", "Till.Jobs.Base.call"),
        ("queue", "SendReceipts", "", "Till.Jobs.SendReceipts.call"),
        ("schedule", "CloseTask", "noon", "Till.Task.call"),
        ("schedule", "SweepTask", "three_am", "Till.Task.call"),
    ]


def test_a_list_that_is_run_once_has_no_jobs() -> None:
    once = WORKER.replace("loop do", "begin")
    assert jobs(facts_of({**FILES, "lib/till/worker.rb": once})) == ()
