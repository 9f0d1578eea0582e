"""Cases of rope and rope_table: a pair of elements is a complex number, turned by e^(i·angle)."""

import numpy as np

from cases import INTEGERS, REALS, call, case, method, ops_case, tensor
from make_attention import numbers

TOLERANCE = {"f16": {"atol": 1e-9}, "bf16": {"atol": 1e-9}, "f32": {"atol": 1e-9}, "f64": {"ulps": 16, "atol": 1e-15}}


def pairs_of(x, interleaved):
    half = x.shape[-1] // 2
    z = np.empty((*x.shape[:-1], half), np.complex128)
    z.real, z.imag = (x[..., ::2], x[..., 1::2]) if interleaved else (x[..., :half], x[..., half:])
    return z


def parts_of(z, interleaved):
    if not interleaved:
        return np.concatenate([z.real, z.imag], -1)
    return np.stack([z.real, z.imag], -1).reshape(*z.shape[:-1], 2 * z.shape[-1])


def turned(x, factors, interleaved):
    """The first elements of every row times `factors`, one for each pair."""
    dims = 2 * factors.shape[-1]
    with np.errstate(all="ignore"):
        z = parts_of(pairs_of(x[..., :dims], interleaved) * factors, interleaved)
    return np.concatenate([z, x[..., dims:]], -1)


def rope(x, positions, freqs=None, dims=None, base=10000.0, scale=1.0, interleaved=False, sections=None):
    dims = x.shape[-1] if dims is None else dims
    freqs = base ** (-np.arange(0, dims, 2) / max(dims, 1)) if freqs is None else freqs
    positions = np.asarray(positions, np.float64)
    if sections is not None:
        positions = np.stack([positions[entry] for entry, n in enumerate(sections) for _ in range(n)], -1)
    else:
        positions = positions[..., None]
    with np.errstate(all="ignore"):
        return turned(x, np.exp(1j * (positions * scale * freqs)), interleaved)


def attributes(options):
    def text(value):
        return str(value).lower() if isinstance(value, bool) else str(value)

    return " {" + ", ".join(f"{k}={text(v)}" for k, v in options.items()) + "}" if options else ""


def embed(name, x, positions, freqs=None, **options):
    inputs = {"x": x, "p": positions} | ({"f": freqs} if freqs else {})
    y = rope(x.values, positions.values, freqs.values if freqs else None, **options)
    line = "rope %x, %p" + (", %f" if freqs else "") + attributes(options)
    return ops_case(name, inputs, {"y": (line, tensor(x.dtype, y))}, **TOLERANCE[x.dtype])


def table(name, x, cos, sin, **options):
    y = turned(x.values, cos.values + 1j * sin.values, options.get("interleaved", False))
    line = "rope_table %x, %c, %s" + attributes(options)
    return ops_case(name, {"x": x, "c": cos, "s": sin}, {"y": (line, tensor(x.dtype, y))}, **TOLERANCE[x.dtype])


def by_dtype():
    at = tensor("i64", [0, 1, 7])
    for dtype in REALS:
        x = tensor(dtype, numbers(1, 2, 3, 4))
        for interleaved in (False, True):
            yield embed(f"{dtype}, interleaved {interleaved}", x, at, interleaved=interleaved)
        yield embed(f"positions of {dtype}", tensor("f32", numbers(1, 2, 3, 4)), tensor(dtype, [0.5, -1.25, 3]))
        yield embed(f"freqs of {dtype}", x, at, tensor(dtype, [1, 0.375]))
        angle = np.array([[0.5], [1.0], [-2.0]]) * [1, 0.25]
        cos, sin = tensor(dtype, np.cos(angle)), tensor(dtype, np.sin(angle))
        for interleaved in (False, True):
            yield table(f"tables of {dtype}, interleaved {interleaved}", x, cos, sin, interleaved=interleaved)
    for dtype in INTEGERS:
        yield embed(f"positions of {dtype}", tensor("f32", numbers(2, 3, 2)), tensor(dtype, [0, 5, 11]))
    mixed = tensor("f32", numbers(1, 2, 3, 4))
    yield table("tables of two dtypes", mixed, tensor("f16", numbers(5, 3, 2)), tensor("f64", numbers(6, 2, 1, 2)))


def by_attribute():
    x, at = tensor("f32", numbers(1, 2, 3, 8)), tensor("i32", [0, 2, 9])
    for interleaved in (False, True):
        for dims in (0, 2, 6, 8):
            yield embed(f"{dims} of 8, interleaved {interleaved}", x, at, dims=dims, interleaved=interleaved)
        yield embed(f"freqs of 4 of 8, interleaved {interleaved}", x, at, tensor("f32", [2, -0.5]), dims=4, interleaved=interleaved)
        yield embed(f"sections, interleaved {interleaved}", x, tensor("i64", [[0, 1, 2], [5, 3, 1]]), sections=[1, 3], interleaved=interleaved)
        yield embed(f"three sections of 6, interleaved {interleaved}", x, tensor("f32", [[[0, 1, 2]], [[5, 3, 1]], [[0.5, 0, -1]]]),
                    tensor("f32", [1, 0.5, 0.25]), sections=[1, 0, 2], dims=6, scale=0.5, interleaved=interleaved)
    yield embed("base", x, at, base=500.0)
    yield embed("base below 1", x, at, base=0.5)
    yield embed("scale", x, at, scale=0.25)
    yield embed("negative scale", x, at, scale=-1.5)
    yield embed("one section", x, tensor("i64", [[3, 1, 2]]), sections=[4])
    yield embed("sections of scalars", x, tensor("i64", [2, 3]), sections=[2, 2])
    table_of = tensor("f32", numbers(3, 3, 2))
    for interleaved in (False, True):
        yield table(f"tables of 4 of 8, interleaved {interleaved}", x, table_of, tensor("f32", numbers(4, 3, 2)), interleaved=interleaved)


def by_shape():
    x = tensor("f32", numbers(1, 2, 3, 2, 4))
    for shape in ((), (1,), (2,), (3, 1), (3, 2), (2, 1, 1), (2, 3, 2), (1, 3, 1)):
        at = tensor("i64", np.arange(np.prod(shape, dtype=int)).reshape(shape) + 1)
        yield embed(f"positions {list(shape)}", x, at)
        yield embed(f"positions {list(shape)} in two sections", x, tensor("i64", np.stack([at.values, at.values * 2])), sections=[1, 1])
        yield table(f"tables {list(shape)}", x, tensor("f32", numbers(2, *shape, 2)), tensor("f32", numbers(3, 2)))
    yield embed("one row", tensor("f32", numbers(1, 4)), tensor("i64", np.array(3)))
    yield embed("one pair", tensor("f32", [[1, 2]]), tensor("i64", np.array(1)))
    yield table("a table of one row", tensor("f32", numbers(1, 5)), tensor("f32", [0.5]), tensor("f32", [0.25]))
    yield table("a table of nothing", tensor("f32", numbers(1, 2, 3)), tensor("f32", np.zeros((2, 0))), tensor("f32", np.zeros(0)))
    for shape in ((0, 4), (2, 0), (0, 0)):
        yield embed(f"shape {list(shape)}", tensor("f32", np.zeros(shape)), tensor("i64", np.array(3)))


def special():
    inf, nan = np.inf, np.nan
    x = tensor("f32", [[1, nan, 2, 3], [inf, 1, 2, 3], [1, 2, -0.0, 0.0], [1, 2, 3, 4]])
    # Complex products with an infinity differ: by hand.
    y = [[1, nan, 2, nan], [inf, 1, 2, 3], [1, 2, 0, 0], [1, 2, 3, 4]]
    y[1] = [inf, 1, nan, 3]
    yield ops_case("position 0 changes nothing but NaN, infinities and -0", {"x": x, "p": tensor("i64", np.array(0))}, {"y": ("rope %x, %p", tensor("f32", y))})
    yield embed("positions that are no numbers", tensor("f32", numbers(1, 3, 2)), tensor("f32", [nan, inf, 1]))
    # A decomposition has angles of f32.
    far = tensor("i64", [131072, 10**9, -(2**40)])
    yield embed("positions far away", tensor("f32", numbers(1, 3, 4)), far) | {"expands": False}
    yield embed("positions beyond f16", tensor("f16", numbers(1, 3, 2)), tensor("i64", [70000, 3, 100000])) | {"expands": False}


def open_sizes():
    inputs = {"x": "f32[B, 2, S, 2 * D]", "p": "i64[B, 1, S]", "c": "f32[S, D]", "q": "i64[2, S]"}
    program = "symbol B\nsymbol S\nsymbol D in 2..\n" + method(
        inputs,
        [
            "%part = rope %x, %p {dims=4}",
            "%sections = rope %x, %q {dims=4, sections=[1, 1], interleaved=true}",
            "%halves = rope_table %x, %c, %c",
            "%interleaved = rope_table %x, %c, %c {interleaved=true}",
        ],
        ["part", "sections", "halves", "interleaved"],
    )
    calls = []
    for b, s, d in ((2, 3, 2), (1, 1, 4), (0, 2, 2), (1, 0, 3)):
        x, c = tensor("f32", numbers(b, b, 2, s, 2 * d)), tensor("f32", numbers(s, s, d))
        p = tensor("i64", np.arange(b * s).reshape(b, 1, s))
        q = tensor("i64", np.arange(2 * s).reshape(2, s))
        z = c.values + 1j * c.values
        outputs = {
            "part": rope(x.values, p.values, dims=4),
            "sections": rope(x.values, q.values, dims=4, sections=[1, 1], interleaved=True),
            "halves": turned(x.values, z, False),
            "interleaved": turned(x.values, z, True),
        }
        calls.append(call({"x": x, "p": p, "c": c, "q": q}, {k: tensor("f32", y) for k, y in outputs.items()}, atol=1e-8))
    return case("open sizes", program, calls)


def cases():
    return [*by_dtype(), *by_attribute(), *by_shape(), *special(), open_sizes()]
