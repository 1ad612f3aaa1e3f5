"""Pure functions on text: analysis, redaction, chunking, rendering."""
