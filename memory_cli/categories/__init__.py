"""Categories: named documents with every version, and a file of each for people."""
