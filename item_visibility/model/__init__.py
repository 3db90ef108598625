"""Values that all layers share: changes, outcomes, jobs, known ids and lists as they were read."""
