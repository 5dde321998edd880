"""Environment variables that the project reads, checked; and how many processors there are.

`VALLEY_CACHE_DIR` is a folder and is read by `valley_core.jit`.
"""

import os

from valley_core.errors import OptionError

OFF, ON = ("", "0", "false", "no", "off"), ("1", "true", "yes", "on")


def switch(name: str, meaning: str) -> bool:
    """An environment variable that is on or off; off if it is not set.

    Raises:
        OptionError: It is neither; `meaning` says what 1 does.
    """
    value = os.environ.get(name, "").strip().lower()
    if value not in OFF + ON:
        raise OptionError(f"{name} is {os.environ[name]!r}; set it to 1 ({meaning}), or to 0 or leave it out")
    return value in ON


def whole_number(name: str, meaning: str) -> int:
    """An environment variable that is a whole number of 0 or more; 0 if it is not set.

    Raises:
        OptionError: It is something else; `meaning` says what it counts.
    """
    value = os.environ.get(name, "").strip() or "0"
    if not value.isdecimal():
        raise OptionError(f"{name} is {os.environ[name]!r}; set it to a whole number ({meaning}), or leave it out")
    return int(value)


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
