"""Everything that chooses actions. An agent is named by a string: `agents.make_agent`."""

from pathlib import Path

# The games register their sources, on which the kernels of agents depend.
import deathvalley_env  # noqa: F401
import riftvalley_env  # noqa: F401
from valley_core.jit import register_package

register_package(__name__, Path(__file__).parent, depends=("deathvalley_env", "riftvalley_env"))

from agents.base import Agent, agent_names, make_agent, register_agent  # noqa: E402
from agents.greedy import GreedyAgent  # noqa: E402
from agents.mcts import mcts  # noqa: E402
from agents.network import SUFFIX  # noqa: E402
from agents.network_agent import KIND as NETWORK  # noqa: E402
from agents.network_agent import TrainedAgent, network_of  # noqa: E402
from agents.noisy import KIND as NOISY  # noqa: E402
from agents.noisy import noisy  # noqa: E402
from agents.random import RandomAgent  # noqa: E402
from agents.rulebook import RulebookAgent  # noqa: E402
from agents.staller import StallerAgent  # noqa: E402
from valley_core.decisions import Decisions  # noqa: E402
from valley_core.errors import OptionError  # noqa: E402

__all__ = ["Agent", "Decisions", "agent_names", "make_agent", "register_agent"]


def _register(plain: type[Agent]) -> None:
    """Register an agent whose name takes nothing after a colon."""

    def make(argument: str) -> Agent:
        if argument:
            raise OptionError(f"the agent {plain.name!r} takes no argument, but {argument!r} was given")
        return plain()

    register_agent(plain.name, make)


_register(RandomAgent)
_register(GreedyAgent)
_register(RulebookAgent)
_register(StallerAgent)
_register(TrainedAgent)
register_agent("mcts", mcts)

register_agent(NOISY, noisy)
register_agent(NETWORK, network_of, suffix=SUFFIX)
