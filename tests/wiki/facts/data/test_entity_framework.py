"""A table of Entity Framework is told of once, with the name and the columns that it has."""

from stationmaster.wiki.facts.data.entities import stored
from tests.wiki.commits import facts_of

_CONTEXT = """using Microsoft.EntityFrameworkCore;
public class ShopContext : DbContext {
    public DbSet<Item> Items { get; set; }
    public DbSet<Brand> Brands { get; set; }
}
"""
_ITEM = """public class Item : Entity {
    public string? Name { get; private set; }
    public State State { get; set; }
    public int BrandId { get; set; }
    public Brand Brand { get; set; }
    public Address From { get; set; }
    public int Total => 2;
}
public class Entity { public int Id { get; protected set; } }
public class Brand { public long Id { get; set; } }
public class Address { public string City { get; init; } public string Zip { get; set; } }
public enum State { Sold, Open }
"""
_CONFIGURED = """using Microsoft.EntityFrameworkCore;
public class ItemConfiguration : IEntityTypeConfiguration<Item> {
    public void Configure(EntityTypeBuilder<Item> builder) {
        builder.ToTable("Catalog");
        builder.Property(it => it.Name).IsRequired();
        builder.OwnsOne(it => it.From, a => { a.Property(x => x.Zip); });
    }
}
"""


def test_a_set_and_a_configuration_of_one_class_are_one_table_with_all_columns() -> None:
    facts = facts_of({
        "src/ShopContext.cs": _CONTEXT, "src/Item.cs": _ITEM, "src/ItemForm.cs": _CONFIGURED,
        "src/Shown.cs": "namespace Shown;\nclass Item { public string Text { get; set; } }\n",
    })  # fmt: skip
    brands, catalog = stored(facts)

    assert (brands.name, catalog.name, catalog.model) == ("Brands", "Catalog", "Item")
    assert catalog.path == "src/ItemForm.cs"
    assert [(it.name, it.type, it.is_key) for it in catalog.columns] == [
        ("Id", "int", True), ("Name", "string", False), ("State", "State", False),
        ("BrandId", "int", False), ("From_City", "string", False), ("From_Zip", "string", False),
    ]  # fmt: skip
    assert catalog.references == ("Brands",)


def test_a_class_that_is_not_there_keeps_the_columns_that_are_configured() -> None:
    (table,) = stored(facts_of({"src/ItemConfiguration.cs": _CONFIGURED}))

    assert [it.name for it in table.columns] == ["Name", "Zip"]


def test_what_a_context_says_of_keys_and_names_counts_before_what_classes_are_called() -> None:
    facts = facts_of({
        "src/ShopContext.cs": """using Microsoft.EntityFrameworkCore;
public class ShopContext : DbContext {
    public DbSet<Item> Items { get; set; }
    protected override void OnModelCreating(ModelBuilder builder) {
        builder.Entity<Item>(BuildItem);
        builder.Entity<Line>().HasKey(it => new { it.OrderId, it.Number });
        builder.Entity<Line>(it => { it.ToTable("order_lines"); });
    }
    void BuildItem(EntityTypeBuilder<Item> item) { item.HasKey(it => it.Key); }
}
""",
        "src/Item.cs": "public class Item { public int Key { get; set; } public int Id { get; set;"
        " }\n[NotMapped]\npublic string Shown { get; set; } }\n"
        "public class Line { public int OrderId { get; set; } public int Number { get; set; } }\n",
    })  # fmt: skip
    assert {
        table.name: [(it.name, it.is_key) for it in table.columns] for table in stored(facts)
    } == {
        "Items": [("Key", True), ("Id", False)],
        "order_lines": [("OrderId", True), ("Number", True)],
    }


def test_a_property_may_be_marked_as_the_key() -> None:
    facts = facts_of({
        "src/ShopContext.cs": _CONTEXT,
        "src/Item.cs": "public class Item {\n[Key]\npublic string Code { get; set; }\n"
        "public int Id { get; set; }\n}\nclass Brand { public int Id { get; set; } }\n",
    })  # fmt: skip
    assert [(it.name, it.is_key) for it in stored(facts)[1].columns] == [
        ("Code", True), ("Id", False)
    ]  # fmt: skip


def test_of_several_snapshots_that_of_the_newest_migrations_counts() -> None:
    def snapshot(*columns: str) -> str:
        lines = "".join(
            f'        b.Property<int>("{it}")\n          .HasColumnType("int");\n' for it in columns
        )
        return (
            "partial class ShopModelSnapshot : ModelSnapshot {\n"
            '    modelBuilder.Entity("Shop.Till", b =>\n      {\n'
            f'{lines}        b.HasKey("Id");\n\n        b.ToTable("Tills");\n      }});\n}}\n'
        )

    facts = facts_of({
        "Old/Migrations/ShopModelSnapshot.cs": snapshot("Id", "Gone"),
        "Old/Migrations/20200101000000_First.cs": "",
        "New/Migrations/ShopModelSnapshot.cs": snapshot("Id"),
        "New/Migrations/20240101000000_First.cs": "",
    })  # fmt: skip
    assert [(it.name, [c.name for c in it.columns]) for it in stored(facts)] == [("Tills", ["Id"])]
