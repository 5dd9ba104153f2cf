import pytest

from stationmaster.wiki.facts.data.entities import stored
from stationmaster.wiki.facts.data.in_programs import statements
from stationmaster.wiki.facts.data.schemas import migrations
from tests.wiki.commits import facts_of

GO = """package store

const schema = `
\tCREATE TABLE IF NOT EXISTS {{orders}} (
\t\t[[id]] INTEGER PRIMARY KEY,
\t\t[[code]] TEXT DEFAULT '%d' NOT NULL
\t);`

func widen(db DB) { db.Exec("ALTER TABLE orders ADD COLUMN total INT") }
"""
JAVA = """class Store {
    static final String ORDERS = "CREATE TABLE orders (" +
        "id INT PRIMARY KEY," +
        "code TEXT)";
}
"""
PYTHON = """
def prepare(db, name):
    db.execute("CREATE TABLE orders (id INT PRIMARY KEY, "
               "\\"code\\" TEXT)")
    db.execute(f"CREATE TABLE {name} (id INT)")
    db.execute("CREATE TABLE %s (id INT)" % name)
    db.execute("CREATE TABLE " + name + " (id INT)")
    db.execute("CREATE TABLE orders_new (id INT)")
"""
TYPED = """package migrations

func open(db *store) {
\tdb.Exec(`CREATE TABLE orders (
    id  ` + db.key() + `,
    code ` + db.types.text(16) + ` not null
)`)
\tdb.Exec("ALTER TABLE orders ADD COLUMN total " + db.number() + " DEFAULT 0")
\tdb.Exec("CREATE TABLE " + db.prefix() + " (id INT)")
}
"""
RUST = """const ORDERS: &str = r#"CREATE TABLE orders (id INT PRIMARY KEY, code TEXT)"#;

#[cfg(test)]
mod tests {
    const SAMPLE: &str = "CREATE TABLE sample (id INT)";
}
"""


PHP = """<?php
$GLOBALS['TABLES'] = <<<'SQL'
CREATE TABLE orders (`id` INT);
INSERT INTO orders (id) VALUES('First', "Second");
ALTER TABLE orders ADD code TEXT;
SQL;
"""


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("store/db.go", GO, ["id", "code", "total"]),
        ("store/v1.go", TYPED, ["id", "code", "total"]),
        ("src/main/java/Store.java", JAVA, ["id", "code"]),
        ("shop/store.py", PYTHON, ["id", "code"]),
        ("src/lib.rs", RUST, ["id", "code"]),
        ("install.php", PHP, ["id", "code"]),
    ],
)
def test_tables_are_read_from_texts_of_a_program_that_it_does_not_fill_in(
    path: str, text: str, names: list[str]
) -> None:
    (table,) = stored(facts_of({path: text}))
    assert (table.name, table.path) == ("orders", path)
    assert [column.name for column in table.columns] == names


TYPEORM = """export class Shop1715028537217 implements MigrationInterface {
  async up(runner) {
    await runner.query(`CREATE TABLE "orders" ("id" SERIAL, "userId" integer, "code" text)`);
    await runner.query(`CREATE TABLE "user" ("id" SERIAL)`);
    await runner.query(`ALTER TABLE "orders" ADD CONSTRAINT "FK_1" FOREIGN KEY ("userId") ` +
      `REFERENCES "user"("id")`);
    await runner.query(`ALTER TABLE "orders" DROP COLUMN "code"`);
  }

  async down(runner) {
    await runner.query(`ALTER TABLE "orders" ADD "code" text`);
  }
}
"""


def test_migrations_in_programs_are_folded_as_they_go_forward() -> None:
    facts = facts_of({"src/migrations/1715028537217-Shop.ts": TYPEORM})
    orders, _ = stored(facts)
    assert [(it.name, it.references) for it in orders.columns] == [
        ("id", ""), ("userId", "user.id")
    ]  # fmt: skip
    assert [row.tool for row in migrations(facts)] == ["TypeORM"]


def test_a_table_of_a_text_has_the_lines_of_its_file() -> None:
    (table,) = stored(facts_of({"store/db.go": GO}))
    assert (table.line, table.end, table.columns[1].line) == (4, 7, 6)


def test_texts_without_an_end_are_looked_through_in_passing() -> None:
    program = "# create table\n" + '\\"create table a (b int)\n' * 9_000
    assert [*statements(facts_of({"shop.py": program}))] == []


PREPARED = """package store

const schema = `
\tBEGIN;
\tPRAGMA foreign_keys = ON;
\tCREATE TABLE orders (id INT PRIMARY KEY);
\tCREATE INDEX by_id ON orders (id);
\tCREATE TABLE items (order_id INT REFERENCES orders (id), code TEXT);
\tINSERT INTO orders (id) VALUES ('` + firstID + `');
\tCOMMIT;
`
"""
PAST = """
const migrate0To1 = `
\tBEGIN;
\tALTER TABLE items ADD COLUMN code TEXT;
\tCREATE TABLE orders_new (id INT);
\tDROP TABLE orders;
\tALTER TABLE orders_new RENAME TO orders;
\tCOMMIT;
`
const migrate1To2 = `CREATE TABLE notes (id INT)`
"""


def test_all_tables_of_a_text_are_read_up_to_what_a_program_fills_in() -> None:
    tables = stored(facts_of({"store/db.go": PREPARED}))
    assert [(it.name, it.line) for it in tables] == [("items", 8), ("orders", 6)]


@pytest.mark.parametrize("is_first", [True, False])
def test_what_brings_older_databases_to_the_tables_of_a_file_changes_none_of_them(
    is_first: bool,
) -> None:
    texts = (PREPARED, PAST) if is_first else (PAST, PREPARED)
    tables = stored(facts_of({"store/db.go": "".join(texts)}))
    assert [(it.name, [column.name for column in it.columns]) for it in tables] == [
        ("items", ["order_id", "code"]),
        ("orders", ["id"]),
    ]
