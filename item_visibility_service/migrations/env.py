"""The migration script that Alembic runs, on the connection and in the transaction of the service."""

from alembic import context

from item_visibility_service.store import VERSION_TABLE

context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
context.run_migrations()
