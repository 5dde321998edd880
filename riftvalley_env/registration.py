"""Names in the registries of Gymnasium and PettingZoo."""

from valley_core.public import register_names

SOLO_ID = "RiftValleySolo-v0"
ZOO_ID = "riftvalley_v0"
MODULE = "riftvalley_env.riftvalley_v0"


def register() -> None:
    """Register the environments, once."""
    register_names(MODULE, SOLO_ID, ZOO_ID)
