"""Keys of one literal table of defaults."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of

RUBY = """module Shop
  class Configuration < Hash
    DEFAULTS = {
      # Where it is
      "port"     => 4000, # where it listens
      "home"     => Dir.pwd,
      "hosts"    => ["a"],
      "catalogue" => {
        "size"  => "10 #",
        "names" => [
          "a",
        ],
      },
      "last" => nil,
    }.freeze
    OTHER = { "more" => 1 }
  end
end
"""
PHP = """<?php
class Configuration
{
    private static $_defaults = [
        'catalogue' => [
            'size' => 10,
            'url'  => '',
        ],
        'open' => true,
    ];
}
"""
SCRIPT = """export const defaultConfig: Config = {
  port: 4000,
  home: homeOf(process),
  catalogue: { size: 10 },
  'last-page': "a",
};
"""


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("lib/configuration.rb", RUBY, {
            "port": "4000", "home": None, "hosts": '["a"]', "catalogue.size": "10 #",
            "catalogue.names": None, "last": "nil",
        }),
        ("lib/Configuration.php", PHP, {
            "catalogue.size": "10", "catalogue.url": "", "open": "true",
        }),
        ("src/config.ts", SCRIPT, {
            "port": "4000", "home": None, "catalogue": None, "last-page": "a",
        }),
        ("lib/cart.rb", RUBY, {}),
        ("spec/configuration.rb", RUBY, {}),
    ],
)  # fmt: skip
def test_a_table_of_defaults_in_a_file_called_after_settings_has_keys(
    path: str, text: str, expected: dict[str, str | None]
) -> None:
    assert {it.name: it.default for it in settings(facts_of({path: text}))} == expected


def test_a_file_that_is_made_to_be_copied_says_what_its_keys_mean() -> None:
    facts = facts_of({
        "lib/Configuration.php": PHP,
        "cfg/conf.sample.php": ";<?php /*\n; All of the shop.\n\n[catalogue]\n; How many rows\n"
        "; a page has.\nsize = 20\n; Where it is found.\n; url = \"a\"\n\nother = 1\n",
    })  # fmt: skip
    assert {it.name: (it.doc, it.default, it.documented) for it in settings(facts)} == {
        "catalogue.size": ("How many rows a page has.", "10", (("cfg/conf.sample.php", 7),)),
        "catalogue.url": ("Where it is found.", "", (("cfg/conf.sample.php", 9),)),
        "open": ("", "true", ()),
    }


def test_a_file_that_a_program_of_go_embeds_has_the_defaults() -> None:
    facts = facts_of({
        "go.mod": "module example.org/shop\n",
        "conf/embed.go": 'package conf\n\nimport "embed"\n\n//go:embed app.ini\n'
        "var Files embed.FS\n",
        "conf/app.ini": "[mail]\n; Who sends.\nHOST = shop\n; PORT = 25\nPASSWORD = coins\n",
        "config/config.go": "package config\n\nimport \"gopkg.in/ini.v1\"\n\ntype Mail struct {\n"
        "\tHost string `ini:\"HOST\"`\n\tPort int `ini:\"PORT\"`\n"
        "\tPassword string `ini:\"PASSWORD\"`\n}\n\nfunc Load(path string) {\n"
        "\tfile, _ := ini.Load(path)\n\tvar mail Mail\n"
        '\tfile.Section("mail").MapTo(&mail)\n}\n',
    })  # fmt: skip
    assert {it.name: (it.default, it.doc) for it in settings(facts)} == {
        "[mail] HOST": ("shop", "Who sends."),
        "[mail] PORT": (None, ""),
        "[mail] PASSWORD": (None, ""),
    }
