"""Opens a desk: settings in, all parts wired. The only folder that knows all others."""
