"""Why can they not see it? Reasons from our records and a few reads, the most probable first."""
