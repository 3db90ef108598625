"""What every table of ours stands on: connections, migration, column types, search."""
