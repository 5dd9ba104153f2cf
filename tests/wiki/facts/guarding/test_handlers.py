"""Guards that handlers have by themselves or by their classes."""

from stationmaster.wiki.facts.guarding.guards import Guard, refusal
from stationmaster.wiki.facts.interfaces.routes import endpoints
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of


def test_what_runs_before_handlers_of_tornado_or_stands_in_them_guards_where_it_refuses() -> None:
    facts = facts_of({
        "base.py": "from tornado import web\n\n\nclass Base(web.RequestHandler):\n"
        "    def prepare(self):\n        if not self.settings['open']:\n"
        "            raise web.HTTPError(\n                401, 'closed')\n",
        "app.py": "from tornado import web\nfrom base import Base\n\n\n"
        "class Stop(Base):\n    def post(self, name):\n        '''\nStops one.\n        '''\n"
        "        if self.settings['read_only']:\n            raise web.HTTPError(403, 'no')\n"
        "        for it in name:\n            if it:\n                raise web.HTTPError(403)\n"
        "\n\n"
        "class Show(Base):\n    def prepare(self):\n        self.seen = True\n\n"
        "    def get(self):\n        if self.seen:\n            raise web.HTTPError(404)\n\n\n"
        "handlers = [(r'/stop/(.+)', Stop), (r'/show', Show)]\n",
    })  # fmt: skip
    assert {it.route: it.guards for it in endpoints(facts)} == {
        "/stop/{name}": (
            Guard("Base.prepare", Spot("base.py", "Base.prepare")),
            refusal("403", "if self.settings['read_only']"),
        ),
        "/show": (),
    }


def test_a_handler_of_go_that_answers_forbidden_itself_has_a_guard() -> None:
    facts = facts_of({
        "go.mod": "module shop\n",
        "main.go": 'package main\n\nimport "net/http"\n\nfunc main() {\n'
        '\thttp.HandleFunc("/till", close(1))\n\thttp.HandleFunc("/list", list)\n}\n\n'
        "func close(n int) http.HandlerFunc {\n"
        "\treturn func(w http.ResponseWriter, r *http.Request) {\n"
        "\t\tif !user(r).IsAdmin {\n"
        '\t\t\thttp.Error(w, "not for you", http.StatusForbidden)\n\t\t\treturn\n\t\t}\n\t}\n}\n\n'
        "func list(w http.ResponseWriter, r *http.Request) {\n"
        '\tif r.Method != "GET" {\n\t\tlog.Print("401")\n\t\treturn\n\t}\n}\n',
    })  # fmt: skip
    assert {it.route: it.guards for it in endpoints(facts)} == {
        "/till": (refusal("403", "if !user(r).IsAdmin"),),
        "/list": (),
    }


def test_the_mark_of_a_method_of_java_stands_instead_of_that_of_its_class() -> None:
    facts = facts_of({
        "pom.xml": "<project/>",
        "src/main/java/a/Users.java": "package a;\nimport jakarta.annotation.security.*;\n"
        "import jakarta.annotation.security.PermitAll;\nimport jakarta.ws.rs.*;\n"
        "import jakarta.ws.rs.GET;\nimport jakarta.ws.rs.POST;\nimport jakarta.ws.rs.Path;\n"
        '@Path("/users")\n@RolesAllowed("USER")\npublic class Users {\n'
        "  @GET\n  public String all() { return null; }\n"
        '  @Path("/new")\n  @PermitAll\n  @POST\n  public String add() { return null; }\n}\n',
    })  # fmt: skip
    assert [(it.route, [guard.name for guard in it.guards], it.is_public)
            for it in endpoints(facts)] == [
        ("/users", ['RolesAllowed("USER")'], False), ("/users/new", [], True),
    ]  # fmt: skip


def test_a_handler_of_php_that_begins_with_a_call_which_refuses_has_a_guard() -> None:
    facts = facts_of({
        "routes.php": "<?php\nuse Slim\\App;\n$app = new App();\n"
        "$app->post('/stock', StockController::class . ':add');\n"
        "$app->get('/stock', StockController::class . ':show');\n",
        "StockController.php": "<?php\nclass StockController\n{\n"
        "    public function add($request, $response)\n    {\n"
        "        User::checkPermission($request, User::STOCK_ADD);\n    }\n"
        "    public function show($request, $response)\n    {\n"
        "        User::checkName($request);\n    }\n}\n",
        "User.php": "<?php\nclass User\n{\n"
        "    public static function checkPermission($request, $name)\n    {\n"
        "        if (!self::may($name)) {\n            throw new PermissionMissing();\n        }\n"
        "    }\n    public static function checkName($request)\n    {\n    }\n}\n",
    })  # fmt: skip
    assert {" ".join(it.methods): it.guards for it in endpoints(facts)} == {
        "POST": (Guard("checkPermission($request, User::STOCK_ADD)",
                       Spot("User.php", "User.checkPermission")),),
        "GET": (),
    }  # fmt: skip


def test_what_a_handler_by_file_lets_answer_first_guards_where_it_refuses() -> None:
    facts = facts_of({
        "package.json": '{"name": "shop", "dependencies": {"next": "15"}}',
        "lib/verify.ts": "export default async function verify({ req, res }) {\n"
        "  if (!req.user) {\n    res.status(401).json({});\n    return null;\n  }\n"
        "  return req.user;\n}\n",
        "lib/load.ts": "export default async function load(req) {\n  return req.user;\n}\n",
        "pages/api/tills.ts": "import load from '../../lib/load';\n"
        "import verify from '../../lib/verify';\n\n"
        "export default async function tills(req, res) {\n"
        "  const user = await verify({ req, res });\n  if (!user) return;\n"
        "  const till = await load(req);\n  if (!till) return;\n\n"
        "  if (!user.isAdmin) {\n    return res.status(403).json({});\n  }\n"
        "  if (req.method === 'GET') {\n"
        "    if (!till.isOpen) return res.status(403).json({});\n  }\n}\n",
        "pages/api/open.ts": "import verify from '../../lib/verify';\n\n"
        "export default async function open(req, res) {\n  if (req.method === 'GET') {\n"
        "    return res.json({});\n  }\n"
        "  const user = await verify({ req, res });\n  if (!user) return;\n}\n",
    })  # fmt: skip
    assert {it.route: it.guards for it in endpoints(facts)} == {
        "/api/tills": (
            Guard("verify", Spot("lib/verify.ts", "verify")),
            refusal("403", "if !user.isAdmin"),
        ),
        "/api/open": (),
    }


def test_a_handler_of_go_also_refuses_with_an_error_that_its_framework_defines() -> None:
    facts = facts_of({
        "go.mod": "module example.org/shop\n",
        "main.go": 'package main\n\nimport "github.com/labstack/echo/v4"\n\n'
        'func main() {\n\te := echo.New()\n\te.GET("/till", till)\n}\n\n'
        'func till(c echo.Context) error {\n\tif c.Param("key") != key {\n'
        "\t\treturn echo.ErrForbidden\n\t}\n\treturn nil\n}\n",
    })  # fmt: skip
    (route,) = endpoints(facts)
    assert [it.words for it in route.guards] == ['refuses with 403 if c.Param("key") != key']
