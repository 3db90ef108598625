"""Many items at once: lists, jobs, results, and taking a job back."""
