"""Characters that look like those of a deck file and are others: word processors and web pages put them in."""

import re
import unicodedata

DOUBLE = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\uff02"
"""Look like the quotation mark."""
SINGLE = "\u2018\u2019\u201a\u201b\u2032\uff07`\u00b4"
"""Look like the apostrophe, with which TOML quotes, too."""
DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d"
SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
UNSEEN = "\ufeff\u200b\u200c\u200d\u2060\u00ad\u200e\u200f\u2028\u2029\x0b\x0c\x85"
"""Take no room at all, or begin a line where TOML sees none."""

_CLOSED = "(?=[\\s" + SPACES + "]*(?:[,}\\]#\uff0c\uff5d\uff3d]|$))"
_TOKEN = re.compile(
    r"""(?P<right>"(?:\\.|[^"\\])*"|'[^']*'|\#.*)"""
    + f'|(?P<double>[{DOUBLE}](?P<in_double>[^{DOUBLE}"]*)[{DOUBLE}"])'
    + f'|(?P<opened>"(?P<in_opened>[^{DOUBLE}"]*)[{DOUBLE}])'
    + f"|(?P<single>[{SINGLE}'](?P<in_single>.*?)[{SINGLE}']{_CLOSED})"
    + "|(?P<other>.)"
)


INSIDE = ("in_double", "in_opened", "in_single")
"""The groups of `_TOKEN` with what stands between two quotation marks."""


def name_of(sign: str) -> str:
    """Such as ``“ (U+201C, left double quotation mark)``; an unseen character is not printed."""
    label = unicodedata.name(sign, "control character").lower()
    shown = f"{sign} " if sign.isprintable() else ""
    return f"{shown}(U+{ord(sign):04X}, {label})"


def plain(sign: str) -> str | None:
    """The character of ASCII that `sign` looks like, "" for one that is not seen; None if it looks like none."""
    for signs, meant in ((DOUBLE, '"'), (SINGLE, "'"), (DASHES, "-"), (SPACES, " "), (UNSEEN, "")):
        if sign in signs:
            return meant
    if sign.isascii():
        return None
    normal = unicodedata.normalize("NFKC", sign)  # full-width letters, digits and signs
    return normal if normal != sign and len(normal) == 1 and normal.isascii() else None


def mended(line: str) -> tuple[str, int | None]:
    """A line with what it was meant to be, and the column of the first look-alike, from 0; None if there is none.

    Nothing is changed inside straight quotation marks and behind ``#``.
    """
    parts, column = [], None
    for match in _TOKEN.finditer(line):
        text, at = match[0], 0
        inside = next(
            (match[name] for name in ("in_double", "in_opened", "in_single") if match[name] is not None), None
        )
        if match["right"] is None and inside is not None:
            text = f'"{inside}"'
            at = 0 if plain(match[0][0]) is not None else len(match[0]) - 1
        elif match["other"] is not None and (meant := plain(match[0])) is not None:
            text = meant
        if text != match[0] and column is None:
            column = match.start() + at
        parts.append(text)
    return "".join(parts), column
