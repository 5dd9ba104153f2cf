"""What mappers name: tables between two others, and columns."""

import pytest

from stationmaster.wiki.facts.data.entities import stored
from tests.wiki.commits import facts_of

TYPEORM = """import { Entity, Column, ManyToOne, ManyToMany, OneToOne, JoinTable } from 'typeorm';
@Entity('users') export class User {
  @Column({ name: 'full_name' }) name: string;
  @ManyToOne(() => Team) homeTeam: Team;
  @OneToOne(() => Card, card => card.user) card: Card;
  @ManyToMany(() => BlogPost) @JoinTable() liked: BlogPost[];
}
@Entity() export class BlogPost { @Column() title: string }
"""
DOCTRINE = """<?php
namespace App\\Entity;
use Doctrine\\ORM\\Mapping as ORM;
#[ORM\\Entity]
#[ORM\\Table(name: 'post')]
class Post {
    #[ORM\\Column] private string $shortTitle;
    #[ORM\\ManyToMany(targetEntity: Tag::class)] private $tags;
}
#[ORM\\Entity]
class Tag { #[ORM\\ManyToMany(targetEntity: Post::class, mappedBy: 'tags')] private $posts; }
"""
JPA = """import jakarta.persistence.*;
@Entity @Table(name = "vets")
public class Vet {
  @Id private Long id;
  private String firstName;
  @ManyToMany
  @JoinTable(name = "vet_specialties", joinColumns = @JoinColumn(name = "vet_id"),
    inverseJoinColumns = @JoinColumn(name = "specialty_id"))
  private Set<Specialty> specialties;
}
@Entity @Table(name = "specialties") class Specialty { @Id private Long id; }
"""
DJANGO = """from django.db import models
class Plan(models.Model):
    title = models.TextField()
    options = models.ManyToManyField('shop.Option')
    friends = models.ManyToManyField('self')
    members = models.ManyToManyField('auth.User', through='Member')
class Option(models.Model):
    name = models.TextField()
"""


def columns_of(files: dict[str, str]) -> dict[str, list[str]]:
    return {table.name: [it.name for it in table.columns] for table in stored(facts_of(files))}


@pytest.mark.parametrize(
    ("files", "columns"),
    [
        ({"src/user.ts": TYPEORM},
         {"blog_post": ["title"], "users": ["full_name", "homeTeamId"],
          "users_liked_blog_post": ["usersId", "blogPostId"]}),
        ({"src/user.ts": TYPEORM,
          "package.json": '{"dependencies": {"typeorm-naming-strategies": "4"}}'},
         {"blog_post": ["title"], "users": ["full_name", "home_team_id"],
          "users_liked_blog_post": ["users_id", "blog_post_id"]}),
        ({"src/Entity/Post.php": DOCTRINE},
         {"post": ["shortTitle"], "post_tag": ["post_id", "tag_id"], "Tag": []}),
        ({"src/Entity/Post.php": DOCTRINE, "config/packages/doctrine.yaml":
          "doctrine:\n  orm:\n    naming_strategy: doctrine.orm.naming_strategy.underscore\n"},
         {"post": ["short_title"], "post_tag": ["post_id", "tag_id"], "tag": []}),
        ({"src/main/java/Vet.java": JPA},
         {"specialties": ["id"], "vet_specialties": ["vet_id", "specialty_id"],
          "vets": ["id", "firstName"]}),
        ({"src/main/java/Vet.java": JPA,
          "build.gradle": "plugins { id 'org.springframework.boot' version '3.4.0' }"},
         {"specialties": ["id"], "vet_specialties": ["vet_id", "specialty_id"],
          "vets": ["id", "first_name"]}),
        ({"src/main/java/Vet.java": JPA.replace('"vets"', '"`Vets`"'),
          "build.gradle": "plugins { id 'org.springframework.boot' version '3.4.0' }",
          "src/main/resources/application.properties": "spring.jpa.hibernate.naming."
          "physical-strategy=org.hibernate.PhysicalNamingStrategyStandardImpl\n"},
         {"specialties": ["id"], "vet_specialties": ["vet_id", "specialty_id"],
          "Vets": ["id", "firstName"]}),
        ({"shop/models.py": DJANGO},
         {"Option": ["id", "name"], "Plan": ["id", "title"],
          "Plan_friends": ["from_plan_id", "to_plan_id"],
          "Plan_options": ["plan_id", "option_id"]}),
    ],
)  # fmt: skip
def test_tables_between_two_others_and_columns_are_named_as_mappers_name_them(
    files: dict[str, str], columns: dict[str, list[str]]
) -> None:
    assert columns_of(files) == columns


def test_a_table_between_two_others_that_a_class_declares_is_told_of_once() -> None:
    files = {"shop/models.py": f"{DJANGO}class Chosen(models.Model):\n"
             "    note = models.TextField()\n"
             "    class Meta:\n        db_table = 'Plan_options'\n"}  # fmt: skip
    assert columns_of(files)["Plan_options"] == ["id", "note"]


def test_columns_of_drizzle_refer_to_tables_by_their_names_also_where_sql_was_made_of_them() -> (
    None
):
    schema = (
        "import { text, sqliteTable } from 'drizzle-orm/sqlite-core';\n"
        "export const users = sqliteTable('user', { id: text('id').primaryKey() });\n"
        "export const pets = sqliteTable('pets', {\n"
        "  of: text('of').references(() => users.id),\n});\n"
    )
    sql = "CREATE TABLE `user` (`id` text);\nCREATE TABLE `pets` (`of` text);\n"
    files = {"db/schema.ts": schema, "db/drizzle/0000_first.sql": sql}
    pets, user = stored(facts_of({"package.json": "{}", **files}))
    assert [it.references for it in pets.columns] == ["user.id"]
    assert (pets.references, pets.path) == (("user",), "db/drizzle/0000_first.sql")
    assert {pets.framework, user.framework} == {"Drizzle"}
