"""The suite is the same in every shell: what that says of terminal, language, time and warnings is pinned or removed.

Done on import, so that it holds for the modules of the tests and for the processes that they start. A test that is
about one of these settings sets it itself.
"""

import os
import time

PINNED = {
    "COLUMNS": "80",  # else `pytest -s` in a wide terminal prints other tables
    "LINES": "24",
    "TERM": "dumb",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "PYTHONUTF8": "1",  # of processes that tests start, where there is no such locale
    "MPLBACKEND": "agg",
}
REMOVED = (
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "FORCE_COLOR",
    "LANG",
    "LANGUAGE",
    "NO_COLOR",
    "PYTHONINSPECT",
    "PYTHONIOENCODING",
    "PYTHONOPTIMIZE",
    "PYTHONWARNINGS",
    "TTY_COMPATIBLE",
    "TTY_INTERACTIVE",
    "VALLEY_NOTEBOOK_QUICK",
    "VALLEY_QUIET",
)

os.environ.update(PINNED)
for _name in REMOVED:
    os.environ.pop(_name, None)
if hasattr(time, "tzset"):
    time.tzset()
