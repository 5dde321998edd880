"""What a game tells in ``infos``: numbers of fixed shapes under the same names after every step.

Those who stack infos (Gymnasium's `SyncVectorEnv`, replay buffers) make an array from the first that they see, and fail
where a later one is None, a text or a list of another length. So there are none: nobody is -1, and words are apart, in
`Game.summary`. Single numbers are NumPy's, since TorchRL asks each entry for its dtype.
"""

from typing import Any

import numpy as np

from valley_core.layout import Layout


class InfoReader:
    """The numbers of `Game.info` as entries of infos.

    Args:
        info: Its fields are single numbers, of shape (), or rows of them.
    """

    def __init__(self, info: Layout) -> None:
        places = [(field.name, field.shape, where) for field, where in info.slices()]
        self._single = [(name, where.start) for name, shape, where in places if not shape]
        self._rows = [(name, where) for name, shape, where in places if shape]

    def of_game(self, numbers: np.ndarray) -> dict[str, Any]:
        """The entries of one game, from int64 of shape (info.size,): ``np.int64``, or a view on `numbers`."""
        entries: dict[str, Any] = {name: numbers[where] for name, where in self._rows}
        for name, place in self._single:
            entries[name] = numbers[place]
        return entries

    def of_games(self, numbers: np.ndarray) -> dict[str, np.ndarray]:
        """The entries of n games, from int64 of shape (n, info.size): views of shape (n,) or (n, length)."""
        entries = {name: numbers[:, where] for name, where in self._rows}
        for name, place in self._single:
            entries[name] = numbers[:, place]
        return entries
