"""The save over real HTTP, and the same cases against the fake and the real pair."""
