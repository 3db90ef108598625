"""Who works here, and what they may do: people, their roles, and the checks of each write."""
