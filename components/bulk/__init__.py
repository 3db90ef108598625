"""The bulk page: a list, its preview, the job and its results."""
