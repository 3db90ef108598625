"""A scan of the known items above its results, and what a recipient can see among them."""
