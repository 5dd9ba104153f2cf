"""Where programs begin, what people type, and work that nobody waits for."""

import pytest

from stationmaster.reading.code.model import (
    CliCommand,
    FileFacts,
    Import,
    Job,
    Option,
    Symbol,
)
from stationmaster.wiki.facts.code.stations import station_of
from stationmaster.wiki.facts.code.work import begins, commands, jobs
from stationmaster.wiki.facts.interfaces.abstract_jobs import jobs_of
from stationmaster.wiki.facts.model import Facts, Spot
from tests.wiki.commits import facts_of


def said(**code: FileFacts) -> Facts:
    named = {f"{name.replace('__', '/')}.py": told for name, told in sorted(code.items())}
    facts = facts_of(dict.fromkeys(named, ""))
    facts.code = named
    return facts


def test_programs_begin_outside_tests_and_have_the_words_of_their_function() -> None:
    run = 'if __name__ == "__main__":\n    main()\n'
    facts = facts_of({
        "app.py": "def main(): ...\n\n" + run,
        "go.mod": "module shop\n",
        "main.go": "package main\n\n// Starts all.\nfunc main() {\n\tlogger, err := zap.New()\n"
        '\tif err != nil {\n\t\tlog.Fatalf("no")\n\t}\n\tfs.String("port", "1", "which")\n'
        "\tlogger.Sync()\n\tserve()\n}\n",
        "tests/test_app.py": run,
        ".github/check.py": run,
    })  # fmt: skip
    assert [it.path for it in begins(facts)] == ["app.py", "main.go"]
    assert begins(facts)[1].doc == "Starts all."


def test_a_program_begins_in_the_function_that_the_manifest_names_not_where_a_script_calls_it() -> (
    None
):
    run = 'if __name__ == "__main__":\n    main()\n'
    facts = facts_of({
        "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n\n'
        '[project.scripts]\nshop = "shop.server:main"\n',
        "shop/__init__.py": "",
        "shop/server.py": f'def main():\n    """Sells tins."""\n    serve()\n\n\n{run}',
        "shop/other.py": f"def main():\n    count()\n\n\n{run}",
    })  # fmt: skip
    assert [(it.name, it.path, it.line, it.doc) for it in begins(facts)] == [
        ("shop", "shop/server.py", 1, "Sells tins."), ("other.py", "shop/other.py", 5, ""),
    ]  # fmt: skip


def test_what_only_a_file_names_begins_behind_the_application() -> None:
    main = "    public static void main(String[] args) {\n        run();\n    }\n"
    facts = facts_of({
        "a/Sums.java": f"package a;\n\npublic class Sums {{\n{main}}}\n",
        "b/Shop.java": "package b;\n\n"
        "import org.springframework.boot.autoconfigure.SpringBootApplication;\n\n"
        "@SpringBootApplication\npublic class Shop {\n"
        + main.replace("run()", "SpringApplication.run(Shop.class, args)") + "}\n",
    })  # fmt: skip
    assert [it.name for it in begins(facts)] == ["Shop", "Sums.java"]


def test_commands_know_what_runs_them_and_come_before_those_of_frameworks() -> None:
    option = Option(("-v", "--verbose"), 3, "Says more.")
    facts = said(
        shop__management__commands__clean=FileFacts(
            symbols=(Symbol("Command", "class", 2, 9),),
            commands=(CliCommand((), 2, holder="Command", is_part=True),),
        ),
        tool=FileFacts(
            commands=(CliCommand(("user", "add"), 5, "Adds one.", "add", (option,)),),
            imports=(Import("users", 1, names=("add",), bound=("add",)),),
        ),
        users=FileFacts(symbols=(Symbol("add", "function", 8, 9),)),
    )
    add, clean = commands(facts)
    assert (add.words, add.handler_path, add.handler_line) == (("user", "add"), "users.py", 8)
    assert (clean.words, clean.framework) == (("clean",), "Django")


def test_jobs_find_their_handlers_by_whole_names() -> None:
    facts = said(
        settings=FileFacts(jobs=(Job("nightly", "schedule", 1, "0 0 * * *", "shop.tasks.clean"),)),
        shop__tasks=FileFacts(symbols=(Symbol("clean", "function", 4, 5),)),
    )
    (job,) = jobs(facts)
    assert (job.trigger, job.handler_path, job.handler_line) == ("0 0 * * *", "shop/tasks.py", 4)


SCHEDULE = """import_data:
  cron: "0 22 * * 1-5" # On weekdays.
  class: "Shop::ImportJob"
plain: {class: NoSchedule}
":old":
  ":every": ["30m", {first_in: 10s}]
  ":class": GoneJob
"""
JOB = "module Shop\n  class ImportJob < ApplicationJob\n    def perform; end\n  end\nend\n"


def scheduled(contents: dict[str, str]) -> list[tuple[str, str, str, int, str, int]]:
    return [
        (each.name, each.trigger, each.path, each.line, each.handler_path, each.handler_line)
        for each in jobs(facts_of(contents))
        if each.kind == "schedule"
    ]


def test_a_file_of_schedules_leads_to_the_classes_that_it_names() -> None:
    contents = {"Gemfile": "", "config/schedule.yml": SCHEDULE, "app/jobs/import_job.rb": JOB}
    assert scheduled(contents) == [
        ("import_data", "0 22 * * 1-5", "config/schedule.yml", 1, "app/jobs/import_job.rb", 2),
        ("old", "30m", "config/schedule.yml", 5, "", 0),
    ]


def test_of_several_environments_the_schedules_of_production_count() -> None:
    contents = {
        "web/Gemfile": "gem 'solid_queue'\n",
        "web/config/recurring.yml": "development:\n  a: {class: A, schedule: every hour}\n"
        "production:\n  b:\n    command: B.run!\n    schedule: every day at 4am\n",
    }
    assert scheduled(contents) == [("b", "every day at 4am", "web/config/recurring.yml", 4, "", 0)]
    (job,) = jobs(facts_of(contents))
    assert (job.handler, job.framework) == ("B.run!", "solid_queue")


def test_a_file_of_that_name_without_an_application_of_ruby_is_none() -> None:
    assert scheduled({"config/schedule.yml": SCHEDULE}) == []


def test_a_job_of_an_abstract_class_is_done_by_those_that_extend_it() -> None:
    start = "<?php\nnamespace App;\n"
    facts = facts_of({
        "app/Queued.php": f"{start}use Illuminate\\Contracts\\Queue\\ShouldQueue;\n"
        "abstract class Queued implements ShouldQueue {}\n",
        "app/Mailed.php": f"{start}abstract class Mailed extends Queued {{\n"
        "    public function handle() { return 1; }\n}\n",
        "app/Sweep.php": f"{start}class Sweep extends Queued {{\n"
        "    public function handle() { return 1; }\n}\n",
        "app/Invite.php": f"{start}class Invite extends Mailed {{}}\n",
    })  # fmt: skip
    assert [(each.name, each.path, each.handler) for each in jobs(facts)] == [
        ("Invite", "app/Invite.php", "Mailed.handle"),
        ("Sweep", "app/Sweep.php", "Sweep.handle"),
    ]


def test_jobs_of_ruby_below_a_job_that_does_nothing_itself_are_jobs() -> None:
    work = "    def perform; end\n"
    facts = facts_of({
        "Gemfile": 'gem "rails"\n',
        "app/jobs/clock_job.rb": "class ClockJob < ApplicationJob\n  queue_as :clock\nend\n",
        "app/jobs/clock/bill_job.rb": "module Clock\n  class BillJob < ClockJob\n"
        f"{work}  end\nend\n",
        "app/jobs/clock/sweep_job.rb": "module Clock\n  class SweepJob < ClockJob\n"
        f"    queue_as :sweep\n{work}  end\nend\n",
    })  # fmt: skip
    assert [(each.name, each.trigger, each.runs) for each in jobs(facts)] == [
        ("BillJob", "clock", "Clock.BillJob.perform"),
        ("SweepJob", "", "Clock.SweepJob.perform"),
    ]


RUNNER = """from abc import ABC, abstractmethod
from shop.models import Job

class Runner(ABC):
    @abstractmethod
    def run(self): ...

    @classmethod
    def enqueue(cls, **more):
        return Job.enqueue(cls.handle, **more)

    @classmethod
    def handle(cls):
        cls().run()
"""


def test_classes_below_one_that_puts_itself_on_a_queue_are_jobs() -> None:
    head = "from shop.runner import Runner\n\n"
    facts = facts_of({
        "shop/__init__.py": "",
        "shop/models.py": "import django_rq\n\nclass Job:\n    @classmethod\n"
        "    def enqueue(cls, func): django_rq.get_queue().enqueue(func)\n",
        "shop/runner.py": RUNNER,
        "shop/jobs.py": f"{head}class Sweep(Runner):\n    def run(self):\n        return 1\n\n"
        "@system_job(interval=DAILY)\nclass Clean(Runner):\n    def run(self):\n"
        "        return 2\n",
        "shop/plain.py": RUNNER.replace("Runner", "Walker").replace("shop.models", "other"),
        "shop/walk.py": "from shop.plain import Walker\n\nclass Walk(Walker):\n"
        "    def run(self):\n        return 3\n",
    })  # fmt: skip
    assert [(each.name, each.kind, each.trigger, each.framework) for each in jobs(facts)] == [
        ("Sweep", "queue", "", "RQ"),
        ("Clean", "schedule", "interval=DAILY", "RQ"),
    ]


TASKS = {
    "src/task.ts": "import type { Job } from 'bull'\nimport { queue } from './queue'\n\n"
    "export abstract class Task {\n  schedule(props: object): Promise<Job> {\n"
    "    return queue().add({ name: this.constructor.name, props })\n  }\n\n"
    "  public abstract perform(props: object): Promise<void>\n}\n\n"
    "export abstract class CronTask extends Task {\n  abstract get cron(): string\n}\n",
    "src/queue.ts": "export function queue() {\n  return 1\n}\n",
    "src/clean.ts": "import { CronTask } from './task'\n\nexport class Clean extends CronTask {\n"
    "  async perform(props: object) {\n    return sweep(props)\n  }\n}\n",
    "src/till.ts": "import { Clean } from './clean'\n\nexport function close() {\n"
    "  return new Clean().schedule({})\n}\n",
}


def test_a_call_of_the_method_that_puts_a_class_on_a_queue_queues_its_work() -> None:
    facts = facts_of(TASKS)
    assert [(each.name, each.runs) for each in jobs(facts)] == [("Clean", "Clean.perform")]
    steps = station_of(facts, Spot("src/till.ts", "close")).steps
    assert [it.end for it in steps if it.is_later] == [Spot("src/clean.ts", "Clean.perform")]


@pytest.mark.parametrize(("call", "queue"), [("send.delay(1)", "low"), ("", "")])
def test_the_queue_of_a_decorator_of_rq_counts_where_the_job_is_delayed(
    call: str, queue: str
) -> None:
    facts = facts_of({
        "mail.py": "from django_rq import job\n\n@job('low')\ndef send(to):\n    return to\n",
        "till.py": f"from mail import send\n\ndef close():\n    {call or 'pass'}\n",
    })  # fmt: skip
    assert [(each.name, each.trigger) for each in jobs(facts)] == [("send", queue)]


def test_a_command_is_called_as_the_script_that_runs_it_through_another_file() -> None:
    facts = facts_of({
        "pyproject.toml": '[project]\nname = "shop"\n[project.scripts]\nsell = "shop:main"\n',
        "shop/__init__.py": "from shop._main import main\n",
        "shop/_main.py": "import click\n\n@click.command()\ndef main(): ...\n",
    })  # fmt: skip
    (command,) = commands(facts)
    assert (command.words, command.program) == ((), "sell")


def test_options_have_the_values_of_constants_and_texts_those_of_the_manifest() -> None:
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "till"\ndescription = "Counts"\n',
        "src/main.rs": "mod args;\nfn main() {}\n",
        "src/args.rs": "use clap::Parser;\n\n#[derive(Parser)]\n"
        '#[command(about = concat!(env!("CARGO_PKG_DESCRIPTION"), " coins"))]\n'
        "struct Args {\n"
        '    #[arg(long, default_value = Self::FORM, help = "How to \\\n        show it")]\n'
        '    form: String,\n}\nimpl Args {\n    const FORM: &str = "list";\n}\n',
    })  # fmt: skip
    (command,) = commands(facts)
    assert command.help == "Counts coins"
    assert [(it.help, it.default) for it in command.options] == [("How to show it", "list")]


def test_a_schedule_of_laravel_runs_the_command_that_it_names() -> None:
    facts = facts_of({
        "app/Console/Kernel.php": "<?php\nnamespace App\\Console;\nclass Kernel {\n"
        "    function schedule($schedule) {\n"
        "        $schedule->command('shop:close')->daily();\n"
        "        $schedule->command('other:clean')->daily();\n    }\n}\n",
        "app/Console/Close.php": "<?php\nuse Illuminate\\Console\\Command;\n"
        "class Close extends Command {\n    protected $name = 'shop:close';\n"
        "    function handle() {\n        return 1;\n    }\n}\n",
    })  # fmt: skip
    assert [(it.name, it.handler, it.handler_path) for it in jobs(facts)] == [
        ("other:clean", "", ""),
        ("shop:close", "Close.handle", "app/Console/Close.php"),
    ]


def test_calls_of_a_function_of_go_that_is_given_a_schedule_are_jobs() -> None:
    contents = {
        "go.mod": "module x.org/shop\n",
        "plan/plan.go": 'package plan\nimport "github.com/robfig/cron/v3"\nvar c = cron.New()\n'
        "func At(times string, f func()) { c.AddFunc(times, f) }\n",
        "main.go": 'package main\nimport "x.org/shop/plan"\nfunc clean() {}\n'
        'func send() {\n\tplan.At("@daily", func() {\n\t\tclean()\n\t})\n}\n'
        'func main() {\n\tplan.At("@hourly", clean)\n\tplan.At(own(), clean)\n}\n',
    }
    assert scheduled(contents) == [
        ("clean", "@hourly", "main.go", 10, "main.go", 3),
        ("send", "@daily", "main.go", 5, "main.go", 4),
    ]


@pytest.mark.parametrize(("start", "is_schedule"), [("go it.Do()", True), ("it.Do()", False)])
def test_a_loop_by_a_ticker_is_a_schedule_where_another_file_starts_it_beside_its_own_work(
    start: str, is_schedule: bool
) -> None:
    contents = {
        "go.mod": "module x.org/shop\n",
        "backup/backup.go": 'package backup\nimport "time"\n\ntype Auto struct{}\n\n'
        "func (a Auto) Do() {\n\tt := time.NewTicker(time.Hour)\n\tfor {\n\t\tselect {\n"
        "\t\tcase <-t.C:\n\t\t\ta.keep()\n\t\t}\n\t}\n}\n\nfunc (a Auto) keep() {}\n",
        "main.go": 'package main\nimport "x.org/shop/backup"\n'
        f"func main() {{\n\tit := backup.Auto{{}}\n\t{start}\n}}\n",
    }
    every = ("Auto.keep", "every time.Hour", "backup/backup.go", 7, "backup/backup.go", 6)
    assert scheduled(contents) == [every] * is_schedule


def test_the_interval_of_a_schedule_of_java_has_the_values_of_constants_of_the_repository() -> None:
    contents = {
        "src/main/java/shop/Times.java": "package shop;\npublic class Times {\n"
        "  public static final int BEAT = 30;\n}\n",
        "src/main/java/shop/Watch.java": "package shop;\nclass Watch {\n  void start() {\n"
        "    pool.scheduleAtFixedRate(this::look, 0, Times.BEAT, TimeUnit.SECONDS);\n"
        "    pool.scheduleAtFixedRate(this::rest, 0, Other.BEAT, TimeUnit.SECONDS);\n  }\n"
        "  void look() {}\n  void rest() {}\n}\n",
    }
    path = "src/main/java/shop/Watch.java"
    assert scheduled(contents) == [
        ("Watch.look", "every 30 seconds", path, 4, path, 7),
        ("Watch.rest", "every Other.BEAT seconds", path, 5, path, 8),
    ]


def test_files_of_php_that_servers_and_workers_run_begin_without_a_method_of_their_own() -> None:
    facts = facts_of({
        "public/index.php": "<?php\n(require __DIR__ . '/../config/run.php')();\n",
        "bin/worker.php": "<?php\n(function () { $app = include __DIR__ . '/../config/app.php';\n"
        "    $app->run();\n})();\n",
        "config/run.php": "<?php\nreturn function () {};\n", "config/app.php": "<?php\n",
    })  # fmt: skip
    assert [(it.kind, it.path) for it in begins(facts)] == [
        ("app", "public/index.php"), ("script", "bin/worker.php"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("other", "trigger"),
    [
        ("", "every time.Second * 5"),
        ("func slow(c *keep.Config) { c.Every = time.Hour }\n", "every k.cfg.Every"),
        ("var second = keep.Config{Every: time.Hour}\n", "every k.cfg.Every"),
    ],
)
def test_the_interval_of_a_field_is_the_only_time_that_the_program_gives_it(
    other: str, trigger: str
) -> None:
    contents = {
        "go.mod": "module x.org/shop\n",
        "keep/keep.go": 'package keep\n\nimport "time"\n\n'
        "type Config struct {\n\tEvery time.Duration\n}\n\ntype Other struct {\n"
        "\tEvery time.Duration\n}\n\ntype Keeper struct {\n\tcfg Config\n}\n\n"
        "func (k *Keeper) Run() {\n"
        "\tt := time.NewTicker(k.cfg.Every)\n\tfor range t.C {\n\t\tk.clean()\n\t}\n}\n\n"
        "func (k *Keeper) clean() {}\n",
        "main.go": 'package main\n\nimport (\n\t"time"\n\n\t"x.org/shop/keep"\n)\n\n'
        "func main() {\n\tk := keep.New(keep.Config{\n\t\tEvery: time.Second * 5, // Often.\n\t})\n"
        "\tgo k.Run()\n"
        "\tkeep.Also(keep.Other{Every: time.Minute})\n}\n" + other,
    }
    assert [it.trigger for it in jobs(facts_of(contents))] == [trigger]


def test_tasks_of_an_object_of_another_file_are_jobs_where_celery_makes_that() -> None:
    facts = facts_of({
        "shop/__init__.py": "",
        "shop/tasks.py": "from celery import Celery\n\napp = Celery('tasks')\nother = Book()\n",
        "shop/coins.py": "from shop.tasks import app, other\n\n\n"
        "@app.task(queue='low')\ndef count():\n    ...\n\n\n"
        "@other.task\ndef sell():\n    ...\n",
    })  # fmt: skip
    (placed,) = jobs_of(facts)["shop/coins.py"]
    assert (placed.job.name, placed.job.trigger, placed.job.framework) == (
        "count", "low", "Celery",
    )  # fmt: skip


def test_the_schedules_of_one_function_of_go_are_one_job_with_the_values_of_constants() -> None:
    facts = facts_of({
        "jobs/times.go": "package jobs\n\nimport \"time\"\n\nconst often = 5 * time.Second\n",
        "jobs/run.go": 'package jobs\n\nimport "time"\n\nfunc runAll(s *S) {\n'
        "\tone := time.NewTicker(often)\n\ttwo := time.NewTicker(time.Hour)\n\tfor {\n"
        "\t\tselect {\n\t\tcase <-one.C:\n\t\t\ts.a.count()\n\t\tcase <-two.C:\n"
        "\t\t\ts.a.clean()\n\t\t}\n\t}\n}\n",
    })  # fmt: skip
    assert [(it.name, it.trigger, it.line) for it in jobs(facts)] == [
        ("runAll", "every 5s, every time.Hour", 6)
    ]
