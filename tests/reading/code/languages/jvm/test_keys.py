"""Constants that are keys of settings, and classes of properties."""

from __future__ import annotations

import textwrap

import pytest

from stationmaster.reading.code.model import Setting
from stationmaster.reading.code.reading import read


def settings(text: str) -> list[Setting]:
    facts = read("Java", textwrap.dedent(text).encode())
    assert all(each.kind == "key" for each in facts.settings)
    return list(facts.settings)


def test_a_typed_constant_tells_key_type_default_and_meaning() -> None:
    found = settings("""\
        class Keys {
            /** Port of the web server. Below 1024 it needs rights. */
            public static final ConfigKey<Integer> WEB_PORT = new IntegerConfigKey(
                "web.port", List.of(KeyType.CONFIG), 8 * 1024);
            static final ConfigOption<Long> WAIT = new ConfigOption<>("wait", 30L);
            static final ConfigKey<String> URL = new StringConfigKey("db.url", ALL);
            ConfigKey<String> own = new StringConfigKey("no.constant");
            static final Map<String, String> NAMES = new NameMap("other", 1);
        }
    """)  # fmt: skip
    assert [(each.name, each.type, each.default, each.doc) for each in found] == [
        ("web.port", "Integer", "8 * 1024", "Port of the web server. Below 1024 it needs rights."),
        ("wait", "Long", "30", ""),
        ("db.url", "String", None, ""),
    ]
    assert found[0].line == 3


def test_a_key_behind_another_is_shown_below_what_the_constant_names() -> None:
    (found,) = settings("""\
        class Keys {
            static final ConfigSuffix<Long> PROTOCOL_FIX_TIME = new LongConfigSuffix(".fixTime");
        }
    """)  # fmt: skip
    assert found.name == "<protocol>.fixTime"


def test_calls_on_an_option_give_its_default_and_meaning() -> None:
    (found,) = settings("""\
        class Options {
            public static final ConfigOption<String> MODE = ConfigOptions.key("run.mode")
                .stringType().defaultValue("batch").withDescription("How it runs.");
        }
    """)
    assert (found.name, found.type, found.default, found.doc) == (
        "run.mode", "String", "batch", "How it runs.",
    )  # fmt: skip


@pytest.mark.parametrize("given", ['"a", "b"', "compute()", "1, 2"])
def test_no_default_is_guessed(given: str) -> None:
    (found,) = settings(
        f'class K {{ static final ConfigKey<A> A = new ConfigKey<>("a.b", {given}); }}'
    )
    assert found.default is None


def test_properties_of_a_class_have_types_and_defaults_and_stand_below_one_another() -> None:
    found = settings("""\
        import org.springframework.boot.context.properties.ConfigurationProperties;
        @ConfigurationProperties(prefix = "shop")
        public class ShopProperties {
            /** How many are shown. All others are on the next page. */
            private int pageSize = 20;
            private final Mail mail = new Mail();
            @Autowired private Environment environment;
            public static class Mail {
                private String host = "localhost";
                private List<String> to;
            }
        }
    """)
    assert [(each.name, each.type, each.default, each.doc) for each in found] == [
        ("shop.page-size", "int", "20", "How many are shown. All others are on the next page."),
        ("shop.mail.host", "String", "localhost", ""),
        ("shop.mail.to", "List<String>", None, ""),
    ]


def test_methods_of_an_interface_that_quarkus_fills_are_keys() -> None:
    found = settings("""\
        import io.smallrye.config.ConfigMapping;
        @ConfigMapping(prefix = "shop")
        interface Shop {
            /** Hides it from others. */
            @WithDefault("true")
            boolean hideFromOthers();
            Optional<String> note();
            String address();
            Mail mail();
            Optional<Queue> queue();
            default int twice() { return 2; }
            interface Mail {
                @WithName("host") String server();
            }
            interface Queue { String name(); }
        }
    """)
    assert {it.name: (it.default, it.is_required, it.type, it.doc) for it in found} == {
        "shop.hide-from-others": ("true", False, "boolean", "Hides it from others."),
        "shop.note": (None, False, "Optional<String>", ""),
        "shop.address": (None, True, "String", ""),
        "shop.mail.host": (None, True, "String", ""),
        "shop.queue.name": (None, False, "String", ""),
    }


def test_a_flag_is_set_without_the_word_of_its_name() -> None:
    text = """
        import org.springframework.boot.context.properties.ConfigurationProperties;
        @ConfigurationProperties("till")
        class Till {
            private boolean isOpen;
            private String issuer;
        }
    """
    assert [each.name for each in settings(text)] == ["till.open", "till.issuer"]
