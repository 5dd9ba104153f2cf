"""Where flows begin."""

from stationmaster.wiki.facts.code.flows import flow, flows
from stationmaster.wiki.facts.code.starts import Start, starts
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of


def test_an_address_that_an_expression_makes_has_no_page() -> None:
    handler = "func pay(c *gin.Context) {\n\tcount()\n\tmark()\n\tkeep()\n}\n\n"
    steps = "".join(f"func {it}() {{\n\ta := 1\n\tb := 2\n\tuse(a, b)\n}}\n\n" for it in
                    ("count", "mark", "keep"))  # fmt: skip
    facts = facts_of({
        "go.mod": "module shop\n\nrequire github.com/gin-gonic/gin v1.9.0\n",
        "till.go": 'package shop\n\nimport "github.com/gin-gonic/gin"\n\n'
        "func routes(r *gin.Engine, route Route) {\n\tr.GET(route.path, pay)\n}\n\n"
        + handler,
        "steps.go": "package shop\n\n" + steps,
    })  # fmt: skip
    assert [key for key in flows(facts) if "route.path" in flow(facts, key).name] == []


def test_a_job_whose_base_is_a_class_of_the_repository_begins_a_flow() -> None:
    path = "app/jobs/pay_job.rb"
    facts = facts_of({
        "Gemfile": 'gem "sidekiq"\n',
        "app/jobs/job.rb": "class Job\n  include Sidekiq::Job\nend\n",
        path: "class PayJob < Job\n  def perform(id)\n    pay(id)\n  end\nend\n",
    })  # fmt: skip
    assert [*starts(facts)] == [Start("PayJob", Spot(path, "PayJob.perform"), path, 1, "job")]


def test_a_job_that_settings_schedule_begins_no_flow_of_their_file() -> None:
    path = "app/jobs/pay_job.rb"
    facts = facts_of({
        "Gemfile": 'gem "rails"\ngem "solid_queue"\n',
        "config/recurring.yml": "production:\n  pay:\n    class: GoneJob\n"
        "    schedule: every hour\n",
        path: "class PayJob < ActiveJob::Base\n  def perform(id)\n    pay(id)\n  end\nend\n",
    })  # fmt: skip
    assert [it.path for it in starts(facts)] == [path]
