"""Programs that use every op, every value of its `fn`, and every attribute at a value that is not its default.

A module for each family, with an example for each of its ops.
"""

import importlib
import pathlib

from .registry import EXAMPLES

__all__ = ["EXAMPLES"]

for path in sorted(pathlib.Path(__file__).parent.glob("*.py")):
    importlib.import_module(f".{path.stem}", __package__)
