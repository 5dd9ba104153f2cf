"""What takes the place of a variable of the environment that is not set."""

import pytest

from tests.reading.code.reading import facts_of

CASES = [
    ("Python", "import os\na = int(os.environ.get('A') or 25)", "25"),
    ("Python", "import os\na = os.getenv('A', '').strip() or 'b'", "b"),
    ("Python", "import os\na = os.getenv('A', 'c') or 'b'", "c"),
    ("Python", "import os\na = os.getenv('A', '0') or 'b'", "0"),
    ("Python", "import os\na = os.getenv('A', None) or 'b'", "b"),
    ("Python", "import os\na = os.getenv('A') or os.getenv('B') or 'c'", "c"),
    ("Python", "import os\na = os.getenv('A').startswith('b') or 'c'", None),
    ("Python", "import os\na = os.getenv('A') or made()", None),
    ("Python", "import os\na = os.getenv('A') and 'b'", None),
    ("Python", "import os\na = os.getenv('A') if os.getenv('A') else 'b'", "b"),
    ("Python", "import os\na = os.getenv('A', None)\nb = {'c': a if a else 'd'}", "d"),
    ("Python", "import os\na = os.getenv('A')\nb = a or 'c'\nd = a or 'e'", None),
    ("Python", "import os\na = os.getenv('A', os.getenv('B', 'c'))", "c"),
    ("JavaScript", "const a = String(process.env.A ?? 'b');", "b"),
    ("JavaScript", "const a = process.env.A?.trim() || 5;", "5"),
    ("JavaScript", "const a = withDefault(process.env.A, 'b');", "b"),
    ("JavaScript", "const a = [process.env.A, 'b'].find(Boolean);", "b"),
    ("JavaScript", "const a = [process.env.A, 'b'].map(clean).find(Boolean);", "b"),
    ("JavaScript", "const a = [process.env.A, 'b'].join();", None),
    ("JavaScript", "const a = process.env.A || // why\n  'b';", "b"),
    ("JavaScript", "const a = process.env.A ?? undefined;", None),
    ("TypeScript", "const a = (process.env.A as string) || 'b';", "b"),
    ("TypeScript", "const a = process.env.A!.length || 5;", None),
    ("Ruby", "a = (ENV['A'] || 80).to_i", "80"),
    ("Ruby", "a = ENV['A'].presence || 'b'", "b"),
    ("Ruby", "a = parse(ENV['A']).presence || 2.days", "2.days"),
    ("Ruby", "a = Till.cast(ENV['A'], :to_sym) || :open", "open"),
    ("Ruby", "a = (ENV['A'].presence || KEPT).to_i", "{$KEPT}"),
    ("Ruby", "a = ENV['A'] || ENV['B'] || 'c'", "c"),
    ("Ruby", "a = ENV['A'] || (defined?(B) && B.c[:d]) || 'e'", "e"),
    ("Ruby", "a = ENV['A'] || (defined?(B) && B.c[:d]) || read", None),
    ("Python", "import os\na = os.environ.get('A', file.read())", None),
    ("Python", "import os\na = os.environ.get('A', made(BASE))", "made(BASE)"),
    ("Ruby", "a = File.exist?(ENV['A']) || 'b'", None),
    ("Ruby", "a = ENV.fetch('A') {\n  case b\n  when 1 then 'c'\n  end\n}", None),
    ("PHP", "<?php $a = trim(getenv('A') ?: 'b');", "b"),
    ("PHP", "<?php $a = value_or_default(getenv('A'), 'b');", "b"),
    ("PHP", "<?php $a = getenv('A') ? 'on' : 'off';", None),
    ("Rust", 'fn f() { let a = std::env::var("A").unwrap_or("b".to_string()); }', "b"),
    ("Rust", 'fn f() { let a = std::env::var("A").unwrap_or_else(|_| "b".into()); }', "b"),
    ("Rust", 'fn f() { let a = std::env::var("A").expect("b"); }', None),
    ("Java", 'class F { String a = System.getenv("A") != null ? System.getenv("A") : "b"; }', "b"),
    ("Java", 'class F { String a = Optional.ofNullable(System.getenv("A")).orElse("b"); }', "b"),
    ("Kotlin", 'val a = System.getenv("A")?.toInt() ?: 80', "80"),
    ("Kotlin", 'val a = System.getenv("A").orEmpty().ifEmpty { "b" }', "b"),
    ("C#", 'var a = int.Parse(Environment.GetEnvironmentVariable("A") ?? "80");', "80"),
    ("C#", 'var a = Environment.GetEnvironmentVariable("A") == "b" ? "c" : "d";', None),
]


@pytest.mark.parametrize(("language", "text", "default"), CASES)
def test_a_variable_has_the_default_of_the_expression_around_it(
    language: str, text: str, default: str | None
) -> None:
    defaults = {it.default for it in facts_of(language, text).settings if it.name == "A"}
    assert defaults - {None} == ({default} if default else set())
    assert defaults
