"""Fields that find suppliers, items and recipients by name as a person types."""
