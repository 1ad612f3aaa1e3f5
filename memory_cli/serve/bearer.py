"""Who asks when a request over HTTP came with a token."""

from dataclasses import replace

from memory_cli.memory import Session
from memory_cli.models.tokens import Token


def borne(session: Session, token: Token) -> Session:
    """Return the session of a token's bearer: under its name, as far as its scopes go."""
    both = tuple(each for each in session.scopes if each in token.scopes)
    return replace(session, agent=token.name, bearer=token.name, scopes=both)
