"""Sync: what several devices hold is brought together, and nothing is lost on the way."""
