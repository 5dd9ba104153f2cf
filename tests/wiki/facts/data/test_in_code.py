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


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("store/db.go", GO, ["id", "code", "total"]),
        ("store/v1.go", TYPED, ["id", "code", "total"]),
        ("src/main/java/Store.java", JAVA, ["id", "code"]),
        ("shop/store.py", PYTHON, ["id", "code"]),
        ("src/lib.rs", RUST, ["id", "code"]),
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
