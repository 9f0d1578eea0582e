"""The examples, by op."""

from __future__ import annotations

from collections.abc import Callable

from support import Bench

EXAMPLES: dict[type, Callable[[Bench], None]] = {}


def example(op: type):
    def add(function: Callable[[Bench], None]) -> Callable[[Bench], None]:
        EXAMPLES[op] = function
        return function

    return add
