"""Names in the registries of Gymnasium and PettingZoo."""

from valley_core.public import register_names

SOLO_ID = "DeathValleySolo-v0"
ZOO_ID = "deathvalley_v0"
MODULE = "deathvalley_env.deathvalley_v0"


def register() -> None:
    """Register the environments, once."""
    register_names(MODULE, SOLO_ID, ZOO_ID)
