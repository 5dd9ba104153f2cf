from stationmaster.wiki.facts.setting import Configured
from stationmaster.wiki.pages.interfaces import configuration
from stationmaster.wiki.pages.interfaces.configuration import setting_table
from stationmaster.wiki.text.page import Page
from tests.wiki.commits import facts_of, written


def example(count: int) -> str:
    return "".join(f"# Sets {n}.\n{'DB' if n % 2 else 'APP'}_{n}=value-{n}\n" for n in range(count))


def test_the_page_tells_names_and_places_and_never_a_value() -> None:
    facts = facts_of({".env.example": example(6)})
    (planned,) = configuration.plan(facts)
    body = written(facts, planned.write, None, planned.key)
    assert "Documents and examples name 6 variables that no code was seen to read." in body
    assert "| `APP_0` | Sets 0. | [`.env.example:2`](source:.env.example#L2) |" in body
    assert "value-" not in body


def test_one_setting_is_enough_for_the_page_and_none_is_not() -> None:
    assert list(configuration.plan(facts_of({".env.example": example(1)})))
    assert not list(configuration.plan(facts_of({"README.md": "# Shop\n"})))


def test_many_settings_get_pages_of_their_own() -> None:
    facts = facts_of({".env.example": example(130)})
    planned = list(configuration.plan(facts))
    assert len(planned) == 3
    facts.planned = {each.key: each.title for each in planned}
    body = written(facts, planned[0].write, None, "configuration")
    assert all(f"]({each.key}.md)" in body for each in planned[1:])
    part = written(facts, planned[1].write, planned[1].subject, planned[1].key)
    assert part.count("\n| `APP_") == 65


def test_variables_that_only_documents_name_are_apart_from_those_that_code_reads() -> None:
    code = "import os\n\nPORT = os.environ['SHOP_PORT']\n"
    facts = facts_of({".env.example": "# Where.\nSHOP_HOST=a\n", "shop.py": code})
    (planned,) = configuration.plan(facts)
    body = written(facts, planned.write, None, planned.key)
    assert "1 environment variable was found." in body
    assert "Documents and examples name 1 further variable that no code was seen to read." in body
    assert "## Environment variables of which no reading was found" in body


def test_a_table_in_which_all_is_known_of_a_setting_has_as_many_columns_as_a_page_shows() -> None:
    page = Page(facts_of({"a.go": "package a\n"}), "page", "Page")
    known = Configured(
        "PORT", "env", "80", False, "Where it listens.", (("a.go", 1), ("b.go", 2)), 2,
        (("README.md", 3),), (), type="int", declared=(("a.go", 1),),
    )  # fmt: skip
    setting_table(page, [known])
    head, _, row = (line for line in page.body().split("\n") if line.startswith("|"))
    assert head == (
        "| Name | Meaning | Type | Default | Declared and read at | Documented or set at |"
    )
    assert "a.go:1" in row
    assert "b.go:2" in row


def test_the_page_says_once_that_spring_boot_takes_its_own_keys_from_variables() -> None:
    main = (
        "package shop;\nimport org.springframework.boot.autoconfigure.SpringBootApplication;\n"
        "import org.springframework.beans.factory.annotation.Value;\n@SpringBootApplication\n"
        'public class Shop {\n  @Value("${shop.coins}")\n  private int coins;\n'
        "  public static void main(String[] args) {}\n}\n"
    )
    facts = facts_of({
        "pom.xml": "<project/>", "src/main/java/shop/Shop.java": main,
        "src/main/resources/application.properties": "shop.coins=3\n"
        "spring.datasource.driver-class-name=x.Driver\n",
    })  # fmt: skip
    (planned,) = configuration.plan(facts)
    body = written(facts, planned.write, None, planned.key)
    sentence = "Spring Boot takes each key from a variable, too: `shop.coins` from `SHOP_COINS`."
    assert sentence in body
    assert "variable `" not in body


def test_the_page_says_once_that_dotnet_takes_every_key_from_a_variable() -> None:
    facts = facts_of({
        "Shop.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"/>',
        "Program.cs": "var builder = WebApplication.CreateBuilder(args);\n"
        'var sender = builder.Configuration["Mail:Sender"];\n'
        'builder.Services.Configure<Mail>(builder.Configuration.GetSection("Mail"));\n'
        "class Mail { public List<string> Boxes { get; set; } }\n",
        "appsettings.json": '{"Mail": {"Sender": "a", "Port": 1}}\n',
    })  # fmt: skip
    (planned,) = configuration.plan(facts)
    body = written(facts, planned.write, None, planned.key)
    rule = ".NET takes each key from a variable, too, unless a file that is added later sets it"
    assert f"{rule}: `Mail:Sender` from `MAIL__SENDER`." in body
    assert "MAIL__BOXES" not in body
    assert "Keys that a variable sets too" not in body
