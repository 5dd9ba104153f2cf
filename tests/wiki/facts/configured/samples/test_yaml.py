"""What files of YAML that a product ships show of each key."""

from __future__ import annotations

from stationmaster.wiki.facts.configured.samples.shown_keys import shown_keys
from stationmaster.wiki.facts.interfaces.settings import settings
from tests.wiki.commits import facts_of

DOCUMENTED = """# Till
#
# The till is configured in the root configuration under `till`.
#
till:

  # Rows
  #
  # How many rows a receipt has.
  #
  # Defaults to 40:
  rows: 30

  # TLS
  #
  # Whether it listens with a certificate.
  #
  # Defaults to `false`.
  tls: true

  # Its own certificate
  #
  # The names of the secrets.
  tls:
    key_file: KEY

  # What is printed below
  #
  # Whether to print at all, and on how much paper.
  printing:
    always: true
    paper_width: 80

  port: 8080     # Port to listen on (default 80)
  speed: 3       # How fast it prints
                 # (defaults to all)
  colour: red
"""
ASKING = """PATH = here / "settings.yml"
print(settings["shop"]["title"], settings["shop"]["rows"], settings["shop"]["paper"])
print(settings["mail"]["host"], get_setting("mail.tries"))
"""
SHIPPED = """shop:
  # How the shop is called
  title: Till
  # See https://example.com/title_rows
  rows: 10
  paper: thermal
  # Paper for the day
  # days:
  #   - monday
  # What is left out
  # cut_after: 3  # receipts
  # How a receipt ends
  # end: thanks
  end: ''
mail:
  host: localhost
  # Everything about mail.
  #
  # How many tries there are.
  #
  # Deprecated: use queues.
  tries: 3
places:
  - name: here
    # colour: red
"""


def test_keys_that_a_file_documents_have_places_meanings_and_stated_defaults() -> None:
    facts = facts_of({"lib/shop/configuration/docs/till.yml": DOCUMENTED, "lib/shop.rb": ""})
    assert {it.name: (it.doc, it.default) for it in settings(facts)} == {
        "till.rows": ("How many rows a receipt has.", "40"),
        "till.tls": ("Whether it listens with a certificate.", "false"),
        "till.tls.key_file": ("", None),
        "till.printing": (
            "What is printed below. Whether to print at all, and on how much paper.",
            None,
        ),
        "till.printing.always": ("", None),
        "till.printing.paper_width": ("", None),
        "till.port": ("Port to listen on (default 80)", "80"),
        "till.speed": ("How fast it prints", None),
        "till.colour": ("", None),
    }


def test_a_file_that_code_names_and_asks_has_the_defaults_and_keys_that_are_left_out() -> None:
    facts = facts_of({"shop/settings.yml": SHIPPED, "shop/run.py": ASKING})
    rows = {it.name: (it.doc, it.default, it.reads) for it in settings(facts)}
    assert rows == {
        "shop.title": ("How the shop is called", "Till", (("shop/run.py", 2),)),
        "shop.rows": ("See https://example.com/title_rows", "10", (("shop/run.py", 2),)),
        "shop.paper": ("", "thermal", (("shop/run.py", 2),)),
        "shop.cut_after": ("What is left out", None, ()),
        "shop.end": ("How a receipt ends", "", ()),
        "mail.host": ("", "localhost", (("shop/run.py", 3),)),
        "mail.tries": (
            "How many tries there are. Deprecated: use queues.", "3", (("shop/run.py", 3),)
        ),
        "places": ("", None, ()),
    }  # fmt: skip


def test_without_yaml_a_colon_in_a_comment_makes_no_key() -> None:
    lines = ["[till]", "# mode: fast", "rows=1"]
    assert [(it.name, it.words) for it in shown_keys(lines)] == [("rows", "")]


def test_what_a_comment_takes_out_and_rulers_say_nothing_of_the_key_below() -> None:
    text = (
        "# ---------\n# Papers\n# ---------\n# How wide the paper of a till is.\nwide: 1\n\n"
        'rows:\n#  - name: "a.example.com"\n#    kind: A\n# Who reads the rows of the till.\n'
        "reader: b\n# ca: path/to/ca.crt\n# owner: me\nlast: c\n+++++\n"
        "# +++ Only for tills of iron +++\niron: 1\n"
    )
    words = {it.name: it.words for it in shown_keys(text.split("\n"), is_yaml=True)}
    assert words["wide"] == "How wide the paper of a till is."
    assert words["reader"] == "Who reads the rows of the till."
    assert words["last"] == ""
    (host,) = shown_keys(["; Where it is:", "; - disk: path=a,size=1", "HOST ="])
    assert host.words == "Where it is: - disk: path=a,size=1"
    assert words["iron"] == "Only for tills of iron"
