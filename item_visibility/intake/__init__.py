"""From a table that a person brings to rows that say what is wanted."""
