from collections.abc import Mapping

from stationmaster.wiki.facts.data import written
from stationmaster.wiki.facts.data.entities import stored
from tests.wiki.commits import facts_of

DJANGO = """from django.db import models

class Owned(models.Model):
    owner = models.ForeignKey("User", null=True, on_delete=models.SET_NULL)

    class Meta:
        abstract = True

class Order(Owned):
    code = models.CharField(
        "code",
        max_length=8,  # as printed
        db_index=True,
    )
    note = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["code", "owner"], name="once"),
        ]
"""
SQL = """CREATE TABLE orders (
  id BIGINT PRIMARY KEY,
  code VARCHAR(8),
  total INT NOT NULL DEFAULT 0,
  CONSTRAINT once UNIQUE (code,
    total)
);
"""
JPA = """package shop;

import jakarta.persistence.*;

@Entity
@Table(name = "orders", indexes = @Index(columnList = "code, total"))
public class Order {
    @Id
    @GeneratedValue
    private Long id;

    @Column(nullable = false,
        length = 8)
    private String code;
}
"""


def texts(files: Mapping[str, str]) -> tuple[Mapping[str, str], tuple[str, ...]]:
    facts = facts_of(dict(files))
    (table,) = stored(facts)
    return written.of_columns(facts, table.key), written.of_table(facts, table.key)


def test_a_column_has_its_declaration_up_to_its_last_bracket_wherever_it_stands() -> None:
    columns, rules = texts({"shop/models.py": DJANGO})
    assert columns == {
        "owner": 'owner = models.ForeignKey("User", null=True, on_delete=models.SET_NULL)',
        "code": 'code = models.CharField( "code", max_length=8, # as printed db_index=True, )',
    }
    assert rules == (
        'constraints = [ models.UniqueConstraint(fields=["code", "owner"], name="once"), ]',
    )


def test_what_says_no_more_than_name_and_type_is_left_out_and_a_comma_ends_it_in_sql() -> None:
    columns, rules = texts({"schema.sql": SQL})
    assert columns == {
        "id": "id BIGINT PRIMARY KEY", "total": "total INT NOT NULL DEFAULT 0",
    }  # fmt: skip
    assert rules == ("CONSTRAINT once UNIQUE (code, total)",)


def test_what_the_table_above_asks_of_its_columns_is_not_said_of_the_next_one() -> None:
    facts = facts_of({"schema.sql": f"{SQL}CREATE TABLE carts (\n  id INT,\n  note TEXT\n);\n"})
    asked = {table.name: written.of_table(facts, table.key) for table in stored(facts)}
    assert asked == {"carts": (), "orders": ("CONSTRAINT once UNIQUE (code, total)",)}


def test_annotations_above_a_field_and_its_class_belong_to_them() -> None:
    columns, rules = texts({"src/main/java/shop/Order.java": JPA})
    assert columns == {
        "id": "@Id @GeneratedValue private Long id",
        "code": "@Column(nullable = false, length = 8) private String code",
    }
    assert rules == ('@Table(name = "orders", indexes = @Index(columnList = "code, total"))',)


def test_what_a_configuration_of_entity_framework_says_is_told_with_its_calls() -> None:
    facts = facts_of({
        "Order.cs": "public class Order {\n  public int Id { get; set; }\n"
        "  public string Code { get; set; }\n}\n",
        "OrderMap.cs": "using Microsoft.EntityFrameworkCore;\n"
        "public class OrderMap : IEntityTypeConfiguration<Order> {\n"
        "  public void Configure(EntityTypeBuilder<Order> builder) {\n"
        "    builder.Property(it => it.Code)\n        .HasMaxLength(8)\n        .IsRequired();\n"
        "    builder.HasIndex(it => it.Code);\n  }\n}\n",
    })  # fmt: skip
    (table,) = stored(facts)
    assert written.of_table(facts, table.key) == (
        "builder.Property(it => it.Code) .HasMaxLength(8) .IsRequired()",
        "builder.HasIndex(it => it.Code)",
    )


def test_a_column_of_xml_has_what_stands_within_its_element() -> None:
    columns, _ = texts({
        "db/changelog/one.xml": """<databaseChangeLog><changeSet id="1">
<createTable tableName="pets">
  <column name="id" type="int">
    <constraints nullable="false"/>
  </column>
  <column name="name" type="text"
    defaultValue="a > b"/>
</createTable>
</changeSet></databaseChangeLog>
"""
    })  # fmt: skip
    assert columns == {
        "id": '<column name="id" type="int"> <constraints nullable="false"/> </column>',
        "name": '<column name="name" type="text" defaultValue="a > b"/>',
    }


def test_a_remark_behind_a_column_of_sql_does_not_join_the_next_one() -> None:
    columns, _ = texts({
        "orders.sql": "CREATE TABLE orders (\n"
        "  code text NOT NULL, -- as printed, see the label's corner\n"
        "  total int NOT NULL DEFAULT 0, -- in cents\n"
        "  mark text DEFAULT '--' -- the last one\n);\n"
    })  # fmt: skip
    assert columns == {
        "code": "code text NOT NULL",
        "total": "total int NOT NULL DEFAULT 0",
        "mark": "mark text DEFAULT '--'",
    }


def test_a_table_of_migrations_no_longer_states_what_a_later_one_took_away() -> None:
    head = (
        "<?php\nuse Illuminate\\Database\\Schema\\Blueprint;\n"
        "use Illuminate\\Support\\Facades\\Schema;\nclass M {\n  public function up() {\n"
    )
    keys = "".join(
        f"      $table->integer('{it}_id');\n"
        f"      $table->foreign('{it}_id')->references('id')->on('{it}s');\n"
        for it in ("clerk", "till", "shop", "owner")
    )
    facts = facts_of({
        "database/migrations/1_create.php": f"{head}    Schema::create('orders', "
        f"function (Blueprint $table) {{\n{keys}      $table->index(['till_id', 'shop_id']);\n"
        "      $table->index(['clerk_id', 'shop_id']);\n    });\n  }\n}\n",
        "database/migrations/2_change.php": f"{head}    Schema::table('orders', "
        "function (Blueprint $table) {\n      $table->dropForeign(['clerk_id']);\n"
        "      $table->dropColumn('clerk_id');\n      $table->dropForeign(['till_id']);\n"
        "      $table->dropForeign('orders_owner_id_foreign');\n    });\n  }\n}\n",
    })  # fmt: skip
    (table,) = stored(facts)
    assert [(it.name, it.references) for it in table.columns] == [
        ("till_id", ""), ("shop_id", "shops.id"), ("owner_id", ""),
    ]  # fmt: skip
    assert written.of_table(facts, table.key) == (
        "$table->foreign('shop_id')->references('id')->on('shops')",
        "$table->index(['till_id', 'shop_id'])",
    )
