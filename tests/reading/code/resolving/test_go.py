from __future__ import annotations

from stationmaster.reading.code.resolving import Resolved
from tests.reading.code.resolved import resolved

COMMIT = {
    "go.mod": "module example.org/shop/v2\n\nrequire (\n\tgithub.com/a/b/v3 v3.0.0\n)\n",
    "main.go": """package main
import (
    "net/http"
    "C"
    "example.org/shop/v2/store"
    "example.org/shop/v2/tools/gen"
    "example.org/shop/v2/gone"
    "example.org/shopping"
    "github.com/a/b/v3/sub/deep"
    "github.com/c/d/e/f"
)
""",
    "store/store.go": "package store\n",
    "store/other.go": "package store\n",
    "store/store_test.go": "package store\n",
    "store/inner/x.go": "package inner\n",
    "tools/go.mod": "module example.org/shop/v2/tools\n",
    "tools/gen/gen.go": 'package gen\nimport "example.org/shop/v2"\n',
}


def test_an_import_leads_to_all_files_of_the_package_but_its_tests() -> None:
    assert resolved(COMMIT)["main.go"] == {
        "net/http": Resolved(outside="net/http"),
        "C": Resolved(outside="C"),
        "example.org/shop/v2/store": Resolved(("store/other.go", "store/store.go")),
        "example.org/shop/v2/tools/gen": Resolved(("tools/gen/gen.go",)),
        "example.org/shop/v2/gone": Resolved(),
        "example.org/shopping": Resolved(outside="example.org/shopping"),
        "github.com/a/b/v3/sub/deep": Resolved(outside="github.com/a/b/v3"),
        "github.com/c/d/e/f": Resolved(outside="github.com/c/d"),
    }
    assert resolved(COMMIT)["tools/gen/gen.go"] == {"example.org/shop/v2": Resolved(("main.go",))}
