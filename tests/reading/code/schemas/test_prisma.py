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
    made = {it.name: it.columns for it in prisma.read(SCHEMA) if it.name.startswith("_")}
    assert {name: [(c.name, c.references) for c in columns] for name, columns in made.items()} == {
        "_ArticleToTag": [("A", "Article"), ("B", "labels")],
        "_Likes": [("A", "Article"), ("B", "User")],
    }
