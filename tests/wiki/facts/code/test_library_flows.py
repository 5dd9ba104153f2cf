"""Flows of a library begin at what its documents show users to call."""

from stationmaster.wiki.facts.code.flows import flow, flows
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.texts.examples import uses
from tests.wiki.commits import facts_of

PACKAGE = '{"name": "fetchy", "version": "1.0.0", "exports": "./dist/index.js"}'
LIBRARY = '[project]\nname = "ovens"\nversion = "1"\n[build-system]\nrequires = ["hatchling"]\n'
BODY = "        a = 1\n        b = 2\n        return a + b\n"


def calls(facts: Facts) -> dict[str, list[str]]:
    """By their names the flows of what is called, with the functions they go through."""
    ways = [flow(facts, key) for key in flows(facts)]
    return {
        it.name: [station.spot.name for station in it.stations] for it in ways if it.kind == "call"
    }


def test_a_function_that_another_makes_is_followed_to_what_it_does() -> None:
    facts = facts_of({
        "package.json": PACKAGE,
        "README.md": "# Fetchy\n\n```js\nimport fetchy from 'fetchy';\n\n"
        "const page = await fetchy('https://example.com');\n```\n",
        "src/index.ts": "import create from './create.js';\n\nconst fetchy = create({});\n\n"
        "export default fetchy;\n",
        "src/create.ts": "import {send} from './send.js';\n\n"
        "const create = (defaults: object) => {\n"
        "  const ask = (url: string, options: object) => {\n    check(url);\n    log(url);\n"
        "    const answer = send(url, {...defaults, ...options});\n    return answer;\n  };\n\n"
        "  const fetchy = ((url: string, options: object) =>\n    ask(url, options)) as Fetchy;\n\n"
        "  return fetchy as Fetchy;\n};\n\n"
        "function check(url: string) {\n  const a = 1;\n  const b = 2;\n  return a + b;\n}\n\n"
        "function log(url: string) {\n  const a = 1;\n  const b = 2;\n  return a + b;\n}\n\n"
        "export default create;\n",
        "src/send.ts": "export function send(url: string, options: object) {\n  const a = 1;\n"
        "  const b = 2;\n  return [a, b];\n}\n",
    })  # fmt: skip
    assert calls(facts) == {"fetchy": ["create", "check", "log", "send"]}
    (way,) = (flow(facts, key) for key in flows(facts))
    assert (way.path, way.line, way.stations[0].within) == ("README.md", 6, (4, 9))


def test_what_runs_when_an_object_itself_is_called_comes_before_how_it_is_made() -> None:
    facts = facts_of({
        "pyproject.toml": LIBRARY,
        "README.md": "```python\nfrom ovens import Oven\n\noven = Oven()\n```\n",
        "ovens/__init__.py": "from ovens.oven import Oven\n",
        "ovens/oven.py": "class Oven:\n    def __init__(self):\n"
        "        self.heat()\n        self.light()\n        self.open()\n\n"
        "    def __call__(self, dough):\n        self.heat()\n        self.light()\n"
        "        self.open()\n        return self.bake(dough)\n\n"
        f"    def heat(self):\n{BODY}\n    def light(self):\n{BODY}\n    def open(self):\n{BODY}\n"
        f"    def bake(self, dough):\n{BODY}",
    })  # fmt: skip
    assert next(iter(calls(facts).items())) == (
        "Oven.__call__",
        ["Oven.__call__", "Oven.heat", "Oven.light", "Oven.open", "Oven.bake"],
    )


def test_a_method_is_called_on_what_a_function_of_the_package_gives() -> None:
    facts = facts_of({
        "go.mod": "module example.com/oven\n\ngo 1.22\n",
        "README.md": '```go\no, err := oven.New("gas")\no.Bake("bread")\n```\n',
        "oven.go": "package oven\n\ntype Oven struct{ fuel string }\n\n"
        "func New(fuel string) (*Oven, error) {\n\treturn &Oven{fuel}, nil\n}\n\n"
        "func (o *Oven) Bake(dough string) string {\n\to.heat()\n\to.wait()\n"
        "\treturn o.cool()\n}\n\n"
        "func (o *Oven) heat() string {\n\ta := 1\n\tb := a\n\treturn string(b)\n}\n\n"
        "func (o *Oven) wait() string {\n\ta := 1\n\tb := a\n\treturn string(b)\n}\n\n"
        "func (o *Oven) cool() string {\n\ta := 1\n\tb := a\n\treturn string(b)\n}\n",
        "_examples/main.go": "package main\n\nfunc main() {\n\tprintln(1)\n}\n",
    })  # fmt: skip
    assert calls(facts) == {"Oven.Bake": ["Oven.Bake", "Oven.heat", "Oven.wait", "Oven.cool"]}


def test_what_is_called_on_the_next_line_does_not_stay_in_the_variable() -> None:
    facts = facts_of({
        "pyproject.toml": LIBRARY,
        "README.md": "```python\nfrom ovens import Builder\n\noven = Builder()\\\n    .build()\n"
        "oven.bake()\n```\n",
        "ovens/__init__.py": "class Builder:\n    def bake(self):\n        self.one()\n"
        f"        self.two()\n        self.six()\n\n    def one(self):\n{BODY}\n"
        f"    def two(self):\n{BODY}\n    def six(self):\n{BODY}",
    })  # fmt: skip
    assert [use.kind for use in uses(facts) if use.name == "Builder.bake"] == ["method"]


def test_a_function_that_is_made_and_imported_by_its_name_comes_before_its_blocking_twin() -> None:
    body = "(file) => {\n  const a = 1;\n  const b = 2;\n  return spawn(a, b, file);\n};\n"
    facts = facts_of({
        "package.json": '{"name": "runner", "version": "1.0.0", '
        '"exports": "./distribution/index.js"}',
        "README.md": "```js\nimport {run, runSync} from 'runner';\n\nawait run`npm test`;\n```\n",
        "source/index.js": "import {create} from './create.js';\n\n"
        "export const run = create({});\nexport const runSync = create({isSync: true});\n",
        "source/create.js": "import {coreAsync, coreSync} from './core.js';\n\n"
        "export const create = options => {\n"
        "  const bound = (...words) => call(options, words);\n  return bound;\n};\n\n"
        "const call = (options, words) => {\n  const file = words[0];\n"
        "  return options.isSync\n    ? coreSync(file)\n    : coreAsync(file);\n};\n",
        "source/core.js": f"export const coreSync = {body}\nexport const coreAsync = {body}\n"
        "const spawn = (a, b, file) => {\n  const c = a + b;\n  log(file);\n  return c;\n};\n\n"
        "const log = file => {\n  const a = 1;\n  const b = 2;\n  return [a, b, file];\n};\n",
    })  # fmt: skip
    (way,) = (flow(facts, key) for key in flows(facts))
    names = [station.spot.name for station in way.stations]
    assert (way.name, way.path, way.line) == ("run", "README.md", 4)
    assert names == ["create", "call", "coreAsync", "spawn", "log", "coreSync"]
