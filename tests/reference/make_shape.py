"""Cases of reshape, transpose, broadcast, slice, concatenate, pad, ensure_shape, tile, repeat, flip and roll."""

import math

import numpy as np

from cases import COMPUTABLE, INTEGERS, REALS, call, case, integer_range, method, ops_case, tensor
from conversion import STORAGE, convert, promote


def numbered(dtype, shape):
    """Elements that differ from their neighbours, with the ends and the specials of the dtype among them."""
    count = math.prod(shape)
    if dtype in INTEGERS + ("i4", "u4", "i2", "u2"):
        low, high = integer_range(dtype)
        values = [low + (i * 5 + 1) % (high - low + 1) if i % 4 else high - i % 3 for i in range(count)]
    elif dtype == "bool":
        values = [i % 3 == 1 for i in range(count)]
    elif dtype == "c64":
        values = [complex(i, -i / 2) for i in range(count)]
    elif dtype in REALS:
        values = [
            (-0.0, math.nan, math.inf, -math.inf)[i // 5] if i % 5 == 4 and i < 20 else i / 4 - 1 for i in range(count)
        ]
    else:
        values = [2.0 ** (i % 3) for i in range(count)]
    return tensor(dtype, values, shape)


def to(x, values):
    return type(x)(x.dtype, np.array(values))


def text(sizes):
    return f"[{', '.join(map(str, sizes))}]"


def every_dtype():
    for dtype in COMPUTABLE:
        x, row = numbered(dtype, (3, 4, 2)), numbered(dtype, (1, 4, 1))
        v = x.values
        ops = {
            "reshape": ("reshape %x {shape=[4, 6]}", to(x, v.reshape(4, 6))),
            "transpose": ("transpose %x {perm=[2, 0, 1]}", to(x, v.transpose(2, 0, 1))),
            "broadcast": ("broadcast %row {shape=[2, 3, 4, 2]}", to(x, np.broadcast_to(row.values, (2, 3, 4, 2)))),
            "slice": ("slice %x {axes=[1, -1], starts=[1, 0], stops=[4, 1], steps=[2, 1]}", to(x, v[:, 1:4:2, 0:1])),
            "concatenate": ("concatenate [%x, %x, %row3] {axis=-2}", to(x, np.concatenate([v, v, v[:, :1]], 1))),
            "pad": (
                "pad %x {before=[0, 2, 1], after=[1, 0, 0]}",
                to(x, np.pad(v, ((0, 1), (2, 0), (1, 0)), constant_values=False if dtype == "bool" else 0)),
            ),
            "ensure": ("ensure_shape %x {shape=[3, 4, 2]}", x),
            "tile": ("tile %x {repeats=[1, 2, 3]}", to(x, np.tile(v, (1, 2, 3)))),
            "repeat": ("repeat %x {count=3, axis=1}", to(x, np.repeat(v, 3, 1))),
            "flip": ("flip %x {axes=[0, -1]}", to(x, np.flip(v, (0, 2)))),
            "roll": ("roll %x {shifts=[1, -5], axes=[2, 1]}", to(x, np.roll(v, (1, -5), (2, 1)))),
        }
        yield ops_case(f"shape ops {dtype}", {"x": x, "row": row, "row3": to(x, v[:, :1])}, ops)
    for dtype in STORAGE:
        x = numbered(dtype, (3, 5))
        yield ops_case(
            f"reshape {dtype}", {"x": x}, {"y": ("reshape %x {shape=[5, 1, 3]}", to(x, x.values.reshape(5, 1, 3)))}
        )


def reshape_transpose_broadcast():
    for before, after in (((), (1, 1)), ((1,), ()), ((0, 3), (5, 0)), ((2, 3), (6,)), ((6,), (3, 1, 2))):
        x = numbered("f32", before)
        yield ops_case(
            f"reshape {text(before)} to {text(after)}",
            {"x": x},
            {"y": (f"reshape %x {{shape={text(after)}}}", to(x, x.values.reshape(after)))},
        )
    for shape, perm in (
        ((), ()),
        ((3,), (0,)),
        ((2, 3), (1, 0)),
        ((0, 3, 2), (2, 0, 1)),
        ((2, 3, 1, 5), (3, 1, 0, 2)),
        ((2, 2, 2), (0, 2, 1)),
    ):
        x = numbered("i16", shape)
        yield ops_case(
            f"transpose {text(shape)} by {text(perm)}",
            {"x": x},
            {"y": (f"transpose %x {{perm={text(perm)}}}", to(x, x.values.transpose(perm)))},
        )
    for before, after in (
        ((), (2, 3)),
        ((1,), (0,)),
        ((3,), (2, 3)),
        ((2, 1), (2, 4)),
        ((1, 1), (3, 0)),
        ((2, 3), (2, 3)),
        ((0,), (4, 0)),
    ):
        x = numbered("u8", before)
        yield ops_case(
            f"broadcast {text(before)} to {text(after)}",
            {"x": x},
            {"y": (f"broadcast %x {{shape={text(after)}}}", to(x, np.broadcast_to(x.values, after)))},
        )


SLICES = [
    ((7,), [(0, 0, 7, 1)]),
    ((7,), [(0, 0, 7, 3)]),
    ((7,), [(-1, 2, 7, 2)]),
    ((7,), [(0, 3, 3, 1)]),
    ((7,), [(0, 7, 7, 5)]),
    ((7, 8), [(0, 1, 6, 2**62)]),  # whose stride would overflow
    ((4, 5, 3), [(2, 1, 3, 1), (0, 1, 4, 2)]),
    ((4, 5, 3), [(1, 0, 5, 4)]),
    ((4, 0), [(0, 1, 3, 1), (1, 0, 0, 1)]),
    ((), []),
]


def slices():
    for shape, parts in SLICES:
        x = numbered("f16", shape)
        index = [slice(None)] * len(shape)
        for axis, start, stop, step in parts:
            index[axis] = slice(start, stop, step)
        axes, starts, stops, steps = (text([part[i] for part in parts]) for i in range(4))
        line = f"slice %x {{axes={axes}, starts={starts}, stops={stops}, steps={steps}}}"
        yield ops_case(
            f"slice {text(shape)} by {axes} {starts} {stops} {steps}",
            {"x": x},
            {"y": (line, to(x, x.values[tuple(index)]))},
        )


def concatenates():
    for left in COMPUTABLE:
        inputs, ops = {"a": numbered(left, (2, 1))}, {}
        for right in COMPUTABLE:
            dtype = promote(left, right)
            if dtype is None or right == left:
                continue
            inputs[right] = numbered(right, (2, 2))
            values = np.concatenate([convert(inputs[k], dtype).values for k in ("a", right)], 1)
            ops[f"y_{right}"] = f"concatenate [%a, %{right}] {{axis=1}}", tensor(dtype, values)
        yield ops_case(f"concatenate {left} and others", inputs, ops)
    parts = [numbered("i8", shape) for shape in ((2, 0, 3), (2, 3, 3), (2, 1, 3))]
    inputs = {f"x{i}": part for i, part in enumerate(parts)}
    expected = tensor("i8", np.concatenate([part.values for part in parts], 1))
    yield ops_case("concatenate three", inputs, {"y": ("concatenate [%x0, %x1, %x2] {axis=1}", expected)})
    x, empty = numbered("f32", (3,)), tensor("f32", np.zeros((0, 2)))
    ops = {
        "same": ("concatenate [%x]", x),
        "none": ("concatenate [%e, %e] {axis=-1}", tensor("f32", np.zeros((0, 4)))),
        "double": ("concatenate [%x, %x]", to(x, np.tile(x.values, 2))),
    }
    yield ops_case("concatenate one, none and twice the same", {"x": x, "e": empty}, ops)


PADS = [
    ((5,), (0,), (0,)),
    ((5,), (4,), (4,)),
    ((3,), (2,), (0,)),
    ((3, 4), (1, 3), (2, 0)),
    ((2, 3, 4), (1, 0, 2), (0, 2, 3)),
]


def pads():
    for shape, before, after in PADS:
        x = numbered("f32", shape)
        widths = list(zip(before, after))
        ops = {}
        for mode in ("reflect", "edge", "wrap"):
            y = to(x, np.pad(x.values, widths, mode=mode))
            ops[mode] = f"pad %x {{before={text(before)}, after={text(after)}, mode={mode}}}", y
        y = to(x, np.pad(x.values, widths, constant_values=-2.5))
        ops["value"] = f"pad %x {{before={text(before)}, after={text(after)}, value=-2.5}}", y
        yield ops_case(f"pad {text(shape)} by {text(before)} and {text(after)}", {"x": x}, ops)
    ends = {dtype: integer_range(dtype)[1] for dtype in INTEGERS} | {
        "bool": 1,
        "f16": 0.1,
        "bf16": 0.1,
        "f32": 0.1,
        "f64": 0.1,
        "c64": None,
    }
    for dtype, end in ends.items():
        x = numbered(dtype, (2,))
        value, written = (1.5 - 2j, "complex(1.5, -2.0)") if dtype == "c64" else (end, end)
        y = tensor(dtype, [*x.values, tensor(dtype, value).values.item()])
        yield ops_case(
            f"pad {dtype} with a value", {"x": x}, {"y": (f"pad %x {{before=[0], after=[1], value={written}}}", y)}
        )
    x = tensor("f32", np.zeros((0, 2)))
    yield ops_case(
        "pad nothing",
        {"x": x},
        {"y": ("pad %x {before=[1, 0], after=[1, 1], value=inf}", tensor("f32", np.full((2, 3), math.inf)))},
    )
    x = tensor("f32", 3.5)
    yield ops_case("pad a scalar", {"x": x}, {"y": ("pad %x {before=[], after=[]}", x)})


TILES = [((), ()), ((3,), (4,)), ((3,), (0,)), ((0, 2), (3, 2)), ((1, 1), (2, 3)), ((2, 3, 2), (2, 1, 3))]
REPEATS = [((3,), 4, 0), ((3,), 0, 0), ((0, 2), 3, 0), ((2, 3), 1, 1), ((2, 3, 2), 3, -2), ((1, 1), 5, -1)]
FLIPS = [((), ()), ((5,), (0,)), ((5,), ()), ((3, 4), (-1,)), ((3, 0), (0, 1)), ((2, 3, 4), (0, -1))]
LOW, HIGH = -(2**63), 2**63 - 1
ROLLS = [
    ((5,), (0,), (0,)),
    ((5,), (2,), (0,)),
    ((5,), (-2,), (-1,)),
    ((5,), (5,), (0,)),
    ((7,), (HIGH,), (0,)),  # -1 moved any further would overflow
    ((7,), (LOW,), (0,)),
    ((3, 4), (1, -9), (-1, 0)),
    ((0, 3), (2, 1), (0, 1)),
    ((1, 1), (3,), (1,)),
    ((), (), ()),
    ((3,), (), ()),
]


def moves():
    for shape, repeats in TILES:
        x = numbered("i16", shape)
        y = to(x, np.tile(x.values, repeats))
        line = f"tile %x {{repeats={text(repeats)}}}"
        yield ops_case(f"tile {text(shape)} by {text(repeats)}", {"x": x}, {"y": (line, y)})
    for shape, count, axis in REPEATS:
        x = numbered("f32", shape)
        y = to(x, np.repeat(x.values, count, axis))
        line = f"repeat %x {{count={count}, axis={axis}}}"
        yield ops_case(f"repeat {text(shape)} {count} times along {axis}", {"x": x}, {"y": (line, y)})
    for shape, axes in FLIPS:
        x = numbered("u8", shape)
        y = to(x, np.flip(x.values, axes))
        yield ops_case(f"flip {text(shape)} along {text(axes)}", {"x": x}, {"y": (f"flip %x {{axes={text(axes)}}}", y)})
    for shape, shifts, axes in ROLLS:
        x = numbered("f64", shape)
        y = x.values
        for shift, axis in zip(shifts, axes):
            y = np.roll(y, shift % max(shape[axis], 1), axis)  # NumPy's own shifts are no larger than i64
        line = f"roll %x {{shifts={text(shifts)}, axes={text(axes)}}}"
        yield ops_case(f"roll {text(shape)} by {text(shifts)} along {text(axes)}", {"x": x}, {"y": (line, to(x, y))})


def symbols():
    """Sizes that only the call knows."""
    inputs = {"x": "f32[S, T]"}
    body = [
        "%flat = reshape %x {shape=[S*T]}",
        "%wide = broadcast %x {shape=[2, S, T]}",
        "%half = slice %x {axes=[0], starts=[S/2], stops=[S]}",
        "%more = pad %x {before=[S, 0], after=[0, 1], value=7}",
        "%twice = concatenate [%x, %x] {axis=1}",
        "%tiles = tile %x {repeats=[T, 2]}",
        "%again = repeat %x {count=S + 1, axis=1}",
        "%rolled = roll %x {shifts=[1, -3], axes=[0, 1]}",
    ]
    outputs = ["flat", "wide", "half", "more", "twice", "tiles", "again", "rolled"]
    program = "symbol S\nsymbol T\n" + method(inputs, body, outputs)
    calls = []
    for shape in ((3, 2), (0, 2), (1, 0), (5, 1)):
        x = tensor("f32", np.arange(math.prod(shape)), shape)
        v = x.values
        more = np.pad(v, ((shape[0], 0), (0, 1)), constant_values=7)
        expected = {
            "flat": v.ravel(),
            "wide": np.broadcast_to(v, (2, *shape)),
            "half": v[shape[0] // 2 :],
            "more": more,
            "twice": np.concatenate([v, v], 1),
            "tiles": np.tile(v, (shape[1], 2)),
            "again": np.repeat(v, shape[0] + 1, 1),
            "rolled": np.roll(v, (1, -3), (0, 1)),
        }
        calls.append(call({"x": x}, {k: tensor("f32", y) for k, y in expected.items()}))
    yield case("shapes by symbol", program, calls)


def ensure_shape():
    inputs = {"x": "f32[S]", "y": "f32[T]"}
    program = "symbol S\nsymbol T\n" + method(
        inputs, ["%same = ensure_shape %y {shape=[S]}", "%sum = add %x, %same"], ["sum"]
    )
    x, y, z = tensor("f32", [1, 2]), tensor("f32", [3, 4]), tensor("f32", [5])
    refused = '[ensure_shape] x is [1], expected [2], which is [S] (at main: %same)'
    calls = [
        call({"x": x, "y": y}, {"sum": tensor("f32", [4, 6])}),
        call({"x": x, "y": z}, error=refused),
        call({"x": z, "y": z}, {"sum": tensor("f32", [10])}),
    ]
    yield case("ensure_shape of what cannot be proven", program, calls)


def cases():
    makers = (every_dtype, reshape_transpose_broadcast, slices, concatenates, pads, moves, symbols, ensure_shape)
    return [case for make in makers for case in make()]
