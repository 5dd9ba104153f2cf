"""Tables that Prisma makes between models."""

from stationmaster.reading.code.schemas import prisma

SCHEMA = """
model Article {
  id      Int    @id
  tags    Tag[]
  likes   User[] @relation("Likes")
  author  User   @relation("Wrote", fields: [authorId], references: [id])
  authorId Int
}
model Tag {
  id       Int       @id
  articles Article[]
  @@map("labels")
}
model User {
  id     Int       @id
  liked  Article[] @relation("Likes")
  wrote  Article[] @relation("Wrote")
}
"""


def test_two_lists_that_name_each_others_models_make_a_table() -> None:
    made = {it.name: it.columns for it in prisma.read([SCHEMA])[0] if it.name.startswith("_")}
    assert {name: [(c.name, c.references) for c in columns] for name, columns in made.items()} == {
        "_ArticleToTag": [("A", "Article"), ("B", "labels")],
        "_Likes": [("A", "Article"), ("B", "User")],
    }


def test_the_files_below_the_one_that_names_a_data_source_are_one_schema() -> None:
    files = {
        "db/schema.prisma": 'datasource db {\n  provider = "postgresql"\n}\n',
        "db/models/post.prisma": """
model Post {
  id       Int  @id
  author   User @relation(fields: [authorId], references: [id])
  authorId Int  @map("author_id")
}
""",
        "db/models/user.prisma": """
model User {
  id    Int    @id @map("user_id")
  posts Post[]
  @@map("users")
}
""",
    }
    assert list(prisma.schemas(files)) == [tuple(files)]
    _, (post,), (user,) = prisma.read([*files.values()])
    assert [(it.name, it.references) for it in post.columns] == [
        ("id", ""),
        ("author_id", "users.user_id"),
    ]
    assert [it.name for it in user.columns] == ["user_id"]


def test_a_folder_with_several_data_sources_has_a_schema_in_each_file() -> None:
    source = "datasource db {\n}\n"
    files = {"db/mysql.prisma": source, "db/postgres.prisma": source, "other/user.prisma": ""}
    assert [*prisma.schemas(files)] == [(path,) for path in files]


def test_a_relation_to_a_model_that_is_not_there_is_no_column() -> None:
    text = """
model Post {
  author   User @relation(fields: [authorId], references: [id])
  authorId Int
}
"""
    (((post,),)) = prisma.read([text])
    assert [(it.name, it.references) for it in post.columns] == [("authorId", "User.id")]
