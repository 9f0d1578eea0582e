"""Cases of conv, conv_transpose and integer_conv: PyTorch's convolutions in float64."""

import itertools

import numpy as np
import scipy.signal
import torch
import torch.nn.functional as F

from cases import INTEGERS, REALS, call, case, integer_range, method, ops_case, tensor, wrap
from conversion import convert, promote

CONV = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
TRANSPOSE = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}


def numbers(dtype, shape, seed):
    """Quarters, or integers: sums of their products are exact."""
    values = np.random.RandomState(seed).randint(0 if dtype[0] == "u" else -7, 8, shape)
    if dtype == "c64":
        return tensor(dtype, (values + 1j * np.flip(values)) / 4)
    return tensor(dtype, values / 4 if dtype in REALS else values)


def torch_of(values):
    complex_ = np.iscomplexobj(values)
    return torch.from_numpy(np.array(values, np.complex128 if complex_ else np.float64))


def defaults(n, strides=(), dilations=(), before=(), after=()):
    return strides or (1,) * n, dilations or (1,) * n, before or (0,) * n, after or (0,) * n


def conv(x, w, bias=None, strides=(), dilations=(), before=(), after=(), groups=1):
    n = x.ndim - 2
    strides, dilations, before, after = defaults(n, strides, dilations, before, after)
    pads = [side for pair in reversed(list(zip(before, after))) for side in pair]
    bias = None if bias is None else torch_of(bias)
    return CONV[n](F.pad(torch_of(x), pads), torch_of(w), bias, strides, 0, dilations, groups).numpy()


def conv_transpose(x, w, bias=None, strides=(), dilations=(), before=(), after=(), output_padding=(), groups=1):
    """PyTorch's without padding, from which `before` and `after` are cut off."""
    n = x.ndim - 2
    strides, dilations, before, after = defaults(n, strides, dilations, before, after)
    output_padding = output_padding or (0,) * n
    full = TRANSPOSE[n](torch_of(x), torch_of(w), None, strides, 0, 0, groups, dilations).numpy()
    full = np.pad(full, [(0, 0), (0, 0)] + [(0, more) for more in output_padding])
    y = full[(...,) + tuple(slice(b, s - a) for b, a, s in zip(before, after, full.shape[2:]))]
    if bias is not None:
        y = y + torch_of(bias).numpy().reshape((-1,) + (1,) * n)
    if before == after and all(p < s for p, s in zip(output_padding, strides)):
        own_bias = None if bias is None else torch_of(bias)
        own = TRANSPOSE[n](torch_of(x), torch_of(w), own_bias, strides, before, output_padding, groups, dilations)
        assert np.array_equal(own.numpy(), y, equal_nan=True)
    return y


def attributes(**options):
    """The text of attributes; empty lists are left out."""
    given = [f"{k}={list(v) if isinstance(v, tuple) else v}" for k, v in options.items() if v not in ((), None)]
    return f" {{{', '.join(given)}}}" if given else ""


def conv_op(x, w, bias=None, dtype=None, op=conv, **options):
    dtype = dtype or x.dtype
    values = [None if v is None else convert(v, dtype).values for v in (x, w, bias)]
    y = op(*values, **options)
    y = tensor(dtype, wrap(dtype, np.rint(y).astype(object)) if dtype in INTEGERS else y)
    return f"{op.__name__} %x, %w{', %b' if bias is not None else ''}{attributes(**options)}", y


def every_dtype():
    for dtype in INTEGERS + REALS + ("c64",):
        x, w, b = numbers(dtype, (2, 4, 5), 1), numbers(dtype, (6, 2, 3), 2), numbers(dtype, (6,), 3)
        wt = numbers(dtype, (4, 3, 2), 4)
        forward = {"strides": (2,), "before": (1,), "after": (2,), "groups": 2}
        line, y = conv_op(x, wt, b, op=conv_transpose, **forward)
        ops = {"plain": conv_op(x, w, b, **forward), "transposed": (line.replace("%w", "%wt"), y)}
        yield ops_case(f"conv {dtype}", {"x": x, "w": w, "b": b, "wt": wt}, ops, ulps=0)


def promotions():
    for dtypes in (("u8", "i8", "i16"), ("f16", "bf16", "f16"), ("i32", "f16", "f64"), ("bool", "i8", "i8"), ("c64", "f32", "i8")):
        common = promote(promote(*dtypes[:2]), dtypes[2])
        x, w, b = (convert(numbers("u8", shape, i), d) for i, (shape, d) in enumerate(zip(((1, 2, 4), (2, 2, 2), (2,)), dtypes)))
        ops = {"y": conv_op(x, w, b, common), "z": conv_op(x, w, b, common, op=conv_transpose)}
        yield ops_case(f"conv of {', '.join(dtypes)}", {"x": x, "w": w, "b": b}, ops, ulps=0)


# x, w without groups, attributes
CONVS = [
    ((1, 1, 3), (1, 1, 1), {}),
    ((1, 2, 7), (3, 2, 3), {"strides": (3,)}),
    ((2, 2, 5, 4), (3, 2, 2, 3), {}),
    ((2, 2, 5, 4), (3, 2, 2, 3), {"strides": (2, 1), "dilations": (1, 2), "before": (0, 2), "after": (1, 1)}),
    ((1, 2, 6, 5), (2, 2, 3, 1), {"dilations": (2, 3), "before": (3, 0)}),
    ((1, 1, 3, 3, 4), (2, 1, 2, 2, 2), {"strides": (1, 2, 2), "after": (0, 1, 1)}),
    ((1, 2, 3, 4, 3), (1, 2, 3, 2, 3), {"before": (1, 0, 2), "after": (1, 0, 0)}),
    ((1, 1, 1), (1, 1, 3), {"before": (5,), "after": (4,), "strides": (4,)}),  # windows in the padding alone
]


def geometry():
    for of_x, of_w, options in CONVS:
        for groups in (1, 2):
            x = numbers("f32", (of_x[0], of_x[1] * groups, *of_x[2:]), 5)
            w = numbers("f32", (of_w[0] * groups, *of_w[1:]), 6)
            name = f"conv of {list(x.shape)} by {list(w.shape)}{attributes(**options)}"
            yield ops_case(name, {"x": x, "w": w}, {"y": conv_op(x, w, groups=groups, **options)}, ulps=0)


# x, w without groups, attributes
TRANSPOSED = [
    ((1, 1, 3), (1, 1, 1), {}),
    ((1, 2, 4), (2, 3, 3), {"strides": (2,), "before": (1,), "after": (1,), "output_padding": (1,)}),
    ((2, 2, 3, 2), (2, 3, 2, 3), {"strides": (3, 1), "dilations": (1, 2), "output_padding": (2, 0)}),
    ((1, 1, 3, 3), (1, 2, 3, 3), {"strides": (2, 3), "dilations": (3, 2), "before": (2, 1), "after": (0, 3)}),
    ((1, 1, 2, 3, 2), (1, 1, 2, 1, 3), {"strides": (2, 2, 1), "output_padding": (1, 1, 0), "after": (0, 1, 2)}),
    ((1, 1, 2), (1, 1, 2), {"output_padding": (3,)}),  # more than the stride: nothing reaches there
    ((1, 1, 2), (1, 1, 2), {"before": (2,), "after": (1,)}),  # nothing is left
]


def transposed_geometry():
    for of_x, of_w, options in TRANSPOSED:
        for groups in (1, 2):
            x = numbers("f32", (of_x[0], of_x[1] * groups, *of_x[2:]), 7)
            w = numbers("f32", (of_w[0] * groups, *of_w[1:]), 8)
            name = f"conv_transpose of {list(x.shape)} by {list(w.shape)}{attributes(**options)}"
            ops = {"y": conv_op(x, w, op=conv_transpose, groups=groups, **options)}
            yield ops_case(name, {"x": x, "w": w}, ops, ulps=0)


def four_axes():
    """More than PyTorch has: SciPy's correlation, channel by channel."""
    x, w = numbers("f32", (1, 2, 3, 2, 3, 2), 9), numbers("f32", (2, 2, 2, 1, 2, 2), 10)
    y = [sum(scipy.signal.correlate(a, b, "valid", "direct") for a, b in zip(x.values[0], of)) for of in w.values]
    wt = np.moveaxis(w.values, 0, 1)
    z = [sum(scipy.signal.convolve(a, b, "full", "direct") for a, b in zip(x.values[0], of)) for of in np.moveaxis(wt, 1, 0)]
    wt = tensor("f32", wt)
    ops = {"y": ("conv %x, %w", tensor("f32", [y])), "z": ("conv_transpose %x, %wt", tensor("f32", [z]))}
    yield ops_case("four spatial axes", {"x": x, "w": w, "wt": wt}, ops, ulps=0)


def nothing():
    """Sizes of 0: no batch, no channels, no window, no element of x."""
    for of_x, of_w, of_y, options in (
        ((0, 2, 3), (2, 2, 2), (0, 2, 2), {}),
        ((2, 2, 3), (0, 2, 2), (2, 0, 2), {}),
        ((2, 2, 1), (3, 2, 2), (2, 3, 0), {}),
        ((1, 0, 3), (2, 0, 2), (1, 2, 2), {}),
        ((1, 2, 0), (2, 2, 2), (1, 2, 3), {"before": (2,), "after": (2,)}),
    ):
        x, w, b = numbers("f32", of_x, 11), numbers("f32", of_w, 12), numbers("f32", of_w[:1], 13)
        y = tensor("f32", np.broadcast_to(b.values[None, :, None], of_y))
        line = f"conv %x, %w, %b{attributes(**options)}"
        yield ops_case(f"conv of {list(of_x)} by {list(of_w)}", {"x": x, "w": w, "b": b}, {"y": (line, y)})
    for of_x, of_w, of_y in (((0, 2, 3), (2, 1, 2), (0, 1, 4)), ((1, 2, 3), (2, 0, 2), (1, 0, 4)), ((1, 2, 0), (2, 1, 3), (1, 1, 2))):
        x, w = numbers("f32", of_x, 14), numbers("f32", of_w, 15)
        y = tensor("f32", np.zeros(of_y))
        yield ops_case(f"conv_transpose of {list(of_x)} by {list(of_w)}", {"x": x, "w": w}, {"y": ("conv_transpose %x, %w", y)})


def precision():
    inf, nan = np.inf, np.nan
    for dtype in REALS:
        x = tensor(dtype, np.random.RandomState(16).standard_normal((1, 6, 9)))
        w = tensor(dtype, np.random.RandomState(17).standard_normal((2, 6, 8)))
        yield ops_case(f"conv {dtype}, many terms", {"x": x, "w": w}, {"y": conv_op(x, w)}, atol=1e-13)
    x, w = tensor("f32", [[[1, nan, 2, inf, 3, 4, -inf, -0.0, 1e-45]]]), tensor("f32", [[[1, 2]]])
    yield ops_case("conv, NaN and infinities stay in their windows", {"x": x, "w": w}, {"y": conv_op(x, w), "z": conv_op(x, w, op=conv_transpose)})
    x, w = tensor("f32", [[[1, 2]]]), tensor("f32", [[[inf, 1, 1]]])
    # PyTorch multiplies the zeros of the padding too, where it multiplies them at all.
    ops = {"y": ("conv %x, %w {before=[1], after=[1]}", tensor("f32", [[[3, inf]]]))}
    yield ops_case("conv, padding is not multiplied", {"x": x, "w": w}, ops)
    x, w = tensor("f16", np.full((1, 1, 4), 300)), tensor("f16", np.full((1, 1, 4), 300))
    yield ops_case("conv f16, beyond f16", {"x": x, "w": w}, {"y": ("conv %x, %w", tensor("f16", [[[inf]]]))})
    for dtype in INTEGERS:
        low, high = integer_range(dtype)
        x, w = tensor(dtype, [[[high, low, high, 3]]]), tensor(dtype, [[[high, low]]])
        y = np.correlate(x.values[0, 0], w.values[0, 0], "valid")
        z = np.convolve(x.values[0, 0], w.values[0, 0], "full")
        ops = {"y": ("conv %x, %w", tensor(dtype, wrap(dtype, [[y]]))), "z": ("conv_transpose %x, %w", tensor(dtype, wrap(dtype, [[z]])))}
        yield ops_case(f"conv {dtype}, wrapping", {"x": x, "w": w}, ops)


def integer_conv():
    options = {"strides": (2, 1), "dilations": (1, 2), "before": (1, 1), "after": (0, 2), "groups": 2}
    for of_x, of_w in itertools.product(("u8", "i8"), repeat=2):
        random = np.random.RandomState(18)
        x = tensor(of_x, random.randint(*integer_range(of_x), (1, 4, 4, 5)))
        w = tensor(of_w, random.randint(*integer_range(of_w), (4, 2, 3, 2)))
        xz, wz = tensor(of_x, 7), tensor(of_w, 100)
        wzs = tensor(of_w, random.randint(*integer_range(of_w), 4))
        ops = {}
        for name, zeros in {"plain": "", "x_only": ", %xz", "w_only": ", _, %wz", "both": ", %xz, %wz", "each": ", %xz, %wzs"}.items():
            of_x_zero = 7 if "%xz" in zeros else 0
            of_w_zero = wzs.values[:, None, None, None] if "%wzs" in zeros else 100 if "%wz" in zeros else 0
            y = conv(x.values - of_x_zero, w.values - of_w_zero, **options)
            ops[name] = (f"integer_conv %x, %w{zeros}{attributes(**options)}", tensor("i32", np.rint(y).astype(np.int64)))
        yield ops_case(f"integer_conv {of_x} by {of_w}", {"x": x, "w": w, "xz": xz, "wz": wz, "wzs": wzs}, ops)
    x, w = tensor("i8", np.full((1, 1, 3), -128)), tensor("u8", np.full((1, 1, 3), 255))
    xz, wz = tensor("i8", 127), tensor("u8", [0])
    y = tensor("i32", [[[3 * -255 * 255]]])
    yield ops_case("integer_conv, extremes", {"x": x, "w": w, "xz": xz, "wz": wz}, {"y": ("integer_conv %x, %w, %xz, %wz", y)})
    x, w = tensor("u8", np.zeros((0, 1, 3), int)), tensor("u8", np.zeros((1, 1, 3), int))
    yield ops_case("integer_conv of nothing", {"x": x, "w": w}, {"y": ("integer_conv %x, %w", tensor("i32", np.zeros((0, 1, 1), int)))})


def open_sizes():
    """One program, several sizes; a border that fits every one of them."""
    inputs = {"x": "f32[N, 2, H, W]", "w": "f32[3, 2, 3, 2]"}
    body = [
        "%y = conv %x, %w {strides=[2, 1], before=[1, W], after=[1, 0]}",
        "%z = conv_transpose %y, %w {strides=[2, 1], before=[0, W], output_padding=[1, 0]}",
    ]
    program = "symbol N\nsymbol H\nsymbol W in 1..\n" + method(inputs, body, ["y", "z"])
    calls = []
    for n, h, w in ((1, 3, 2), (2, 4, 1), (0, 5, 3), (1, 1, 4)):
        a, b = numbers("f32", (n, 2, h, w), h), numbers("f32", (3, 2, 3, 2), 20)
        y = conv(a.values, b.values, None, (2, 1), (1, 1), (1, w), (1, 0))
        z = conv_transpose(y, b.values, None, (2, 1), (1, 1), (0, w), (0, 0), (1, 0))
        calls.append(call({"x": a, "w": b}, {"y": tensor("f32", y), "z": tensor("f32", z)}, ulps=0))
    return case("open sizes", program, calls)


def limits():
    x, w = tensor("f32", np.ones((1, 2, 4))), tensor("f32", np.ones((3, 2, 2)))
    program = method({"x": x, "w": w}, ["%y = conv %x, %w"], ["y"])
    yield case("limits", program, [
        call({"x": x, "w": w}, error="[conv] the call takes more than 45 steps (at main: %y)", steps=45),
        call({"x": x, "w": w}, error="[conv] 36 bytes more than the 0 alive go beyond the limit of 35 (at main: %y)", bytes=35),
        call({"x": x, "w": w}, {"y": tensor("f32", np.full((1, 3, 3), 4))}, steps=46, bytes=100),
    ])


def cases():
    makers = (every_dtype, promotions, geometry, transposed_geometry, four_axes, nothing, precision, integer_conv)
    return [row for make in makers for row in make()] + [open_sizes(), *limits()]
