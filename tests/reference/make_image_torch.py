"""Cases of grid_sample, and of resize as PyTorch has it: what PyTorch gives in float64."""

import itertools

import numpy as np
import torch
from onnx.reference.ops.op_grid_sample import GridSample

from cases import COMPUTABLE, REALS, call, case, error_case, method, ops_case, tensor
from make_image import ULPS, numbers

MODES = {"nearest": "nearest", "linear": "bilinear", "cubic": "bicubic"}
PADDINGS = ("zeros", "border", "reflection")


def line(mode, padding, align):
    return f"grid_sample %x, %g {{mode={mode}, padding={padding}, align_corners={str(align).lower()}}}"


def grid_sample(x, grid, mode, padding, align):
    y = torch.nn.functional.grid_sample(torch.tensor(x.values), torch.tensor(grid.values), MODES[mode], padding, align)
    return line(mode, padding, align), tensor(x.dtype, y.numpy())


def grid(seed, *shape):
    """Within the image mostly, and some way outside it; eighths, so that some fall on borders and between two elements."""
    return np.rint(np.random.RandomState(seed).uniform(-1.7, 1.7, shape) * 8) / 8


def grids():
    x = tensor("f32", numbers(1, 2, 2, 4, 5))
    g = tensor("f32", grid(2, 2, 3, 4, 2))
    for mode, padding in itertools.product(MODES, PADDINGS):
        ops = {f"y{int(align)}": grid_sample(x, g, mode, padding, align) for align in (False, True)}
        yield ops_case(f"{mode}, {padding}", {"x": x, "g": g}, ops, atol=1e-6)
    x, g = tensor("f32", numbers(3, 1, 2, 2, 3, 4)), tensor("f32", grid(4, 1, 2, 1, 4, 3))
    for mode, padding in itertools.product(("nearest", "linear"), PADDINGS):
        ops = {f"y{int(align)}": grid_sample(x, g, mode, padding, align) for align in (False, True)}
        yield ops_case(f"{mode} in three axes, {padding}", {"x": x, "g": g}, ops, atol=1e-6)


def other_ranks():
    """One axis as an image of one row; cubic in three axes by ONNX's reference."""
    x = tensor("f32", numbers(5, 2, 2, 6))
    g = tensor("f32", grid(6, 2, 5, 1))
    image, across = tensor("f32", x.values[:, :, None]), np.concatenate([g.values, np.zeros((2, 5, 1))], -1)
    for mode, padding in itertools.product(MODES, PADDINGS):
        rows = tensor("f32", across[:, None])
        ops = {}
        for align in (False, True):
            text, y = grid_sample(image, rows, mode, padding, align)
            ops[f"y{int(align)}"] = (text, tensor("f32", y.values[:, :, 0]))
        if mode == "cubic" and padding == "zeros":
            continue  # the row above and below would be zeros
        yield ops_case(f"{mode} in one axis, {padding}", {"x": x, "g": g}, ops, atol=1e-6)
    x, g = tensor("f32", numbers(7, 1, 1, 3, 2, 4)), tensor("f32", np.clip(grid(8, 1, 1, 2, 3, 3), -1, 1))
    for padding in PADDINGS:
        y = GridSample.eval(x.values, g.values, mode="cubic", padding_mode=padding, align_corners=1)
        yield ops_case(f"cubic in three axes, {padding}", {"x": x, "g": g}, {"y": (line("cubic", padding, True), tensor("f32", y))}, atol=1e-5)
    x, g = tensor("f32", numbers(9, 1, 2, 3, 3)), tensor("f32", [[0.25, -0.5]])
    y = grid_sample(x, tensor("f32", g.values[:, None, None]), "linear", "zeros", False)[1]
    yield ops_case("one point", {"x": x, "g": g}, {"y": (line("linear", "zeros", False), tensor("f32", y.values[:, :, 0, 0]))}, atol=1e-6)


def by_dtype():
    for dtype in REALS:
        x, g = tensor(dtype, numbers(10, 1, 2, 3, 4)), tensor("f32" if dtype != "f32" else "bf16", grid(11, 1, 2, 3, 2))
        ops = {mode: grid_sample(x, g, mode, "border", False) for mode in MODES}
        yield ops_case(f"grid_sample of {dtype} by {g.dtype}", {"x": x, "g": g}, ops, ulps=ULPS[dtype], atol=1e-12)
    g = tensor("f64", [[[-1.0, 0.25, 1.0, 1.5]]]).values.reshape(1, 4, 1)
    index = [0, 2, 3, 3]
    for dtype in COMPUTABLE:
        source = {"bool": [True, False, False, True], "c64": [1 + 2j, 5, -0.5j, 3], "u64": [2**64 - 1, 1, 2**63, 7], "i64": [-(2**63), 5, 2**63 - 1, 0]}
        x = tensor(dtype, source.get(dtype, [3, 1, 2, 4]), (1, 1, 4))
        kept = tensor(dtype, [x.values[0, 0, i] for i in index[:3]] + [0], (1, 1, 4))
        ops = {"b": (line("nearest", "border", True), tensor(dtype, [x.values[0, 0, i] for i in index], (1, 1, 4))), "z": (line("nearest", "zeros", True), kept)}
        yield ops_case(f"nearest of {dtype}", {"x": x, "g": tensor("f64", g)}, ops)


def special():
    """NaN is read as -1; what is far away is outside, at the border, or reflected."""
    x = tensor("f32", np.arange(1.0, 7).reshape(1, 1, 2, 3))
    far = tensor("f32", [[[[np.nan, 0], [np.inf, 0], [-np.inf, 0], [0, np.inf], [1e30, 0], [-1e30, -1e30]]]])
    first, last = 2.5, 4.5
    yield ops_case("far away", {"x": x, "g": far}, {
        "zeros": (line("linear", "zeros", True), tensor("f32", [first, 0, 0, 0, 0, 0], (1, 1, 1, 6))),
        "border": (line("linear", "border", True), tensor("f32", [first, last, first, 5, last, 1], (1, 1, 1, 6))),
        "cubic": (line("cubic", "border", True), tensor("f32", [first, last, first, 5, last, 1], (1, 1, 1, 6))),
        "none": (line("cubic", "zeros", True), tensor("f32", [2.96875, 0, 0, 0, 0, 0], (1, 1, 1, 6))),
        "reflected": (line("nearest", "reflection", True), tensor("f32", [1, 1, 1, 2, 1, 1], (1, 1, 1, 6))),
    }, atol=1e-5)
    x, g = tensor("f32", [[[1.0, np.inf, np.nan, 2]]]), tensor("f32", [[[-1], [1], [-1 / 3]]])
    g = tensor("f32", [[[-1.0], [1.0], [0.0]]])
    yield ops_case("a sample of weight 0 is not read", {"x": x, "g": g}, {"y": (line("linear", "zeros", True), tensor("f32", [[[1, 2, np.nan]]]))})
    x, g = tensor("f32", [[[-0.0, 1]]]), tensor("f32", [[[-1.0], [1.0]]])
    yield ops_case("nearest keeps -0", {"x": x, "g": g}, {"y": (line("nearest", "zeros", True), x)})
    one = tensor("f32", [[[5.0]]])
    for padding in PADDINGS:
        y = {True: 5, False: 5 if padding != "zeros" else 3.75}
        g = tensor("f32", [[[-0.5]]])
        ops = {f"y{int(align)}": (line("linear", padding, align), tensor("f32", [[[y[align]]]])) for align in (True, False)}
        yield ops_case(f"one element, {padding}", {"x": one, "g": g}, ops)
    for shape, points in (((0, 2, 3), (0, 4, 1)), ((2, 0, 3), (2, 4, 1)), ((2, 1, 3), (2, 0, 1)), ((2, 1, 0), (2, 0, 1))):
        x, g = tensor("f32", np.zeros(shape)), tensor("f32", np.zeros(points))
        yield ops_case(f"{list(shape)} by {list(points)}", {"x": x, "g": g}, {"y": ("grid_sample %x, %g", tensor("f32", np.zeros((shape[0], shape[1], points[1]))))})
    x, g = tensor("f32", np.zeros((1, 1, 2, 0))), tensor("f32", np.zeros((1, 1, 2)))
    yield error_case("nothing to sample", {"x": x, "g": g}, "grid_sample %x, %g", "[grid_sample] axis 3 of x is 0, expected at least 1 to sample from (at main: %y)")


def open_sizes():
    inputs = {"x": "f32[N, 2, H, W]", "g": "f32[N, S, 2]"}
    program = "symbol N\nsymbol H in 1..\nsymbol W in 1..\nsymbol S\n" + method(inputs, ["%y = grid_sample %x, %g {padding=border}"], ["y"])
    calls = []
    for n, h, w, s in ((2, 3, 2, 4), (1, 1, 1, 1), (0, 2, 2, 3)):
        x, g = tensor("f32", numbers(h, n, 2, h, w)), tensor("f32", grid(w, n, s, 2))
        y = grid_sample(x, tensor("f32", g.values[:, :, None]), "linear", "border", False)[1].values[..., 0] if n else np.zeros((n, 2, s))
        calls.append(call({"x": x, "g": g}, {"y": tensor("f32", y)}, atol=1e-6))
    return case("open sizes", program, calls)


def interpolate():
    """PyTorch's modes in ours."""
    x = torch.tensor(numbers(20, 1, 2, 5, 6))
    rows = {
        "nearest": ("mode=nearest, coordinates=asymmetric, rounding=floor", {"mode": "nearest"}),
        "exact": ("mode=nearest, coordinates=half_pixel, rounding=round_prefer_ceil", {"mode": "nearest-exact"}),
        "bilinear": ("mode=linear, coordinates=pytorch_half_pixel", {"mode": "bilinear"}),
        "corners": ("mode=linear, coordinates=align_corners", {"mode": "bilinear", "align_corners": True}),
        "bicubic": ("mode=cubic, coordinates=half_pixel", {"mode": "bicubic"}),
        "bicubic_corners": ("mode=cubic, coordinates=align_corners", {"mode": "bicubic", "align_corners": True}),
        "antialias": ("mode=linear, antialias=true, exclude_outside=true", {"mode": "bilinear", "antialias": True}),
        "bicubic_antialias": ("mode=cubic, cubic_coefficient=-0.5, antialias=true, exclude_outside=true", {"mode": "bicubic", "antialias": True}),
    }
    for sizes in ((8, 9), (3, 2), (10, 4)):
        ops = {}
        for name, (attributes, options) in rows.items():
            y = torch.nn.functional.interpolate(x, sizes, **options)
            ops[name] = (f"resize %x {{axes=[2, 3], sizes={list(sizes)}, {attributes}}}", tensor("f32", y.numpy()))
        yield ops_case(f"interpolate to {list(sizes)}", {"x": tensor("f32", x.numpy())}, ops, atol=2e-6)
    for factors in ((1.7, 0.45), (0.3, 2.4)):
        sizes, ops = [int(5 * factors[0]), int(6 * factors[1])], {}
        for name in ("nearest", "bilinear", "bicubic"):
            attributes, options = rows[name]
            y = torch.nn.functional.interpolate(x, scale_factor=factors, recompute_scale_factor=False, **options)
            attributes = attributes.replace("pytorch_half_pixel", "half_pixel")
            ops[name] = (f"resize %x {{axes=[2, 3], sizes={sizes}, scales={list(factors)}, {attributes}}}", tensor("f32", y.numpy()))
        yield ops_case(f"interpolate by {list(factors)}", {"x": tensor("f32", x.numpy())}, ops, atol=2e-6)


def cases():
    return [*grids(), *other_ranks(), *by_dtype(), *special(), open_sizes(), *interpolate()]
