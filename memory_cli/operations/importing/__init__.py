"""What other programs kept, read as records that an import takes in: a module a format."""
