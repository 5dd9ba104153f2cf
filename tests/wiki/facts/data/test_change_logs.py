"""Tables of Liquibase: as they are after all change logs, in the order of what includes them."""

from __future__ import annotations

from stationmaster.wiki.facts.data.entities import stored
from stationmaster.wiki.facts.data.schemas import migrations
from tests.wiki.commits import facts_of


def log(changes: str) -> str:
    return f"<databaseChangeLog><changeSet id='1'>{changes}</changeSet></databaseChangeLog>"


_MADE = log('<createTable tableName="pets"><column name="id" type="INT"/></createTable>')
_CHANGED = log('<addColumn tableName="pets"><column name="age" type="INT"/></addColumn>')
_MORE = log('<createIndex tableName="pets"><column name="age"/></createIndex>')


def test_change_logs_follow_one_another_as_a_master_includes_them() -> None:
    facts = facts_of({
        "schema/changelog-master.xml": "<databaseChangeLog>"
        '<include file="changelog-9.xml" relativeToChangelogFile="true"/>'
        '<include file="changelog-1.xml" relativeToChangelogFile="true"/>'
        '<include file="changelog-3.xml" relativeToChangelogFile="true"/></databaseChangeLog>',
        "schema/changelog-1.xml": _CHANGED,
        "schema/changelog-9.xml": _MADE,
        "schema/changelog-3.xml": _MORE,
        "src/test/resources/schema/changelog.xml": log('<dropTable tableName="pets"/>'),
    })  # fmt: skip
    (table,) = stored(facts)
    assert (table.name, table.framework, table.path) == (
        "pets", "Liquibase", "schema/changelog-9.xml",
    )  # fmt: skip
    assert [column.name for column in table.columns] == ["id", "age"]
    (row,) = migrations(facts)
    assert (row.tool, row.folder, row.count, row.last) == (
        "Liquibase", "schema", 3, "schema/changelog-3.xml",
    )  # fmt: skip


def test_a_folder_and_files_of_sql_are_included_from_resources() -> None:
    base = "src/main/resources/db/changelog"
    facts = facts_of({
        f"{base}/db.changelog-master.xml": "<databaseChangeLog>"
        '<includeAll path="classpath:db/changelog/changes/"/></databaseChangeLog>',
        f"{base}/changes/002-age.xml": _CHANGED,
        f"{base}/changes/001-pets.sql": "--liquibase formatted sql\n--changeset me:1\n"
        "CREATE TABLE pets (id int);\n--rollback DROP TABLE pets;\n",
    })  # fmt: skip
    (table,) = stored(facts)
    assert [column.name for column in table.columns] == ["id", "age"]
    (row,) = migrations(facts)
    assert (row.tool, row.folder, row.count) == ("Liquibase", f"{base}/changes", 2)


def test_change_logs_that_nothing_includes_follow_their_names() -> None:
    facts = facts_of({"db/changelog/10.xml": _CHANGED, "db/changelog/2.xml": _MADE})
    (table,) = stored(facts)
    assert [column.name for column in table.columns] == ["id", "age"]


def test_change_logs_that_include_each_other_are_read_once() -> None:
    other = '<databaseChangeLog><include file="{}" relativeToChangelogFile="true"/>'
    facts = facts_of({
        "schema/a.xml": other.format("b.xml") + _MADE.removeprefix("<databaseChangeLog>"),
        "schema/b.xml": other.format("a.xml") + _CHANGED.removeprefix("<databaseChangeLog>"),
        "schema/top.xml": other.format("b.xml") + "</databaseChangeLog>",
    })  # fmt: skip
    (table,) = stored(facts)
    assert [column.name for column in table.columns] == ["id", "age"]


def test_properties_are_those_of_all_change_logs_that_follow() -> None:
    facts = facts_of({
        "db/changelog/master.xml": "<databaseChangeLog>"
        '<property name="text" value="clob"/>'
        '<property name="time" value="datetime(6)" dbms="h2"/>'
        '<property name="time" value="timestamp" dbms="oracle"/>'
        '<include file="db/changelog/one.xml"/></databaseChangeLog>',
        "db/changelog/one.xml": "<databaseChangeLog><changeSet id='1'>"
        '<createTable tableName="pets"><column name="about" type="${text}"/>'
        '<column name="born" type="${time}"/></createTable></changeSet></databaseChangeLog>',
    })  # fmt: skip
    (pets,) = stored(facts)
    assert [(it.name, it.type) for it in pets.columns] == [("about", "clob"), ("born", "time")]
