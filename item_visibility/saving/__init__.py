"""Changes to an item's recipients: the request, the plan to send, the outcome."""
