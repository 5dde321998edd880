"""Names in the registries of Gymnasium and PettingZoo."""

import gymnasium

SOLO_ID = "DeathValleySolo-v0"
ZOO_ID = "deathvalley_v0"
MODULE = "deathvalley_env.deathvalley_v0"


def register() -> None:
    """Register the environments, once."""
    if SOLO_ID not in gymnasium.registry:
        gymnasium.register(SOLO_ID, entry_point=f"{MODULE}:solo_env", vector_entry_point=f"{MODULE}:make_vec")
    try:
        from pettingzoo import env_registry
    except ImportError:  # PettingZoo 1.26 and older have no registry
        return
    for kind, registry, maker in (
        ("aec", env_registry.registration.aec_registry, "env"),
        ("parallel", env_registry.registration.parallel_registry, "parallel_env"),
    ):
        if all(name.replace("-", "_") != ZOO_ID for name in registry):
            env_registry.register(kind, ZOO_ID, entry_point=f"{MODULE}:{maker}")
