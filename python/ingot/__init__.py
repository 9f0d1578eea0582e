"""Ingot: machine-learning programs, written in Python as text that every engine of Ingot runs.

The ops and the enums of their attributes are in ``ingot.ops``.
"""

from ingot.dims import Dim, Symbol, ceil_div, maximum, minimum
from ingot.ops import DType, QuantMethod
from ingot.tensor_type import QuantScheme, TensorType
from ingot.text import Graph, Program
from ingot.var import State, Var, Weight

__all__ = [
    "DType",
    "Dim",
    "Graph",
    "Program",
    "QuantMethod",
    "QuantScheme",
    "State",
    "Symbol",
    "TensorType",
    "Var",
    "Weight",
    "ceil_div",
    "maximum",
    "minimum",
]
