"""Cases of pooling: PyTorch's in float64, ONNX Runtime's where padding is not the same on both sides."""

import itertools

import numpy as np
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper
from onnxruntime import InferenceSession

from cases import COMPUTABLE, INTEGERS, REALS, call, case, error_case, integer_range, method, ops_case, tensor

MAX = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
AVG = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
LP = {1: F.lp_pool1d, 2: F.lp_pool2d, 3: F.lp_pool3d}
ADAPTIVE_MAX = {1: F.adaptive_max_pool1d, 2: F.adaptive_max_pool2d, 3: F.adaptive_max_pool3d}
ADAPTIVE_AVG = {1: F.adaptive_avg_pool1d, 2: F.adaptive_avg_pool2d, 3: F.adaptive_avg_pool3d}
UNPOOL = {1: F.max_unpool1d, 2: F.max_unpool2d, 3: F.max_unpool3d}


def numbers(dtype, shape, seed):
    """Quarters, or integers; few of them, so that maxima tie."""
    values = np.random.RandomState(seed).randint(0 if dtype[0] == "u" else -9, 10, shape)
    if dtype == "c64":
        return tensor(dtype, (values + 1j * np.flip(values)) / 4)
    return tensor(dtype, values / 4 if dtype in REALS else values)


def torch_of(values):
    return torch.from_numpy(np.array(values, np.float64))


def attributes(**options):
    given = [f"{k}={list(v) if isinstance(v, tuple) else str(v).lower()}" for k, v in options.items() if v not in ((), None)]
    return f" {{{', '.join(given)}}}"


def by_torch(fn, x, kernel, strides=(), dilations=(), before=(), ceil_mode=False, count_include_pad=False, p=2.0):
    """Padding as `before` on both sides."""
    n = x.ndim - 2
    strides, pads = strides or (1,) * n, before or (0,) * n
    if fn == "max":
        return MAX[n](torch_of(x), kernel, strides, pads, dilations or (1,) * n, ceil_mode).numpy()
    assert not dilations
    if fn == "avg":
        return AVG[n](torch_of(x), kernel, strides, pads, ceil_mode, count_include_pad).numpy()
    # PyTorch takes a last window that is not whole for more than it is: zeros make it whole.
    shape = MAX[n](torch_of(x), kernel, strides, pads, 1, ceil_mode).shape
    whole = np.pad(np.abs(x), [(0, 0), (0, 0)] + [(pad, pad + size) for pad, size in zip(pads, kernel)])
    return LP[n](torch_of(whole), p, kernel if n > 1 else kernel[0], strides).numpy()[tuple(map(slice, shape))]


def pool_op(fn, x, kernel, after=None, expected=None, **options):
    y = by_torch(fn, x.values, kernel, **options) if expected is None else expected
    line = f"pool_{fn} %x{attributes(kernel=kernel, **options, after=options.get('before') if after is None else after)}"
    return line, tensor(x.dtype, y)


# ------------------------------------------------------------------------------------------------------------ pool


def every_dtype():
    for dtype in INTEGERS + REALS:
        x = numbers(dtype, (2, 2, 7), 1)
        ops = {"max": pool_op("max", x, (3,), strides=(2,), before=(1,))}
        if dtype in REALS:
            ops |= {"avg": pool_op("avg", x, (3,), strides=(2,), before=(1,)), "lp": pool_op("lp", x, (3,), strides=(2,), p=3.0)}
        yield ops_case(f"pool {dtype}", {"x": x}, ops)
    x = numbers("c64", (1, 2, 5, 4), 2)
    re, im = (by_torch("avg", part, (2, 3), before=(1, 1)) for part in (x.values.real, x.values.imag))
    line = pool_op("avg", numbers("f32", (1, 2, 5, 4), 2), (2, 3), before=(1, 1))[0]
    yield ops_case("pool c64", {"x": x}, {"avg": (line, tensor("c64", re + 1j * im))})


# x, kernel, strides, padding on both sides
POOLS = [
    ((1, 1, 1), (1,), (), ()),
    ((2, 3, 8), (3,), (3,), (1,)),
    ((1, 2, 5, 6), (2, 3), (), ()),
    ((1, 2, 5, 6), (2, 3), (2, 2), (1, 1)),
    ((1, 1, 6, 7), (3, 2), (3, 4), (0, 1)),
    ((1, 1, 3, 4, 3), (2, 2, 2), (2, 1, 2), (1, 0, 1)),
    ((1, 1, 7), (2,), (5,), (1,)),  # a stride beyond the kernel
    ((1, 1, 2), (3,), (2,), (1,)),
]


def geometry():
    for shape, kernel, strides, before in POOLS:
        x = numbers("f32", shape, 3)
        ops = {}
        for ceil_mode in (False, True):
            options = {"strides": strides, "ceil_mode": ceil_mode}
            ops[f"max{ceil_mode:d}"] = pool_op("max", x, kernel, before=before, **options)
            for include in (False, True):
                ops[f"avg{ceil_mode:d}{include:d}"] = pool_op("avg", x, kernel, before=before, count_include_pad=include, **options)
            ops[f"lp{ceil_mode:d}"] = pool_op("lp", x, kernel, before=before, p=1.5, **options)
        yield ops_case(f"pool of {list(shape)}, {kernel}, {strides}, {before}", {"x": x}, ops)


def dilations():
    for shape, kernel, options in (
        ((1, 2, 9), (3,), {"dilations": (2,), "strides": (2,), "before": (1,), "ceil_mode": True}),
        ((1, 1, 5, 7), (2, 2), {"dilations": (3, 2), "before": (1, 1), "ceil_mode": True}),
        ((1, 1, 5, 7), (2, 3), {"dilations": (3, 1), "strides": (1, 2)}),
    ):
        x = numbers("f32", shape, 4)
        yield ops_case(f"pool_max of {list(shape)}, {kernel}, {options}", {"x": x}, {"y": pool_op("max", x, kernel, **options)})


def by_onnxruntime(op, x, outputs=("y",), **options):
    """In f32: numbers are such that this is exact, but for avg's quotient."""
    node = helper.make_node(op, ["x"], outputs, **options)
    types = {"y": TensorProto.FLOAT, "i": TensorProto.INT64}
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
                              [helper.make_tensor_value_info(name, types[name], None) for name in outputs])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
    return InferenceSession(model.SerializeToString()).run(None, {"x": x.astype(np.float32)})


def asymmetric():
    """ONNX Runtime: different padding at the ends, with dilations for avg and lp too."""
    for shape, kernel, strides, steps, before, after in (
        ((1, 2, 7), (3,), (2,), (1,), (0,), (2,)),
        ((1, 2, 7), (3,), (2,), (2,), (2,), (1,)),
        ((1, 2, 5, 6), (2, 3), (1, 2), (1, 1), (1, 0), (0, 2)),
        ((1, 1, 6, 6), (2, 2), (2, 3), (2, 1), (1, 0), (0, 1)),
    ):
        x = numbers("f32", shape, 5)
        onnx = {"kernel_shape": kernel, "strides": strides, "dilations": steps, "pads": (*before, *after)}
        common = {"strides": strides, "dilations": steps, "before": before, "after": after}
        expected = {
            "max": by_onnxruntime("MaxPool", x.values, **onnx),
            "avg": by_onnxruntime("AveragePool", x.values, **onnx),
            "avg_include": by_onnxruntime("AveragePool", x.values, count_include_pad=1, **onnx),
            "lp": by_onnxruntime("LpPool", x.values, p=2, **onnx),
        }
        ops = {}
        for name, (y,) in expected.items():
            options = common | ({"count_include_pad": True} if name == "avg_include" else {})
            ops[name] = pool_op(name.split("_")[0], x, kernel, expected=y, **options)
        yield ops_case(f"pool of {list(shape)}, {kernel}, {before} and {after}, {steps}", {"x": x}, ops, ulps=2)


def ceil_at_the_end():
    """Padding behind x that is larger than the stride: windows that begin there do not count in ceil_mode."""
    x = tensor("f32", [[[1, 2, 3, 4, 5]]])
    options = {"strides": (2,), "ceil_mode": True}
    ops = {
        "y": ("pool_max %x" + attributes(kernel=(2,), after=(4,), **options), tensor("f32", [[[2, 4, 5]]])),
        "z": ("pool_avg %x" + attributes(kernel=(3,), after=(1,), count_include_pad=True, **options), tensor("f32", [[[2, 4, 2.5]]])),
        "all": ("pool_max %x" + attributes(kernel=(2,), after=(4,), strides=(2,)), tensor("f32", [[[2, 4, 5, -np.inf]]])),
    }
    return ops_case("windows behind x", {"x": x}, ops)


def special():
    inf, nan = np.inf, np.nan
    x = tensor("f32", [[[1, nan, 2, inf, 3, -inf, 4, -0.0, 0.0, -0.0, 1e-45]]])
    ops = {fn: pool_op(fn, x, (2,)) for fn in ("max", "avg", "lp")}
    # -0 is below +0, which PyTorch leaves open.
    ops["max"] = (ops["max"][0], tensor("f32", [[[nan, nan, inf, inf, 3, 4, 4, 0.0, 0.0, 1e-45]]]))
    yield ops_case("pool, specials", {"x": x}, ops)
    x = tensor("f16", [[[60000, 60000, 60000]]])
    yield ops_case("pool f16, sums beyond f16", {"x": x}, {"avg": pool_op("avg", x, (3,)), "lp": pool_op("lp", x, (3,))})
    for dtype in INTEGERS:
        low, high = integer_range(dtype)
        x = tensor(dtype, [[[low, low, high, low]]])
        ops = {"y": ("pool_max %x {kernel=[2], before=[2]}", tensor(dtype, [[[low, low, low, high, high]]]))}
        yield ops_case(f"pool_max {dtype}, extremes", {"x": x}, ops)


def nothing():
    """Windows in the padding alone, and sizes of 0."""
    x = tensor("f32", [[[3.0]]])
    around = {"kernel": (2,), "strides": (3,), "before": (3,), "after": (4,)}  # windows at -3, 0 and 3
    ops = {
        "max": (f"pool_max %x{attributes(**around)}", tensor("f32", [[[-np.inf, 3, -np.inf]]])),
        "avg": (f"pool_avg %x{attributes(**around)}", tensor("f32", [[[np.nan, 3, np.nan]]])),
        "padded": (f"pool_avg %x{attributes(count_include_pad=True, **around)}", tensor("f32", [[[0, 1.5, 0]]])),
        "lp": (f"pool_lp %x{attributes(**around)}", tensor("f32", [[[0, 3, 0]]])),
    }
    yield ops_case("windows in the padding", {"x": x}, ops)
    for shape, result in (((0, 2, 3), (0, 2, 2)), ((2, 0, 3), (2, 0, 2)), ((1, 1, 1), (1, 1, 0))):
        x = tensor("f32", np.zeros(shape))
        ops = {fn: (f"pool_{fn} %x {{kernel=[2]}}", tensor("f32", np.zeros(result))) for fn in ("max", "avg", "lp")}
        ops["adaptive"] = ("adaptive_pool_max %x {shape=[0]}", tensor("f32", np.zeros((*shape[:2], 0))))
        yield ops_case(f"pool of {list(shape)}", {"x": x}, ops)
    x = tensor("f32", np.zeros((1, 1, 0, 2)))
    ops = {
        "max": ("adaptive_pool_max %x {shape=[1, 2]}", tensor("f32", np.full((1, 1, 1, 2), -np.inf))),
        "avg": ("adaptive_pool_avg %x {shape=[1, 2]}", tensor("f32", np.full((1, 1, 1, 2), np.nan))),
        "lp": ("adaptive_pool_lp %x {shape=[1, 2]}", tensor("f32", np.zeros((1, 1, 1, 2)))),
        "pool": ("pool_max %x {kernel=[1, 1], before=[1, 0]}", tensor("f32", np.full((1, 1, 1, 2), -np.inf))),
    }
    yield ops_case("pool of no elements", {"x": x}, ops)


# --------------------------------------------------------------------------------------------------- indices, unpool


def indices_case(name, x, kernel, y, indices, column_major=False, per_channel=False, **options):
    flags = {k: True for k, v in (("column_major", column_major), ("per_channel", per_channel)) if v}
    line = f"%y, %i = pool_max_indices %x{attributes(kernel=kernel, **options, **flags)}"
    expected = {"y": tensor(x.dtype, y), "i": tensor("i64", indices)}
    return case(name, method({"x": x}, [line], ["y", "i"]), [call({"x": x}, expected)])


def max_indices():
    for dtype in INTEGERS + REALS:
        x = numbers(dtype, (1, 2, 6), 6)
        y, i = F.max_pool1d(torch_of(x.values), 3, 2, 1, return_indices=True)
        flat = i.numpy() + np.arange(2)[None, :, None] * 6
        yield indices_case(f"pool_max_indices {dtype}", x, (3,), y.numpy(), flat, strides=(2,), before=(1,), after=(1,))
    for shape, kernel, strides, steps in (((2, 2, 4, 5), (2, 3), (1, 2), (1, 2)), ((1, 2, 3, 4, 3), (2, 2, 2), (2, 1, 1), (1, 1, 2))):
        x = numbers("f32", shape, 7)
        for ceil_mode, before in itertools.product((False, True), (0, 1)):
            before = (before,) * len(kernel)
            y, i = MAX[len(kernel)](torch_of(x.values), kernel, strides, before, steps, ceil_mode, return_indices=True)
            options = {"strides": strides, "dilations": steps, "before": before, "after": before, "ceil_mode": ceil_mode}
            yield indices_case(f"pool_max_indices of {list(shape)} in a channel, {options}", x, kernel, y, i, per_channel=True, **options)
        for column_major in (False, True):
            onnx = {"kernel_shape": kernel, "strides": strides, "dilations": steps, "storage_order": int(column_major)}
            y, i = by_onnxruntime("MaxPool", x.values, ("y", "i"), **onnx)
            options = {"strides": strides, "dilations": steps, "column_major": column_major}
            yield indices_case(f"pool_max_indices of {list(shape)}, {options}", x, kernel, y, i, **options)
    nan, inf = np.nan, np.inf
    x = tensor("f32", [[[nan, 1, nan], [-inf, -inf, -0.0]], [[2, 2, nan], [0.0, -0.0, 2]]])
    y, i = [[[nan, nan], [-inf, -0.0]], [[2, nan], [0.0, 2]]], [[[0, 2], [3, 5]], [[6, 8], [9, 11]]]
    yield indices_case("pool_max_indices: the first NaN, the first of equals", x, (2,), y, i)
    x = tensor("f32", [[[1]], [[2]]])
    yield indices_case("pool_max_indices without an element", x, (1,), [[[-inf, 1]], [[-inf, 2]]], [[[-1, 0]], [[-1, 1]]], before=(1,))
    x = numbers("f32", (1, 2, 2, 2), 8)
    exchanged = [[[[0, 2], [1, 3]], [[0, 2], [1, 3]]]]
    yield indices_case("pool_max_indices, both flags", x, (1, 1), x.values, exchanged, column_major=True, per_channel=True)


def unpool():
    for dtype in COMPUTABLE:
        x = tensor("bool", [[[True, False]]]) if dtype == "bool" else numbers(dtype, (1, 1, 2), 9)
        y = np.zeros((1, 1, 5), x.values.dtype)
        y[0, 0, [3, 1]] = x.values[0, 0]
        for of_indices in ("i64",) if dtype != "f32" else INTEGERS:
            i = tensor(of_indices, [[[3, 1]]])
            ops = {"y": ("max_unpool %x, %i {shape=[1, 1, 5]}", tensor(dtype, y))}
            yield ops_case(f"max_unpool {dtype}, {of_indices}", {"x": x, "i": i}, ops)
    for shape, kernel in (((2, 3, 6), (2,)), ((2, 2, 4, 6), (2, 3)), ((1, 2, 4, 2, 3), (2, 1, 3))):
        x = torch_of(numbers("f32", shape, 10).values)
        y, i = MAX[len(kernel)](x, kernel, kernel, return_indices=True)
        back = UNPOOL[len(kernel)](y, i, kernel, kernel, output_size=shape)
        first = np.arange(shape[0] * shape[1]).reshape(shape[:2] + (1,) * len(kernel)) * int(np.prod(shape[2:]))
        values, own, flat = tensor("f32", y.numpy()), tensor("i64", i.numpy()), tensor("i64", i.numpy() + first)
        ops = {
            "y": (f"max_unpool %x, %own {{shape={list(shape)}, per_channel=true}}", tensor("f32", back.numpy())),
            "z": (f"max_unpool %x, %flat {{shape={list(shape)}}}", tensor("f32", back.numpy())),
        }
        yield ops_case(f"max_unpool to {list(shape)}", {"x": values, "own": own, "flat": flat}, ops)
    x, i = tensor("f32", [[[1, 2, 3]]]), tensor("i64", [[[1, 0, 1]]])
    yield ops_case("max_unpool: the last one wins", {"x": x, "i": i}, {"y": ("max_unpool %x, %i {shape=[1, 1, 2]}", tensor("f32", [[[2, 3]]]))})
    x, i = tensor("f32", np.zeros((1, 1, 0))), tensor("i64", np.zeros((1, 1, 0), int))
    yield ops_case("max_unpool of nothing", {"x": x, "i": i}, {"y": ("max_unpool %x, %i {shape=[1, 1, 2]}", tensor("f32", [[[0, 0]]]))})
    x = tensor("f32", np.ones((1, 2, 1)))
    for index, line, limit in ((-1, "{shape=[1, 2, 3]}", 6), (6, "{shape=[1, 2, 3]}", 6), (3, "{shape=[1, 2, 3], per_channel=true}", 3)):
        error = f"[max_unpool] index {index} is outside {limit} elements (at main: %y)"
        yield error_case(f"max_unpool {line}, {index}", {"x": x, "i": tensor("i64", [[[0], [index]]])}, f"max_unpool %x, %i {line}", error)


# --------------------------------------------------------------------------------------------------------- adaptive


def adaptive():
    for dtype in INTEGERS + REALS:
        x = numbers(dtype, (1, 2, 7), 11)
        ops = {"max": ("adaptive_pool_max %x {shape=[3]}", tensor(dtype, F.adaptive_max_pool1d(torch_of(x.values), 3).numpy()))}
        if dtype in REALS:
            ops["avg"] = ("adaptive_pool_avg %x {shape=[3]}", tensor(dtype, F.adaptive_avg_pool1d(torch_of(x.values), 3).numpy()))
        yield ops_case(f"adaptive_pool {dtype}", {"x": x}, ops)
    x = numbers("c64", (1, 1, 5), 12)
    y = [F.adaptive_avg_pool1d(torch_of(part), 2).numpy() for part in (x.values.real, x.values.imag)]
    yield ops_case("adaptive_pool c64", {"x": x}, {"y": ("adaptive_pool_avg %x {shape=[2]}", tensor("c64", y[0] + 1j * y[1]))})
    for shape, result in (((2, 1, 3), (5,)), ((1, 2, 5, 7), (3, 2)), ((1, 1, 4, 3), (6, 1)), ((1, 1, 3, 5, 4), (2, 5, 3))):
        x = numbers("f32", shape, 13)
        n = len(result)
        ops = {
            "max": (f"adaptive_pool_max %x {{shape={list(result)}}}", tensor("f32", ADAPTIVE_MAX[n](torch_of(x.values), result).numpy())),
            "avg": (f"adaptive_pool_avg %x {{shape={list(result)}}}", tensor("f32", ADAPTIVE_AVG[n](torch_of(x.values), result).numpy())),
        }
        for p in (1.0, 2.0, 3.5):
            mean = ADAPTIVE_AVG[n](torch_of(np.abs(x.values) ** p), result).numpy()
            y = (mean * window_sizes(shape[2:], result)) ** (1 / p)
            ops[f"lp{int(p)}"] = (f"adaptive_pool_lp %x {{shape={list(result)}, p={p}}}", tensor("f32", y))
        yield ops_case(f"adaptive_pool of {list(shape)} to {result}", {"x": x}, ops)


def window_sizes(of_x, result):
    """How many elements each window has: the mean of a tensor that is 1 at one element is 1 / that."""
    counts = np.zeros(result)
    for at in np.ndindex(*of_x):
        x = np.zeros((1, 1, *of_x))
        x[(0, 0, *at)] = 1
        counts += ADAPTIVE_AVG[len(result)](torch_of(x), result).numpy()[0, 0] > 0
    return counts


def open_sizes():
    inputs = {"x": "f32[N, 2, L]"}
    body = [
        "%y = pool_avg %x {kernel=[3], strides=[2], before=[1], after=[1], ceil_mode=true}",
        "%v, %i = pool_max_indices %x {kernel=[2], strides=[2]}",
        "%u = max_unpool %v, %i {shape=[N, 2, L]}",
        "%a = adaptive_pool_max %x {shape=[L + 1]}",
    ]
    program = "symbol N\nsymbol L in 1..\n" + method(inputs, body, ["y", "v", "i", "u", "a"])
    calls = []
    for n, length in ((1, 5), (2, 2), (1, 4), (0, 3)):
        x = numbers("f32", (n, 2, length), length)
        t = torch_of(x.values)
        v, i = (F.max_pool1d(t, 2, 2, return_indices=True) if n else (t[:, :, : length // 2], t[:, :, : length // 2].long()))
        u = F.max_unpool1d(v, i, 2, 2, output_size=(n, 2, length)) if n else t
        flat = i.numpy() + np.arange(n * 2).reshape(n, 2, 1) * length
        y = F.avg_pool1d(t, 3, 2, 1, True, False).numpy() if n else np.zeros((0, 2, length // 2 + 1))
        a = F.adaptive_max_pool1d(t, length + 1).numpy() if n else np.zeros((0, 2, length + 1))
        values = {"y": ("f32", y), "v": ("f32", v.numpy()), "i": ("i64", flat), "u": ("f32", u.numpy()), "a": ("f32", a)}
        calls.append(call({"x": x}, {k: tensor(*pair) for k, pair in values.items()}))
    return case("open sizes", program, calls)


def limits():
    x = tensor("f32", np.ones((1, 1, 5)))
    program = method({"x": x}, ["%y = pool_max %x {kernel=[3]}"], ["y"])
    # The node, the result, and for each of 3 windows 3 elements that are found and 3 that are read; 16 bytes for each, twice.
    yield case("limits", program, [
        call({"x": x}, error="[pool_max] the call takes more than 21 steps (at main: %y)", steps=21),
        call({"x": x}, error="[pool_max] 12 bytes more than the 0 alive go beyond the limit of 11 (at main: %y)", bytes=11),
        call({"x": x}, {"y": tensor("f32", np.ones((1, 1, 3)))}, steps=22, bytes=108),
    ])
    # A kernel of 2^40 reads what x has and no more.
    far = f"pool_max %x {{kernel=[{2**40}], before=[{2**40}], strides=[{2**40}]}}"
    yield ops_case("a window far larger than x", {"x": x}, {"y": (far, tensor("f32", [[[-np.inf]]]))})


def cases():
    makers = (every_dtype, geometry, dilations, asymmetric, special, nothing, max_indices, unpool, adaptive, limits)
    return [row for make in makers for row in make()] + [ceil_at_the_end(), open_sizes()]
