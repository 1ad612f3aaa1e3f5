"""Sync: what other devices hold, and how it is brought together with what is here."""
