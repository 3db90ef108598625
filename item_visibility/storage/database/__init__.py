"""The basis of all our tables: connections, migration, column types, search."""
