"""The errors of the package: each names the place and the remedy."""


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
