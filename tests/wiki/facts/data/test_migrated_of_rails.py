"""Tables of Rails without a file of the whole schema are those that all migrations leave."""

from __future__ import annotations

from stationmaster.reading.code.stored import Column
from stationmaster.wiki.facts.data.entities import stored
from tests.wiki.commits import facts_of

CREATE = """class CreateOrders < ActiveRecord::Migration
  def self.up
    create_table :orders do |t|
      t.string :name, :note, :limit => 40
      t.column :sum, :integer
      t.references :user
      t.index :name, :unique => true
      t.timestamps
    end
    create_table :stale
  end

  def self.down
    drop_table :orders
  end
end
"""
CHANGE = """class ChangeOrders < ActiveRecord::Migration[7.0]
  def change
    rename_column :orders, :sum, :total
    add_column :orders, :paid_at, :datetime
    change_table :orders do |t|
      t.remove :note
      t.boolean :is_gift, null: false
    end
    change_column :orders, :total, :bigint
    mysql { change_column :orders, :name, :longtext }
    reversible do |dir|
      dir.down { remove_column :orders, :name }
    end
    rename_table :stale, :fresh
    drop_table :fresh
    create_table :gifts, id: :uuid do |t|
      t.belongs_to :order, foreign_key: true
      t.references :owner, polymorphic: true
    end
  end
end
"""
FILES = {
    "db/migrate/20120101000000_create_orders.rb": CREATE,
    "db/migrate/20130101000000_change_orders.rb": CHANGE,
    "db/other_migrate/20140101000000_drop.rb": "class Drop < ActiveRecord::Migration[7.0]\n"
    "  def change\n    drop_table :orders\n  end\nend\n",
    "app/models/order.rb": "class Order < ActiveRecord::Base\n  belongs_to :user\nend\n",
}


def said(column: Column) -> tuple[str, str]:
    return column.name, column.type


def test_columns_are_those_that_all_migrations_leave() -> None:
    gifts, orders = stored(facts_of(FILES))
    assert [said(it) for it in orders.columns] == [
        ("id", "integer"), ("name", "string(40)"), ("total", "bigint"), ("user_id", "integer"),
        ("created_at", "datetime"), ("updated_at", "datetime"), ("paid_at", "datetime"),
        ("is_gift", "boolean"),
    ]  # fmt: skip
    assert [it.name for it in orders.columns if it.is_unique] == ["name"]
    assert (orders.model, orders.framework) == ("Order", "Rails")
    assert [said(it) for it in gifts.columns] == [
        ("id", "uuid"), ("order_id", "bigint"), ("owner_id", "bigint"), ("owner_type", "string"),
    ]  # fmt: skip
    assert gifts.references == ("orders",)


def test_a_file_of_the_whole_schema_goes_before_migrations() -> None:
    schema = 'ActiveRecord::Schema[7.0].define do\n  create_table "orders" do |t|\n'
    schema += '    t.string "name"\n  end\nend\n'
    (orders,) = stored(facts_of({**FILES, "db/schema.rb": schema}))
    assert [said(it) for it in orders.columns] == [("id", "bigint"), ("name", "string")]


def test_the_file_of_the_whole_schema_counts_though_it_is_marked_as_generated() -> None:
    marked = {
        ".gitattributes": "db/schema.rb linguist-generated\ndb/structure.sql linguist-generated"
    }
    ruby = "# This file is auto-generated from the current state of the database.\n\n"
    ruby += 'ActiveRecord::Schema[8.0].define do\n  create_table "orders" do |t|\n'
    ruby += '    t.string "name"\n  end\nend\n'
    (orders,) = stored(facts_of({**marked, "db/schema.rb": ruby, "vendor/gem/db/schema.rb": ruby}))
    assert [said(it) for it in orders.columns] == [("id", "bigint"), ("name", "string")]
    sql = {"db/structure.sql": "CREATE TABLE orders (name text);\n"}
    (orders,) = stored(facts_of({**marked, **sql}))
    assert [said(it) for it in orders.columns] == [("name", "text")]


def test_a_method_of_the_project_makes_tables_of_hashes_but_none_of_a_known_name() -> None:
    def made(name: str) -> str:
        return (
            f"class A\n  def up\n    @db.provisioner.create_table(:{name},\n      columns: {{\n"
            '        id: "int(11) NOT NULL",\n        "paid" => "decimal(8,2)",\n      },\n'
            '      indexes: { on_id: "`id`" })\n  end\nend\n'
        )

    facts = facts_of({
        "lib/ledger/migrations/01_make.rb": made("entries"),
        "lib/ledger/migrations/02_make.rb": made("shops"),
        "app/models/shop.rb": "class Shop < ApplicationRecord\nend\n",
    })  # fmt: skip
    (entries, shops) = stored(facts)
    assert (shops.name, shops.model) == ("shops", "Shop")
    assert [(it.name, it.type) for it in entries.columns] == [
        ("id", "int(11)"), ("paid", "decimal(8,2)"),
    ]  # fmt: skip
