"""The errors of the package: each names the place and the remedy."""

from collections.abc import Sequence
from typing import Any, ClassVar


class ValleyError(Exception):
    """Base of all errors that this package raises on purpose."""


class IllegalActionError(ValleyError, ValueError):
    """An action that is not legal now. Nothing has changed.

    Attributes:
        action: What was given.
        legal: Names of the legal actions by number.
    """

    def __init__(self, action: object, agent: str, legal: dict[int, str], why: str = "is not legal now") -> None:
        self.action = action
        self.legal = legal
        listed = ", ".join(f"{number} ({name})" for number, name in legal.items()) or "none"
        super().__init__(f"action {action!r} of {agent} {why}; legal: {listed}")


class GameOverError(ValleyError, RuntimeError):
    """An action after the end of the game."""


class StateError(ValleyError, ValueError):
    """A record that is not a state of this game."""


class OptionError(ValleyError, ValueError):
    """A wrong option of a game, an adapter or an agent."""


class UnknownOptionError(OptionError, TypeError):
    """An option that there is not, as a keyword that a function does not take: the text holds Python's own phrase.

    Libraries that try keywords look for it in a `TypeError`, and go on without the keyword. Gymnasium raises the error
    anew with a longer text, so that it is made from a text alone.
    """


class DefectsError(ValleyError, ValueError):
    """Something that cannot be used, with all its defects; the text lists them, a line each.

    Attributes:
        file: The file, or what else it was made from.
        defects: Every defect; its ``text(file)`` is one line with the place, the problem and the remedy.
    """

    kind: ClassVar[str]
    """What cannot be used, in a word."""

    def __init__(self, file: str, defects: Sequence[Any]) -> None:
        super().__init__(file, tuple(defects))  # so that it can be pickled
        self.file = file
        self.defects = tuple(defects)

    def lines(self) -> list[str]:
        """Each defect in one line."""
        return [defect.text(self.file) for defect in self.defects]

    def __str__(self) -> str:
        count = len(self.defects)
        return "\n".join([f"{count} defect{'s' if count != 1 else ''} in {self.kind} {self.file}", *self.lines()])
