from __future__ import annotations

from stationmaster.reading.code.resolving import Resolved
from tests.reading.code.resolved import resolved

COMMIT = {
    "Package.swift": """
import PackageDescription
let package = Package(name: "shop", targets: [
    .target(name: "Shop", dependencies: ["shop-core"]),
    .target(name: "shop-core", path: "lib/core"),
    .testTarget(name: "ShopTests", dependencies: ["Shop"]),
])
""",
    "Sources/Shop/Cart.swift": "import shop_core\nimport NIO\nlet price = Price(1, Other())\n",
    "Sources/Shop/Other.swift": "struct Other {}\nextension Price { }\n",
    "Sources/Elsewhere/Cart.swift": "struct Price {}\n",
    "lib/core/Price.swift": "public struct Price {}\n",
    "lib/core/Coin.swift": "public struct Coin {}\n",
    "Tests/ShopTests/CartTests.swift": "import XCTest\n@testable import Shop\n",
}


def test_an_import_leads_to_what_of_the_target_is_named() -> None:
    assert resolved(COMMIT)["Sources/Shop/Cart.swift"] == {
        "shop_core": Resolved(("lib/core/Price.swift",)),
        "NIO": Resolved(outside="NIO"),
        "Price": Resolved(is_settled=True),
        "Other": Resolved(("Sources/Shop/Other.swift",)),
    }


def test_an_import_of_which_nothing_is_named_leads_to_the_whole_target() -> None:
    assert resolved(COMMIT)["Tests/ShopTests/CartTests.swift"] == {
        "XCTest": Resolved(outside="XCTest"),
        "Shop": Resolved(("Sources/Shop/Cart.swift", "Sources/Shop/Other.swift")),
    }
