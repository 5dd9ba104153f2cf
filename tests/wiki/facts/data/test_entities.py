"""Tables of a commit: from SQL in the order of its files, from schema files, joined with models."""

import pytest

from stationmaster.wiki.facts.data.entities import choices, stored, table_sheets
from stationmaster.wiki.facts.data.schemas import declared, migrations
from tests.wiki.commits import facts_of


def test_migrations_are_folded_in_their_order_and_only_forward() -> None:
    facts = facts_of({
        "migrations/2_more.up.sql": "ALTER TABLE t ADD b int;",
        "migrations/10_last.up.sql": "ALTER TABLE t DROP COLUMN a;",
        "migrations/1_first.up.sql": "CREATE TABLE t (a int);",
        "migrations/1_first.down.sql": "DROP TABLE t;",
        "tests/data/other.sql": "CREATE TABLE only_tested (a int);",
    })  # fmt: skip
    (table,) = stored(facts)
    assert (table.name, table.path) == ("t", "migrations/1_first.up.sql")
    assert [column.name for column in table.columns] == ["b"]


def test_a_folder_for_each_migration_makes_one_row_of_them() -> None:
    facts = facts_of({
        "migrations/2024_b/up.sql": "ALTER TABLE t ADD b int;",
        "migrations/2024_a/up.sql": "CREATE TABLE t (a int);",
        "migrations/2024_a/down.sql": "DROP TABLE t;",
    })  # fmt: skip
    (table,) = stored(facts)
    assert [column.name for column in table.columns] == ["a", "b"]
    (row,) = migrations(facts)
    assert (row.tool, row.folder, row.count, row.last) == (
        "Diesel", "migrations", 2, "migrations/2024_b/up.sql"
    )  # fmt: skip


def test_migrations_of_php_and_folders_of_several_databases_are_listed() -> None:
    table = "CREATE TABLE t (a int);"
    facts = facts_of({
        "migrations/0001.sql": table,
        "migrations/0002.php": "<?php\n$db->run();\n",
        "client/meta-migrations/2024_first.sql": "CREATE TABLE meta (a int);",
    })  # fmt: skip
    assert [(it.folder, it.tool, it.count) for it in migrations(facts)] == [
        ("client/meta-migrations", "SQL", 1), ("migrations", "PHP", 1), ("migrations", "SQL", 1),
    ]  # fmt: skip


ALEMBIC = "revision: str = '{}'\ndown_revision: Union[str, None] = {}\n"


@pytest.mark.parametrize(
    ("joined", "last"), [("('c', 'b')", "app/versions/aa_joined.py"), ("'b'", "")]
)
def test_the_last_migration_of_alembic_is_the_one_that_no_other_follows(
    joined: str, last: str
) -> None:
    facts = facts_of({
        "app/versions/ff_first.py": ALEMBIC.format("a", None),
        "app/versions/ee_second.py": ALEMBIC.format("b", "'a'"),
        "app/versions/dd_beside.py": ALEMBIC.format("c", "'a'"),
        "app/versions/aa_joined.py": ALEMBIC.format("d", joined),
    })  # fmt: skip
    (row,) = migrations(facts)
    assert (row.tool, row.count, row.last) == ("Alembic", 4, last)


def test_tables_of_an_application_that_tests_work_on_are_none_of_the_products() -> None:
    schema = "ActiveRecord::Schema.define do\n  create_table 'users' do |t|\n  end\nend\n"
    paths = ("test/rails_app/db/schema.rb", "db/schema.rb")
    assert [each.path for each in stored(facts_of(dict.fromkeys(paths, schema)))] == [
        "db/schema.rb"
    ]


def test_tables_of_sample_data_that_tests_alone_load_are_none_of_the_products() -> None:
    rows = "CREATE TABLE {} (a int);\nINSERT INTO {} VALUES (1);\n"
    facts = facts_of({
        **{f"data/{name}.sql": rows.format(name, name) for name in ("tried", "first", "both")},
        "data/shape.sql": "CREATE TABLE shape (a int);\n",
        "store_test.go": 'package a\nvar files = []string{"tried.sql", "both.sql", "shape.sql"}\n',
        "store.go": 'package a\nvar file = "data/both.sql"\n',
    })  # fmt: skip
    assert sorted(table.name for table in stored(facts)) == ["both", "first", "shape"]


def test_prisma_stands_for_its_own_migrations() -> None:
    facts = facts_of({
        "prisma/schema.prisma": "model User {\n  id Int @id\n  @@map(\"users\")\n}\n"
        "enum Role {\n  ADMIN\n}\n",
        "prisma/migrations/1/migration.sql": "CREATE TABLE users (id int, old int);",
    })  # fmt: skip
    (table,) = stored(facts)
    assert (table.name, table.model, table.framework) == ("users", "User", "Prisma")
    assert [(each.name, each.values) for each in choices(facts)] == [("Role", ("ADMIN",))]
    assert [each.tool for each in migrations(facts)] == ["Prisma"]


def test_columns_lead_to_tables_in_whatever_spelling() -> None:
    facts = facts_of({
        "schema.sql": "CREATE TABLE People (id int); CREATE TABLE visits"
        " (who int REFERENCES people (id), again int REFERENCES gone (id));",
    })  # fmt: skip
    assert {each.key: each.references for each in stored(facts)} == {
        "People": (), "visits": ("People",),
    }  # fmt: skip


def test_a_column_leads_to_the_table_of_its_exact_name_before_others() -> None:
    facts = facts_of({
        "schema.sql": "CREATE TABLE _pet (id int); CREATE TABLE pet (id int);"
        " CREATE TABLE visit (who int REFERENCES pet (id), of_old int REFERENCES _pet (id));",
    })  # fmt: skip
    visit = next(it for it in stored(facts) if it.name == "visit")
    assert visit.references == ("_pet", "pet")


def test_a_column_of_django_leads_to_the_model_of_the_app_that_it_names() -> None:
    head = "from django.db import models\n"
    model = "class {}(models.Model):\n    name = models.TextField()\n"
    key = "    {} = models.ForeignKey(to='{}', on_delete=models.CASCADE)\n"
    facts = facts_of({
        "users/models.py": head + model.format("User") + model.format("Owner")
        + "    staff = models.ManyToManyField(to='users.User')\n",
        "shop/models/sales.py": head + model.format("Owner") + model.format("Sale")
        + key.format("owner", "users.Owner") + key.format("seller", "shop.Owner")
        + key.format("buyer", "auth.User"),
    })  # fmt: skip
    assert {it.key: it.references for it in stored(facts) if it.references} == {
        "Sale": ("Owner (shop)", "Owner (users)"), "Owner_staff": ("Owner (users)", "User"),
    }  # fmt: skip


def test_many_tables_are_told_of_in_parts_by_the_first_word_of_their_names() -> None:
    names = [f"order_{n}" for n in range(20)] + [f"user_{n}" for n in range(20)] + ["log"]
    facts = facts_of({"db/schema.sql": "".join(f"CREATE TABLE {n} (a int);" for n in names)})
    sheets = table_sheets(facts)
    assert [[(part.title, len(part.items)) for part in each.parts] for each in sheets] == [
        [("order", 20)], [("user", 20), ("log", 1)],
    ]  # fmt: skip


def test_folders_that_end_alike_are_called_by_more_of_their_paths() -> None:
    facts = facts_of({
        f"{part}/shop/domain/{name}.sql": f"CREATE TABLE {name} (id INTEGER PRIMARY KEY);\n"
        for part, name in (("tills", "notes"), ("carts", "items"), ("carts/old", "bills"))
    })  # fmt: skip
    titles = {part.title for sheet in table_sheets(facts) for part in sheet.parts}
    assert titles == {"tills/shop/domain", "carts/shop/domain", "old/shop/domain"}


def test_the_schema_that_diesel_writes_says_which_tables_migrations_leave_behind() -> None:
    facts = facts_of({
        "migrations/1_a/up.sql": "CREATE TABLE pets (id serial PRIMARY KEY, name text UNIQUE);"
        "CREATE TABLE helper (id int); CREATE TABLE lost AS SELECT max(id) AS top FROM pets;",
        "src/schema.rs": "// @generated automatically by Diesel CLI.\n\n"
        "diesel::table! {\n    use diesel::sql_types::*;\n\n    pets (id) {\n        id -> Int4,\n"
        "        #[max_length = 9]\n        name -> Varchar,\n    }\n}\n\n"
        "diesel::table! {\n    walks (id) {\n        id -> Int4,\n"
        "        pet_id -> Int4,\n    }\n}\n"
        "diesel::joinable!(walks -> pets (pet_id));\n",
        "db/other.sql": "CREATE TABLE unrelated (a int);",
    })  # fmt: skip
    pets, unrelated, walks = stored(facts)
    assert [table.name for table in (pets, unrelated, walks)] == ["pets", "unrelated", "walks"]
    assert (pets.path, pets.line, pets.end, pets.framework) == ("src/schema.rs", 6, 10, "diesel")
    assert [(column.name, column.type, column.is_key, column.is_unique, column.line)
            for column in pets.columns] == [
        ("id", "serial", True, False, 7), ("name", "text", False, True, 9),
    ]  # fmt: skip
    assert walks.references == ("pets",)


def test_tables_that_a_database_keeps_for_itself_are_none_of_the_products() -> None:
    facts = facts_of({
        "Cargo.toml": "[package]\nname = 'shop'\n[dependencies]\ndiesel = '2'\n",
        "src/main.rs": "diesel::table! {\n  pg_namespace (name) {\n    name -> Text,\n  }\n}\n"
        "diesel::table! {\n  runs (id) {\n    id -> Int4,\n  }\n}\n"
        "fn check() {\n  diesel::table! {\n    checked (id) {\n      id -> Int4,\n    }\n  }\n}\n",
        "db/copy.sql": "CREATE TABLE information_schema.tables (a int); CREATE TABLE t (a int);",
    })  # fmt: skip
    assert [table.name for table in stored(facts)] == ["runs", "t"]


def test_migrations_in_a_folder_called_old_are_history_beside_a_newer_schema() -> None:
    old = {"db/old_migrations/1.sql": "CREATE TABLE gone (a int);"}
    newer = {"db/schema.sql": "CREATE TABLE present (a int);"}
    assert [table.name for table in stored(facts_of(old))] == ["gone"]
    assert [table.name for table in stored(facts_of(old | newer))] == ["present"]


def test_a_table_of_laravel_is_what_its_migrations_leave_behind_with_the_model_of_it() -> None:
    def migration(statements: str) -> str:
        return (
            "<?php\nuse Illuminate\\Support\\Facades\\Schema;\n"
            "return new class extends Migration {\n"
            f"  public function up(): void {{\n{statements}\n  }}\n}};\n"
        )

    facts = facts_of({
        "app/Models/Song.php": "<?php\nnamespace App\\Models;\n"
        "use Illuminate\\Database\\Eloquent\\Model;\n"
        "class Song extends Model {\n"
        "  public function album() { return $this->belongsTo(Album::class); }\n}\n",
        "database/migrations/2015_01_01_000000_make.php": migration(
            "Schema::create('songs', function (Blueprint $table) {\n"
            "  $table->increments('id'); $table->integer('album_id'); $table->text('lyrics'); });\n"
            "Schema::create('albums_new', fn (Blueprint $table) => $table->id());\n"
            "Schema::create('past', fn (Blueprint $table) => $table->id());"
        ),
        "database/migrations/2016_01_01_000000_change.php": migration(
            "Schema::table('songs', function (Blueprint $table) {\n"
            "  $table->string('id', 26)->change(); $table->dropColumn('lyrics');\n"
            "  $table->string('title'); $table->renameColumn('title', 'name'); });\n"
            "Schema::rename('albums_new', 'albums');\nSchema::drop('past');"
        ),
    })  # fmt: skip
    assert [(it.name, it.model, it.framework) for it in stored(facts)] == [
        ("albums", "", "Laravel"), ("songs", "Song", "Laravel"),
    ]  # fmt: skip
    songs = stored(facts)[1]
    assert [(column.name, column.type, column.references) for column in songs.columns] == [
        ("id", "string", ""), ("album_id", "integer", "Album"), ("name", "string", ""),
    ]  # fmt: skip
    assert (songs.path, songs.model_path, songs.references) == (
        "database/migrations/2015_01_01_000000_make.php", "app/Models/Song.php", ("albums",),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("migration", "names"), [("songs", ["old_plays", "songs"]), ("", ["ldaps", "old_plays"])]
)
def test_a_model_of_eloquent_is_no_table_where_migrations_make_others_and_it_names_none(
    migration: str, names: list[str]
) -> None:
    model = "<?php\nuse Illuminate\\Database\\Eloquent\\Model;\nclass {} extends Model {{{}}}\n"
    files = {
        "app/Ldap.php": model.format("Ldap", ""),
        "app/Play.php": model.format("Play", " protected $table = 'old_plays'; "),
    }
    if migration:
        files["database/migrations/1_made.php"] = (
            "<?php\nuse Illuminate\\Support\\Facades\\Schema;\n"
            f"Schema::create('{migration}', function (Blueprint $table) {{ $table->id(); }});\n"
        )
    assert [table.name for table in stored(facts_of(files))] == names


def test_models_that_migrations_declare_for_themselves_are_no_tables() -> None:
    model = (
        "from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column\n\n"
        "class Base(DeclarativeBase): ...\n\nclass {name}(Base):\n"
        "    __tablename__ = '{name}'\n    id: Mapped[int] = mapped_column(primary_key=True)\n"
    )
    facts = facts_of({
        "shop/models.py": model.format(name="order"),
        "shop/db/alembic/versions/1_a.py": model.format(name="first"),
        "shop/history/script.py.mako": "",
        "shop/history/versions/2_b.py": model.format(name="second"),
        "shop/versions/third.py": model.format(name="third"),
    })  # fmt: skip
    assert [table.name for table in stored(facts)] == ["order", "third"]


def test_diesel_has_a_folder_of_migrations_for_each_database() -> None:
    facts = facts_of({
        "migrations/mysql/2024-01-01-1_pets/up.sql": "CREATE TABLE pets (id int);",
        "migrations/postgresql/2024-01-01-1_pets/up.sql": "CREATE TABLE pets (id serial);",
        "src/db/schema.rs": "table! {\n    pets (id) {\n        id -> Int4,\n    }\n}\n",
        "Cargo.toml": '[package]\nname = "shop"\nversion = "1.0.0"\n',
    })  # fmt: skip
    (table,) = stored(facts)
    assert (table.name, table.path, table.others) == (
        "pets", "src/db/schema.rs", ("migrations/mysql",),
    )  # fmt: skip
    assert [(row.tool, row.folder) for row in migrations(facts)] == [
        ("Diesel", "migrations/mysql"), ("Diesel", "migrations/postgresql"),
    ]  # fmt: skip


GOOSE = """package migrations

import "github.com/pressly/goose/v3"

func init() { goose.AddMigrationContext(upCart, downCart) }

// It doesn't "create table no (id int)".
func upCart(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.Exec(`
create table cart (
	id integer primary key
)`)
	tx.Exec("alter table item add cart_id int")
	tx.Exec("create table " + name + " (id int)")
	tx.Exec(fmt.Sprintf("create table %s (id int)", name))
	return err
}

func downCart(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.Exec("drop table item")
	return err
}
"""


def test_migrations_of_goose_are_in_sql_and_in_programs() -> None:
    facts = facts_of({
        "go.mod": "module shop\n",
        "db/migrations/001_items.sql": "-- +goose Up\ncreate table item (id int);\n"
        "-- +goose Down\ndrop table item;\n",
        "db/migrations/002_cart.go": GOOSE,
        "db/migrations/helpers.go": "package migrations\n",
    })  # fmt: skip
    (row,) = migrations(facts)
    assert (row.tool, row.count, row.last) == (
        "goose", 2, "db/migrations/002_cart.go",
    )  # fmt: skip
    tables = {each.entity.name: each for each in declared(facts)}
    assert {
        name: [column.name for column in each.entity.columns] for name, each in tables.items()
    } == {"item": ["id", "cart_id"], "cart": ["id"]}
    assert (tables["cart"].path, tables["cart"].entity.line) == ("db/migrations/002_cart.go", 10)


def test_what_only_has_a_number_is_no_migration_of_goose() -> None:
    assert migrations(facts_of({"go.mod": "module shop\n", "a/2024_x.go": "package a\n"})) == ()


def test_fields_of_go_that_hold_other_records_are_no_columns_but_say_where_keys_lead() -> None:
    facts = facts_of({
        "go.mod": "module shop\n",
        "model/order.go": """package model
import "gorm.io/gorm"
type Order struct {
    ID     int
    UserID int
    User   *User `gorm:"constraint:OnDelete:CASCADE"`
    Lines  []Line
    Tags   []Tag `gorm:"serializer:json"`
    Bytes  []byte
    ListID int `gorm:"type:int REFERENCES lists(id)"`
}
""",
        "model/user.go": "package model\nimport \"gorm.io/gorm\"\n"
        "type User struct {\n gorm.Model\n}\n"
        "type List struct {\n ID int `gorm:\"primaryKey\"`\n}\n",
    })  # fmt: skip
    lists, orders, users = stored(facts)
    assert (lists.name, orders.name, users.name) == ("lists", "orders", "users")
    assert [(it.name, it.is_key, it.references) for it in orders.columns] == [
        ("id", True, ""), ("user_id", False, "User"), ("tags", False, ""), ("bytes", False, ""),
        ("list_id", False, "lists.id"),
    ]  # fmt: skip
    assert orders.references == ("lists", "users")


def test_structs_of_go_that_migrations_or_queries_alone_use_are_no_tables() -> None:
    model = (
        'package model\ntype Task struct {\n ID int64 `xorm:"pk autoincr"`\n}\n'
        'type count struct {\n Sum int `xorm:"sum"`\n}\n'
        'type Filter struct {\n ID int64\n Web `xorm:"-"`\n}\n'
    )
    migration = (
        'package migration\ntype task2019 struct {\n ID int64 `xorm:"pk"`\n}\n'
        'func (task2019) TableName() string { return "task" }\n'
    )
    facts = facts_of({"model.go": model, "migration/2019_a.go": migration})
    assert [table.name for table in stored(facts)] == ["Task"]


def test_columns_of_a_table_lead_where_its_model_and_tables_between_two_say() -> None:
    facts = facts_of({
        "db/shop.sql": "CREATE TABLE clerk (id int PRIMARY KEY);\n"
        "CREATE TABLE bill (id int PRIMARY KEY, CLERK_ID int);\n"
        "CREATE TABLE bill_tag (bill int, tag int);\nCREATE TABLE tag (id int PRIMARY KEY);\n",
        "src/Bill.java": "import jakarta.persistence.*;\n@Entity\nclass Bill {\n"
        '  @ManyToOne @JoinColumn(name = "clerk_id") private Clerk clerk;\n'
        '  @ManyToMany @JoinTable(name = "bill_tag", joinColumns = @JoinColumn(name = "bill"),\n'
        '    inverseJoinColumns = @JoinColumn(name = "tag")) private Set<Tag> tags;\n}\n',
        "src/Clerk.java": "import jakarta.persistence.*;\n@Entity\nclass Clerk {\n"
        '  @OneToMany(mappedBy = "clerk") private List<Bill> bills;\n}\n',
        "src/Tag.java": "import jakarta.persistence.*;\n@Entity\nclass Tag { @Id int id; }\n",
    })  # fmt: skip
    assert {table.name: table.references for table in stored(facts)} == {
        "bill": ("clerk",), "bill_tag": ("bill", "tag"), "clerk": (), "tag": (),
    }  # fmt: skip


def test_structs_that_rows_are_read_into_are_no_tables_and_sqldelight_declares_some() -> None:
    facts = facts_of({
        "src/read.rs": "use sqlx::FromRow;\n#[derive(FromRow)]\nstruct Counted { count: i64 }\n",
        "src/sqldelight/tills.sq": "CREATE TABLE tills(\n  id INTEGER NOT NULL PRIMARY KEY\n);\n\n"
        "byId:\nSELECT * FROM tills WHERE id = ?;\n",
    })  # fmt: skip
    assert [(it.name, [c.name for c in it.columns]) for it in stored(facts)] == [("tills", ["id"])]
