"""Model snapshots of Entity Framework."""

from stationmaster.reading.code.schemas.model_snapshot import read

SNAPSHOT = """
    partial class ShopModelSnapshot : ModelSnapshot
    {
            modelBuilder.Entity("Shop.Orders.Order", b =>
                {
                    b.Property<int>("Id")
                        .ValueGeneratedOnAdd()
                        .HasColumnType("integer");

                    b.Property<string>("Code")
                        .IsRequired()
                        .HasColumnType("text")
                        .HasColumnName("order_code");

                    b.Property<string>("Discriminator")
                        .HasColumnType("text");

                    b.HasKey("Id");

                    b.HasIndex("Code")
                        .IsUnique();

                    b.ToTable("Orders", (string)null);
                });

            modelBuilder.Entity("Shop.Orders.Line", b =>
                {
                    b.Property<int>("OrderId")
                        .HasColumnType("integer");

                    b.Property<int>("Number")
                        .HasColumnType("integer");

                    b.HasKey("OrderId", "Number");

                    b.HasIndex("OrderId", "Number")
                        .IsUnique();

                    b.ToTable("Lines", "shop");
                });

            modelBuilder.Entity("Shop.Orders.Gift", b =>
                {
                    b.HasBaseType("Shop.Orders.Order");

                    b.Property<string>("Card")
                        .HasColumnType("text");

                    b.HasDiscriminator().HasValue("Gift");
                });

            modelBuilder.Entity("Shop.Orders.Order", b =>
                {
                    b.OwnsOne("Shop.Orders.Address", "ShipTo", b1 =>
                        {
                            b1.Property<int>("OrderId")
                                .HasColumnType("integer");

                            b1.Property<string>("City")
                                .HasColumnType("text");

                            b1.HasKey("OrderId");

                            b1.ToTable("Orders");
                        });
                });

            modelBuilder.Entity("Shop.Orders.Line", b =>
                {
                    b.HasOne("Shop.Orders.Order", null)
                        .WithMany("Lines")
                        .HasForeignKey("OrderId")
                        .OnDelete(DeleteBehavior.Cascade);
                });
"""


def test_tables_have_the_columns_keys_and_references_that_the_snapshot_gives() -> None:
    orders, lines = read(SNAPSHOT)
    assert (orders.name, orders.symbol, lines.name, lines.symbol) == (
        "Orders", "Order", "Lines", "Line"
    )  # fmt: skip
    assert [(it.name, it.type, it.is_key, it.is_unique) for it in orders.columns] == [
        ("Id", "integer", True, False),
        ("order_code", "text", False, True),
        ("Discriminator", "text", False, False),
        ("ShipTo_City", "text", False, False),
        ("Card", "text", False, False),
    ]
    assert [(it.name, it.is_key, it.is_unique, it.references) for it in lines.columns] == [
        ("OrderId", True, False, "Order"), ("Number", True, False, "")
    ]  # fmt: skip


def test_what_is_kept_as_json_is_one_column() -> None:
    (orders,) = read("""
            modelBuilder.Entity("Shop.Order", b =>
                {
                    b.Property<int>("Id");
                    b.HasKey("Id");
                    b.ToTable("Orders");

                    b.OwnsOne("Shop.Address", "ShipTo", b1 =>
                        {
                            b1.Property<int>("OrderId");
                            b1.Property<string>("City");
                            b1.HasKey("OrderId");
                            b1.ToTable("Orders");
                            b1.ToJson("ship_to");

                            b1.OwnsOne("Shop.Place", "Place", b2 =>
                                {
                                    b2.Property<int>("Height");
                                    b2.ToTable("Orders");
                                });
                        });

                    b.OwnsMany("Shop.Line", "Lines", b1 =>
                        {
                            b1.Property<int>("Number");
                            b1.ToTable("Orders");
                            b1.ToJson();
                        });
                });
    """)
    assert sorted(it.name for it in orders.columns) == ["Id", "Lines", "ship_to"]
