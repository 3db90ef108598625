"""The pages of support: a question, its answer, the connection."""
