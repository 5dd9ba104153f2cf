"""Migrations of Ecto as tables and changes."""

from stationmaster.reading.code.schemas import ecto


def test_a_migration_makes_tables_and_changes_others() -> None:
    found = [
        *ecto.read("""\
defmodule Shop.Repo.Migrations.Make do
  use Ecto.Migration

  def up do
    create table(:tills, primary_key: false) do
      add(:id, :uuid, primary_key: true)
      add :shop_id, references(:shops, type: :uuid, on_delete: :delete_all), null: false
      timestamps(updated_at: false, type: :utc_datetime)
    end

    create index(:tills, :shop_id)
    alter table("shops") do
      remove :color
      modify :name, :text
    end
    rename table(:shops), :mail, to: :address
    rename table(:old), to: table(:new)
    drop table(:gone)
    for name <- [:a, :b], do: noted(name)
    Enum.each([:a, :b], fn name ->
      alter table(name) do
        remove(:made_by)
      end
    end)
    execute("ALTER TABLE written ADD COLUMN hidden text")
  end

  def down do
    drop table(:tills)
  end
end
""")
    ]
    assert [
        (it.name, it.kind, it.symbol, [(c.name, c.type, c.references) for c in it.columns])
        for it in found
    ] == [
        ("tills", "table", "", [
            ("id", "uuid", ""), ("shop_id", "uuid", "shops"), ("inserted_at", "utc_datetime", ""),
        ]),
        ("shops", "change", "", [("color", "", ""), ("name", "text", "")]),
        ("shops", "change", "", [("mail", "", "address")]),
        ("old", "change", "new", []),
        ("gone", "change", "", []),
        ("a", "change", "", [("made_by", "", "")]),
        ("b", "change", "", [("made_by", "", "")]),
        ("written", "change", "", []),
    ]  # fmt: skip
    assert found[0].columns[0].is_key
    assert (found[0].line, found[0].end) == (5, 9)
