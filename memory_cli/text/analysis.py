"""One analysis of text for the index of words and for the queries that search it."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain, pairwise
from operator import add
from typing import NamedTuple

from memory_cli.models.frozen import Frozen
from memory_cli.text.stemming import stem, stem_arabic

# Han, kana, bopomofo and their iteration marks; Hangul syllables and jamo; Thai, Lao, Myanmar, Khmer.
_HAN = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u3096\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001aff0-\U0001b16f"
    "\U00020000-\U0003ffff"
)
_HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
_UNSPACED = (
    "\u0e01-\u0e3e\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0edf\u1000-\u1049\u1050-\u109f\u1780-\u17d3\u17e0-\u17e9"
    "\uaa60-\uaa7f"
)
_SYMBOLS = "\u2190-\u23ff\u2460-\u2bff\U0001f000-\U0001faff"
# What ends a word: white space, controls, surrogates, punctuation of ASCII and of the scripts in wide use.
_BREAKS = (
    "\\s\\x00-/:-@\\[-`{-\\xa9\\xab-\\xb4\\xb6-\\xb9\\xbb-\\xbf\\xd7\\xf7\u02b9-\u02df\u037e\u0387\u055a-\u055f\u0589\u058a"
    "\u05be\u05c0\u05c3\u05c6\u05f3\u05f4\u0600-\u060f\u061b-\u061f\u066a-\u066d\u06d4\u0964\u0965\u0970\u0e3f\u0e4f\u0e5a\u0e5b"
    "\u0f04-\u0f14\u104a-\u104f\u10fb\u1360-\u1368\u16eb-\u16ed\u17d4-\u17db\u1800-\u180a\u2000-\u2bff\u2e00-\u2e7f"
    "\u3000-\u3004\u3008-\u3020\u3030\u303d-\u303f\u30a0\u30fb\ud800-\udfff\ufe10-\ufe1f\ufe30-\ufe6f\uff00-\uff0f"
    "\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\ufff0-\uffff\U0001f000-\U0001faff"
)
_JOINT = re.compile(r"[-_./:@&+=~\\$%#>]")
_SEGMENT = re.compile(r"::|->|[./:@&+=~\\$%#]+")
_SEGMENTS = re.compile(f"({_SEGMENT.pattern})")
_BETWEEN_LETTERS = re.compile(r"(?<![0-9])[-_]+|[-_]+(?![0-9])")
_PIECE = re.compile(r"[-_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_IGNORED = re.compile(
    "[\u00ad\u034f\u061c\u0640\u064b-\u065f\u0670\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)
_ACCENTS = re.compile("[\u0300-\u036f]")
# Accents are dropped from Latin and Greek; elsewhere a mark may carry a vowel or make another letter.
_ACCENTED = re.compile("[\u00c0-\u024f\u0300-\u03ff\u1e00-\u1fff]")
_FOLDS = str.maketrans(
    {
        "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ı": "i", "ё": "е",
        "’": "'", "ʼ": "'", "‐": "-", "‑": "-", "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ة": "ه",
    }
)  # fmt: skip
_FOLDED = re.compile(f"[{''.join(map(chr, _FOLDS))}]")
_PLAIN = re.compile("[a-z]+")
# One word of letters, as most are, with or without a capital and with a comma or the like beside it: of ASCII, of
# Cyrillic or of Latin letters.
_BESIDE = "[.,;:!?()\"'\u00ab\u00bb\u2018-\u201f\u2026\u3001\u3002\uff0c]*"
_ALONE = re.compile(
    f"{_BESIDE}(?:([A-Z]?[a-z]+|[A-Z]+)|([\u0400\u0402-\u042f]?[\u0430-\u0450\u0452-\u045f]+)"
    f"|([A-Z\u00c0-\u00d6\u00d8-\u00de]?[a-z\u00df-\u00f6\u00f8-\u024f]+)){_BESIDE}"
)
_ARABIC = re.compile("[\u0620-\u064a]+")
_SIGN = re.compile("[0-9!-/:-@\\[-`{-~]")
_ACCENTED_LATIN = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
_KANA = re.compile("[\u3041-\u30ff]")
_CACHED_LENGTH = 40
_LONGEST = 256
_LONGEST_QUERY = 10_000
_MOST_TERMS = 400
# Measured on XQuAD: one character of a longer Chinese word tells little, and the beginnings of a German or Russian
# word stand in for its endings.
_SINGLE = 0.3
_PREFIX = 0.5
_PREFIX_SIZES = (4, 5)

_STOP_TEXT = """
    a about above after again against all am an and any are arent as at be because been before being below between
    both but by can cant cannot could couldnt did didnt do does doesnt doing dont down during each few for from further
    had hadnt has hasnt have havent having he her here hers herself him himself his how i if im in into is isnt it its
    itself ive just let lets me more most my myself no nor not of off on once only or other our ours ourselves out over
    own same shall she should shouldnt so some such than that thats the their theirs them themselves then there theres
    these they theyre this those through to too under until up upon us very was wasnt we were werent what whats when
    where which while who whom whose why will with wont would wouldnt you your youre yours yourself yourselves please
    also
"""
STOP_WORDS = frozenset(_STOP_TEXT.split())
STOP_STEMS = frozenset(map(stem, STOP_WORDS))
# Words that hardly another language has: a question that holds one needs no beginnings of words.
_ENGLISH_TEXT = """
    about and are because been by could did does doesn't don't for from had has have how is of should that the their
    they this to what what's when where which who whose why with would you your
"""
_ENGLISH = frozenset(_ENGLISH_TEXT.split())
# Little words, which English has not, of German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Danish, Polish,
# Romanian, Turkish and Vietnamese.
_FOREIGN_TEXT = """
    aber als andere auch auf aus bedeutet bei das dass dem den der des dich ein eine einem einen einer es euch für gegen
    haben ich ihr ihre im ist kein keine laut mein meine meinem meiner mich mir mit nicht noch nur oder seit sich sind
    und uns unser unsere vom von wann warum weil wenn wir
    welche welchem welchen welcher welches wer werden wie wieviel wieviele wird wo wurde wurden zu zum zur
    au aux avec combien comment dans est est-ce les où pourquoi quand que quel quelle quelles quels qui quoi sont sur
    cómo cuál cuáles cuándo cuánto cuántos del dónde está fue para por qué quién quiénes son una y
    che chi della delle dove è gli nel perché quale quali quante quanti sono
    como foi não onde qual quais quando quantos quem são uma
    deze een het hoe hoeveel niet waar waarom wanneer welke werd wie zijn
    hur inte när och vad vem är hvad hvem hvor hvordan hvornår ikke
    gdzie ile jak jaki jakie jest kiedy kto która które który nie
    când câte câți cine este pentru sunt unde și în bir hangi için kaç nasıl neden nedir nerede zaman
    bao của cho được gì khi là nào những nhiêu trong và ở
"""
_FOREIGN = frozenset(_FOREIGN_TEXT.split())
# Little words of theirs that English has too: they tell no language, and nothing else where another did.
_SHARED_TEXT = "a am an as bin des die do e had hat he in man me no o on per se so to war was"
_SHARED = frozenset(_SHARED_TEXT.split())


class Term(NamedTuple):
    """A token to look for, how much finding it counts, and how it is meant.

    `prefix` finds every token that begins so; `exact` tells an identifier that was asked for as a whole;
    what is `optional` may help an answer, but nobody asked for it.
    """

    token: str
    weight: float = 1.0
    prefix: bool = False
    exact: bool = False
    optional: bool = False


class Query(Frozen):
    """A question as the index of words sees it; `words` pairs each word as written with its terms."""

    text: str
    terms: tuple[Term, ...]
    words: tuple[tuple[str, tuple[Term, ...]], ...]

    @property
    def english(self) -> bool:
        """Whether its little words show that it is English."""
        return self._count(_ENGLISH) > self._count(_FOREIGN)

    @property
    def foreign(self) -> bool:
        """Whether its little words show that it is in another language of Latin letters."""
        accented = sum(bool(_ACCENTED_LATIN.search(chunk)) for chunk, _ in self.words)
        # One accent may be that of a name or of a word that English took over.
        return self._count(_FOREIGN) + (accented > 1) > self._count(_ENGLISH)

    def _count(self, little_words: frozenset[str]) -> int:
        return sum(chunk.lower() in little_words for chunk, _ in self.words)


def index_tokens(text: str) -> list[str]:
    """Return the tokens under which text is indexed, in order."""
    chunks = _normalised(text).split()
    # Asked once a text and not once a chunk, of which few are so long.
    short = len(max(chunks, key=len, default="")) <= _CACHED_LENGTH
    return [*chain.from_iterable(map(_cached if short else _tokens, chunks))]


def reads_foreign(text: str) -> bool:
    """Tell whether the little words of a text are of another language of Latin letters than English."""
    words = set(text.lower().split())
    return len(words & _FOREIGN) > len(words & _ENGLISH)


def query_terms(text: str) -> Query:
    """Return what to look for when text is asked: any of its terms may match, and more is better."""
    words = tuple((chunk, tuple(_terms(chunk))) for chunk in _normalised(text[:_LONGEST_QUERY]).split())
    asked = Query(text, (), words)
    little = _FOREIGN | _SHARED if asked.foreign else frozenset[str]()
    told = [term for _, terms in words for term in terms]
    telling = [term for chunk, terms in words if chunk.lower() not in little
               for term in terms if term.token not in STOP_STEMS]  # fmt: skip
    terms = [*(telling or told), *_joined_neighbours(words)]
    if not asked.english:
        terms += [prefix for term in telling for prefix in _prefixes(term)]
    unique = {(each.token, each.prefix): each for each in reversed(terms)}
    return replace(asked, terms=tuple(unique.values())[: -_MOST_TERMS - 1 : -1])


def _terms(chunk: str) -> Iterator[Term]:
    """Yield what one word of a query asks for; of n-grams only the longest count in full."""
    for run in _runs(chunk):
        match run.lastgroup:
            case "han" | "hangul" if len(run[0]) > 1:
                yield from (Term(token) for token in _grams(run[0].casefold(), (2,)))
                yield from (Term(token, _SINGLE, optional=True) for token in run[0] if not _KANA.match(token))
            case "unspaced" if len(run[0]) > 2:
                yield from (Term(token) for token in _grams(run[0], (3,)))
            case None:
                for place, token in enumerate(found := _compound(run[0])):
                    named = len(found) > 1 or bool(_SIGN.search(token) and not token.isdigit())
                    yield Term(token, exact=named and place == 0)
            case _:
                yield Term(run[0].casefold())


def _joined_neighbours(words: Sequence[tuple[str, Sequence[Term]]]) -> Iterator[Term]:
    """Yield pairs of plain words written as one: who asks for `multi agent` may mean `multiagent`."""
    for (left, _), (right, _) in pairwise(words):
        joined = f"{left}{right}".lower()
        if _PLAIN.fullmatch(joined) and not {left.lower(), right.lower()} & STOP_WORDS:
            yield Term(stem(joined), optional=True)


def _prefixes(term: Term) -> Iterator[Term]:
    """Yield beginnings of a word, which stand for its other forms where no stemmer knows the language."""
    if not _SIGN.search(term.token) and (term.token.isascii() or not _ideographic().match(term.token)):
        for size in _PREFIX_SIZES:
            if len(term.token) > size:
                yield Term(term.token[:size], _PREFIX, prefix=True, optional=True)


def _normalised(text: str) -> str:
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", _IGNORED.sub("", text))
    if _FOLDED.search(text):
        text = text.translate(_FOLDS)
    return _IGNORED.sub("", text)


def _tokens(chunk: str) -> Sequence[str]:
    return _cached(chunk) if len(chunk) <= _CACHED_LENGTH else _analysed(chunk)


@lru_cache(maxsize=32768)
def _cached(chunk: str) -> Sequence[str]:
    if alone := _ALONE.fullmatch(chunk):
        plain, cyrillic, latin = alone.groups()
        if plain:
            return (stem(plain.lower()),)
        return (cyrillic.lower() if cyrillic else _word(latin),)
    return tuple(_analysed(chunk))


def _analysed(chunk: str) -> list[str]:
    found: list[str] = []
    for run in _runs(chunk):
        match run.lastgroup:
            case None:
                found += _compound(run[0])
            case "han" | "hangul":
                found += _grams(run[0].casefold(), (1, 2))
            case "unspaced":
                found += _grams(run[0], (2, 3))
            case _:
                found.append(run[0])
    return found


def _runs(chunk: str) -> Iterator[re.Match[str]]:
    pattern = _ascii_runs() if chunk.isascii() else _all_runs()
    return pattern.finditer(_THOUSANDS.sub("", chunk) if "," in chunk else chunk)


# Compiled at first use: the classes of all scripts take 20 ms, which no start should pay.
@cache
def _all_runs() -> re.Pattern[str]:
    compound = _compounds(f"[^{_BREAKS}{_HAN}{_HANGUL}{_UNSPACED}]")
    return re.compile(
        f"(?P<han>[{_HAN}]+)|(?P<hangul>[{_HANGUL}]+)|(?P<unspaced>[{_UNSPACED}]+)|(?P<symbol>[{_SYMBOLS}])|{compound}"
    )


@cache
def _ascii_runs() -> re.Pattern[str]:
    return re.compile(_compounds("[0-9A-Za-z]"))


@cache
def _ideographic() -> re.Pattern[str]:
    return re.compile(f"[{_HAN}{_HANGUL}{_UNSPACED}]")


def _compounds(letter: str) -> str:
    """Return a pattern of words, alone or joined: http_client.retry_policy, @scope/pkg, GB/s, 10.0.1.1, C++, C#."""
    word = f"{letter}+(?:'{letter}+)*"
    return f"{word}(?:(?:::|->|[-_./:@&+=~\\\\$%]){word})*(?:\\+\\+|\\#(?!{letter}))?"


def _grams(run: str, sizes: tuple[int, ...]) -> list[str]:
    if len(run) <= sizes[0]:
        return [run]
    found: list[str] = []
    for size in sizes:
        grams: Iterable[str] = run
        for place in range(1, size):
            grams = map(add, grams, run[place:])
        found += grams
    return found


def _compound(whole: str) -> list[str]:
    """Return an identifier as a whole, its segments, and the words of each, the widest first."""
    if not _JOINT.search(whole):
        return _pieces(whole, _HUMP.split(whole), alone=True)
    segments = [each for each in _SEGMENT.split(whole) if each]
    found = []
    if len(segments) > 1 or not whole.endswith(segments[-1]):
        found.append("".join(map(_joined, _SEGMENTS.split(whole)))[:_LONGEST])
    for segment in segments:
        pieces = [part for piece in _PIECE.split(segment) if piece for part in _HUMP.split(piece)]
        found += _pieces(segment, pieces, alone=len(segments) == 1)
    return found


def _pieces(segment: str, pieces: list[str], *, alone: bool) -> list[str]:
    """Return a segment as one word, where it has several, and the words that it is made of."""
    if len(pieces) == 1 and alone:
        return [word[:_LONGEST]] if (word := _word(pieces[0])) else []
    found = [_joined(segment)[:_LONGEST]] if len(pieces) > 1 else []
    # One digit of a longer number or version says nothing by itself.
    return found + [word[:_LONGEST] for word in map(_word, pieces) if word and (len(word) > 1 or not word.isdigit())]


def _joined(segment: str) -> str:
    """Return a segment without its hyphens and underscores, but for those between digits."""
    folded = _folded(segment[:_LONGEST]).replace("'", "")
    folded = _BETWEEN_LETTERS.sub("", folded)
    return stem(folded) if _PLAIN.fullmatch(folded) else folded


def _word(word: str) -> str:
    if word.isascii() and word.isalnum():
        word = word[:_LONGEST].lower()
        return stem(word) if _PLAIN.fullmatch(word) else word
    head, mark, tail = _folded(word[:_LONGEST]).partition("'")
    if mark:
        tail = tail.replace("'", "")
        if tail in ("s", "m", "ve", "ll", "d", "re"):
            word = head
        elif len(head) <= 2 and head not in ("o", "mc") and len(tail) > 1:
            word = tail
        else:
            word = head + tail
    else:
        word = head
    if _PLAIN.fullmatch(word):
        return stem(word)
    return stem_arabic(word) if _ARABIC.fullmatch(word) else word


def _folded(word: str) -> str:
    word = word.casefold()
    if word.isascii():
        return word
    word = word.translate(_FOLDS)
    if _ACCENTED.search(word):
        word = _ACCENTS.sub("", unicodedata.normalize("NFD", word))
    return word
