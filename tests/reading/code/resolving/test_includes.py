from __future__ import annotations

import pytest

from stationmaster.reading.code.resolving import Resolved
from tests.reading.code.resolved import resolved

COMMIT = {
    "src/main.c": """
#include "near.h"
#include "../other/up.h"
#include "lib.h"
#include "compat.h"
#include "made.h"
#include <shop/api.h>
#include <stdio.h>
#include <sys/types.h>
#include <vector>
#include <string.h>
#include "string.h"
#include <zlib.h>
#include <openssl/ssl.h>
#include "deep/only.h"
#include "twice.h"
#include "gone.h"
#include "gtest/gtest.h"
""",
    "src/near.h": "", "lib/near.h": "", "other/up.h": "", "lib/lib.h": "", "compat/compat.h": "",
    "src/gen/made.h": "", "include/shop/api.h": "", "a/deep/only.h": "", "x/twice.h": "",
    "y/twice.h": "", "b/stdio.h": "", "b/vector.h": "",
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "led"),
    [
        ("near.h", Resolved(("src/near.h",))),
        ("../other/up.h", Resolved(("other/up.h",))),
        ("lib.h", Resolved(("lib/lib.h",))),
        ("compat.h", Resolved(("compat/compat.h",))),
        ("made.h", Resolved(("src/gen/made.h",))),
        ("<shop/api.h>", Resolved(("include/shop/api.h",))),
        ("<stdio.h>", Resolved(outside="stdio")),
        ("<sys/types.h>", Resolved(outside="sys")),
        ("<vector>", Resolved(outside="vector")),
        ("string.h", Resolved(outside="string")),
        ("<zlib.h>", Resolved(outside="zlib")),
        ("<openssl/ssl.h>", Resolved(outside="openssl")),
        ("deep/only.h", Resolved(("a/deep/only.h",))),
        ("twice.h", Resolved()),
        ("gone.h", Resolved()),
        ("gtest/gtest.h", Resolved(outside="gtest")),
    ],
)
def test_an_include_leads_to_the_one_file_that_it_can_name(name: str, led: Resolved) -> None:
    assert resolved(COMMIT)["src/main.c"][name] == led
