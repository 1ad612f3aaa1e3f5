"""What a model's cosines mean, measured on a few questions and the statements that answer them."""

from memory_cli.embedding.models import Scale
from memory_cli.embedding.protocol import Embedder

# Ours, of the kind that a memory holds; no statement answers the question of another.
PAIRS = (
    ("How do we get changes into production?", "A release goes out each Friday after two people have looked at it."),
    ("Which editor theme does she like?", "Ana prefers dark colours when she programs."),
    ("How often are credentials changed?", "The password of the database is rotated every month."),
    ("What should I drink in the evening?", "After six o'clock only herbal tea is good for me."),
    ("Where do the backups go?", "Snapshots are copied at night to the server in the basement."),
    ("Who looks after the website?", "Jonas is responsible for the pages that customers see."),
    ("What pet do they have?", "The family adopted a grey cat last spring."),
    ("When is the trip?", "We fly to Lisbon on the ninth of May."),
    ("Why was the cache turned off?", "Stale answers confused users, so nothing is kept in memory any more."),
    ("How should dates be written?", "Timestamps in the log follow ISO 8601 in UTC."),
    ("Is he allergic to something?", "Peter cannot eat nuts."),
    ("What language is the parser in?", "The grammar was ported to Rust because of its speed."),
    ("How much may a dinner cost?", "Meals on business are paid up to forty euros."),
    ("What is wrong with the printer?", "The device on the second floor jams when the paper is thick."),
    ("Which sport does the daughter play?", "Mia trains with the handball team on Tuesdays."),
    ("What do tests have to look like?", "Each case checks one behaviour and is named after it."),
    ("What did the doctor recommend?", "The physician said to walk for half an hour every day."),
    ("How large may an upload be?", "Files of more than twenty megabytes are refused by the gateway."),
    ("What music do they listen to?", "On Sunday mornings there is jazz in the kitchen."),
    ("Where is the spare key?", "A second one hangs behind the cellar door."),
)


def measured(embedder: Embedder) -> Scale:
    """Embed questions and statements and return where their cosines lie."""
    import numpy as np

    asked = np.stack([embedder.embed_query(question) for question, _ in PAIRS])
    cosines = asked @ embedder.embed([statement for _, statement in PAIRS]).T
    true = np.diagonal(cosines)
    false = cosines[~np.eye(len(PAIRS), dtype=bool)]
    unrelated, related = float(false.mean()), float(true.mean())
    return Scale(
        unrelated=round(unrelated, 4),
        noise=round(float(np.quantile(false, 0.99)), 4),
        weak=round(float(np.quantile(true, 0.1)), 4),
        # A model that tells nothing apart must not divide by nothing.
        related=round(max(related, unrelated + 0.05), 4),
    )
