"""Alembic's entry: runs the migrations on the given connection, in its transaction."""

from alembic import context

from item_visibility.records.ground.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
