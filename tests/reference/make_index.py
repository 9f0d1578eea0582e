"""Cases of take, gather, scatter, nonzero, item, one_hot and masked_scatter."""

import math

import numpy as np

from cases import COMPUTABLE, INTEGERS, REALS, call, case, error_case, integer_range, method, ops_case, tensor, wrap
from make_shape import numbered, to


def resolved(indices, size, mode):
    """Positions on the axis, and where they are valid at all."""
    i = np.array(indices.values, np.int64)
    if mode == "clamp":
        return np.clip(i, 0, size - 1), np.full(i.shape, True)
    if mode == "drop":
        return np.where((0 <= i) & (i < size), i, 0), (0 <= i) & (i < size)
    return np.where(i < 0, i + size, i), np.full(i.shape, True)


def zero_of(dtype):
    return False if dtype == "bool" else 0


def taken(x, indices, axis, mode="error"):
    axis %= x.values.ndim
    places, valid = resolved(indices, x.shape[axis], mode)
    y = np.take(x.values, places, axis)
    valid = valid.reshape(valid.shape + (1,) * (x.values.ndim - axis - 1))
    return to(x, np.where(valid, y, zero_of(x.dtype)))


def gathered(x, indices, axis, mode="error"):
    places, valid = resolved(indices, x.shape[axis], mode)
    return to(x, np.where(valid, np.take_along_axis(x.values, places, axis), zero_of(x.dtype)))


def larger(a, b):
    return math.nan if a != a or b != b else max(a, b)


def smaller(a, b):
    return math.nan if a != a or b != b else min(a, b)


COMBINE = {"set": lambda a, b: b, "add": lambda a, b: a + b, "mul": lambda a, b: a * b, "max": larger, "min": smaller}


def scattered(fn, x, indices, updates, axis, mode="error"):
    """One after the other, in row-major order of indices; rounded once, at the end."""
    axis %= x.values.ndim
    places, valid = resolved(indices, x.shape[axis], mode)
    y = x.values.copy()
    for at in np.ndindex(*indices.shape):
        if valid[at]:
            to_place = at[:axis] + (places[at],) + at[axis + 1 :]
            y[to_place] = COMBINE[fn](y[to_place], updates.values[at])
    return tensor(x.dtype, wrap(x.dtype, y) if x.dtype in INTEGERS else y)


def takes():
    for dtype in COMPUTABLE:
        x = numbered(dtype, (3, 4))
        i = tensor("i64", [[2, 0], [-1, -3]])
        far = tensor("i32", [5, -7, 1])
        ops = {
            "rows": ("take %x, %i", taken(x, i, 0)),
            "columns": ("take %x, %i {axis=-1}", taken(x, i, -1)),
            "clamp": ("take %x, %far {axis=1, mode=clamp}", taken(x, far, 1, "clamp")),
            "drop": ("take %x, %far {mode=drop}", taken(x, far, 0, "drop")),
        }
        yield ops_case(f"take {dtype}", {"x": x, "i": i, "far": far}, ops)


def index_dtypes():
    """Integers of every dtype index, also those beyond i64."""
    x = numbered("f32", (5,))
    for dtype in INTEGERS:
        low, high = integer_range(dtype)
        near, far = tensor(dtype, [4, 0, 2] + [-1] * (low < 0)), tensor(dtype, [low, high, 3])
        in_range = tensor("i64", [min(max(v, -(2**63)), 2**63 - 1) for v in far.values])
        ops = {
            "error": ("take %x, %near", taken(x, near, 0)),
            "clamp": ("take %x, %far {mode=clamp}", taken(x, in_range, 0, "clamp")),
            "drop": ("take %x, %far {mode=drop}", taken(x, in_range, 0, "drop")),
        }
        yield ops_case(f"take by {dtype}", {"x": x, "near": near, "far": far}, ops)


def take_shapes():
    for shape, indices, axis in (
        ((4,), (), 0),
        ((2, 3, 5), (2, 0), 1),
        ((2, 3, 5), (2, 2), 1),
        ((0, 3), (2,), 1),
        ((3, 0), (4,), 0),
        ((2, 1), (3,), -1),
    ):
        x = numbered("f32", shape)
        i = tensor("i64", np.arange(math.prod(indices)) % shape[axis], indices)
        yield ops_case(
            f"take {list(indices)} of {list(shape)} along {axis}",
            {"x": x, "i": i},
            {"y": (f"take %x, %i {{axis={axis}}}", taken(x, i, axis))},
        )
    nothing = tensor("f32", np.zeros((0, 2)))
    i = tensor("i64", [0, 3])
    yield ops_case(
        "take of nothing, dropped",
        {"x": nothing, "i": i},
        {"y": ("take %x, %i {mode=drop}", tensor("f32", np.zeros((2, 2))))},
    )


def gathers():
    for dtype in COMPUTABLE:
        x = numbered(dtype, (3, 4))
        i = tensor("i64", [[0, 2, -1, 1], [-3, 1, 0, 2]])
        far = tensor("i16", [[5, -9, 1], [0, 3, 4], [-1, -4, 2]])
        ops = {
            "rows": ("gather %x, %i", gathered(x, i, 0)),
            "columns": ("gather %x, %far {axis=1, mode=clamp}", gathered(x, far, 1, "clamp")),
            "drop": ("gather %x, %far {axis=-1, mode=drop}", gathered(x, far, 1, "drop")),
        }
        yield ops_case(f"gather {dtype}", {"x": x, "i": i, "far": far}, ops)
    for shape, axis, count in (((2, 3, 2), 1, 5), ((2, 3, 2), 0, 1), ((2, 3), 1, 0), ((0, 3), 1, 2), ((1,), 0, 3)):
        x = numbered("f32", shape)
        size = [count if k == axis else n for k, n in enumerate(shape)]
        i = tensor("u8", np.arange(math.prod(size)) * 7 % shape[axis], size)
        yield ops_case(
            f"gather {count} of {list(shape)} along {axis}",
            {"x": x, "i": i},
            {"y": (f"gather %x, %i {{axis={axis}}}", gathered(x, i, axis))},
        )


def functions_of(dtype):
    if dtype == "bool":
        return ("set",)
    return ("set", "add", "mul") if dtype == "c64" else tuple(COMBINE)


def scatters():
    for dtype in COMPUTABLE:
        x = numbered(dtype, (3, 4))
        updates = tensor(dtype, numbered(dtype, (6, 4)).values[2:5])
        i, far = tensor("i64", [[0, 2, -1, 1], [0, 1, 0, 2], [-3, 1, 2, 1]]), tensor(
            "i32", [[9, 2, -1, 1], [0, 1, -8, 3], [0, 5, 2, 1]]
        )
        ops = {}
        for fn in functions_of(dtype):
            ops[fn] = f"scatter_{fn} %x, %i, %u", scattered(fn, x, i, updates, 0)
            ops[f"{fn}_clamp"] = f"scatter_{fn} %x, %far, %u {{mode=clamp}}", scattered(fn, x, far, updates, 0, "clamp")
            ops[f"{fn}_drop"] = f"scatter_{fn} %x, %far, %u {{axis=-1, mode=drop}}", scattered(
                fn, x, far, updates, 1, "drop"
            )
        with_specials = dtype == "c64" or dtype in REALS
        yield ops_case(
            f"scatter {dtype}", {"x": x, "i": i, "far": far, "u": updates}, ops, ulps=1 if with_specials else 0
        )


def scatter_order():
    """Small parts that a sum rounded at every step would lose, and the last of several writes."""
    for dtype in REALS:
        big = {"f16": 2048.0, "bf16": 256.0, "f32": 2.0**24, "f64": 2.0**40}[dtype]
        x, u, i = tensor(dtype, [big, 1]), tensor(dtype, [1, 1, 1, 1, -0.0]), tensor("i64", [0, 0, 0, 0, 1])
        ops = {fn: (f"scatter_{fn} %x, %i, %u", scattered(fn, x, i, u, 0)) for fn in COMBINE}
        yield ops_case(f"scatter {dtype}, several to one place", {"x": x, "i": i, "u": u}, ops)
    for shape, axis, count in (((2, 3, 2), 1, 5), ((2, 3), 1, 0), ((0, 3), 1, 2), ((3, 0), 0, 2)):
        x = numbered("i32", shape)
        size = [count if k == axis else n for k, n in enumerate(shape)]
        i = tensor("i64", np.arange(math.prod(size)) * 5 % max(shape[axis], 1), size)
        u = tensor("i32", np.arange(math.prod(size)) + 100, size)
        ops = {fn: (f"scatter_{fn} %x, %i, %u {{axis={axis}}}", scattered(fn, x, i, u, axis)) for fn in COMBINE}
        yield ops_case(f"scatter {count} into {list(shape)} along {axis}", {"x": x, "i": i, "u": u}, ops)


AT_Y = '(at main: %y)'


def refusals():
    x, u = numbered("f32", (3, 5)), numbered("f32", (1, 5))
    for index in (3, -4, 2**62):
        i = tensor("i64", [[0, 1, index, 2, 0]])
        message = f"index {index} is outside an axis of 3 elements {AT_Y}"
        yield error_case(f"take at {index}", {"x": x, "i": i}, "take %x, %i", f"[take] {message}")
        yield error_case(f"gather at {index}", {"x": x, "i": i}, "gather %x, %i", f"[gather] {message}")
        yield error_case(
            f"scatter at {index}", {"x": x, "i": i, "u": u}, "scatter_add %x, %i, %u", f"[scatter_add] {message}"
        )
    i = tensor("u64", [2**64 - 1])
    yield error_case(
        "take at the end of u64",
        {"x": x, "i": i},
        "take %x, %i {axis=1}",
        f"[take] index 9223372036854775807 or more is outside an axis of 5 elements {AT_Y}",
    )
    nothing, i = tensor("f32", np.zeros((0, 2))), tensor("i64", [0])
    yield error_case(
        "take of nothing",
        {"x": nothing, "i": i},
        "take %x, %i",
        f"[take] index 0 is outside an axis of 0 elements {AT_Y}",
    )
    nothing = tensor("f32", np.zeros((2, 0)))
    yield error_case(
        "take of no rows",
        {"x": nothing, "i": tensor("i64", [7])},
        "take %x, %i",
        f"[take] index 7 is outside an axis of 2 elements {AT_Y}",
    )


def nonzeros():
    values = {
        "bool": [False, True, False, True, True, False],
        "c64": [0, 1j, 0, complex(0, math.nan), complex(-0.0, -0.0), 2],
    }
    for dtype in COMPUTABLE:
        default = (
            [0.0, -0.0, math.nan, math.inf, 0.5, 0.0]
            if dtype in REALS
            else [0, 3, integer_range(dtype)[0] if dtype in INTEGERS else 0, 0, 1, 0]
        )
        calls = []
        for picked in (values.get(dtype, default), [zero_of(dtype)] * 6, [True if dtype == "bool" else 1] * 6):
            x = tensor(dtype, picked, (2, 3))
            found = np.argwhere(x.values != 0).T
            calls.append(call({"x": x}, {"y": tensor("i64", found, (2, found.shape[1]))}))
        program = "symbol N\n" + method({"x": f"{dtype}[2, 3]"}, ["%y = nonzero %x {count=N}"], ["y"])
        yield case(f"nonzero {dtype}", program, calls)
    for shape in ((), (5,), (0, 3), (2, 1, 3)):
        program = "symbol N\n" + method(
            {"x": f"i32[{', '.join(map(str, shape))}]"},
            ["%y = nonzero %x {count=N}", "%n = size_of {size=N}"],
            ["y", "n"],
        )
        calls = []
        for first in (0, 1):
            x = tensor("i32", (np.arange(math.prod(shape)) + first) % 2, shape)
            found = [at for at in np.ndindex(*shape) if x.values[at] != 0]
            y = tensor("i64", [[at[axis] for at in found] for axis in range(len(shape))], (len(shape), len(found)))
            calls.append(call({"x": x}, {"y": y, "n": tensor("i64", len(found))}))
        yield case(f"nonzero of {list(shape)}", program, calls)
    # The symbol has a bound, and is used behind.
    program = "symbol N in 0..2\n" + method(
        {"x": "f32[4]"}, ["%at = nonzero %x {count=N}", "%flat = reshape %at {shape=[N]}", "%y = take %x, %flat"], ["y"]
    )
    calls = [
        call({"x": tensor("f32", [0, 5, 0, -2])}, {"y": tensor("f32", [5, -2])}),
        call({"x": tensor("f32", [1, 5, 0, -2])}, error='[nonzero] N is 3, expected 0..2 (at main: %at)'),
        call({"x": tensor("f32", [0, 0, 0, 0])}, {"y": tensor("f32", [])}),
    ]
    yield case("nonzero within bounds", program, calls)


def items():
    program = "symbol N in 0..5\n" + method(
        {"n": "{dtype}[]"}, ["%same = item %n {symbol=N}", "%y = iota {length=2*N + 1}"], ["same", "y"]
    )
    for dtype in INTEGERS:
        calls = []
        for n in (3, 0, 5):
            x, y = tensor(dtype, n), tensor("i64", np.arange(2 * n + 1))
            calls.append(call({"n": x}, {"same": x, "y": y}))
        for n in (6, integer_range(dtype)[1], -1, integer_range(dtype)[0]):
            if integer_range(dtype)[0] <= n <= 2**63 - 1 and n != 0:
                error = f"[item] N is {n}, expected 0..5 (at main: %same)"
                calls.append(call({"n": tensor(dtype, n)}, error=error))
        yield case(f"item {dtype}", program.replace("{dtype}", dtype), calls)
    # What saturates to the largest size is refused, not taken for it.
    program = "symbol N\n" + method({"n": "u64[]"}, ["%y = item %n {symbol=N}"], ["y"])
    error = f"[item] x is {2**63}, expected a size of 63 bits {AT_Y}"
    calls = [call({"n": tensor("u64", 2**63)}, error=error), call({"n": tensor("u64", 7)}, {"y": tensor("u64", 7)})]
    yield case("item beyond i64", program, calls)


def one_hot(indices, depth, axis, dtype):
    i = np.array(indices.values, np.float64)[..., None]
    hits = (i == np.arange(depth)) | (i + depth == np.arange(depth))
    return tensor(dtype, np.moveaxis(hits, -1, axis).astype(object if dtype in INTEGERS else np.float64))


def one_hots():
    i = tensor("i32", [[0, 2, -1], [-4, 3, -3]])
    for dtype in COMPUTABLE:
        y = one_hot(i, 3, 1, dtype)
        yield ops_case(f"one_hot {dtype}", {"i": i}, {"y": (f"one_hot %i {{depth=3, axis=1, dtype={dtype}}}", y)})
    for dtype in INTEGERS:
        low, high = integer_range(dtype)
        i = tensor(dtype, [low, high, 1, 0])
        yield ops_case(f"one_hot of {dtype}", {"i": i}, {"y": ("one_hot %i {depth=2}", one_hot(i, 2, -1, "f32"))})
    for shape, depth in (((), 3), ((2,), 0), ((0, 2), 3), ((2, 3), 4)):
        i = tensor("i64", np.arange(math.prod(shape)) - 2, shape)
        ops = {}
        for axis in range(-len(shape) - 1, len(shape) + 1):
            line = f"one_hot %i {{depth={depth}, axis={axis}}}"
            ops[f"y{axis % (len(shape) + 1)}_{'n' if axis < 0 else 'p'}"] = line, one_hot(i, depth, axis, "f32")
        yield ops_case(f"one_hot of {list(shape)} to {depth}", {"i": i}, ops)
    program = "symbol S\nsymbol D\n" + method(
        {"i": "i64[S]", "w": "f32[D]"}, ["%y = one_hot %i {depth=D + 1, axis=0}"], ["y"]
    )
    calls = []
    for size, depth in ((3, 2), (0, 1), (2, 0)):
        i = tensor("i64", np.arange(size))
        calls.append(call({"i": i, "w": tensor("f32", np.zeros(depth))}, {"y": one_hot(i, depth + 1, 0, "f32")}))
    yield case("one_hot by symbol", program, calls)


def masked(x, mask, source):
    y, selected = x.values.copy(), np.broadcast_to(mask.values, x.shape)
    y[selected] = source.values.ravel()[: np.count_nonzero(selected)]
    return to(x, y)


def masked_scatters():
    for dtype in COMPUTABLE:
        x, source = numbered(dtype, (2, 3)), to(numbered(dtype, (5,)), numbered(dtype, (8,)).values[3:])
        mask, row = tensor("bool", [[1, 0, 1], [0, 1, 1]]), tensor("bool", [[0], [1]])
        ops = {
            "y": ("masked_scatter %x, %mask, %source", masked(x, mask, source)),
            "rows": ("masked_scatter %x, %row, %source", masked(x, row, source)),
        }
        yield ops_case(f"masked_scatter {dtype}", {"x": x, "mask": mask, "row": row, "source": source}, ops)
    for shape, mask, count in (((), True, 1), ((), False, 0), ((0, 3), True, 0), ((3,), False, 0), ((2, 2), True, 4)):
        x, source = numbered("f32", shape), tensor("f32", np.arange(count) + 50)
        mask = tensor("bool", mask)
        y = ("masked_scatter %x, %m, %source", masked(x, mask, source))
        yield ops_case(f"masked_scatter {count} into {list(shape)}", {"x": x, "m": mask, "source": source}, {"y": y})
    x, mask, source = numbered("f32", (2, 3)), tensor("bool", [1, 0, 1]), numbered("f32", (3,))
    error = f"[masked_scatter] number of elements of source is 3, expected at least 4 (as many as mask selects) {AT_Y}"
    yield error_case(
        "masked_scatter of too few", {"x": x, "m": mask, "source": source}, "masked_scatter %x, %m, %source", error
    )


def cases():
    old = (takes, index_dtypes, take_shapes, gathers, scatters, scatter_order, refusals, nonzeros)
    makers = (*old, items, one_hots, masked_scatters)
    with np.errstate(all="ignore"):
        return [case for make in makers for case in make()]
