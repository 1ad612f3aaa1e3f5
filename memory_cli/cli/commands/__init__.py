"""The commands that need more than their operation's parameters, each written by hand over the same operation."""
