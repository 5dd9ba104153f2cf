"""What is configured from outside: names from code, examples and files."""

import pytest

from stationmaster.reading.code.model import FileFacts, Setting
from stationmaster.wiki.facts.interfaces.settings import files_of_settings, settings
from stationmaster.wiki.facts.setting import Configured
from tests.wiki.commits import facts_of


def told(contents: dict[str, str], **read: tuple[Setting, ...]) -> dict[str, Configured]:
    """Settings by name; `read` is what the code of `<name>.py` reads."""
    facts = facts_of({**contents, **{f"{name}.py": "" for name in read}})
    facts.code = {f"{name}.py": FileFacts(settings=each) for name, each in read.items()}
    return {each.name: each for each in settings(facts)}


def test_a_variable_is_joined_from_code_examples_guides_and_containers() -> None:
    found = told(
        {
            ".env.example": "# Where it listens.\nAPP_PORT=80\n",
            "README.md": "# App\n\nSet APP_PORT to listen elsewhere.\n",
            "Dockerfile": "FROM x\nENV APP_PORT=80\n",
            "compose.yaml": "services:\n  app:\n    environment:\n      APP_PORT: 80\n"
            "  b:\n    environment:\n      - OTHER=1\n",
            "CHANGELOG.md": "APP_PORT came\n",
        },
        app=(Setting("APP_PORT", "env", 3, default="8080", is_required=True),),
    )
    assert found == {"APP_PORT": Configured(
        "APP_PORT", "env", "8080", True, "Where it listens.", (("app.py", 3),), 1,
        ((".env.example", 2), ("README.md", 3)), (("Dockerfile", 2), ("compose.yaml", 4)),
    )}  # fmt: skip


def test_a_plain_word_in_a_guide_counts_only_as_code_or_with_a_value() -> None:
    read = (Setting("DEBUG", "env", 1), Setting("PORT", "env", 2))
    found = told({"README.md": "# App\n\nTo DEBUG, use `PORT`.\n"}, app=read)
    assert found["DEBUG"].documented == ()
    assert found["PORT"].documented == (("README.md", 3),)


def test_a_variable_may_begin_with_an_underscore() -> None:
    found = told({"README.md": "# App\n\n- `_ZO_ECHO`\n"}, app=(Setting("_ZO_ECHO", "env", 1),))
    assert found["_ZO_ECHO"].documented == (("README.md", 3),)


@pytest.mark.parametrize("name", ["DB_PASSWORD", "API_TOKEN", "SECRET_KEY"])
def test_defaults_of_secrets_are_not_shown(name: str) -> None:
    found = told({}, app=(Setting(name, "env", 1, default="changeme"),))
    assert found[name].default is None


def test_files_of_settings_give_keys() -> None:
    contents = {
        "src/main/resources/application.properties": "# x\nspring.datasource.url=jdbc:secret\n",
        "src/main/resources/application-dev.yml": "server:\n  port: 80\n  ssl: {on: true}\n",
        "api/appsettings.json": '{"Logging": {"Level": "Warning"}, "Hosts": ["a"]}',
        "tests/appsettings.json": '{"Tested": 1}',
        ".env": "REAL=1\n",
    }
    found = told(contents)
    assert {name: each.set_at for name, each in found.items()} == {
        "spring.datasource.url": (("src/main/resources/application.properties", 2),),
        "server.port": (("src/main/resources/application-dev.yml", 2),),
        "server.ssl.on": (("src/main/resources/application-dev.yml", 3),),
        "Logging:Level": (("api/appsettings.json", 1),),
        "Hosts": (("api/appsettings.json", 1),),
    }
    assert files_of_settings(facts_of(contents)) == (
        "api/appsettings.json", "src/main/resources/application-dev.yml",
        "src/main/resources/application.properties",
    )  # fmt: skip


def test_names_that_a_build_puts_into_the_code_are_set_by_nobody() -> None:
    facts = facts_of({
        "next.config.ts": "const url = process.env.API_URL;\n"
        "export default { env: {\n  basePath,\n  API_URL: url,\n  version: pkg.version,\n} };\n",
        "src/app.ts": "export const a = process.env.basePath + process.env.version;\n"
        "export const b = process.env.API_URL + process.env.OTHER;\n",
    })  # fmt: skip
    assert [setting.name for setting in settings(facts)] == ["API_URL", "OTHER"]


def test_what_an_example_says_of_the_whole_file_is_said_of_no_variable() -> None:
    facts = facts_of({
        ".env.example": "# Rename this file to .env\n#\n# Where data is.\nDATA_URL=\n"
        "\n# A secret.\n#\n# As long as you like.\nAPP_SECRET=\n"
    })  # fmt: skip
    assert {setting.name: setting.doc for setting in settings(facts)} == {
        "APP_SECRET": "A secret.", "DATA_URL": "Where data is."
    }  # fmt: skip


VIPER = 'package conf\nimport ("strings"; "github.com/spf13/viper")\n'


def viper_settings(start: str, **more: str) -> dict[str, str]:
    """The variables of keys in a program that starts viper like this."""
    facts = facts_of({
        "go.mod": "module shop\n",
        "conf/load.go": f"{VIPER}func load() {{ {start} }}\n",
        "web/serve.go": VIPER + 'func f() { viper.GetInt("port"); viper.GetInt("search.limit") }\n',
        **more,
    })  # fmt: skip
    return {each.name: each.variable for each in settings(facts) if each.kind == "key"}


@pytest.mark.parametrize(
    ("start", "port", "limit"),
    [
        ('viper.SetEnvPrefix("SHOP"); viper.AutomaticEnv()', "SHOP_PORT", ""),
        ('viper.SetEnvPrefix("shop"); viper.AutomaticEnv()\n r := strings.NewReplacer(".", "_")\n'
         "viper.SetEnvKeyReplacer(r)", "SHOP_PORT", "SHOP_SEARCH_LIMIT"),
        ("viper.AutomaticEnv()", "PORT", ""),
        ('viper.SetEnvPrefix("SHOP")', "", ""),
        ('const name = "shop"\nviper.SetEnvPrefix(name); viper.AutomaticEnv()', "SHOP_PORT", ""),
        ("viper.SetEnvPrefix(prefix()); viper.AutomaticEnv()", "", ""),
        ('viper.AutomaticEnv(); viper.SetEnvKeyReplacer(strings.NewReplacer(".", "__"))',
         "PORT", "SEARCH__LIMIT"),
        ("viper.AutomaticEnv(); viper.SetEnvKeyReplacer(strings.NewReplacer(pairs()...))\n"
         'strings.NewReplacer(".", "_")', "", ""),
    ],
)  # fmt: skip
def test_keys_of_viper_have_the_variables_that_its_start_makes_of_them(
    start: str, port: str, limit: str
) -> None:
    assert viper_settings(start) == {"port": port, "search.limit": limit}


@pytest.mark.parametrize("guide", ["Set `SHOP_SEARCH_LIMIT`.", "SHOP_SEARCH_LIMIT=3"])
def test_a_variable_whose_name_is_computed_is_told_where_a_guide_names_it(guide: str) -> None:
    start = 'viper.SetEnvPrefix("SHOP"); viper.AutomaticEnv(); viper.SetEnvKeyReplacer(replacer())'
    told_of = viper_settings(start, **{"README.md": f"# Shop\n\n{guide}\n"})
    assert told_of == {"port": "", "search.limit": "SHOP_SEARCH_LIMIT"}


def test_what_names_the_variable_of_a_key_tells_of_the_key() -> None:
    facts = facts_of({
        "go.mod": "module shop\n", ".env.example": "# Where it listens.\nSHOP_PORT=1\n",
        "Dockerfile": "FROM x\nENV SHOP_PORT=80\n",
        "conf/load.go": VIPER + 'func load() { viper.SetEnvPrefix("SHOP"); viper.AutomaticEnv()\n'
        'viper.SetDefault("port", 4533) }\n',
    })  # fmt: skip
    (port,) = settings(facts)
    assert (port.name, port.variable, port.default, port.doc, port.documented, port.set_at) == (
        "port", "SHOP_PORT", "4533", "Where it listens.",
        ((".env.example", 2),), (("Dockerfile", 2),),
    )  # fmt: skip


def test_what_a_pattern_stands_for_is_told_of_with_it() -> None:
    table = (
        "| Variable | Description |\n| --- | --- |\n"
        "| `SHOP_$NAME_URL` | Where it is |\n| `SHOP_${NAME}_KEY` | How it opens |\n"
    )
    read = (Setting("SHOP_<name>_URL", "env", 1), Setting("SHOP_<name>_KEY", "env", 2),
            Setting("SHOP_MAIN_KEY", "env", 3))  # fmt: skip
    example = "SHOP_CORNER_URL=\nSHOP_MAIN_KEY=\nSHOP_URLS=\n"
    found = told({"docs/a.md": table, ".env.example": example}, app=read)
    assert {name: (each.doc, each.documented) for name, each in found.items()} == {
        "SHOP_<name>_KEY": ("How it opens", (("docs/a.md", 4),)),
        "SHOP_<name>_URL": ("Where it is", (("docs/a.md", 3), (".env.example", 1))),
        "SHOP_MAIN_KEY": ("", ((".env.example", 2),)),
        "SHOP_URLS": ("", ((".env.example", 3),)),
    }


@pytest.mark.parametrize(
    "path", ["TEMPLATE.env", "docker/sample.env", "env.template", "example.env", "app/default.env"]
)
def test_a_file_that_is_made_to_be_copied_tells_of_variables_by_its_name(path: str) -> None:
    found = told({path: "# Where it listens.\nAPP_PORT=80\n"}, app=(Setting("APP_PORT", "env", 1),))
    assert (found["APP_PORT"].doc, found["APP_PORT"].documented) == (
        "Where it listens.",
        ((path, 2),),
    )


@pytest.mark.parametrize(("crate", "names"), [("config-file", ["port"]), ("serde_json", [])])
def test_structs_of_rust_are_settings_where_the_crate_reads_files_of_them(
    crate: str, names: list[str]
) -> None:
    facts = facts_of({
        "Cargo.toml": f"[package]\nname = 'shop'\n[dependencies]\n{crate} = '1'\n",
        "src/main.rs": "#[derive(Deserialize)]\n#[serde(default)]\nstruct Config { port: u16 }\n",
    })  # fmt: skip
    assert [each.name for each in settings(facts)] == names


def test_keys_of_a_struct_of_rust_stand_below_those_that_hold_it_in_other_files() -> None:
    facts = facts_of({
        "Cargo.toml": "[package]\nname = 'shop'\n[dependencies]\ntoml = '1'\n",
        "src/config.rs": "#[derive(Default, Deserialize)]\nstruct Config {\n port: u16,\n"
        " mail: Option<mail::MailConfig>,\n hooks: Vec<HookConfig>,\n}\n",
        "src/mail.rs": "#[derive(Default, Deserialize)]\nstruct MailConfig { host: String }\n",
        "src/hooks.rs": "#[derive(Default, Deserialize)]\nstruct HookConfig { url: String }\n",
    })  # fmt: skip
    assert [each.name for each in settings(facts)] == ["hooks[].url", "mail.host", "port"]


def test_what_the_compiler_takes_from_the_environment_is_not_required_when_it_runs() -> None:
    facts = facts_of({
        "Cargo.toml": "[package]\nname = 'shop'\n",
        "build.rs": 'fn main() { println!("cargo:rustc-env=MADE={}", 1); }\n',
        "src/main.rs": 'const A: &str = env!("BRAND");\nconst B: &str = env!("MADE");\n',
    })  # fmt: skip
    (brand,) = settings(facts)
    assert (brand.name, brand.is_required, brand.doc) == (
        "BRAND", False, "Read when the program is compiled."
    )  # fmt: skip


FLASK = "from flask import Flask\napp = Flask(__name__)\nlimit = app.config['LIMIT']\n"


def test_an_application_of_flask_is_configured_by_the_constants_of_a_module_and_by_a_file() -> None:
    facts = facts_of({
        "shop/app.py": f"{FLASK}app.config.from_object('shop.defaults')\n"
        "app.config.from_envvar('SHOP_SETTINGS', silent=True)\napp.config['MADE'] = 1\n",
        "shop/defaults.py": "import os\nPORT = 8080  # Of all.\nNAME = os.name\nlocal = 1\n",
    })  # fmt: skip
    assert [(it.name, it.kind, it.default, it.is_required, it.reads) for it in settings(facts)] == [
        ("SHOP_SETTINGS", "env", None, False, (("shop/app.py", 5),)),
        ("LIMIT", "key", None, False, (("shop/app.py", 3),)),
        ("NAME", "key", None, False, (("shop/defaults.py", 3),)),
        ("PORT", "key", "8080", False, (("shop/defaults.py", 2),)),
    ]


def test_values_of_classes_are_defaults_of_flask_where_all_agree() -> None:
    facts = facts_of({
        "app.py": f"{FLASK}from config import Production\napp.config.from_object(Production)\n",
        "config.py": "class Base:\n    PORT = 1\n    NAME = 'a'\nclass Production(Base):\n"
        "    NAME = 'b'\n",
    })  # fmt: skip
    assert {it.name: it.default for it in settings(facts)} == {
        "LIMIT": None, "NAME": None, "PORT": "1"
    }  # fmt: skip


def test_what_only_the_code_puts_into_the_configuration_of_flask_is_no_setting() -> None:
    assert settings(facts_of({"app.py": FLASK})) == ()
    computed = (
        f"{FLASK}\nclass Shop:\n    PARTS = (1,)\n\ndef run(kind):\n"
        "    chosen = kinds[kind]\n    app.config.from_object(chosen)\n"
        "    app.config['STORE'] = open_store()\n    app.config['LIMIT'] = 3\n"
        "    serve(app.config['STORE'])\n"
    )
    assert [it.name for it in settings(facts_of({"app.py": computed}))] == ["LIMIT"]


def test_an_instruction_of_a_container_sets_variables_on_several_lines() -> None:
    names = ("PORT", "NAME", "MAIL", "HOST", "OTHER")
    text = """FROM x
ENV PORT=80 NAME="a MAIL=b" \\
    # of mail
    MAIL="" \\
    HOST='x'
RUN OTHER=1 true
ENV OTHER a=b
"""
    found = told({"Dockerfile": text}, app=tuple(Setting(it, "env", 1) for it in names))
    assert {name: it.set_at for name, it in found.items()} == {
        "PORT": (("Dockerfile", 2),), "NAME": (("Dockerfile", 2),), "MAIL": (("Dockerfile", 4),),
        "HOST": (("Dockerfile", 5),), "OTHER": (("Dockerfile", 7),),
    }  # fmt: skip


def test_a_key_that_is_written_like_a_variable_is_told_of_where_guides_name_it() -> None:
    found = told(
        {"README.md": "# Shop\n\nMAIL_HOST is needed.\n"}, app=(Setting("MAIL_HOST", "key", 1),)
    )
    assert (found["MAIL_HOST"].documented, found["MAIL_HOST"].variable) == ((("README.md", 3),), "")


OPTIONS = """using System.ComponentModel.DataAnnotations;
namespace Shop;
public class MailOptions
{
    public const string Section = "Mail";
    /// <summary>Who sends.</summary>
    public string Sender { get; set; } = "shop";
    public Protocol Protocol { get; set; } = Protocol.Smtp;
    public int Limit { get; }
    public ServerOptions Server { get; set; }
}
public class ServerOptions
{
    public int Port { get; init; } = 25;
}
public enum Protocol { Smtp }
"""


@pytest.mark.parametrize(
    "binding",
    [
        'services.Configure<MailOptions>(configuration.GetSection("Mail"));',
        "services.AddOptions<MailOptions>().BindConfiguration(MailOptions.Section);",
        "services.AddShopOptions<MailOptions>(nameof(Options.Mail));",
        "var mail = configuration.GetSection(MailOptions.Section).Get<MailOptions>();",
        'services.Configure<MailOptions>(Configuration.GetSection("Mail"));\n'
        '// services.Configure<MailOptions>(configuration.GetSection("Post"));\n',
    ],
)
def test_properties_of_classes_that_a_section_is_bound_to_are_keys(binding: str) -> None:
    facts = facts_of({
        "Shop/MailOptions.cs": OPTIONS,
        "Shop/Startup.cs": f"using Shop;\nclass Startup {{ void Configure() {{ {binding} }} }}\n",
        "Shop/appsettings.json": '{\n  // "Port": 1\n  "Mail": {"Sender": "a//b"} // Of all.\n}\n',
    })  # fmt: skip
    assert {
        it.name: (it.default, it.type, it.doc, it.set_at) for it in settings(facts)
    } == {
        "Mail:Protocol": ("Smtp", "Protocol", "", ()),
        "Mail:Sender": ("shop", "string", "Who sends.", (("Shop/appsettings.json", 3),)),
        "Mail:Server:Port": ("25", "int", "", ()),
    }  # fmt: skip


def test_names_of_go_are_put_together_from_constants_of_other_packages() -> None:
    facts = facts_of({
        "go.mod": "module shop\n",
        "names/names.go": 'package names\nconst Prefix = "SHOP_"\nconst Port = Prefix + "PORT"\n',
        "app/app.go": 'package app\nimport ("os"; "shop/names")\nconst host = "HOST"\n'
        "func f(key string) { os.Getenv(names.Port); os.Getenv(names.Prefix + host)\n"
        "os.Getenv(key); os.Getenv(other) }\n",
    })  # fmt: skip
    assert [it.name for it in settings(facts)] == ["SHOP_HOST", "SHOP_PORT"]


def test_settings_files_of_rails_read_variables_where_they_are_filled_in() -> None:
    facts = facts_of({
        "config/database.yml": "a:\n  host: <%= ENV['DB_HOST'].presence || 'localhost' %>\n"
        "  pool: <%= ENV.fetch(\"DB_POOL\", 5) %>\n  url: <%= ENV[\"DB_URL\"] %>\n"
        "  name: <%= ENV.fetch('DB_NAME') { 'shop' } %>\n  # <%= ENV['NO'] %>\n  a: ENV['NO']\n",
    })  # fmt: skip
    assert {it.name: (it.default, it.reads[0][1]) for it in settings(facts)} == {
        "DB_HOST": ("localhost", 2), "DB_POOL": ("5", 3), "DB_URL": (None, 4),
        "DB_NAME": ("shop", 5),
    }  # fmt: skip


def test_a_default_is_told_where_all_places_agree() -> None:
    found = told(
        {},
        app=(Setting("PORT", "env", 1, "80"), Setting("PORT", "env", 2, "80"),
             Setting("POOL", "env", 3, "5"), Setting("POOL", "env", 4, "20"),
             Setting("POOL", "env", 4, "20")),
    )  # fmt: skip
    assert {name: (it.default, it.count) for name, it in found.items()} == {
        "PORT": ("80", 2), "POOL": (None, 2)
    }  # fmt: skip


def test_keys_of_java_and_kotlin_have_the_variables_of_their_framework_that_files_name() -> None:
    spring = "import org.springframework.boot.context.properties.ConfigurationProperties"
    quarkus = "import io.smallrye.config.ConfigMapping;"
    facts = facts_of({
        "src/main/kotlin/Shop.kt": f'{spring}\n@ConfigurationProperties("shop")\nclass Shop {{\n'
        '  var maxPages: Int = 3\n  var dirs = Dirs()\n  class Dirs {\n    var data: String = ""\n'
        '  }\n  val home: String = System.getProperty("os.name")\n}\n',
        "src/main/java/Mail.java": f'{quarkus}\n@ConfigMapping(prefix = "mail")\n'
        "public interface Mail {\n  int maxSize();\n}\n",
        "src/main/resources/application.yml":
        'shop:\n  dirs:\n    data: \\${user.home}/x\n  more:\n    - "a:\\${shop.data}"\n',
        "compose.yaml": "services:\n  a:\n    environment:\n      SHOP_MAXPAGES: 1\n"
        "      MAIL_MAX_SIZE: 2\n",
    })  # fmt: skip
    found = {it.name: it for it in settings(facts)}
    assert {name: it.variable for name, it in found.items()} == {
        "mail.max-size": "MAIL_MAX_SIZE", "shop.dirs.data": "", "shop.home": "",
        "shop.max-pages": "SHOP_MAXPAGES", "shop.more": "",
    }  # fmt: skip
    assert found["shop.max-pages"].set_at == (("compose.yaml", 4),)
    assert found["shop.dirs.data"].set_at == (("src/main/resources/application.yml", 3),)


def test_an_empty_text_elsewhere_is_no_default_of_what_a_schema_demands() -> None:
    facts = facts_of({
        "app/env.ts": """
            import { createEnv } from "@t3-oss/env-nextjs";
            import * as z from "zod";
            export const env = createEnv({ server: {
              MAIL_FROM: z.email(),
              MAIL_NAME: z.string().optional(),
            } });
        """,
        "mail/send.ts": 'send(process.env.MAIL_FROM ?? "", process.env.MAIL_NAME ?? "");\n',
    })  # fmt: skip
    assert {it.name: (it.default, it.is_required) for it in settings(facts)} == {
        "MAIL_FROM": (None, True),
        "MAIL_NAME": ("", False),
    }
