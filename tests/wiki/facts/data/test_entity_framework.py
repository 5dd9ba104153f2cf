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
