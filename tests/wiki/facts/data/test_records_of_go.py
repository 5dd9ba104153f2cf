"""Tables of gorm: by what its structs are built on, and by what the program has it make."""

from stationmaster.wiki.facts.data.entities import stored
from tests.wiki.commits import facts_of

MODELS = """package models

import "gorm.io/gorm"

type Base struct {
    ID int `gorm:"primarykey"`
    Timestamps
}

type Timestamps struct {
    CreatedAt time.Time
}

type Album struct {
    Base
    Title  string `gorm:"not null"`
    CardID *int
    Card   *Card
    Owners []User `gorm:"many2many:album_owners"`
}

type User struct {
    Base
    Name string `gorm:"unique"`
}

type AlbumWithCount struct {
    Album
    Count int `gorm:"column:count"`
}
"""
CARD = """package models

type Card struct {
    Base
    Text string
}
"""
MIGRATION = """package database

import "gorm.io/gorm"

type oldCard struct {
    ID   int `gorm:"primarykey"`
    Text string
}

var all = []interface{}{&models.Album{}, &models.User{}, &models.Card{}}

func migrate(db *gorm.DB) {
    db.AutoMigrate(all...)
    db.Model(&oldCard{}).Find(nil)
}
"""


def test_what_structs_are_built_on_is_theirs_and_no_table() -> None:
    files = {"models/album.go": MODELS, "models/card.go": CARD, "database/migrate.go": MIGRATION}
    tables = {it.name: it for it in stored(facts_of(files))}
    assert {name: [it.name for it in table.columns] for name, table in tables.items()} == {
        "album_owners": ["album_id", "user_id"],
        "albums": ["id", "created_at", "title", "card_id"],
        "cards": ["id", "created_at", "text"],
        "users": ["id", "created_at", "name"],
    }
    assert (tables["albums"].references, tables["album_owners"].references) == (
        ("cards",), ("albums", "users")
    )  # fmt: skip


def test_structs_that_hold_one_another_end() -> None:
    model = (
        'package m\nimport "gorm.io/gorm"\n'
        'type A struct {\n B\n ID int `gorm:"primaryKey"`\n}\n'
        'type B struct {\n A\n Name string `gorm:"unique"`\n}\n'
        'type C struct {\n A\n B\n Text string `gorm:"unique"`\n}\n'
    )
    tables = {it.name: [column.name for column in it.columns] for it in stored(
        facts_of({"m/models.go": model})
    )}  # fmt: skip
    assert sorted(tables["cs"]) == ["id", "name", "text"]


def test_bun_names_tables_in_the_plural_and_parts_of_records_are_none() -> None:
    facts = facts_of({
        "go.mod": "module example.org/shop\n",
        "model/till.go": 'package model\n\nimport "github.com/uptrace/bun"\n\n'
        'type StatusEdit struct {\n\tID string `bun:",pk"`\n\tMeta Meta `bun:",embed:meta_"`\n}\n\n'
        'type Meta struct {\n\tWide int `bun:"wide"`\n}\n\n'
        'type TillToTag struct {\n\tTillID string `bun:",unique:both"`\n'
        '\tTagID string `bun:",unique:both"`\n}\n',
    })  # fmt: skip
    assert [it.name for it in stored(facts)] == ["status_edits", "till_to_tags"]


def test_ent_names_tables_in_the_plural_and_gives_them_a_key() -> None:
    facts = facts_of({
        "go.mod": "module example.org/shop\n",
        "ent/schema/till.go": "package schema\n\n"
        'import (\n\t"entgo.io/ent"\n\t"entgo.io/ent/schema/field"\n)\n\n'
        "type OpenTill struct {\n\tent.Schema\n}\n\n"
        "func (OpenTill) Fields() []ent.Field {\n"
        '\treturn []ent.Field{field.String("name")}\n}\n',
    })  # fmt: skip
    assert [(it.name, [(c.name, c.is_key) for c in it.columns]) for it in stored(facts)] == [
        ("open_tills", [("id", True), ("name", False)])
    ]


def test_a_struct_of_xorm_that_no_other_package_sees_is_no_table_unless_it_names_one() -> None:
    facts = facts_of({
        "go.mod": "module example.org/shop\n",
        "model/tills.go": 'package model\n\ntype Till struct {\n\tID int64 `xorm:"pk"`\n}\n\n'
        'type tillSum struct {\n\tID int64 `xorm:"pk"`\n}\n\n'
        'type drawer struct {\n\tID int64 `xorm:"pk"`\n}\n\n'
        'func (drawer) TableName() string { return "drawers" }\n',
    })  # fmt: skip
    assert [it.name for it in stored(facts)] == ["drawers", "Till"]


def test_a_struct_is_no_table_where_a_schema_or_a_list_has_most_of_them_without_it() -> None:
    structs = "".join(
        f'type {name} struct {{\n    ID int `gorm:"primarykey"`\n}}\n\n'
        for name in ("Album", "Card", "CardNew")
    )
    files = {"models/all.go": f'package models\n\nimport "gorm.io/gorm"\n\n{structs}'}
    assert [it.name for it in stored(facts_of(files))] == ["albums", "card_news", "cards"]
    listed = 'package database\n\nimport "gorm.io/gorm"\n\nfunc migrate(db *gorm.DB) {\n'
    listed += "    db.AutoMigrate(&models.Album{}, new(models.Card))\n}\n"
    schema = "CREATE TABLE albums (id int);\nCREATE TABLE cards (id int);\n"
    for more in ({"database/migrate.go": listed}, {"database/schema.sql": schema}):
        assert [it.name for it in stored(facts_of(files | more))] == ["albums", "cards"]
