"""Tests of rules that apply to files: committed files, Markdown, alerts."""
