from stationmaster.wiki.facts.code.flows import (
    FEWEST,
    STATIONS_MAX,
    USERS_MAX,
    Flow,
    flow,
    flows,
    walk,
)
from stationmaster.wiki.facts.code.stations import STEPS_MAX, station_of
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of

MAIN = "if __name__ == '__main__':\n    main()\n"
BODY = "    a = 1\n    b = 2\n    return a + b\n"


def names(walked: Flow) -> list[tuple[str, list[str]]]:
    """Each function of a flow, and what it calls."""
    return [(it.spot.name, [step.end.name for step in it.steps]) for it in walked.stations]


def test_a_flow_goes_from_the_entry_through_its_functions_in_the_order_of_the_source() -> None:
    facts = facts_of({
        "shop/__init__.py": "",
        "shop/run.py": "from shop.cart import fill\nfrom shop.pay import pay\n\ndef main():\n"
        "    fill()\n    unknown()\n    pay()\n\n" + MAIN,
        "shop/cart.py": f"def fill():\n    check()\n{BODY}\ndef check():\n{BODY}",
        "shop/pay.py": f"def pay():\n{BODY}",
    })  # fmt: skip
    (key,) = flows(facts)
    assert key == "concepts/how-run.py"
    assert names(flow(facts, key)) == [
        ("", ["main"]), ("main", ["fill", "pay"]), ("fill", ["check"]), ("check", []), ("pay", []),
    ]  # fmt: skip


def test_a_function_stands_below_the_first_that_leads_to_it_however_heavy_others_are() -> None:
    facts = facts_of({
        "a.py": "from b import light, heavy, shared\n\ndef main():\n    light()\n    heavy()\n\n"
        + MAIN,
        "b.py": f"def light():\n    shared()\n{BODY}\ndef heavy():\n    shared()\n"
        + "    a = 1\n" * 30 + f"\ndef shared():\n{BODY}",
    })  # fmt: skip
    assert [it.spot.name for it in walk(facts, "main", Spot("a.py", "main"), 0).stations] == [
        "main", "light", "shared", "heavy",
    ]  # fmt: skip


def test_a_circle_of_calls_ends() -> None:
    facts = facts_of({
        "a.py": "from b import two\n\ndef main():\n    one()\n    one()\n    one()\n\n"
        f"def one():\n    two()\n{BODY}\n{MAIN}",
        "b.py": f"from a import one\n\ndef two():\n    one()\n    three()\n{BODY}\n"
        f"def three():\n    two()\n{BODY}",
    })  # fmt: skip
    assert names(flow(facts, flows(facts)[0])) == [
        ("", ["main"]), ("main", ["one"]), ("one", ["two"]), ("two", ["one", "three"]),
        ("three", ["two"]),
    ]  # fmt: skip


def test_a_flow_shows_so_many_functions_and_counts_the_calls_that_it_leaves_out() -> None:
    deep = "\n".join(f"def f{n}():\n    f{n + 1}()\n{BODY}" for n in range(30))
    wide = "def main():\n    f0()\n" + "\n".join(f"    g{n}()" for n in range(130)) + "\n"
    facts = facts_of({
        "deep.py": f"{deep}\ndef f30(): ...\n",
        "wide.py": "from deep import f0\n"
        + "\n".join(f"def g{n}(): ..." for n in range(130)) + f"\n{wide}\n{MAIN}",
    })  # fmt: skip
    walked = flow(facts, flows(facts)[0])
    assert len(walked.stations) <= STATIONS_MAX
    main = walked.stations[1]
    assert (len(main.steps), main.left) == (STEPS_MAX, 131 - STEPS_MAX)


def test_what_calls_little_or_within_one_file_alone_is_no_flow() -> None:
    facts = facts_of({"a.py": "def main():\n    one()\n\ndef one(): ...\n\n" + MAIN})
    assert flows(facts) == ()


SENDING = """package send

type Sender interface {
	Send(text string) error
}

type Office struct {
	sender Sender
}

func (o *Office) Post(text string) error {
	text = trim(text)
	if text == "" {
		return nil
	}
	return o.sender.Send(text)
}

func trim(text string) string {
	a := text
	b := a
	return b
}
"""
MAIL = """package send

type Mail struct{}

func (m *Mail) Send(text string) error {
	a := text
	_ = a
	return nil
}
"""
ROUTE = """package main

import "example.com/shop/send"

func main() {
	o := &send.Office{}
	o.Post("x")
	start()
	stop()
}

func start() {
	a := 1
	_ = a
}

func stop() {
	a := 1
	_ = a
}
"""


def _go(**more: str) -> Flow:
    files = {"go.mod": "module example.com/shop\n", "main.go": ROUTE, "send/send.go": SENDING,
             "send/mail.go": MAIL}  # fmt: skip
    facts = facts_of(files | more)
    return flow(facts, flows(facts)[0])


def test_a_call_on_an_interface_leads_to_its_one_implementation() -> None:
    walked = dict(names(_go()))
    assert walked["Office.Post"] == ["trim", "Mail.Send"]
    assert "Mail.Send" in walked


def test_of_several_implementations_of_an_interface_all_are_named_and_none_is_followed() -> None:
    several = ("Fax", "Mail")
    text = MAIL + "\n\nfunc (m *Mail) Stop() {}\n"
    files = {f"send/{it.lower()}.go": text.replace("Mail", it) for it in several}
    sending = SENDING.replace("interface {\n", "interface {\n\tStop()\n")
    walked = _go(**files, **{"send/send.go": sending})
    (step,) = [step for step in walked.steps if step.is_open and not step.is_certain]
    assert [spot.name for spot in step.ends[1:]] == [f"{it}.Send" for it in several]
    assert not [it.spot.name for it in walked.stations if it.spot in step.ends]


def test_a_call_on_what_another_call_gives_leads_to_the_method_of_its_type() -> None:
    store = """package send

var office *Office

func Get(name string) *Office {
	if name == "" {
		return nil
	}
	return office
}
"""
    main = ROUTE.replace('o := &send.Office{}\n\to.Post("x")', 'send.Get("a b").Post("x")')
    walked = dict(names(_go(**{"send/store.go": store, "main.go": main})))
    assert walked["main"] == ["Get", "Office.Post", "start", "stop"]


def test_a_function_that_is_too_short_to_be_shown_is_gone_through() -> None:
    facts = facts_of({
        "a.py": f"from b import two\n\ndef main():\n    two()\n{BODY}\n{MAIN}",
        "b.py": "from c import four\n\ndef two():\n    three()\n\n"
        f"def three():\n    four()\n{BODY}",
        "c.py": f"def four():\n    five()\n{BODY}\ndef five():\n{BODY}",
    })  # fmt: skip
    walked = flow(facts, flows(facts)[0])
    assert [it.spot.name for it in walked.stations] == ["", "main", "three", "four", "five"]
    (step,) = [step for step in walked.steps if step.end.name == "two"]
    assert [spot.name for spot in step.through] == ["three"]


def test_functions_that_are_passed_on_are_followed_and_variables_of_their_name_are_not() -> None:
    facts = facts_of({
        "a.py": "from threading import Thread\nimport till\nfrom till import work, url, other\n\n"
        "def main(other):\n    # (url)\n    print('(url, url)')\n    url = 1\n"
        "    Thread(target=work, args=(url, other)).start()\n    till.each(till.last)\n"
        f"{BODY}\n{MAIN}",
        "till.py": "".join(f"def {name}():\n{BODY}\n" for name in ("work", "url", "other", "last"))
        + f"def each(f):\n{BODY}",
    })  # fmt: skip
    walked = flow(facts, flows(facts)[0])
    steps = [step for step in walked.steps if step.start.name == "main"]
    assert [(step.end.name, step.is_passed) for step in steps] == [
        ("work", True), ("each", False), ("last", True),
    ]  # fmt: skip
    assert {"work", "last"} <= {it.spot.name for it in walked.stations}


def test_an_event_leads_to_what_is_registered_for_its_type() -> None:
    facts = facts_of({
        "package.json": '{"dependencies": {"@nestjs/event-emitter": "1", "@nestjs/common": "1"}}',
        "src/paid.ts": "export class Paid {\n  constructor(private id: string) {}\n"
        "  static getName() {\n    return 'paid';\n  }\n}\n",
        "src/mail.ts": "import { OnEvent } from '@nestjs/event-emitter';\n"
        "import { Paid } from './paid';\n\nexport class Mail {\n"
        "  @OnEvent(Paid.getName())\n  handle(event: Paid) {\n    const a = 1;\n    return a;\n"
        "  }\n}\n",
        "src/till.ts": "import { Controller, Post } from '@nestjs/common';\n"
        "import { Paid } from './paid';\nimport { check, log, tell } from './check';\n\n"
        "@Controller('till')\nexport class Till {\n  @Post()\n  pay(id: string) {\n"
        "    check(id);\n    log(id);\n    tell(id);\n"
        "    this.bus.emit(Paid.getName(), new Paid(id));\n  }\n}\n",
        "src/check.ts": "".join(
            f"export function {name}(id) {{\n  const a = 1;\n  const b = 2;\n  return a + b;\n}}\n"
            for name in ("check", "log", "tell")
        ),
    })  # fmt: skip
    walked = flow(facts, "concepts/how-post-till")
    (step,) = [step for step in walked.steps if step.end.name == "Paid"]
    assert [spot.name for spot in step.handlers] == ["Mail.handle"]
    assert "Mail.handle" in [it.spot.name for it in walked.stations]


def test_a_handler_within_what_declares_its_route_is_shown_alone() -> None:
    facts = facts_of({
        "package.json": '{"dependencies": {"express": "4"}}',
        "src/routes.js": "import express from 'express';\n"
        "import { list, check, save } from './till.js';\nconst router = express.Router();\n"
        "router.get('/tills', (req, res) => {\n  res.json(list());\n});\n"
        "router.post('/tills', (req, res) => {\n  check(req);\n  save(req);\n});\n"
        "export default router;\n",
        "src/till.js": "import { store } from './store.js';\n" + "".join(
            f"export function {name}(req) {{\n  store(req);\n  const b = 2;\n  return b;\n}}\n"
            for name in ("list", "check", "save")
        ),
        "src/store.js": "export function store(req) {\n  const b = 2;\n  return req;\n}\n",
    })  # fmt: skip
    walked = flow(facts, "concepts/how-post-tills")
    assert (walked.path, walked.line) == ("src/routes.js", 7)
    assert (walked.stations[0].within, names(walked)[0][1]) == ((7, 10), ["check", "save"])


def test_work_that_is_enqueued_is_followed_and_a_long_receiver_too() -> None:
    given = ", ".join(f"argument_{n}=value_{n}" for n in range(9))
    facts = facts_of({
        "a.py": "from till import tell, Till\n\ndef main():\n    tell.delay(1)\n"
        f"    Till({given}).close()\n",
        "till.py": f"def tell(a):\n{BODY}\nclass Till:\n    def close(self):\n        a = 1\n"
        "        b = 2\n        return a + b\n",
    })  # fmt: skip
    steps = station_of(facts, Spot("a.py", "main")).steps
    assert {step.end.name for step in steps} == {"tell", "Till", "Till.close"}


def test_a_request_to_rails_goes_through_the_controller_to_the_job_that_runs_later() -> None:
    facts = facts_of({
        "config/routes.rb": "Rails.application.routes.draw do\n"
        '  post "/orders" => "admin/orders#create"\n  get "/orders" => "orders#index"\nend\n',
        "app/controllers/orders_controller.rb": "class OrdersController < Base\n"
        "  def index\n    render json: []\n  end\nend\n",
        "app/controllers/admin/orders_controller.rb": "class Admin::OrdersController < Base\n"
        "  def create\n    order = Order.find(params[:id])\n    order.close(1)\n"
        "    order.audit(2)\n    PayJob.perform_later(order.id)\n  end\nend\n",
        "app/models/order.rb": "class Order\n  def close(by)\n    a = 1\n    b = 2\n    a + b\n"
        "  end\n\n  def audit(by)\n    1\n  end\nend\n",
        "app/jobs/pay_job.rb": "class PayJob < ApplicationJob\n  def perform(id)\n"
        "    order = Order.find_by(id: id)\n    order.close(3)\n    order.audit(4)\n  end\nend\n",
    })  # fmt: skip
    (key,) = flows(facts)
    assert (flow(facts, key).name, flow(facts, key).kind) == ("POST /orders", "")
    assert names(flow(facts, key)) == [
        ("Admin.OrdersController.create", ["Order.close", "Order.audit", "PayJob.perform"]),
        ("Order.close", []), ("PayJob.perform", ["Order.close", "Order.audit"]),
    ]  # fmt: skip


def _script(name: str, *calls: str) -> str:
    inside = "".join(f"  {call}();\n" for call in calls)
    return f"export default function {name}() {{\n{inside}  const a = 1;\n  return a;\n}}\n"


def test_a_default_import_leads_to_what_a_file_of_next_hands_out() -> None:
    facts = facts_of({
        "package.json": '{"name": "web", "dependencies": {"next": "15"}}',
        "pages/api/carts.js": 'import listCarts from "../../lib/list";\n'
        'import post from "../../lib/post";\n' + _script("carts", "listCarts", "post"),
        "lib/list.js": 'import read from "./read";\n' + _script("list", "read"),
        "lib/post.js": 'const save = require("./save");\n' + _script("post", "save"),
        "lib/read.js": _script("read"),
        "lib/save.js": "function save() {\n  a();\n  b();\n  c();\n}\nmodule.exports = save;\n",
    })  # fmt: skip
    (key,) = flows(facts)
    assert flow(facts, key).name == "ANY /api/carts"
    assert names(flow(facts, key)) == [
        ("carts", ["list", "post"]), ("list", ["read"]), ("read", []), ("post", ["save"]),
        ("save", []),
    ]  # fmt: skip


def test_a_flow_does_not_go_behind_what_many_files_use() -> None:
    users = {
        f"u{n}.py": f"from who import ask\n\ndef u{n}():\n    ask()\n" for n in range(USERS_MAX + 1)
    }
    facts = facts_of({
        "a.py": "from who import ask\n\ndef main():\n    ask()\n    pay()\n\n"
        f"def pay():\n    give()\n{BODY}\ndef give():\n{BODY}\n{MAIN}",
        "who.py": f"def ask():\n    read()\n{BODY}\ndef read():\n{BODY}",
    } | users)  # fmt: skip
    walked = walk(facts, "main", Spot("a.py", "main"), 0)
    assert names(walked) == [
        ("main", ["ask", "pay"]), ("ask", ["read"]), ("pay", ["give"]), ("give", []),
    ]  # fmt: skip


def test_the_flows_of_a_repository_begin_in_different_parts_of_its_paths() -> None:
    routes = [f"{area}/{n}" for area in ("carts", "tills") for n in range(9)]
    facts = facts_of({
        "web.py": "from flask import Flask\nimport work\n\napp = Flask(__name__)\n\n" + "".join(
            f"@app.get('/{route}')\ndef r{n}():\n    work.a{n}()\n    work.b{n}()\n"
            f"    own{n}()\n    own{n + 20}()\n{BODY}\n\ndef own{n}(): ...\n"
            f"\ndef own{n + 20}(): ...\n\n" for n, route in enumerate(routes)
        ),
        "work.py": "".join(
            f"def a{n}():\n{BODY}\ndef b{n}():\n{BODY}\n" for n in range(len(routes))
        ),
    })  # fmt: skip
    told = [flow(facts, key).name.split("/")[1] for key in flows(facts)]
    assert len(told) == FEWEST
    assert set(told[:2]) == {"carts", "tills"}


def test_a_request_stands_beside_the_job_that_it_starts() -> None:
    facts = facts_of(
        {
            "config/routes.rb": "Rails.application.routes.draw do\n"
            '  post "/orders" => "orders#create"\nend\n',
            "app/controllers/orders_controller.rb": "class OrdersController < Base\n"
            "  def create\n    PayJob.perform_later(1)\n    Log.one\n    Log.two\n  end\nend\n",
            "app/models/log.rb": "class Log\n  def self.one = 1\n  def self.two = 2\nend\n",
            "app/jobs/pay_job.rb": "class PayJob < ApplicationJob\n  def perform(id)\n"
            "    Log.one\n    Log.two\n    finish(id)\n  end\n\n"
            "  def finish(id)\n    a = 1\n    b = 2\n    a + b\n  end\nend\n",
        }
    )
    assert [flow(facts, key).name for key in flows(facts)] == ["POST /orders", "PayJob"]


def test_a_loop_within_a_function_is_told_alone_and_handlers_of_a_made_object_are_found() -> None:
    facts = facts_of({
        "go.mod": "module example.com/shop\n\ngo 1.22\n",
        "main.go": "package main\n\nimport (\n\t\"time\"\n\n\t\"github.com/gin-gonic/gin\"\n"
        "\t\"example.com/shop/api\"\n)\n\nfunc create() {\n\tg := gin.New()\n\tbefore()\n"
        "\tgo func() {\n\t\ttick := time.NewTicker(time.Minute)\n\t\tfor range tick.C {\n"
        "\t\t\tapi.One()\n\t\t\tapi.Two()\n\t\t\tclean()\n\t\t}\n\t}()\n"
        "\torders := api.Orders{Name: 1}\n\tg.POST(\"/orders\", orders.Create)\n}\n\n"
        "func before() {}\n\nfunc clean() {}\n",
        "api/api.go": "package api\n\ntype Orders struct{ Name int }\n\n"
        "func (o *Orders) Create() {\n\tOne()\n\tTwo()\n\tThree()\n}\n\n"
        "func One() {}\n\nfunc Two() {}\n",
        "api/more.go": "package api\n\nfunc Three() {}\n",
    })  # fmt: skip
    request, loop = [flow(facts, key) for key in sorted(flows(facts), reverse=True)]
    assert (request.name, names(request)[0]) == (
        "POST /orders",
        ("Orders.Create", ["One", "Two", "Three"]),
    )
    assert (loop.kind, names(loop)[0]) == ("scheduled job in", ("create", ["One", "Two", "clean"]))


def test_a_message_that_a_function_takes_leads_to_its_handler() -> None:
    facts = facts_of({
        "Shop.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>',
        "Pay.cs": "namespace Shop;\npublic record Pay(int Cents) : IRequest<bool>;\n"
        "public class PayHandler : IRequestHandler<Pay, bool>\n{\n"
        "    public Task<bool> Handle(Pay request, CancellationToken token)\n    {\n"
        "        var a = 1;\n        return a;\n    }\n}\n",
        "Tills.cs": "namespace Shop;\npublic class Tills\n{\n"
        "    public async Task<bool> Post(ISender sender, Pay command)\n    {\n"
        "        return await sender.Send(command);\n    }\n}\n",
    })  # fmt: skip
    walked = walk(facts, "post", Spot("Tills.cs", "Tills.Post"), 0)
    assert [it.spot.name for it in walked.stations] == [
        "Tills.Post", "PayHandler.Handle",
    ]  # fmt: skip
