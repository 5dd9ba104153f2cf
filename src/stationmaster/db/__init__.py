"""The state of record on SQLite or PostgreSQL: engine, tables, migrations, one transaction().

It knows how rows are kept and nothing of what they mean. Rooms above own their queries; only
`transaction()` commits.
"""
