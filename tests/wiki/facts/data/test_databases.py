"""Tables that several databases have: in forms of one schema, or apart."""

from stationmaster.wiki.facts.data.entities import stored
from tests.wiki.commits import facts_of


def test_the_same_tables_for_several_databases_are_told_of_once() -> None:
    facts = facts_of({
        "db/mysql/schema.sql": "CREATE TABLE owners (id int);",
        "db/postgres/schema.sql": "CREATE TABLE owners (id serial);",
    })  # fmt: skip
    (table,) = stored(facts)
    assert (table.path, table.others) == ("db/postgres/schema.sql", ("db/mysql",))


def test_files_of_a_folder_that_make_one_schema_for_several_databases_are_told_of_once() -> None:
    facts = facts_of({
        "db/install.mysql.sql": "CREATE TABLE _owners (id int); CREATE TABLE _pets (id int);",
        "db/install.sqlite.sql": "CREATE TABLE owners (id int); CREATE TABLE pets (id int);",
        "db/more.sql": "CREATE TABLE visits (id int);",
    })  # fmt: skip
    assert [(table.name, table.path, table.others) for table in stored(facts)] == [
        ("_owners", "db/install.mysql.sql", ("db/install.sqlite.sql",)),
        ("_pets", "db/install.mysql.sql", ("db/install.sqlite.sql",)),
        ("visits", "db/more.sql", ()),
    ]  # fmt: skip


def test_tables_of_one_name_in_two_databases_of_a_folder_stay_apart_with_their_models() -> None:
    model = 'import javax.persistence.*;\n@Entity\n@Table(name = "Config")\npublic class {} {{\n'
    facts = facts_of({
        "pom.xml": "<project/>",
        **{f"sql/{folder}/{file}.sql": text
           for folder in ("src", "mysql")
           for file, text in (
               ("shops", "CREATE TABLE Config (id int, cluster int); CREATE TABLE Till (id int);"
                "CREATE TABLE Desk (id int);"),
               ("portal", "CREATE TABLE Config (id int); CREATE TABLE Page (id int);"),
           )},
        "a/src/main/java/A.java": model.format("A") + "  @Id private long id;\n"
        '  @Column(name = "cluster")\n  private long cluster;\n}\n',
        "b/src/main/java/B.java": model.format("B") + "  @Id private long id;\n}\n",
    })  # fmt: skip
    assert [(it.name, it.model, len(it.columns), it.path) for it in stored(facts)] == [
        ("Config", "B", 1, "sql/src/portal.sql"), ("Config", "A", 2, "sql/src/shops.sql"),
        ("Desk", "", 1, "sql/src/shops.sql"), ("Page", "", 1, "sql/src/portal.sql"),
        ("Till", "", 1, "sql/src/shops.sql"),
    ]  # fmt: skip


def test_what_one_database_alone_seems_to_have_is_not_told() -> None:
    facts = facts_of({
        "db/sqlite3/schema.sql": "CREATE TABLE owners (id int); CREATE TABLE pets_new (id int);",
        "db/postgres/schema.sql": "CREATE TABLE owners (id serial); CREATE TABLE pets (id int);",
    })  # fmt: skip
    assert [table.name for table in stored(facts)] == ["owners", "pets"]
