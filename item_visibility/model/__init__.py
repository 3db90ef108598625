"""The values that all layers share.

Changes, outcomes, jobs, known ids, and lists as they were read.
"""
