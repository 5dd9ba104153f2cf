"""Variables that functions of the project's own ask the environment for."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of


def _read(files: dict[str, str]) -> dict[str, tuple[str | None, tuple[tuple[str, int], ...]]]:
    found = settings(facts_of(files))
    return {it.name: (it.default, it.reads) for it in found if it.kind == "env" and it.reads}


def test_names_that_functions_of_several_files_hand_on_to_the_environment() -> None:
    assert _read({
        "pyproject.toml": '[project]\nname = "shop"\n',
        "shop/__init__.py": "",
        "shop/base.py": "import os\n\n\ndef value(name: str) -> str | None:\n"
        '    return os.environ.get(name, OWN.get(name))\n\n\ndef other(name: str) -> str:\n'
        "    return OWN.get(name)\n",
        "shop/paths.py": "from shop.base import other, value\n\n\n"
        "def folder(env_name: str) -> Path | None:\n"
        "    return Path(found) if (found := value(env_name)) else None\n\n\n"
        'HOME = folder("SHOP_HOME")\nOTHER = other("SHOP_OTHER")\n',
        "shop/run.py": 'from shop.base import value\n\nif (it := value("SHOP_PYTHON")) is None:\n'
        "    it = value(\n        \"SHOP_FALLBACK\"\n    )\n",
        "shop/far.py": "def folder(name):\n    return name\n\n\nfolder(\"NOT_THIS\")\n",
    }) == {
        "SHOP_FALLBACK": (None, (("shop/run.py", 4),)),
        "SHOP_HOME": (None, (("shop/paths.py", 8),)),
        "SHOP_PYTHON": (None, (("shop/run.py", 3),)),
    }  # fmt: skip


def test_names_that_are_put_together_around_what_a_function_is_given() -> None:
    assert _read({
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/main.rs": 'fn main() {\n    color("RED", Ansi::Red);\n}\n\n'
        "fn color(name: &str, default: Ansi) -> String {\n"
        '    let variable = format!("SHOP_COLOR_{name}");\n'
        "    match std::env::var(variable).as_deref() {\n        _ => default,\n    }\n}\n",
    }) == {"SHOP_COLOR_RED": (None, (("src/main.rs", 2),))}  # fmt: skip


def test_what_stands_in_where_a_function_has_a_parameter_for_it() -> None:
    assert _read({
        "package.json": "{}",
        "src/env.ts": "export function text(key: string, fallback: string): string {\n"
        "  return process.env[key] ?? fallback;\n}\n",
        "src/main.ts": 'import { text } from "./env";\n\nexport const port = text("PORT", "80");\n',
    }) == {"PORT": ("80", (("src/main.ts", 3),))}  # fmt: skip
