from __future__ import annotations

from tests.reading.code.reading import leads


def test_endings_and_indexes_are_tried() -> None:
    told = leads({
        "package.json": '{"name": "shop"}',
        "src/main.ts": """
            import './cart'; import './pay.js'; import './ui'; import './data.json';
            import './gone';
            import fs from 'node:fs'; import 'path/posix'; import 'react/jsx-runtime';
            import '@scope/name/deep'; import './style.css?inline'; import '../../out';
        """,
        "src/cart.tsx": "", "src/pay.ts": "", "src/ui/index.ts": "", "src/data.json": "{}",
        "src/style.css": "",
    })  # fmt: skip
    assert {name: where for (_, name), where in told.items()} == {
        "./cart": ("src/cart.tsx",),
        "./pay.js": ("src/pay.ts",),
        "./ui": ("src/ui/index.ts",),
        "./data.json": ("src/data.json",),
        "./gone": (),
        "node:fs": ("outside node:fs",),
        "path/posix": ("outside path",),
        "react/jsx-runtime": ("outside react",),
        "@scope/name/deep": ("outside @scope/name",),
        "./style.css?inline": ("src/style.css",),
        "../../out": (),
    }


def test_paths_of_tsconfig_hold_through_extends_and_references() -> None:
    told = leads({
        "package.json": '{"name": "shop"}',
        "tsconfig.base.json": '{"compilerOptions": {"paths": {"~lib/*": ["./lib/*"]}}}',
        "app/tsconfig.json": '{"extends": "../tsconfig.base", "files": []}',
        "web/tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.web.json"}]}',
        "web/tsconfig.web.json":
            '{"compilerOptions": {"baseUrl": "src", "paths": {"@ui": ["ui/main.ts"]}},}',
        "lib/money.ts": "", "web/src/ui/main.ts": "", "web/src/store.ts": "",
        "app/a.ts": "import '~lib/money'",
        "web/b.ts": "import '@ui'; import 'store'",
    })  # fmt: skip
    assert told["app/a.ts", "~lib/money"] == ("lib/money.ts",)
    assert told["web/b.ts", "@ui"] == ("web/src/ui/main.ts",)
    assert told["web/b.ts", "store"] == ("web/src/store.ts",)


def test_packages_of_the_workspace_are_found_by_name() -> None:
    told = leads({
        "package.json": '{"private": true, "workspaces": ["packages/*"]}',
        "packages/core/package.json": """{"name": "@shop/core", "imports": {"#db": "./src/db.ts"},
            "exports": {".": {"types": "./dist/index.d.ts", "import": "./dist/index.js"},
                        "./forms/*": "./src/forms/*.ts"}}""",
        "packages/core/src/index.ts": "import '#db'",
        "packages/core/src/db.ts": "", "packages/core/src/forms/input.ts": "",
        "packages/old/package.json": '{"name": "old", "main": "lib/main.js"}',
        "packages/old/src/main.js": "",
        "packages/app/package.json": '{"name": "app"}',
        "packages/app/main.ts":
            "import '@shop/core'; import '@shop/core/forms/input'; import 'old'; import 'older'",
    })  # fmt: skip
    assert told["packages/core/src/index.ts", "#db"] == ("packages/core/src/db.ts",)
    assert told["packages/app/main.ts", "@shop/core"] == ("packages/core/src/index.ts",)
    assert told["packages/app/main.ts", "@shop/core/forms/input"] == (
        "packages/core/src/forms/input.ts",
    )
    assert told["packages/app/main.ts", "old"] == ("packages/old/src/main.js",)
    assert told["packages/app/main.ts", "older"] == ("outside older",)


def test_an_alias_that_can_name_no_package_is_looked_for_in_src() -> None:
    told = leads({
        "web/package.json": '{"name": "web"}',
        "web/src/api.ts": "",
        "web/src/pages/home.ts": "import '@/api'; import '@/gone'",
    })  # fmt: skip
    assert told["web/src/pages/home.ts", "@/api"] == ("web/src/api.ts",)
    assert told["web/src/pages/home.ts", "@/gone"] == ()
