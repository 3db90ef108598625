"""Alembic runs this: migrate over the connection that the service opened, in its transaction."""

from alembic import context

from item_visibility_service.storage.service_database import VERSION_TABLE

context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
context.run_migrations()
