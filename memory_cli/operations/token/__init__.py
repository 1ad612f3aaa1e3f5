"""Tokens: who may come over the network, and what they may do."""
