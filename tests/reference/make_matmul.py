"""Cases of matmul."""

import math

import numpy as np

from cases import INTEGERS, NUMBERS, REALS, call, case, integer_range, method, ops_case, tensor, wrap
from conversion import convert, promote


def numbers(dtype, shape, seed):
    """Exact in every dtype, as are sums of their products."""
    values = np.random.RandomState(seed).randint(0 if dtype[0] == "u" else -6, 7, shape)
    if dtype == "c64":
        return tensor(dtype, values + 1j * values[..., ::-1])
    return tensor(dtype, values)


def product(dtype, a, b):
    """By exact integers, or in float64."""
    y = np.matmul(convert(a, dtype).values, convert(b, dtype).values)
    return tensor(dtype, wrap(dtype, y) if dtype in INTEGERS else y)


def flip(x):
    return type(x)(x.dtype, np.swapaxes(x.values, -1, -2))


def every_dtype():
    for dtype in NUMBERS:
        a, b = numbers(dtype, (3, 4), 1), numbers(dtype, (4, 5), 2)
        y = product(dtype, a, b)
        ops = {
            "plain": ("matmul %a, %b", y),
            "ta": ("matmul %at, %b {transpose_a=true}", y),
            "tb": ("matmul %a, %bt {transpose_b=true}", y),
            "both": ("matmul %at, %bt {transpose_a=true, transpose_b=true}", y),
        }
        yield ops_case(f"matmul {dtype}", {"a": a, "b": b, "at": flip(a), "bt": flip(b)}, ops, ulps=0)


def promotions():
    for left, right in (
        ("bool", "i8"),
        ("u8", "i8"),
        ("i32", "f16"),
        ("f16", "bf16"),
        ("f32", "f64"),
        ("i16", "c64"),
        ("u32", "i32"),
    ):
        a, b = numbers("u8", (2, 3), 3), numbers("u8", (3, 2), 4)
        a, b = convert(a, left), convert(b, right)
        yield ops_case(
            f"matmul {left} and {right}",
            {"a": a, "b": b},
            {"y": ("matmul %a, %b", product(promote(left, right), a, b))},
        )


SHAPES = [
    ((1, 1), (1, 1)),
    ((2, 3, 4), (4, 5)),
    ((3, 4), (2, 4, 1)),
    ((2, 1, 3, 4), (5, 4, 2)),
    ((0, 3), (3, 2)),
    ((2, 0), (0, 3)),
    ((2, 3), (3, 0)),
    ((0, 2, 3), (3, 4)),
    ((1, 2, 3), (0, 3, 4)),
    ((7, 1), (1, 3)),
]


def shapes():
    for left, right in SHAPES:
        a, b = numbers("f32", left, 5), numbers("f32", right, 6)
        y = product("f32", a, b)
        ops = {"plain": ("matmul %a, %b", y), "both": ("matmul %at, %bt {transpose_a=true, transpose_b=true}", y)}
        ops["einsum"] = ('einsum [%a, %b] {equation="...ij,...jk->...ik"}', y)
        yield ops_case(f"matmul of {list(left)} and {list(right)}", {"a": a, "b": b, "at": flip(a), "bt": flip(b)}, ops)


def precision():
    """Sums that f16 and bf16 would lose, products that integers wrap, and specials."""
    for dtype in REALS:
        a = tensor(dtype, np.random.RandomState(7).standard_normal((2, 101)))
        b = tensor(dtype, np.random.RandomState(8).standard_normal((101, 2)))
        exact = [[math.fsum(x * y for x, y in zip(row, column)) for column in b.values.T] for row in a.values]
        yield ops_case(
            f"matmul {dtype}, long", {"a": a, "b": b}, {"y": ("matmul %a, %b", tensor(dtype, exact))}, atol=1e-13
        )
        a = tensor(dtype, [[1, math.inf], [math.nan, 0], [-math.inf, math.inf], [0.0, -0.0]])
        b = tensor(dtype, [[1, 0], [2, math.inf]])
        with np.errstate(all="ignore"):
            y = np.array([[sum(x * y for x, y in zip(row, column)) for column in b.values.T] for row in a.values])
        yield ops_case(f"matmul {dtype}, specials", {"a": a, "b": b}, {"y": ("matmul %a, %b", tensor(dtype, y))})
    for dtype in INTEGERS:
        low, high = integer_range(dtype)
        a, b = tensor(dtype, [[high, low], [high, high]]), tensor(dtype, [[high, 3], [low, high]])
        yield ops_case(f"matmul {dtype}, wrapping", {"a": a, "b": b}, {"y": ("matmul %a, %b", product(dtype, a, b))})


def symbols():
    inputs = {"a": "f32[B, S, 3]", "b": "f32[3, S]"}
    program = "symbol B\nsymbol S\n" + method(inputs, ["%y = matmul %a, %b"], ["y"])
    calls = []
    for batch, size in ((2, 3), (0, 4), (1, 0), (3, 1)):
        a, b = numbers("f32", (batch, size, 3), 9), numbers("f32", (3, size), 10)
        calls.append(call({"a": a, "b": b}, {"y": product("f32", a, b)}))
    yield case("sizes by symbol", program, calls)


def cases():
    return [case for make in (every_dtype, promotions, shapes, precision, symbols) for case in make()]
