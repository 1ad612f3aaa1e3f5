"""The values that cross the layers: rows of the store and results of operations.

All are frozen dataclasses; a field that has nothing to say is left out of an answer (`models.document`).
"""
