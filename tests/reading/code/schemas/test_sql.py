"""Tables after a row of SQL files, in the dialects that people write."""

import pytest

from stationmaster.reading.code.schemas.sql import Schema


def schema(*files: str) -> dict[str, dict[str, str]]:
    """Tables by name, and their columns with type, marks and what they refer to."""
    made = Schema()
    for number, text in enumerate(files, 1):
        made.apply(f"{number}.sql", text)
    return {
        table.name: {
            column.name: " ".join(filter(None, [
                column.type, "PK" * column.is_key, "UK" * column.is_unique,
                column.references and f"-> {column.references}",
            ]))
            for column in table.columns
        }
        for table in made.tables()
    }  # fmt: skip


def test_a_table_has_columns_with_types_keys_and_references() -> None:
    told = schema(
        """
        CREATE TABLE IF NOT EXISTS public.book (
          id bigserial PRIMARY KEY,
          title character varying(200) NOT NULL DEFAULT 'a, (b)',
          price numeric(10, 2) CHECK (price > 0),
          isbn text UNIQUE,
          shelf_id int CONSTRAINT book_shelf REFERENCES shelf (id) ON DELETE CASCADE,
          tags text[] -- a comment, with a comma
        );
        """
    )
    assert told == {"book": {
        "id": "bigserial PK", "title": "character varying(200)", "price": "numeric(10, 2)",
        "isbn": "text UK", "shelf_id": "int -> shelf.id", "tags": "text[]",
    }}  # fmt: skip


def test_constraints_of_a_table_mark_its_columns() -> None:
    told = schema(
        "CREATE TABLE lends (book_id int, reader int, day date, code text,"
        " PRIMARY KEY (book_id, day), UNIQUE (code), UNIQUE (reader, day), CHECK (reader > 0),"
        " CONSTRAINT fk FOREIGN KEY (reader) REFERENCES people (id))"
    )
    assert told["lends"] == {
        "book_id": "int PK", "reader": "int -> people.id", "day": "date PK", "code": "text UK",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("ALTER TABLE t ADD COLUMN b text", {"a": "int", "b": "text"}),
        ("ALTER TABLE ONLY t ADD b int UNIQUE, ADD c int", {"a": "int", "b": "int UK", "c": "int"}),
        ("ALTER TABLE t ADD (b text, c int)", {"a": "int", "b": "text", "c": "int"}),
        ("ALTER TABLE t ADD b int, c int", {"a": "int", "b": "int", "c": "int"}),
        ("ALTER TABLE t DROP COLUMN IF EXISTS a", {}),
        ("ALTER TABLE t RENAME COLUMN a TO b", {"b": "int"}),
        ("ALTER TABLE t RENAME a TO b", {"b": "int"}),
        ("ALTER TABLE t ALTER COLUMN a TYPE bigint USING a::bigint", {"a": "bigint"}),
        ("ALTER TABLE t ALTER COLUMN a SET NOT NULL", {"a": "int"}),
        ("ALTER TABLE t MODIFY COLUMN a varchar(9) NOT NULL", {"a": "varchar(9)"}),
        ("ALTER TABLE t CHANGE a b text", {"b": "text"}),
        ("ALTER TABLE t ADD CONSTRAINT u UNIQUE (a)", {"a": "int UK"}),
        ("ALTER TABLE t ADD CONSTRAINT p PRIMARY KEY (a)", {"a": "int PK"}),
        ("CREATE UNIQUE INDEX CONCURRENTLY i ON t USING btree (a)", {"a": "int UK"}),
        ("CREATE UNIQUE INDEX i ON t (a) WHERE a > 0", {"a": "int"}),
        ("ALTER TABLE t OWNER TO somebody", {"a": "int"}),
        ("ALTER TABLE other ADD b text", {"a": "int"}),
    ],
)  # fmt: skip
def test_a_table_changes(change: str, expected: dict[str, str]) -> None:
    assert schema("CREATE TABLE t (a int);", f"{change};") == {"t": expected}


def test_renamed_tables_take_what_leads_to_them_along() -> None:
    told = schema(
        "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (a_id int REFERENCES a (id));",
        "ALTER TABLE a RENAME TO c;",
    )
    assert told == {"b": {"a_id": "int -> c.id"}, "c": {"id": "int PK"}}


def test_a_dropped_constraint_leads_nowhere() -> None:
    told = schema(
        "CREATE TABLE b (a_id int REFERENCES a (id), c_id int CONSTRAINT k REFERENCES c)",
        "ALTER TABLE b DROP CONSTRAINT b_a_id_fkey; ALTER TABLE b DROP CONSTRAINT k;",
    )
    assert told == {"b": {"a_id": "int", "c_id": "int"}}


def test_a_table_made_again_in_another_shape_is_that_one() -> None:
    """As SQLite changes tables: make another, copy, drop, rename."""
    told = schema(
        "CREATE TABLE t (a int, b int);",
        "CREATE TABLE t_new (a int); INSERT INTO t_new SELECT a FROM t; DROP TABLE t;"
        "ALTER TABLE t_new RENAME TO t;",
    )
    assert told == {"t": {"a": "int"}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CREATE TABLE `b` (`key` int NOT NULL AUTO_INCREMENT, `s` varchar(9) CHARACTER SET utf8"
         " COMMENT 'it\\'s; a', PRIMARY KEY (`key`), KEY `i` (`s`)) ENGINE=InnoDB # done;\n;",
         {"b": {"key": "int PK", "s": "varchar(9)"}}),
        ("CREATE TABLE [dbo].[Cipher] (\n [Id] UUID NOT NULL,\n [Data] NVARCHAR (MAX),\n"
         " CONSTRAINT [PK] PRIMARY KEY CLUSTERED ([Id] ASC)\n);\nGO\nCREATE TABLE x ([a] INT)\nGO",
         {"Cipher": {"Id": "UUID PK", "Data": "NVARCHAR(MAX)"}, "x": {"a": "INT"}}),
        ('CREATE TABLE "user" ("Group" text, id integer PRIMARY KEY AUTOINCREMENT) WITHOUT ROWID',
         {"user": {"Group": "text", "id": "integer PK"}}),
    ],
)  # fmt: skip
def test_dialects(text: str, expected: dict[str, dict[str, str]]) -> None:
    assert schema(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "-- CREATE TABLE t (a int);",
        "/* CREATE TABLE t (a int); */ SELECT 1;",
        "SELECT 'CREATE TABLE t (a int);';",
        "CREATE FUNCTION f() RETURNS void AS $body$ CREATE TABLE t (a int); $body$ LANGUAGE sql;",
        "CREATE TEMPORARY TABLE t (a int);",
        "COPY b FROM stdin;\nCREATE TABLE t (a int);\n\\.\n",
        "CREATE VIEW t AS SELECT 1;",
        "CREATE TABLE t (",
        "CREATE TABLE",
        "'" * 9,
        "$a$ /* $a",
    ],
)
def test_what_makes_no_table(text: str) -> None:
    assert schema(text) == {}


def test_only_the_way_forward_is_read() -> None:
    both = (
        "-- +goose Up\nCREATE TABLE t (a int);\n-- +goose Down\nDROP TABLE t;\n"
        "-- +goose Up\nALTER TABLE t ADD b int;\n"
    )
    assert schema(both) == {"t": {"a": "int", "b": "int"}}


def test_a_table_tells_where_it_is_made() -> None:
    made = Schema()
    made.apply("1.sql", "\n-- first\nCREATE TABLE t (\n  a int\n);\n")
    made.apply("2.sql", "ALTER TABLE t ADD b int;")
    (table,) = made.tables()
    assert (table.path, table.line, table.end) == ("1.sql", 3, 5)
    assert [column.line for column in table.columns] == [4, 0]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("CREATE TABLE new AS SELECT a, count(*) AS n FROM old GROUP BY a", {"a": "int", "n": ""}),
        ("CREATE TABLE new AS (SELECT o.a, b::text AS c FROM public.old o JOIN x ON x.i = o.a)",
         {"a": "int", "c": ""}),
        ("CREATE TABLE new AS WITH w AS (SELECT q FROM x) SELECT w.q FROM w", {"q": ""}),
        ("CREATE TABLE new AS SELECT * FROM old WHERE a > 0", {"a": "int", "b": "text"}),
        ("CREATE TABLE new AS SELECT x.i, old.* FROM x, old", {"i": "", "a": "int", "b": "text"}),
        ("CREATE TABLE new AS SELECT max(a), a + 1 FROM old", {}),
        ("CREATE TABLE new AS SELECT q FROM x UNION SELECT a FROM old", {"q": ""}),
        ("CREATE TABLE new SELECT DISTINCT b FROM old", {"b": "text"}),
        ("CREATE TABLE new (c, d) AS SELECT a, b FROM old", {"c": "", "d": ""}),
        ("CREATE TABLE new AS TABLE old", {"a": "int", "b": "text"}),
        ("CREATE TABLE new AS old ENGINE = Memory", {"a": "int", "b": "text"}),
    ],
)  # fmt: skip
def test_a_table_is_made_of_a_query(statement: str, expected: dict[str, str]) -> None:
    tables = schema("CREATE TABLE old (a int PRIMARY KEY, b text);", f"{statement};")
    assert tables["new"] == expected


def test_a_table_made_of_a_query_takes_columns_that_are_added_to_it() -> None:
    tables = schema(
        "CREATE TABLE t AS SELECT max(a) FROM other;"
        "ALTER TABLE t ADD COLUMN b int, ADD PRIMARY KEY (b);"
    )
    assert tables == {"t": {"b": "int PK"}}


@pytest.mark.parametrize("word", ["TEMP", "TEMPORARY", "GLOBAL TEMPORARY"])
def test_a_temporary_table_is_none_of_a_schema(word: str) -> None:
    assert schema(f"CREATE {word} TABLE t AS SELECT 1 AS a; CREATE {word} TABLE u (a int);") == {}


@pytest.mark.parametrize(
    ("made", "dropped"),
    [
        ("CREATE UNIQUE INDEX `t_name` ON `t` (`name`)", "DROP INDEX IF EXISTS `t_name`"),
        ("CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS t_name ON t (name)",
         "DROP INDEX CONCURRENTLY public.t_name"),
        ("ALTER TABLE t ADD CONSTRAINT t_name UNIQUE (name)",
         "ALTER TABLE t DROP CONSTRAINT t_name"),
        ("CREATE UNIQUE INDEX t_name ON t (name)", "ALTER TABLE t DROP INDEX t_name"),
        ("CREATE UNIQUE INDEX t_name ON t (name)", "DROP INDEX t_name ON t"),
    ],
)  # fmt: skip
def test_a_column_is_unique_until_its_index_is_dropped(made: str, dropped: str) -> None:
    table = "CREATE TABLE t (name text)"
    assert schema(table, made)["t"] == {"name": "text UK"}
    assert schema(table, made, "DROP INDEX t_name ON other")["t"] == {"name": "text UK"}
    assert schema(table, made, dropped)["t"] == {"name": "text"}


def test_what_a_program_fills_in_before_a_name_is_no_part_of_it() -> None:
    assert schema(
        "CREATE TABLE {table_prefix}users (id int PRIMARY KEY);"
        "CREATE TABLE ${schema}.notes (user_id int, FOREIGN KEY (user_id)"
        ' REFERENCES {table_prefix}users (id));CREATE TABLE {{prefix}}"tags" (id int);'
    ) == {
        "users": {"id": "int PK"}, "notes": {"user_id": "int -> users.id"}, "tags": {"id": "int"},
    }  # fmt: skip


def test_a_template_that_makes_a_name_of_a_text_stands_for_it() -> None:
    assert schema(
        'CREATE TABLE IF NOT EXISTS {{ tenant "box" }} (id int PRIMARY KEY);'
        "CREATE TABLE {{ name('note') }} (box_id int REFERENCES {{ tenant \"box\" }} (id));"
        "CREATE TABLE {{ .Prefix }}tag (id int);CREATE TABLE {{.Name}} (id int);"
    ) == {
        "box": {"id": "int PK"}, "note": {"box_id": "int -> box.id"}, "tag": {"id": "int"},
    }  # fmt: skip


def test_types_of_cassandra_hold_others_and_a_column_may_be_called_key() -> None:
    assert schema(
        "CREATE TABLE shop.tags (key text, tags map<text, frozen<list<int>>>, PRIMARY KEY (key))"
        " WITH comment = 'a, b';"
    ) == {"shop.tags": {"key": "text PK", "tags": "map<text, frozen<list<int>>>"}}


def test_what_is_asked_of_a_column_later_is_kept_with_it() -> None:
    schema = Schema()
    schema.apply("1.sql", "CREATE TABLE t (a varchar(20) NOT NULL, b int DEFAULT 1, c int);")
    schema.apply("2.sql", "ALTER TABLE t ALTER COLUMN a DROP NOT NULL, ALTER b SET DEFAULT 2;")
    schema.apply("3.sql", "ALTER TABLE t ALTER a SET DEFAULT 'x', ALTER COLUMN b DROP DEFAULT;")
    schema.apply("4.sql", "ALTER TABLE t ALTER COLUMN a TYPE text, ALTER c SET STATISTICS 9;")
    (table,) = schema.tables()
    assert [(it.name, it.later) for it in table.columns] == [
        ("a", ("DROP NOT NULL", "SET DEFAULT …", "TYPE text")),
        ("b", ("DROP DEFAULT",)),
        ("c", ()),
    ]
