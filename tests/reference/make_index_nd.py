"""Cases of dynamic_slice, dynamic_update, gather_nd, scatter_nd, index_get and index_put."""

import math
import random

import numpy as np

from cases import COMPUTABLE, INTEGERS, REALS, call, case, error_case, integer_range, method, ops_case, tensor, wrap
from make_index import AT_Y, functions_of, resolved, zero_of
from make_shape import numbered, text, to

MODES = ("error", "clamp", "drop")


def box(starts, sizes, whole, mode):
    """The slices of the box and of the whole that meet."""
    if mode == "clamp":
        starts = [min(max(start, 0), n - size) for start, size, n in zip(starts, sizes, whole)]
    low = [min(max(start, 0), n) for start, n in zip(starts, whole)]
    high = [max(min(start + size, n), at) for start, size, n, at in zip(starts, sizes, whole, low)]
    spans = list(zip(low, high, starts))
    inner = tuple(slice(at - start, end - start) if end > at else slice(0, 0) for at, end, start in spans)
    return inner, tuple(slice(at, end) for at, end, _ in spans)


def sliced(x, starts, sizes, mode):
    y = to(x, np.full(sizes, zero_of(x.dtype), x.values.dtype))
    inner, outer = box(starts, sizes, x.shape, mode)
    y.values[inner] = x.values[outer]
    return y


def updated(x, update, starts, mode):
    y = to(x, x.values.copy())
    inner, outer = box(starts, update.shape, x.shape, mode)
    y.values[outer] = update.values[inner]
    return y


def dynamic():
    axes = "axes=[-1, 0]"
    for dtype in COMPUTABLE:
        x, update = numbered(dtype, (3, 4)), to(numbered(dtype, (2, 3)), numbered(dtype, (4, 3)).values[2:])
        i, j = tensor("i64", 1), tensor("u8", 1)
        ops = {
            "part": (f"dynamic_slice %x, [%j, %i] {{{axes}, sizes=[2, 1]}}", sliced(x, (1, 1), (1, 2), "error")),
            "y": (f"dynamic_update %x, %u, [%j, %i] {{{axes}}}", updated(x, update, (1, 1), "error")),
        }
        yield ops_case(f"dynamic_slice and dynamic_update {dtype}", {"x": x, "u": update, "i": i, "j": j}, ops)
    x, update = numbered("f32", (3, 4)), tensor("f32", np.arange(6) + 50, (2, 3))
    for start in ((0, 0), (1, 1), (2, 3), (-1, -2), (-5, 9), (3, 0), (-(2**63), 2**63 - 1)):
        i, j = tensor("i64", start[0]), tensor("i64", start[1])
        ops = {}
        for mode in ("clamp", "drop"):
            line = f"dynamic_slice %x, [%j, %i] {{{axes}, sizes=[3, 2], mode={mode}}}"
            ops[f"slice_{mode}"] = line, sliced(x, start, (2, 3), mode)
            ops[mode] = f"dynamic_update %x, %u, [%j, %i] {{{axes}, mode={mode}}}", updated(x, update, start, mode)
        ops["larger"] = (
            f"dynamic_slice %x, [%j, %i] {{{axes}, sizes=[5, 4], mode=drop}}",
            sliced(x, start, (4, 5), "drop"),
        )
        yield ops_case(f"dynamic boxes at {list(start)}", {"x": x, "u": update, "i": i, "j": j}, ops)
    for start, axis in ((2, 0), (-1, 0), (2**63 - 1, 0), (-3, 1)):
        room, size = ((1, 3), (1, 4))[axis]
        fits = f"0 to {room} ({size - room} elements go into {size})"
        error = f"start along axis {axis} is {start}, expected {fits} {AT_Y}"
        zero, i = tensor("i64", 0), tensor("i64", start)
        starts = "%i, %zero" if axis == 0 else "%zero, %i"
        inputs = {"x": x, "u": update, "i": i, "zero": zero}
        line = f"dynamic_slice %x, [{starts}] {{axes=[0, 1], sizes=[2, 3]}}"
        yield error_case(f"dynamic_slice from {start} along {axis}", inputs, line, f"[dynamic_slice] {error}")
        line = f"dynamic_update %x, %u, [{starts}] {{axes=[0, 1]}}"
        yield error_case(f"dynamic_update at {start} along {axis}", inputs, line, f"[dynamic_update] {error}")
    x, nothing, i = numbered("f32", (0, 3)), tensor("f32", np.zeros((0, 2))), tensor("i64", 1)
    ops = {
        "all": ("dynamic_slice %x, [] {axes=[], sizes=[]}", x),
        "none": ("dynamic_slice %x, [%i] {axes=[1], sizes=[2]}", nothing),
        "same": ("dynamic_update %x, %u, [%i] {axes=[1]}", x),
        "zeros": (
            "dynamic_slice %x, [%i] {axes=[0], sizes=[2], mode=drop}",
            tensor("f32", np.zeros((2, 3))),
        ),
    }
    yield ops_case("dynamic boxes of nothing", {"x": x, "u": nothing, "i": i}, ops)


# ---------------------------------------------------------------------------------- NumPy's indexing by several tensors


def places(indices, size, mode):
    """Positions on an axis that has one place more, for what is dropped."""
    at, valid = resolved(indices, size, mode)
    return np.where(valid, at, size)


def with_spare(x, axes):
    """x with a place of 0 behind the last along each of the axes."""
    wide = np.full([n + (axis in axes) for axis, n in enumerate(x.shape)], zero_of(x.dtype), x.values.dtype)
    wide[tuple(slice(n) for n in x.shape)] = x.values
    return wide


def ulps_of(dtype):
    return 1 if dtype == "c64" or dtype in REALS else 0


AT = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


def put(fn, x, axes, index, values):
    y = with_spare(x, axes)
    if fn == "set":
        y[index] = values
    else:
        AT[fn].at(y, index, values)
    y = y[tuple(slice(n) for n in x.shape)]
    return tensor(x.dtype, wrap(x.dtype, y) if x.dtype in INTEGERS else y)


def numpy_index(x, indices, axes, mode):
    index = [slice(n) for n in x.shape]
    for i, axis in zip(indices, axes):
        index[axis] = places(i, x.shape[axis], mode)
    return tuple(index)


def index_get(x, indices, axes, mode="error"):
    axes = [axis % x.values.ndim for axis in axes]
    return to(x, with_spare(x, axes)[numpy_index(x, indices, axes, mode)])


def index_put(fn, x, indices, values, axes, mode="error"):
    axes = [axis % x.values.ndim for axis in axes]
    return put(fn, x, axes, numpy_index(x, indices, axes, mode), values.values)


def coordinates(x, indices, batch, mode):
    """NumPy's index for x[None]: 0, so that there is one, then a range for each shared axis, then the coordinates."""
    leading = indices.shape[:-1]
    index = [np.zeros(leading, int)]
    for axis in range(batch):
        index.append(np.arange(leading[axis]).reshape([-1 if k == axis else 1 for k in range(len(leading))]))
    for k in range(indices.shape[-1]):
        index.append(np.broadcast_to(places(to(indices, indices.values[..., k]), x.shape[batch + k], mode), leading))
    return tuple(index)


def gather_nd(x, indices, batch=0, mode="error"):
    wide = with_spare(x, range(batch, batch + indices.shape[-1]))
    return to(x, wide[None][coordinates(x, indices, batch, mode)])


def scatter_nd(fn, x, indices, updates, mode="error"):
    axes, index = range(1, 1 + indices.shape[-1]), coordinates(x, indices, 0, mode)
    return to(x, put(fn, to(x, x.values[None]), axes, index, updates.values).values[0])


# ------------------------------------------------------------------------------------------------------- coordinates


def nd_dtypes():
    """Several writes to one place, and coordinates outside."""
    near, far = tensor("i64", [[2, 0], [0, -1], [2, 0]]), tensor("i16", [[1, 9], [-7, 1], [2, 3], [0, 0]])
    for dtype in COMPUTABLE:
        x = numbered(dtype, (3, 4, 2))
        u, v = (to(x, numbered(dtype, (n + 1, 2)).values[1:]) for n in (3, 4))
        ops = {"get": ("gather_nd %x, %near", gather_nd(x, near))}
        for mode in ("clamp", "drop"):
            ops[f"get_{mode}"] = f"gather_nd %x, %far {{mode={mode}}}", gather_nd(x, far, 0, mode)
        for fn in functions_of(dtype):
            ops[fn] = f"scatter_nd_{fn} %x, %near, %u", scatter_nd(fn, x, near, u)
            for mode in ("clamp", "drop"):
                y = scatter_nd(fn, x, far, v, mode)
                ops[f"{fn}_{mode}"] = f"scatter_nd_{fn} %x, %far, %v {{mode={mode}}}", y
        inputs = {"x": x, "near": near, "far": far, "u": u, "v": v}
        yield ops_case(f"gather_nd and scatter_nd {dtype}", inputs, ops, ulps=ulps_of(dtype))


# x, indices, batch_dims
COORDINATES = [
    ((4,), (1,), 0),
    ((4,), (3, 1), 0),
    ((2, 3), (2, 2, 2), 0),
    ((2, 3, 2), (5, 1), 0),
    ((2, 3, 2), (2, 4, 1), 1),
    ((2, 3, 2), (2, 3, 1), 2),
    ((2, 3, 2), (2, 2), 1),
    ((2, 3), (0, 2), 0),
    ((3, 0), (2, 1), 0),
    ((0, 3), (0, 2, 1), 1),
    ((2, 3), (2, 0), 0),  # a coordinate that names all of x
    ((2, 3), (2, 4, 0), 1),
    ((), (3, 0), 0),
]


def nd_shapes():
    for shape, sizes, batch in COORDINATES:
        x = numbered("f32", shape)
        bounds = [shape[batch + k] for k in range(sizes[-1])]
        i = np.array([[n and (7 * row + k) % n for k, n in enumerate(bounds)] for row in range(math.prod(sizes[:-1]))])
        i = tensor("i32", i.reshape(sizes))
        ops = {"y": (f"gather_nd %x, %i {{batch_dims={batch}}}", gather_nd(x, i, batch))}
        inputs = {"x": x, "i": i}
        if batch == 0:
            size = sizes[:-1] + shape[sizes[-1] :]
            inputs["u"] = tensor("f32", np.arange(math.prod(size)) + 50, size)
            ops["z"] = "scatter_nd_set %x, %i, %u", scatter_nd("set", x, i, inputs["u"])
        yield ops_case(f"gather_nd of {text(shape)} by {text(sizes)}, {batch} shared", inputs, ops)
    program = "symbol B\nsymbol S in 1..\n" + method(
        {"x": "f32[B, S, 2]", "i": "i64[B, 3, 1]"}, ["%y = gather_nd %x, %i {batch_dims=1, mode=clamp}"], ["y"]
    )
    calls = []
    for b, s in ((2, 3), (0, 1), (1, 2)):
        x, i = numbered("f32", (b, s, 2)), tensor("i64", np.arange(3 * b).reshape(b, 3, 1) - 1)
        calls.append(call({"x": x, "i": i}, {"y": gather_nd(x, i, 1, "clamp")}))
    yield case("gather_nd by symbol", program, calls)


def nd_refusals():
    x, u = numbered("f32", (3, 5)), tensor("f32", [1, 2])
    for bad in (5, -6, 2**62):
        i = tensor("i64", [[0, 1], [2, bad]])
        error = f"index {bad} is outside an axis of 5 elements {AT_Y}"
        yield error_case(f"gather_nd at {bad}", {"x": x, "i": i}, "gather_nd %x, %i", f"[gather_nd] {error}")
        line = "scatter_nd_add %x, %i, %u"
        yield error_case(f"scatter_nd at {bad}", {"x": x, "i": i, "u": u}, line, f"[scatter_nd_add] {error}")
        rows, columns, inputs = tensor("i8", [0, 2]), tensor("i64", bad), {"x": x, "u": tensor("f32", 3)}
        inputs |= {"r": rows, "c": columns}
        line = "index_get %x, [%r, %c] {axes=[0, 1]}"
        yield error_case(f"index_get at {bad}", {k: inputs[k] for k in "xrc"}, line, f"[index_get] {error}")
        line = "index_put_max %x, [%r, %c], %u {axes=[0, 1]}"
        yield error_case(f"index_put at {bad}", inputs, line, f"[index_put_max] {error}")
    # An index counts where nothing is read, too.
    nothing, i = tensor("f32", np.zeros((2, 0))), tensor("i64", [[2]])
    error = f"index 2 is outside an axis of 2 elements {AT_Y}"
    yield error_case("gather_nd of nothing", {"x": nothing, "i": i}, "gather_nd %x, %i", f"[gather_nd] {error}")
    line = "index_get %x, [%i] {axes=[0]}"
    yield error_case("index_get of nothing", {"x": nothing, "i": i}, line, f"[index_get] {error}")


# ------------------------------------------------------------------------------------------------------------ several


def get_and_put(name, x, indices, axes, mode, fns, values=None):
    """index_get, and index_put of `values` by each of the functions."""
    inputs = {"x": x} | {f"i{k}": index for k, index in enumerate(indices)}
    operands = ", ".join(f"%i{k}" for k in range(len(indices)))
    how = f"axes={text(axes)}" + ("" if mode == "error" else f", mode={mode}")
    ops = {"get": (f"index_get %x, [{operands}] {{{how}}}", index_get(x, indices, axes, mode))}
    if fns:
        inputs["v"] = values
    for fn in fns:
        y = index_put(fn, x, indices, values, axes, mode)
        ops[fn] = f"index_put_{fn} %x, [{operands}], %v {{{how}}}", y
    return ops_case(name, inputs, ops, ulps=ulps_of(x.dtype))


def index_dtypes():
    for dtype in COMPUTABLE:
        x, v = numbered(dtype, (3, 2, 4)), to(numbered(dtype, (3,)), numbered(dtype, (4,)).values[1:])
        rows, columns = tensor("i64", [[2], [0]]), tensor("u8", [1, 3, 1])
        name = f"index_get and index_put {dtype}"
        yield get_and_put(name, x, [rows, columns], [0, 2], "error", functions_of(dtype), to(x, v.values.reshape(3, 1)))
    for dtype in INTEGERS:
        low, high = integer_range(dtype)
        x, i = numbered("f32", (4, 3)), tensor(dtype, [low, 2, high])
        in_range = [tensor("i64", [min(max(v, -(2**63)), 2**63 - 1) for v in i.values]), tensor("i64", 1)]
        ops = {}
        for mode in ("clamp", "drop"):
            y = index_get(x, in_range, [0, 1], mode)
            ops[mode] = f"index_get %x, [%i, %j] {{axes=[0, 1], mode={mode}}}", y
        yield ops_case(f"index_get by {dtype}", {"x": x, "i": i, "j": in_range[1]}, ops)


# x, shapes of the indices, axes: neighbours, others, in any order, of any rank
PLACEMENTS = [
    ((3, 4), [()], [0]),
    ((3, 4), [(2, 2)], [-1]),
    ((3, 4, 2), [(2,), (2,)], [0, 1]),
    ((3, 4, 2), [(2,), (2,)], [1, 2]),
    ((3, 4, 2), [(2,), (2,)], [2, 1]),
    ((3, 4, 2), [(2,), (2,)], [0, 2]),
    ((3, 4, 2), [(2, 1), (3,)], [2, 0]),
    ((3, 4, 2), [(), (3,)], [0, 2]),
    ((3, 4, 2), [(), ()], [0, 2]),
    ((2, 3, 2, 2), [(2,), (1,), (2, 1)], [3, 1, 2]),
    ((2, 3, 2, 2), [(2,), (2,)], [1, 3]),
    ((3, 4), [(0,), ()], [0, 1]),
    ((3, 0, 2), [(2,), (2,)], [0, 2]),
    ((2, 3), [(2, 3), (2, 3)], [1, 0]),
]


def index_shapes():
    for shape, sizes, axes in PLACEMENTS:
        x = tensor("i32", np.arange(math.prod(shape)), shape)
        indices = [
            tensor("i64", (np.arange(math.prod(size)) * 5 + k) % shape[axis] - shape[axis] * (k % 2), size)
            for k, (size, axis) in enumerate(zip(sizes, axes))
        ]
        name, v = f"index {text(shape)} by {sizes} along {text(axes)}", tensor("i32", 100)
        yield get_and_put(name, x, indices, axes, "error", ("set", "add"), v)
    program = "symbol S\nsymbol T in 1..\n" + method(
        {"x": "f32[S, 2, T]", "i": "i64[S, 1]", "j": "i64[3]"},
        [
            "%y = index_get %x, [%i, %j] {axes=[1, 2], mode=clamp}",
            "%z = index_put_add %x, [%i, %j], %y {axes=[1, 2], mode=clamp}",
        ],
        ["y", "z"],
    )
    calls = []
    for s, t in ((2, 4), (1, 1), (0, 2)):
        x = tensor("f32", np.arange(s * 2 * t), (s, 2, t))
        i, j = tensor("i64", np.arange(s), (s, 1)), tensor("i64", [1, 0, 9])
        y = index_get(x, [i, j], [1, 2], "clamp")
        z = index_put("add", x, [i, j], y, [1, 2], "clamp")
        calls.append(call({"x": x, "i": i, "j": j}, {"y": y, "z": z}))
    yield case("index_get and index_put by symbol", program, calls)


def broadcastable(draw, shape):
    """A shape that stretches to `shape`."""
    kept = [n if draw.random() < 0.7 else 1 for n in shape]
    return tuple(kept[draw.randint(0, len(kept)) :])


def random_index(draw, number):
    rank = draw.randint(1, 4)
    shape = tuple(draw.choice((1, 2, 3, 4) if draw.random() < 0.95 else (0,)) for _ in range(rank))
    axes = draw.sample(range(rank), draw.randint(1, rank))
    mode, fn = draw.choice(MODES), draw.choice(("set", *AT))
    box = tuple(draw.randint(1, 3) for _ in range(draw.randint(0, 2)))
    if any(shape[axis] == 0 for axis in axes):
        mode = "drop"
    indices = []
    for axis in axes:
        size = broadcastable(draw, box)
        n = shape[axis]
        low, high = (-n, n - 1) if mode == "error" else (-n - 2, n + 1)
        indices.append(tensor("i64", [draw.randint(low, high) for _ in range(math.prod(size))], size))
    x = tensor("i16", [draw.randint(-9, 9) for _ in range(math.prod(shape))], shape)
    size = broadcastable(draw, index_get(x, indices, axes, mode).shape)
    values = tensor("i16", [draw.randint(-9, 9) for _ in range(math.prod(size))], size)
    axes = [axis - rank if draw.random() < 0.3 else axis for axis in axes]
    return get_and_put(f"random index {number}", x, indices, axes, mode, (fn,), values)


def random_indices(count=60, seed=7):
    draw = random.Random(seed)
    for number in range(count):
        yield random_index(draw, number)


def cases():
    makers = (dynamic, nd_dtypes, nd_shapes, nd_refusals, index_dtypes, index_shapes, random_indices)
    with np.errstate(all="ignore"):
        return [case for make in makers for case in make()]
