"""Help that programs print, in the wiki where their options are not understood."""

from stationmaster.wiki.facts.texts.usages import usages
from tests.wiki.commits import facts_of

SCRIPT = """\
var argv = read(process.argv);
if (argv.help) {
  console.log([
    'usage: shop [path]',
    '',
    '  -p --port   Where it listens [80]',
    '  -H',
    '  --header',
    '              More of them',
    '  -a          Its address',
    '  --dir <d>   The folder',
    '  -q          Says nothing',
    '              at all',
  ].join('\\n'));
}
"""


def test_the_help_of_a_program_stands_without_the_quotes_of_its_code() -> None:
    [usage] = usages(facts_of({"bin/shop.js": SCRIPT}))
    lines = usage.text.split("\n")
    assert (usage.place.line, usage.place.end) == (4, 13)
    assert (lines[0], lines[2]) == ("usage: shop [path]", "  -p --port   Where it listens [80]")
    assert lines[-1] == "              at all"


def test_options_without_words_and_few_options_are_no_help() -> None:
    few = "print('''usage: shop\n  -a  One\n  -b  Two\n  -c  Three\n''')\n"
    bare = "NAMES = [\n" + "".join(f"    '--name-{at}',\n" for at in range(9)) + "]\n"
    assert usages(facts_of({"few.py": few, "bare.py": bare})) == ()


def test_tests_and_long_texts_are_bounded() -> None:
    long = (
        "'''usage: shop\n" + "".join(f"  --name-{at}   What it is\n" for at in range(999)) + "'''\n"
    )
    [usage] = usages(facts_of({"shop/a.py": long, "tests/test_a.py": long}))
    assert usage.place.path == "shop/a.py"
    assert len(usage.text.split("\n")) == 150


def test_a_script_of_a_shell_has_its_help_also_without_an_ending() -> None:
    text = (
        "#!/bin/sh\nprintf '%s' \"Usage: shop\n  -a  One\n  -b  Two\n  -c  Three\n  -d  Four\n\"\n"
    )
    made = usages(facts_of({"shop": text, "run.sh": text, "NOTES": text[9:]}))
    assert [it.place.path for it in made] == ["run.sh", "shop"]


def test_scripts_beside_a_library_are_none_of_its_programs() -> None:
    options = "".join(f"  -{sign}  Says {sign} of it\n" for sign in "abcdef")
    script = f"#!/bin/sh\ncat <<EOF\nUsage: fetch\n{options}EOF\n"
    files = {
        "pom.xml": "<project><groupId>org.shop</groupId><artifactId>till</artifactId></project>",
        "src/main/java/org/shop/Till.java": "package org.shop;\npublic class Till { }\n",
        "fetch.sh": script,
    }
    assert usages(facts_of(files)) == ()
    assert [it.place.path for it in usages(facts_of({**files, "bin/till.sh": script}))] == [
        "bin/till.sh"
    ]
    assert len(usages(facts_of({"fetch.sh": script}))) == 1
