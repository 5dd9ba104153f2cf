"""What only shares a word with a subject is no part of it."""

import pytest

from stationmaster.wiki.facts.code.vocabulary import stems_of
from stationmaster.wiki.facts.subjects.concepts import concept, concept_titles
from stationmaster.wiki.facts.subjects.topics import is_called_after
from tests.wiki.commits import facts_of

BODY = "        int a = 1;\n        int b = 2;\n        return a + b;\n"
SERVER = {
    "pom.xml": "<project><artifactId>shop</artifactId><dependencies><dependency>"
    "<artifactId>spring-boot-starter-web</artifactId></dependency></dependencies></project>",
    "src/main/resources/application.yml": "server:\n  port: 80\n  compression:\n"
    "    enabled: true\nspring:\n  redis:\n    database: 1\nping:\n  server:\n    times: 3\n",
    "src/main/java/shop/Server.java": "package shop;\n\nimport javax.persistence.*;\n\n@Entity\n"
    '@Table(name = "mnt_server")\npublic class Server {\n    @Id\n    private Long id;\n\n'
    f"    public int one() {{\n{BODY}    }}\n\n    public int two() {{\n{BODY}    }}\n}}\n",
    "src/main/java/shop/ServerPing.java": "package shop;\n\npublic class ServerPing {\n"
    '    @Value("${ping.server.times}")\n    private int times;\n\n    private Server server;\n\n'
    f"    public int ping() {{\n        server.one();\n{BODY}    }}\n}}\n",
    "src/main/java/shop/ServerController.java": "package shop;\n\n@RestController\n"
    '@RequestMapping("/server")\npublic class ServerController {\n    private Server server;\n\n'
    f"    @GetMapping\n    public int list() {{\n        server.one();\n{BODY}    }}\n}}\n",
    **{f"src/main/java/shop/part/P{n}.java": f"package shop.part;\n\npublic class P{n} {{\n"
       f"    public int go() {{\n{BODY}    }}\n}}\n" for n in range(6)},
}  # fmt: skip


def test_settings_of_a_framework_are_no_part_of_what_is_stored_under_its_word() -> None:
    own = concept(facts_of(SERVER), "concepts/server").belongings
    assert [it.name for it in own.tables] == ["mnt_server"]
    assert [it.name for it in own.settings] == ["ping.server.times"]


@pytest.mark.parametrize(
    ("name", "title", "is_stored", "is_called"),
    [
        ("REDIS_HOST", "Redis", True, True),
        ("SKIP_PERMISSION_CHECKS", "Permission", True, True),
        ("ENABLE_IMPORT", "Import", True, True),
        ("SHOP_RESOLVER", "Resolver", True, True),
        ("OPTIONS_ASSET_ID", "Asset IDs", True, True),
        ("spring.quartz.threads", "Quartz", True, True),
        ("server.port", "Server", False, True),
        ("server.port", "Server", True, False),
        ("DB_USER", "User", True, False),
        ("spring.redis.database", "Database", False, False),
    ],
)
def test_a_setting_is_called_after_its_sections_and_not_after_its_key(
    name: str, title: str, is_stored: bool, is_called: bool
) -> None:
    facts = facts_of({}, name="shop")
    assert is_called_after(facts, name, title, is_stored=is_stored) == is_called


def test_types_that_only_help_with_values_are_no_subjects() -> None:
    methods = "".join(f"    public int m{n}() {{\n{BODY * 4}    }}\n\n" for n in range(9))
    facts = facts_of({
        f"src/main/java/shop/{name}.java": f"package shop;\n\npublic class {name} {{\n{methods}}}\n"
        for name in ("RsaUtils", "CartHelper", "Invoice", "Customer", "Parcel")
    })  # fmt: skip
    titles = {title for _, title in concept_titles(facts)}
    assert "Invoice" in titles
    assert not [it for it in titles if "Rsa" in it or "Cart" in it]


METHODS = "".join(
    f"    def m{n}(self):\n        a = self.m{n + 1}()\n        b = a + 1\n        if b:\n"
    "            a = b\n        return a\n\n"
    for n in range(6)
)
LONG = "It is kept for as long as the shop is open, and whoever needs it may look at it there. " * 3
PARTS = {f"shop/part{n}.py": f"class Part{n}:\n{METHODS}" for n in range(6)}


def titles_of(files: dict[str, str]) -> set[str]:
    return {title for _, title in concept_titles(facts_of({**PARTS, **files}, name="shop"))}


def test_a_word_of_any_program_is_a_subject_where_a_document_is_on_its_code() -> None:
    code = {"shop/flags.py": f"class Flags:\n{METHODS}\n\nclass FlagSet:\n{METHODS}"}
    guide = f"# Flags\n\nA flag tells what may be sold.{{}} {LONG}\n"
    assert "Flags" not in titles_of(code)
    assert "Flags" not in titles_of({**code, "docs/flags.md": guide.format("")})
    assert "Flags" in titles_of({**code, "docs/flags.md": guide.format(" `FlagSet` has them.")})


def test_the_readme_of_a_folder_is_not_on_code_elsewhere() -> None:
    readme = f"# Parcels\n\nCopy {{}} to the folder of the server before it starts. {LONG}\n"
    code = {
        "shop/parcel.py": f"class Parcel:\n{METHODS}\n\nclass ParcelBox:\n{METHODS}",
        "parcels/seal.txt": "x\n",
    }
    for words, count in (("all files", 0), ("what `ParcelBox` writes", 1)):
        files = {**PARTS, **code, "parcels/README.md": readme.format(words)}
        facts = facts_of(files, name="shop")
        key = next(key for key, title in concept_titles(facts) if "Parcel" in title)
        assert len(concept(facts, key).passages) == count


def test_a_name_with_a_letter_behind_it_is_one_word() -> None:
    assert not {*stems_of("StatsD")} & {*stems_of("Stats")}
    assert {*stems_of("IParcelBox")} >= {*stems_of("Parcel")}


def test_what_other_code_runs_or_stores_is_no_part_of_a_subject() -> None:
    go = "package {0}\n\n// {1} holds.\ntype {1} struct{{\n\ta int\n}}\n\n{2}"
    methods = "".join(
        f"func (t *{{0}}) M{n}() int {{{{\n\ta := 1\n\tb := 2\n\treturn a + b\n}}}}\n\n"
        for n in range(6)
    )
    files = {
        "go.mod": "module shop\n\nrequire github.com/gin-gonic/gin v1\n",
        "token/token.go": go.format("token", "Token", methods.format("Token")),
        "token/store.go": go.format("token", "TokenStore", methods.format("TokenStore")),
        "coin/coin.go": go.format("coin", "Coin", methods.format("Coin")),
        "schema.sql": "CREATE TABLE coin_tokens (id int, name text);\n",
    }
    facts = facts_of(files, name="shop")
    key = next((key for key, title in concept_titles(facts) if title == "Token"), "")
    assert key
    assert not concept(facts, key).belongings.tables
