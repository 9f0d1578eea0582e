"""Cases of triangle, diagonal, as_strided, unfold and fold."""

import math

import numpy as np

from cases import COMPUTABLE, INTEGERS, NUMBERS, REALS, call, case, method, ops_case, tensor, wrap
from make_shape import numbered, text, to

LOW, HIGH = -(2**63), 2**63 - 1


def triangle(fn, x, k):
    """np.tril and np.triu multiply, which keeps no NaN apart; a mask of theirs does."""
    ones = np.ones(x.shape, bool)
    kept = (np.tril if fn == "lower" else np.triu)(ones, min(max(k, -100), 100))
    return to(x, np.where(kept, x.values, False if x.dtype == "bool" else 0))


def triangles():
    for dtype in COMPUTABLE:
        x = numbered(dtype, (2, 3, 4))
        ops = {fn: (f"triangle_{fn} %x {{k=1}}", triangle(fn, x, 1)) for fn in ("lower", "upper")}
        yield ops_case(f"triangle {dtype}", {"x": x}, ops)
    for shape in ((3, 3), (2, 5), (5, 2), (1, 1), (0, 3), (3, 0), (2, 0, 3, 3)):
        x = tensor("f32", np.arange(math.prod(shape)) + 1, shape)
        ops = {}
        for i, k in enumerate((None, 0, 1, -1, 3, -4, HIGH, LOW)):
            for fn in ("lower", "upper"):
                line = f"triangle_{fn} %x" if k is None else f"triangle_{fn} %x {{k={k}}}"
                ops[f"{fn}_{i}"] = line, triangle(fn, x, k or 0)
        yield ops_case(f"triangles of {text(shape)}", {"x": x}, ops)


def diagonal_lines(shape):
    rank = len(shape)
    for axis1, axis2 in ((0, 1), (1, 0), (-1, 0), (rank - 2, -1)):
        if axis1 % rank != axis2 % rank:
            for offset in (0, 1, -1, 2, -2, 7, -7, HIGH, LOW):
                yield axis1, axis2, offset


def diagonals():
    for dtype in COMPUTABLE:
        x = numbered(dtype, (3, 2, 4))
        y = to(x, np.diagonal(x.values, 1, 0, 2))
        yield ops_case(f"diagonal {dtype}", {"x": x}, {"y": ("diagonal %x {offset=1, axis1=0, axis2=-1}", y)})
    for shape in ((3, 3), (2, 5), (0, 3), (4, 3, 2), (2, 1, 0, 3)):
        x = numbered("i32", shape)
        ops = {"default": ("diagonal %x", to(x, np.diagonal(x.values)))}
        for i, (axis1, axis2, offset) in enumerate(diagonal_lines(shape)):
            y = to(x, np.diagonal(x.values, min(max(offset, -100), 100), axis1, axis2))
            ops[f"y{i}"] = f"diagonal %x {{offset={offset}, axis1={axis1}, axis2={axis2}}}", y
        yield ops_case(f"diagonals of {text(shape)}", {"x": x}, ops)


STRIDED = [
    ((12,), (3, 4), (4, 1), 0),
    ((12,), (4, 3), (1, 4), 0),
    ((10,), (8, 3), (1, 1), 0),  # sliding windows
    ((3, 4), (2, 2), (5, 2), 3),
    ((6,), (6,), (-1,), 5),
    ((2, 3), (2, 3), (3, -1), 2),
    ((5,), (2, 3), (0, 0), 4),
    ((5,), (), (), 3),
    ((), (2, 2), (0, 0), 0),
    ((5,), (1, 2), (HIGH, 1), 3),  # a stride that is never taken
    ((5,), (0, 3), (HIGH, LOW), LOW),  # no position at all
    ((0,), (2, 0), (1, 1), 0),
]


def strided():
    for dtype in COMPUTABLE:
        x = numbered(dtype, (3, 4))
        y = to(x, np.stack([x.values.ravel()[i : i + 3] for i in range(1, 10, 4)]))
        line = "as_strided %x {shape=[3, 3], strides=[4, 1], offset=1}"
        yield ops_case(f"as_strided {dtype}", {"x": x}, {"y": (line, y)})
    for shape, sizes, strides, offset in STRIDED:
        x = numbered("f32", shape)
        flat = np.ascontiguousarray(x.values.ravel())
        y = np.zeros(sizes)
        if math.prod(sizes) > 0:
            taken = [stride if n > 1 else 0 for n, stride in zip(sizes, strides)]
            y = np.lib.stride_tricks.as_strided(flat[offset:], sizes, [8 * stride for stride in taken])
        line = f"as_strided %x {{shape={text(sizes)}, strides={text(strides)}, offset={offset}}}"
        name = f"as_strided {text(shape)} as {text(sizes)} by {text(strides)}"
        yield ops_case(name, {"x": x}, {"y": (line, to(x, y))})
    program = "symbol S in 3..\n" + method(
        {"x": "i64[S]"}, ["%y = as_strided %x {shape=[S - 2, 3], strides=[1, 1]}"], ["y"]
    )
    calls = []
    for size in (3, 4, 7):
        x = np.arange(size) * 10
        y = np.lib.stride_tricks.sliding_window_view(x, 3)
        calls.append(call({"x": tensor("i64", x)}, {"y": tensor("i64", y)}))
    yield case("as_strided by symbol", program, calls)


def windows(x, kernel, strides, dilations, before, after):
    """[N, C, spatial…] as [N, C·∏kernel, positions]: every window of the padded array, by NumPy's views of them."""
    spatial = tuple(range(2, x.ndim))
    padded = np.pad(x, [(0, 0), (0, 0), *zip(before, after)], constant_values=False if x.dtype == bool else 0)
    extents = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    view = np.lib.stride_tricks.sliding_window_view(padded, extents, spatial)
    steps = [slice(None)] * 2 + [slice(None, None, s) for s in strides] + [slice(None, None, d) for d in dilations]
    view = view[tuple(steps)]
    count = len(kernel)
    order = (0, 1, *range(2 + count, 2 + 2 * count), *range(2, 2 + count))
    positions = math.prod(view.shape[2 : 2 + count])
    return view.transpose(order).reshape(x.shape[0], x.shape[1] * math.prod(kernel), positions)


def folded(x, shape, kernel, strides, dilations, before, after):
    """Adds every element of x to the place that unfold would have read it from."""
    planes = x.shape[1] // math.prod(kernel)
    size = (x.shape[0], planes, *shape)
    places = windows(np.arange(1, math.prod(size) + 1).reshape(size), kernel, strides, dilations, before, after)
    y = np.zeros(math.prod(size) + 1, x.dtype)
    for place, value in zip(places.ravel(), x.ravel()):
        y[place] = y[place] + value
    return y[1:].reshape(size)


# spatial sizes, kernel, strides, dilations, before, after
WINDOWS = [
    ((5,), (3,), (1,), (1,), (0,), (0,)),
    ((5,), (2,), (2,), (3,), (1,), (2,)),
    ((4, 5), (2, 3), (1, 1), (1, 1), (0, 0), (0, 0)),
    ((4, 5), (3, 2), (2, 1), (1, 2), (1, 0), (2, 1)),
    ((3, 3), (1, 1), (2, 2), (1, 1), (0, 0), (0, 0)),
    ((2, 3, 4), (2, 1, 3), (1, 2, 1), (1, 1, 1), (0, 1, 0), (1, 0, 0)),
    ((2,), (4,), (1,), (1,), (3,), (3,)),  # more padding than elements
]


def attributes(kernel, strides, dilations, before, after):
    names = {"kernel": kernel, "strides": strides, "dilations": dilations, "before": before, "after": after}
    return ", ".join(f"{name}={text(values)}" for name, values in names.items())


def unfolds():
    for dtype in COMPUTABLE:
        x = numbered(dtype, (1, 2, 3, 3))
        how = (2, 2), (1, 2), (1, 1), (0, 1), (1, 0)
        y = to(x, windows(x.values, *how))
        ops = {"y": (f"unfold %x {{{attributes(*how)}}}", y)}
        if dtype in NUMBERS:
            shape = (2, 3)
            f = numbered(dtype, (1, 8, 6))
            how = (2, 2), (1, 1), (1, 1), (1, 0), (0, 1)
            folds = folded(f.values, shape, *how)
            line = f"fold %f {{shape={text(shape)}, {attributes(*how)}}}"
            ops["sum"] = line, tensor(dtype, wrap(dtype, folds) if dtype in INTEGERS else folds)
            yield ops_case(f"unfold and fold {dtype}", {"x": x, "f": f}, ops)
        else:
            yield ops_case(f"unfold {dtype}", {"x": x}, ops)
    for sizes, *how in WINDOWS:
        x = tensor("f32", np.arange(4 * math.prod(sizes)) - 7, (2, 2, *sizes))
        y = windows(x.values, *how)
        ops = {
            "y": (f"unfold %x {{{attributes(*how)}}}", to(x, y)),
            "back": (f"fold %y {{shape={text(sizes)}, {attributes(*how)}}}", to(x, folded(y, sizes, *how))),
        }
        yield ops_case(f"windows over {text(sizes)}: {attributes(*how)}", {"x": x}, ops)
    x = tensor("f32", np.arange(6), (1, 1, 2, 3))
    y = windows(x.values, (2, 2), (1, 1), (1, 1), (0, 0), (0, 0))
    plain = {
        "y": ("unfold %x {kernel=[2, 2]}", to(x, y)),
        "z": ("fold %y {shape=[2, 3], kernel=[2, 2]}", tensor("f32", [[[[0, 2, 2], [3, 8, 5]]]])),
    }
    yield ops_case("windows by default", {"x": x}, plain)


def few_windows():
    """No batch, no channels, no room for a window, nothing but padding."""
    for shape, kernel, result in (((0, 2, 4), 3, (0, 6, 2)), ((2, 0, 4), 3, (2, 0, 2)), ((1, 2, 2), 3, (1, 6, 0))):
        x = tensor("f32", np.ones(shape))
        ops = {
            "y": (f"unfold %x {{kernel=[{kernel}]}}", tensor("f32", np.zeros(result))),
            "z": (f"fold %y {{shape=[{shape[2]}], kernel=[{kernel}]}}", tensor("f32", np.zeros(shape))),
        }
        yield ops_case(f"windows of 3 over {text(shape)}", {"x": x}, ops)
    x = tensor("i8", np.zeros((1, 1, 0)))
    ops = {"y": ("unfold %x {kernel=[2], before=[1], after=[2]}", tensor("i8", np.zeros((1, 2, 2), int)))}
    yield ops_case("windows over padding alone", {"x": x}, ops)
    # Sums that a rounding at every step would lose.
    for dtype in REALS:
        big = {"f16": 2048.0, "bf16": 256.0, "f32": 2.0**24, "f64": 2.0**40}[dtype]
        x = tensor(dtype, [big, 1, 1, 1], (1, 4, 1))
        y = tensor(dtype, folded(x.values, (1,), (4,), (1,), (1,), (3,), (0,)))
        line = "fold %x {shape=[1], kernel=[4], before=[3]}"
        yield ops_case(f"fold {dtype} without overlap", {"x": x}, {"y": (line, y)})
        x = tensor(dtype, [big, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], (1, 4, 4))
        y = tensor(dtype, folded(x.values, (4,), (4,), (1,), (1,), (0,), (3,)))
        ops = {"y": ("fold %x {shape=[4], kernel=[4], after=[3]}", y)}
        yield ops_case(f"fold {dtype}, many to one place", {"x": x}, ops)


def by_symbols():
    inputs = {"x": "f32[N, C, S + 2]"}
    body = [
        "%y = unfold %x {kernel=[3], before=[1], after=[S]}",
        "%z = fold %y {shape=[S + 2], kernel=[3], before=[1], after=[S]}",
        "%lower = triangle_lower %x {k=S - C}",
        "%diagonal = diagonal %x {axis1=1, axis2=2}",
    ]
    declared = "symbol N\nsymbol C\nsymbol S in 1..\n"
    program = declared + method(inputs, body, ["y", "z", "lower", "diagonal"])
    calls = []
    for n, c, s in ((1, 2, 1), (2, 1, 3), (0, 4, 2), (1, 4, 2)):
        x = tensor("f32", np.arange(n * c * (s + 2)) + 1, (n, c, s + 2))
        how = (3,), (1,), (1,), (1,), (s,)
        y = windows(x.values, *how)
        expected = {
            "y": to(x, y),
            "z": to(x, folded(y, (s + 2,), *how)),
            "lower": triangle("lower", x, s - c),
            "diagonal": to(x, np.diagonal(x.values, 0, 1, 2)),
        }
        calls.append(call({"x": x}, expected))
    yield case("views by symbol", program, calls)


def cases():
    makers = (triangles, diagonals, strided, unfolds, few_windows, by_symbols)
    with np.errstate(all="ignore"):
        return [case for make in makers for case in make()]
