"""The sign-in: the screen before all others, the person menu, and who asks in a window."""
