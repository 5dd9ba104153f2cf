"""What handlers take from requests."""

from __future__ import annotations

from collections.abc import Mapping

from stationmaster.wiki.facts.interfaces.bodies import bodies
from stationmaster.wiki.pages.interfaces import bodies as page
from tests.wiki.commits import facts_of, written

_NEST = (
    "import { Body, Controller, Post } from '@nestjs/common';\n"
    "import { OrderDto } from './dto';\n\n@Controller('orders')\nexport class Orders {\n"
    "  @Post()\n  add(@Body(new Pipe({ strict: true })) order: OrderDto) {\n    return 1;\n  }\n}\n"
)
_DTO = (
    "class Named {\n  @IsString()\n  name: string;\n}\n\n"
    "export class OrderDto extends Named {\n  @Max(9)\n  count: number;\n}\n"
)
_LARAVEL = (
    "<?php\nnamespace App\\Http\\Controllers;\n\nuse App\\Http\\Requests\\SaveRequest;\n"
    "class Orders\n{\n    private $own = ['b' => 'max:2'];\n\n"
    "    public function save(SaveRequest $request)\n    {\n"
    "        return $request->input('note');\n    }\n\n"
    "    public function change(Request $request)\n    {\n        $request->validate([\n"
    "            'a' => 'required',\n        ]);\n        $this->validate($request, $this->own);\n"
    "    }\n}\n"
)
_FORM = (
    "<?php\nnamespace App\\Http\\Requests;\n\nclass SaveRequest extends FormRequest\n{\n"
    "    public function authorize()\n    {\n        return true;\n    }\n\n"
    "    public function rules()\n    {\n        return ['c' => 'email'];\n    }\n}\n"
)


def _taken(contents: Mapping[str, str]) -> list[tuple[str, list[tuple[str, int, int]]]]:
    facts = facts_of(contents)
    return [
        (f"{body.methods[0]} {body.route}", [(it.name, it.line, it.end) for it in body.parts])
        for body in bodies(facts)
    ]


def test_a_type_that_a_body_is_read_into_is_shown_with_those_that_it_extends() -> None:
    assert _taken({"package.json": "{}", "orders.ts": _NEST, "dto.ts": _DTO}) == [
        ("POST /orders", [("OrderDto", 6, 9), ("Named", 1, 4)])
    ]


def test_a_parameter_of_fastapi_is_a_body_only_where_its_type_is_a_model() -> None:
    code = (
        "from fastapi import FastAPI\nfrom pydantic import BaseModel\n\napp = FastAPI()\n\n"
        "class Store:\n    size: int = 1\n\nclass Order(BaseModel):\n    count: int = 1\n\n"
        '@app.post("/orders")\ndef add(order: Order, store: Store = None):\n    return 1\n'
        '\n@app.get("/orders")\ndef show(order: Order):\n    return 1\n'
    )
    assert _taken({"app.py": code}) == [("POST /orders", [("Order", 9, 10)])]


def test_rules_of_laravel_are_those_of_the_form_and_those_that_a_handler_states() -> None:
    routes = (
        "<?php\nuse App\\Http\\Controllers\\Orders;\n"
        "Route::post('/orders', [Orders::class, 'save']);\n"
        "Route::put('/orders', [Orders::class, 'change']);\n"
    )
    contents = {
        "composer.json": '{"require": {"laravel/framework": "11"}}',
        "routes/web.php": routes,
        "app/Http/Controllers/Orders.php": _LARAVEL,
        "app/Http/Requests/SaveRequest.php": _FORM,
    }
    assert _taken(contents) == [
        ("POST /orders", [("SaveRequest.rules", 11, 14)]),
        ("PUT /orders", [("", 16, 18), ("", 19, 19), ("Orders.own", 7, 7)]),
    ]
    (planned,) = page.plan(facts_of(contents))
    body = written(facts_of(contents), planned.write, None, planned.key)
    assert "The handler reads `note` at" in body
    assert "return ['c' => 'email'];" in body


def test_a_variable_of_go_that_a_body_is_bound_to_has_the_type_that_is_shown() -> None:
    code = (
        'package main\n\nimport "github.com/gin-gonic/gin"\n\n'
        'type Order struct {\n\tCount int `binding:"max=9"`\n}\n\n'
        'func run() {\n\tr := gin.Default()\n\tr.POST("/orders", add)\n}\n\n'
        "func (o Order) Validate() error {\n\treturn nil\n}\n\n"
        "func add(c *gin.Context) {\n\tvar order Order\n"
        "\tif err := c.ShouldBindJSON(&order); err != nil {\n\t\treturn\n\t}\n}\n"
    )
    assert _taken({"go.mod": "module example.com/a\n", "main.go": code}) == [
        ("POST /orders", [("Order", 5, 7), ("Order.Validate", 14, 16)])
    ]


def test_parameters_that_rails_permits_are_those_of_the_method_that_a_handler_calls() -> None:
    controller = (
        "class OrdersController < ApplicationController\n  def create\n"
        "    Order.create(order_params)\n  end\n\n  private\n\n  def order_params\n"
        "    params.require(:order).permit(:count)\n  end\nend\n"
    )
    routes = "Rails.application.routes.draw do\n  resources :orders, only: [:create]\nend\n"
    contents = {"config/routes.rb": routes, "app/controllers/orders_controller.rb": controller}
    assert _taken(contents) == [("POST /orders", [("OrdersController.order_params", 8, 10)])]


def test_strong_parameters_may_be_those_of_a_class_above() -> None:
    contents = {
        "config/routes.rb": "Rails.application.routes.draw do\n"
        "  resources :orders, only: [:create]\nend\n",
        "app/controllers/shop_controller.rb": "class ShopController < ActionController::Base\n"
        "  def order_params\n    params[:order].permit([:count] + more)\n  end\nend\n",
        "app/controllers/orders_controller.rb": "class OrdersController < ShopController\n"
        "  def create\n    Order.create(order_params)\n  end\nend\n",
    }
    assert _taken(contents) == [("POST /orders", [("ShopController.order_params", 2, 4)])]


def test_values_of_a_query_are_told_also_where_a_function_is_given_the_request() -> None:
    facts = facts_of({
        "package.json": "{}",
        "pages.js": "export function paged(req) {\n  return Number(req.query.page ?? 1)\n}\n",
        "app.js": "import express from 'express'\nimport { paged } from './pages.js'\n"
        "const app = express()\napp.get('/orders/:id', list)\napp.post('/orders', add)\n"
        "function list(req, res) {\n  const { sort, size: many = 10 } = req.query\n"
        "  res.json(find(req.query.id, sort, many, paged(req)))\n}\n"
        "function add(req, res) {\n  const { note } = req.body\n  res.json(note)\n}\n",
    })  # fmt: skip
    listed = {body.route: body for body in bodies(facts)}
    queries = [(part.name, names) for part, names in listed["/orders/:id"].queries]
    assert queries == [("list", ("sort", "size")), ("paged", ("page",))]
    assert (listed["/orders"].values, listed["/orders"].queries) == (("note",), ())
    planned = next(iter(page.plan(facts)))
    text = written(facts, planned.write, None, planned.key)
    assert "`paged` reads `page` of the query at" in text


def test_a_query_of_axum_is_read_into_a_type_and_an_answer_is_none() -> None:
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "till"\n',
        "src/main.rs": "use axum::{routing::get, extract::Query, Json, Router};\n\n"
        "struct Paged {\n    page: usize,\n}\n\nstruct Coin {\n    size: usize,\n}\n\n"
        "async fn list(Query(paged): Query<Paged>) -> Json<Coin> {\n    todo!()\n}\n\n"
        'fn main() {\n    let app: Router = Router::new().route("/coins", get(list));\n}\n',
    })  # fmt: skip
    (body,) = bodies(facts)
    assert [part.name for part in body.parts] == ["Paged"]


_TORNADO = (
    "from tornado import web\n\n\nclass Orders(web.RequestHandler):\n"
    "    def get(self):\n        self.get_argument('offset', 0)\n"
    "        self.get_argument('search[value]')\n\n"
    "    def post(self, name):\n        self.get_body_argument('note')\n\n\n"
    "handlers = [(r'/orders/(.+)', Orders), (r'/orders', Orders)]\n"
)


def test_what_tornado_reads_of_a_query_or_a_body_is_named_for_every_method() -> None:
    listed = [(*it.methods, it.route, *it.values) for it in bodies(facts_of({"a.py": _TORNADO}))]
    assert ("GET", "/orders", "offset", "search[value]") in listed
    assert ("POST", "/orders/{name}", "note") in listed


_HANDLERS_OF_GO = (
    'package api\n\nimport (\n\t"encoding/json"\n\t"net/http"\n\n\t"example.com/a/store"\n)\n\n'
    "func Serve() {\n"
    + "".join(
        f'\thttp.HandleFunc("POST /{name}", {name})\n'
        for name in ("made", "named", "listed", "words", "own", "other", "local")
    )
    + "}\n"
    + "".join(
        f"\nfunc {name}(w http.ResponseWriter, r *http.Request) {{\n\t{stated}\n"
        "\t_ = json.NewDecoder(r.Body).Decode(&it)\n}\n"
        for name, stated in (
            ("made", "it := store.Order{}"),
            ("named", "var it store.Order"),
            ("listed", "var it []store.Order"),
            ("words", "it := []string{}"),
            ("own", "it := struct {\n\t\tSite string\n\t}{}"),
            ("other", "var it json.RawMessage"),
            ("local", "type order struct {\n\t\tSite string\n\t}\n\tvar it order"),
        )
    )
)


def test_a_body_of_go_has_the_type_of_another_package_or_the_statement_that_gives_its_type() -> (
    None
):
    order = ("Order", 3, 5)
    assert _taken({
        "go.mod": "module example.com/a\n\ngo 1.22\n",
        "store/order.go": "package store\n\ntype Order struct {\n\tCount int\n}\n",
        "api/serve.go": _HANDLERS_OF_GO,
    }) == [
        ("POST /listed", [order]),
        ("POST /local", [("order", 53, 55)]),
        ("POST /made", [order]),
        ("POST /named", [order]),
        ("POST /own", [("it", 41, 43)]),
        ("POST /words", [("it", 36, 36)]),
    ]  # fmt: skip


def test_rules_that_a_form_replaces_or_that_are_empty_are_not_shown() -> None:
    base = (
        "<?php\nnamespace App\\Http\\Requests;\n\nabstract class Form extends FormRequest\n{\n"
        "    abstract public function rules(): array;\n}\n"
    )
    own = (
        "<?php\nnamespace App\\Http\\Requests;\n\nclass SaveRequest extends Form\n{\n"
        "    public function rules(): array\n    {\n        return %s;\n    }\n}\n"
    )
    routes = (
        "<?php\nuse App\\Http\\Controllers\\Orders;\nRoute::post('/o', [Orders::class, 'save']);\n"
    )
    contents = {
        "composer.json": '{"require": {"laravel/framework": "*"},'
        ' "autoload": {"psr-4": {"App\\\\": "app/"}}}',
        "routes/web.php": routes,
        "app/Http/Controllers/Orders.php": _LARAVEL,
        "app/Http/Requests/Form.php": base,
    }
    for rules, parts in (("['c' => 'email']", ["SaveRequest.rules"]), ("[]", [])):
        taken = _taken({**contents, "app/Http/Requests/SaveRequest.php": own % rules})
        assert [it[0] for _, of_body in taken for it in of_body] == parts


_SPRING = (
    "package shop;\nimport org.springframework.web.bind.annotation.*;\n@RestController\n"
    "class Orders {{\n"
    '  @PostMapping("/orders/{{id}}")\n'
    '  int add(@RequestParam(required = false, defaultValue = "0") int offset,\n'
    '      @RequestParam(required = false, name = "how-many") int count,\n'
    "      HttpServletRequest request, @PathVariable int id, String note, Order order) {{\n"
    "    return save(note, order);\n  }}\n{}}}\n"
)
_ORDER = "package shop;\npublic class Order {\n  private String name;\n}\n"


def _of_spring(rest: str = "", **more: str) -> tuple[object, ...]:
    files = {"pom.xml": "<project/>", "src/Orders.java": _SPRING.format(rest)}
    files |= {"src/Order.java": _ORDER, **{f"src/{name}.java": it for name, it in more.items()}}
    (body,) = bodies(facts_of(files))
    return body.queries[0][1], body.values, [part.name for part in body.parts]


def test_parameters_of_spring_are_read_from_a_form_or_a_query_also_without_a_mark() -> None:
    assert _of_spring() == (("how-many", "offset"), ("note",), ["Order"])


def test_types_that_the_code_reads_in_its_own_way_are_no_forms_of_spring() -> None:
    supplied = "  @ModelAttribute\n  public Order find(int id) { return orders.get(id); }\n"
    assert _of_spring(supplied)[2] == []
    own = "package shop;\nclass Reads implements HandlerMethodArgumentResolver {}\n"
    assert _of_spring(Reads=own)[2] == []


def test_a_schema_of_an_answer_is_nothing_that_a_handler_reads() -> None:
    contents = {
        "src/app.ts": """\
import { Hono } from "hono";
import { describeRoute, resolver, validator } from "hono-openapi";
const orderSchema = z.object({ count: z.number() });
const answerSchema = z.object({ id: z.string() });
const app = new Hono();
app.post(
  "/orders",
  describeRoute({
    responses: {
      200: { content: { "application/json": { schema: resolver(answerSchema) } } },
    },
  }),
  validator("json", orderSchema),
  async (c) => c.json({}),
);
""",
    }
    assert _taken(contents) == [("POST /orders", [("orderSchema", 3, 3)])]


def test_a_route_of_aspnet_takes_what_its_own_lambda_takes() -> None:
    code = (
        "public static class Orders\n{\n    public static void Map(IEndpointRouteBuilder app)\n"
        '    {\n        var api = app.MapGroup("/orders");\n'
        '        api.MapPost("/", async (OrderRequest order, Shop shop) => {\n'
        "            await shop.Add(order);\n        });\n"
        '        api.MapDelete("/{id}", async (int id, Shop shop) => {\n'
        "            await shop.Remove(id);\n        });\n    }\n}\n\n"
        "public class OrderRequest\n{\n    public int Count { get; set; }\n}\n"
    )
    assert _taken({"Shop.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"/>', "Orders.cs": code}) == [
        ("POST /orders", [("OrderRequest", 15, 18)])
    ]


def test_a_body_whose_only_field_has_a_type_of_its_own_is_shown_with_that() -> None:
    field, whole = "\tBody OrderBody\n", "type OrderBody struct {\n\tCount int\n\tName string\n}\n"
    handler = "func add(w http.ResponseWriter, r *http.Request) {\n\tvar it OrderInput\n"
    assert _taken({
        "go.mod": "module example.com/a\n\ngo 1.22\n",
        "serve.go": 'package main\n\nimport (\n\t"encoding/json"\n\t"net/http"\n)\n\n'
        'func main() { http.HandleFunc("POST /orders", add) }\n\n'
        f"type OrderInput struct {{\n{field}}}\n\n{whole}\n"
        f"{handler}\tjson.NewDecoder(r.Body).Decode(&it)\n}}\n",
    }) == [("POST /orders", [("OrderInput", 10, 12), ("OrderBody", 14, 17)])]  # fmt: skip


def test_of_a_handler_that_is_longer_than_what_is_read_nothing_is_told() -> None:
    lines = "  note()\n" * 700
    assert not _taken(
        {
            "package.json": '{"dependencies": {"express": "4"}}',
            "app.js": "const express = require('express')\nconst app = express()\n"
            f"app.post('/orders', (req, res) => {{\n  use(req.body.count)\n{lines}}})\n",
        }
    )
