"""What Alembic runs: the upgrade on the connection, and in the transaction, that was passed."""

from alembic import context

from stationmaster.db.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
