"""Cases of deform_conv: the formula of Deformable ConvNets v2 (arXiv:1811.11168, section 3) in NumPy, which is compared
with ONNX's reference implementation, and without offsets with PyTorch's conv2d."""

import numpy as np
import torch  # noqa: F401: make_conv needs it
from onnx import helper
from onnx.reference import ReferenceEvaluator

from cases import REALS, call, case, method, ops_case, tensor
from make_conv import attributes, conv, defaults, numbers


def bilinear(plane, row, column):
    """Σ x(q)·g(q, p) over all q, where g is max(0, 1 - |q - p|) along each axis."""
    if np.isnan(row) or np.isnan(column):
        return np.nan
    if np.isinf(row) or np.isinf(column):
        return 0.0
    rows = np.maximum(0, 1 - np.abs(np.arange(plane.shape[0]) - row))
    columns = np.maximum(0, 1 - np.abs(np.arange(plane.shape[1]) - column))
    weights = rows[:, None] * columns
    return np.sum(weights[weights > 0] * plane[weights > 0])


def deform_conv(x, w, offset, bias=None, mask=None, strides=(), dilations=(), before=(), after=(), groups=1, offset_groups=1):
    strides, dilations, before, after = defaults(2, strides, dilations, before, after)
    (n, c, _, _), (o, per_group, kh, kw), (oh, ow) = x.shape, w.shape, offset.shape[2:]
    offset = offset.reshape(n, offset_groups, kh, kw, 2, oh, ow)
    mask = np.ones((n, offset_groups, kh, kw, oh, ow)) if mask is None else mask.reshape(n, offset_groups, kh, kw, oh, ow)
    y = np.zeros((n, o, oh, ow))
    for b, out, ci, i, j, p, q in np.ndindex(n, o, per_group, kh, kw, oh, ow):
        channel = out // (o // groups) * per_group + ci
        g = channel // (c // offset_groups)
        row = p * strides[0] - before[0] + i * dilations[0] + offset[b, g, i, j, 0, p, q]
        column = q * strides[1] - before[1] + j * dilations[1] + offset[b, g, i, j, 1, p, q]
        y[b, out, p, q] += w[out, ci, i, j] * mask[b, g, i, j, p, q] * bilinear(x[b, channel], row, column)
    return y if bias is None else y + bias[:, None, None]


def by_onnx(x, w, offset, bias, mask, strides=(), dilations=(), before=(), after=(), groups=1, offset_groups=1):
    strides, dilations, before, after = defaults(2, strides, dilations, before, after)
    names = ["x", "w", "offset", "bias", "mask"]
    node = helper.make_node("DeformConv", names, ["y"], strides=strides, dilations=dilations, pads=(*before, *after),
                            group=groups, offset_group=offset_groups)
    bias = np.zeros(w.shape[0]) if bias is None else bias
    count = offset.shape[1] // 2
    mask = np.ones((offset.shape[0], count, *offset.shape[2:])) if mask is None else mask
    return ReferenceEvaluator(node).run(None, dict(zip(names, (x, w, offset, bias, mask))))[0]


def deform_case(name, x, w, offset, bias=None, mask=None, dtype="f32", checked=True, **options):
    y = deform_conv(*(None if v is None else v.values for v in (x, w, offset, bias, mask)), **options)
    if checked:
        other = by_onnx(*(None if v is None else v.values for v in (x, w, offset, bias, mask)), **options)
        assert np.allclose(other, y, rtol=1e-12, atol=1e-12), name
    operands = {"x": x, "w": w, "o": offset, "b": bias, "m": mask}
    given = ", ".join(f"%{k}" if v is not None else "_" for k, v in operands.items())
    line = f"deform_conv {given}{attributes(**options)}".replace(", _, _", "")
    inputs = {k: v for k, v in operands.items() if v is not None}
    return ops_case(name, inputs, {"y": (line, tensor(dtype, y))}, ulps=2, atol=1e-13)


def moves(dtype, shape, seed):
    """Eighths: between elements, on them, and beyond the borders."""
    return tensor(dtype, np.rint(np.random.RandomState(seed).standard_normal(shape) * 12) / 8)


def cases():
    rows = []
    for dtype, other in zip(REALS, ("f32", "f16", "bf16", "f32")):
        x, w = numbers(dtype, (1, 2, 4, 3), 1), numbers(dtype, (2, 2, 2, 2), 2)
        offset, mask = moves(other, (1, 8, 3, 2), 3), moves(other, (1, 4, 3, 2), 4)
        rows.append(deform_case(f"deform_conv {dtype}", x, w, offset, numbers(dtype, (2,), 5), mask, dtype))
    x, w, b = numbers("f16", (1, 1, 3, 3), 6), numbers("i8", (1, 1, 2, 2), 7), numbers("bf16", (1,), 8)
    rows.append(deform_case("deform_conv of f16, i8 and bf16", x, w, moves("f64", (1, 8, 2, 2), 9), b))
    options = {"strides": (2, 1), "dilations": (1, 2), "before": (1, 0), "after": (0, 2), "groups": 2, "offset_groups": 4}
    x, w = numbers("f32", (2, 4, 5, 4), 10), numbers("f32", (6, 2, 2, 3), 11)
    offset, mask = moves("f32", (2, 48, 3, 2), 12), moves("f32", (2, 24, 3, 2), 13)
    rows.append(deform_case("deform_conv, all attributes", x, w, offset, None, mask, **options))
    rows.append(deform_case("deform_conv, without mask", x, w, offset, **options))
    # PyTorch, where nothing moves.
    x, w, b = numbers("f32", (1, 2, 4, 4), 14), numbers("f32", (2, 2, 3, 3), 15), numbers("f32", (2,), 16)
    still = tensor("f32", np.zeros((1, 18, 4, 4)))
    y = tensor("f32", conv(x.values, w.values, b.values, before=(1, 1), after=(1, 1)))
    line = "deform_conv %x, %w, %o, %b {before=[1, 1], after=[1, 1]}"
    rows.append(ops_case("deform_conv that moves nothing", {"x": x, "w": w, "o": still, "b": b}, {"y": (line, y)}, ulps=0))
    # Places that are no numbers, far away, and just outside: -1 and the size read 0, an infinity beside a border stays there.
    x, w = tensor("f32", [[[[1, np.inf], [2, 4]]]]), tensor("f32", [[[[1]]]])
    offset = np.zeros((1, 2, 2, 2))
    offset[0, 0], offset[0, 1] = [[np.nan, np.inf], [-2, 0.75]], [[0, 0], [0, -0.5]]
    rows.append(deform_case("deform_conv, NaN and infinite offsets", x, w, tensor("f32", offset), checked=False))
    offset[0, 0], offset[0, 1] = [[1e30, -1e30], [-0.5, 0]], [[0, 0], [0, 0.5]]
    rows.append(deform_case("deform_conv, far offsets", x, w, tensor("f32", offset), checked=False))
    for of_x, of_w, of_y in (((0, 1, 3, 3), (1, 1, 2, 2), (0, 1, 2, 2)), ((1, 0, 3, 3), (2, 0, 2, 2), (1, 2, 2, 2)), ((1, 1, 3, 3), (0, 1, 2, 2), (1, 0, 2, 2))):
        x, w, offset = (tensor("f32", np.zeros(shape)) for shape in (of_x, of_w, (of_x[0], 8, 2, 2)))
        ops = {"y": ("deform_conv %x, %w, %o", tensor("f32", np.zeros(of_y)))}
        rows.append(ops_case(f"deform_conv of {list(of_x)} by {list(of_w)}", {"x": x, "w": w, "o": offset}, ops))
    rows.append(open_sizes())
    return rows


def open_sizes():
    inputs = {"x": "f32[1, 1, H, W]", "w": "f32[1, 1, 2, 2]", "o": "f32[1, 8, H, W]"}
    program = "symbol H\nsymbol W\n" + method(inputs, ["%y = deform_conv %x, %w, %o {before=[1, 0], after=[0, 1]}"], ["y"])
    calls = []
    for h, w in ((2, 3), (0, 2), (3, 1)):
        x, weight, offset = numbers("f32", (1, 1, h, w), h), numbers("f32", (1, 1, 2, 2), 17), moves("f32", (1, 8, h, w), w)
        y = deform_conv(x.values, weight.values, offset.values, before=(1, 0))
        calls.append(call({"x": x, "w": weight, "o": offset}, {"y": tensor("f32", y)}, ulps=2, atol=1e-9))
    return case("deform_conv, open sizes", program, calls)
