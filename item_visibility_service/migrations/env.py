"""The script that Alembic runs for a migration.

It uses the service's connection and transaction.
"""

from alembic import context

from item_visibility_service.store import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"], version_table=VERSION_TABLE
)
context.run_migrations()
