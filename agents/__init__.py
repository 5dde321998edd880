"""Everything that chooses actions. An agent is named by a string: `agents.make_agent`."""

from pathlib import Path

from valley_core.jit import register_package

register_package(__name__, Path(__file__).parent, depends=("deathvalley_env", "riftvalley_env"))

from agents.base import Agent, Decisions, agent_names, make_agent, register_agent  # noqa: E402

__all__ = ["Agent", "Decisions", "agent_names", "make_agent", "register_agent"]
