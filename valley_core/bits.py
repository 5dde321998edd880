"""Sets as bit masks: how many members, and which is the lowest, by the processor's own instructions."""

from typing import Any

from numba.core import types
from numba.extending import intrinsic

from valley_core.jit import JIT_DISABLED, kernel


@intrinsic
def _count_ones(typing_context: Any, bits: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), build


@intrinsic
def _trailing_zeros(typing_context: Any, bits: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], context.get_constant(types.boolean, False))

    return types.int64(types.int64), build


def _size_plain(cards: int) -> int:
    """How many members a set has (bits 0 to 62)."""
    return int(cards).bit_count()


def _lowest_plain(cards: int) -> int:
    """The lowest member of a set that is not empty."""
    return (int(cards) & -int(cards)).bit_length() - 1


def _size_compiled(cards: int) -> int:
    return _count_ones(cards)


def _lowest_compiled(cards: int) -> int:
    return _trailing_zeros(cards)


size_of = _size_plain if JIT_DISABLED else kernel(_size_compiled)
lowest = _lowest_plain if JIT_DISABLED else kernel(_lowest_compiled)


@kernel
def bit(member: int) -> int:
    """The set that holds `member` alone."""
    return 1 << int(member)
