"""Cases of the products that are more than matmul: NumPy's einsum and tensordot on exact integers and in float64."""

import itertools
import math

import numpy as np

import make_matmul
from cases import INTEGERS, NUMBERS, REALS, Raw, call, case, error_case, integer_range, method, ops_case, tensor, wrap
from conversion import convert, promote


def numbers(dtype, shape, seed):
    """Without 0: NumPy lets the sign of a product of zeros depend on how it adds up."""
    x = make_matmul.numbers(dtype, shape, seed)
    return tensor(dtype, np.where(x.values == 0, 3, x.values))


def rounded(dtype, y):
    return tensor(dtype, wrap(dtype, y) if dtype in INTEGERS else y)


# ------------------------------------------------------------------------------------------------------------ einsum


def einsum(dtype, equation, *operands):
    with np.errstate(all="ignore"):
        y = np.einsum(equation, *(convert(x, dtype).values for x in operands))
    return f'einsum [{", ".join(f"%{name}" for name in "abcd"[: len(operands)])}] {{equation="{equation}"}}', rounded(dtype, y)


def einsum_case(equation, *shapes):
    operands = [numbers("f32", shape, i) for i, shape in enumerate(shapes)]
    inputs = dict(zip("abcd", operands))
    return ops_case(f"einsum {equation} of {', '.join(map(str, map(list, shapes)))}", inputs, {"y": einsum("f32", equation, *operands)})


EQUATIONS = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("bij,bkj->bik", (2, 3, 4), (2, 5, 4)),
    ("ij->ji", (2, 3)),
    ("ij->", (2, 3)),
    ("ij->j", (2, 3)),
    ("ii->i", (3, 3)),
    ("ii", (3, 3)),
    ("ii->", (3, 3)),
    ("iji->ij", (2, 3, 2)),
    ("iii->i", (2, 2, 2)),
    ("iijj->ji", (2, 2, 3, 3)),
    ("ij,jj->i", (2, 3), (3, 3)),
    ("ii,ij,jk->k", (2, 2), (2, 3), (3, 4)),
    ("i,j->ij", (2,), (3,)),
    ("i,j->ji", (2,), (3,)),
    ("i,i->", (3,), (3,)),
    ("i,i->i", (3,), (3,)),
    ("i,i,i", (3,), (3,), (3,)),
    ("i,j,k,l->lkji", (2,), (1,), (3,), (2,)),
    ("ij,jk,kl", (2, 3), (3, 4), (4, 2)),
    ("ab,bc", (2, 3), (3, 2)),
    ("ba", (2, 3)),
    ("bA", (2, 3)),
    ("bca,ad", (2, 3, 4), (4, 2)),
    (" i j , j k -> k i ", (2, 3), (3, 4)),
    ("ij,k->i", (2, 3), (4,)),
    ("i,->i", (3,), ()),
    (",", (), ()),
    ("->", ()),
    ("", ()),
    ("...", (2, 3)),
    ("...ij,...jk->...ik", (2, 1, 2, 3), (4, 3, 2)),
    ("...ij,jk", (2, 2, 3), (3, 4)),
    ("i...,i...->...", (3, 2, 1), (3, 4)),
    ("...i,...i->...i", (2, 3), (3,)),
    ("i...j->j...i", (2, 3, 4)),
    ("...,...", (2, 1), (1, 3)),
    ("...,...->...", (), (3,)),
    ("...ii->...i", (2, 3, 3)),
    ("a...b,c->...bc", (2, 3, 2), (2,)),
    ("ij,jk->ik", (0, 3), (3, 4)),
    ("ij,jk->ik", (2, 0), (0, 4)),
    ("ij,jk->", (2, 3), (3, 0)),
    ("...i,...i->...", (1, 3), (0, 3)),
]


def equations():
    return [einsum_case(*row) for row in EQUATIONS]


def einsum_dtypes():
    for dtype in NUMBERS:
        a, b = numbers(dtype, (2, 3), 1), numbers(dtype, (3, 2), 2)
        ops = {"y": einsum(dtype, "ij,jk->ki", a, b), "z": einsum(dtype, "ij,ji->j", a, b)}
        yield ops_case(f"einsum {dtype}", {"a": a, "b": b}, ops, ulps=0)
    for dtypes in (("u8", "i8"), ("f16", "bf16"), ("i32", "f16"), ("bool", "c64")):
        a, b = (convert(numbers("u8", (2, 2), i), dtype) for i, dtype in enumerate(dtypes))
        yield ops_case(f"einsum of {' and '.join(dtypes)}", {"a": a, "b": b}, {"y": einsum(promote(*dtypes), "ij,jk->ki", a, b)})
    for dtype in INTEGERS:
        low, high = integer_range(dtype)
        a, b = tensor(dtype, [[high, low], [high, high]]), tensor(dtype, [high, low])
        ops = {"y": einsum(dtype, "ij,j->i", a, b), "z": einsum(dtype, "ij,i,j->", a, b, b)}
        yield ops_case(f"einsum {dtype}, wrapping", {"a": a, "b": b, "c": b}, ops)
    a = tensor("f32", [[math.nan, 1, math.inf], [2, -math.inf, -0.0], [0, 1, 1e-45]])
    ops = {"diagonal": einsum("f32", "ii->i", a), "column": einsum("f32", "ij->j", a), "twice": einsum("f32", "ij,ij->i", a, a)}
    ops["twice"] = (ops["twice"][0].replace("%b", "%a"), ops["twice"][1])
    yield ops_case("einsum, specials", {"a": a}, ops)
    a = tensor("f32", [-0.0, 0.0, 2.0])
    ops = {"same": einsum("f32", "i->i", a), "outer": ('einsum [%a, %a] {equation="i,j->ij"}', tensor("f32", np.multiply.outer(a.values, a.values)))}
    yield ops_case("einsum, signs of zero", {"a": a}, ops)
    # As in PyTorch: NumPy has no result that lacks what `...` stands for.
    a = numbers("f32", (2, 3, 4), 30)
    yield ops_case("einsum ...i->i", {"a": a}, {"y": ('einsum [%a] {equation="...i->i"}', tensor("f32", a.values.sum((0, 1))))})
    for dtype in REALS:
        a = tensor(dtype, np.random.RandomState(3).standard_normal((2, 70)))
        exact = [math.fsum(x * x for x in row) for row in a.values]
        yield ops_case(f"einsum {dtype}, long", {"a": a}, {"y": ('einsum [%a, %a] {equation="ij,ij->i"}', tensor(dtype, exact))}, atol=1e-13)


# ------------------------------------------------------------------------------------------------------- dot_general


def dot_general(a, b, contract_a, contract_b, batch_a=(), batch_b=()):
    """By tensordot for each element of the batch axes."""
    a, b = np.moveaxis(a, batch_a, range(len(batch_a))), np.moveaxis(b, batch_b, range(len(batch_b)))

    def moved(axes, batch, rank):
        return [axis % rank - len(batch) + sum(other % rank > axis % rank for other in batch) for axis in axes]

    axes = moved(contract_a, batch_a, a.ndim), moved(contract_b, batch_b, b.ndim)
    if not batch_a:
        return np.tensordot(a, b, axes)
    lead = a.shape[: len(batch_a)]
    each = [np.tensordot(a[at], b[at], axes) for at in np.ndindex(*lead)]
    return np.array(each).reshape(lead + each[0].shape)


DOTS = [
    ((2, 3), (3, 4), dict(contract_a=[1], contract_b=[0])),
    ((2, 3), (4, 3), dict(contract_a=[-1], contract_b=[-1])),
    ((3, 2, 4), (2, 4, 3), dict(contract_a=[0, 2], contract_b=[2, 1])),
    ((2, 3, 4), (5, 2, 4), dict(contract_a=[2], contract_b=[2], batch_a=[0], batch_b=[1])),
    ((2, 3, 4, 2), (3, 2, 2), dict(contract_a=[3], contract_b=[2], batch_a=[1, 0], batch_b=[0, -2])),
    ((2, 3), (2, 3), dict(contract_a=[], contract_b=[], batch_a=[0, 1], batch_b=[0, 1])),
    ((2,), (3,), dict(contract_a=[], contract_b=[])),
    ((), (3,), dict(contract_a=[], contract_b=[])),
    ((), (), dict(contract_a=[], contract_b=[])),
    ((3,), (3,), dict(contract_a=[0], contract_b=[0])),
    ((2, 0), (0, 3), dict(contract_a=[1], contract_b=[0])),
    ((2, 0, 3), (2, 3, 2), dict(contract_a=[2], contract_b=[1], batch_a=[0], batch_b=[0])),
]


def dot_line(options):
    return f"dot_general %a, %b {{{', '.join(f'{k}={v}' for k, v in options.items())}}}"


def dots():
    for left, right, options in DOTS:
        a, b = numbers("f32", left, 5), numbers("f32", right, 6)
        y = tensor("f32", dot_general(a.values, b.values, **options))
        yield ops_case(f"dot_general of {list(left)} and {list(right)}, {options}", {"a": a, "b": b}, {"y": (dot_line(options), y)}, ulps=0)
    options = dict(contract_a=[0], contract_b=[1])
    for dtype in NUMBERS:
        a, b = numbers(dtype, (3, 2), 7), numbers(dtype, (2, 3), 8)
        y = rounded(dtype, dot_general(a.values, b.values, **options))
        yield ops_case(f"dot_general {dtype}", {"a": a, "b": b}, {"y": (dot_line(options), y)}, ulps=0)
    a, b = tensor("f16", [[1, 2]]), tensor("bf16", [[3, math.inf]])
    options = dict(contract_a=[1], contract_b=[1])
    yield ops_case("dot_general of f16 and bf16", {"a": a, "b": b}, {"y": (dot_line(options), tensor("f32", [[math.inf]]))})


# ---------------------------------------------------------------------------------------------------- grouped_matmul


def grouped():
    for dtype in NUMBERS:
        x, w = numbers(dtype, (5, 3), 9), numbers(dtype, (3, 3, 2), 10)
        wt, g = type(w)(dtype, np.swapaxes(w.values, 1, 2)), tensor("i32", [2, 0, 2, 1, 0])
        y = rounded(dtype, np.array([x.values[m] @ w.values[int(g.values[m])] for m in range(5)]))
        ops = {"y": ("grouped_matmul %x, %w, %g", y), "z": ("grouped_matmul %x, %wt, %g {transpose_w=true}", y)}
        yield ops_case(f"grouped_matmul {dtype}", {"x": x, "w": w, "wt": wt, "g": g}, ops, ulps=0)
    x, w = numbers("f16", (3, 2), 11), numbers("i8", (4, 2, 2), 12)
    for dtype in INTEGERS:
        g = tensor(dtype, [3, 0, 1])
        y = tensor("f16", np.array([x.values[m] @ w.values[int(g.values[m])].astype(float) for m in range(3)]))
        yield ops_case(f"grouped_matmul, groups of {dtype}", {"x": x, "w": w, "g": g}, {"y": ("grouped_matmul %x, %w, %g", y)})
    for of_x, of_w in (((0, 3), (2, 3, 4)), ((2, 0), (2, 0, 4)), ((2, 3), (2, 3, 0)), ((0, 3), (0, 3, 4))):
        x, w, g = numbers("f32", of_x, 13), numbers("f32", of_w, 14), tensor("u8", np.zeros(of_x[0], int))
        y = tensor("f32", np.zeros((of_x[0], of_w[2])))
        yield ops_case(f"grouped_matmul of {list(of_x)} by {list(of_w)}", {"x": x, "w": w, "g": g}, {"y": ("grouped_matmul %x, %w, %g", y)})
    x, w = tensor("f32", np.ones((2, 1))), tensor("f32", np.ones((3, 1, 1)))
    for index in (3, -1, 2**62):
        error = f"[grouped_matmul] group {index} of row 1 is outside 3 groups (at main: %y)"
        yield error_case(f"grouped_matmul, group {index}", {"x": x, "w": w, "g": tensor("i64", [0, index])}, "grouped_matmul %x, %w, %g", error)


def grouped_packed():
    """Rows of five 4-bit codes in two groups: scale·q + bias, as docs/semantics.md lays them out."""
    random = np.random.RandomState(15)
    codes = random.randint(0, 16, (2, 3, 5))
    scales, biases = random.randint(1, 9, (2, 3, 2)) / 8, random.randint(-8, 9, (2, 3, 2)) / 4
    packed = bytearray()
    for row in codes.reshape(6, 5):
        nibbles = [*map(int, row), 0]
        packed += bytes(low | high << 4 for low, high in zip(nibbles[::2], nibbles[1::2]))
    packed += scales.astype("<f2").tobytes() + biases.astype("<f2").tobytes()
    w = Raw("packed<affine, bits=4, group=4, scale=f16>[2, 3, 5]", bytes(packed))
    values = codes * np.repeat(scales, 4, axis=2)[:, :, :5] + np.repeat(biases, 4, axis=2)[:, :, :5]
    for dtype in REALS:
        x, g = numbers(dtype, (4, 5), 16), tensor("i64", [1, 0, 0, 1])
        y = tensor(dtype, [values[int(group)] @ row for row, group in zip(x.values, g.values)])
        ops = {"y": ("grouped_matmul %x, %w, %g", y), "z": ("grouped_matmul %x, %w, %g {transpose_w=true}", y)}
        yield ops_case(f"grouped_matmul {dtype} by packed", {"x": x, "w": w, "g": g}, ops)


# ---------------------------------------------------------------------------------------------------- integer_matmul


def integer_matmul():
    for of_a, of_b in itertools.product(("u8", "i8"), repeat=2):
        random = np.random.RandomState(17)
        a = tensor(of_a, random.randint(*integer_range(of_a), (2, 3, 4)))
        b = tensor(of_b, random.randint(*integer_range(of_b), (4, 2)))
        zeros = {
            "az": tensor(of_a, 5), "azr": tensor(of_a, [1, 100, 7]), "azb": tensor(of_a, random.randint(0, 9, (2, 3, 1))),
            "bz": tensor(of_b, 99), "bzc": tensor(of_b, [3, 120]), "bzb": tensor(of_b, [[8, 1]]),
        }
        rows = {"az": zeros["az"].values, "azr": zeros["azr"].values[:, None], "azb": zeros["azb"].values}
        ops = {}
        for name, pair in {"plain": (), "rows": ("azr",), "scalars": ("az", "bz"), "both": ("azr", "bzc"), "batch": ("azb", "bzb"), "right": (None, "bz")}.items():
            left, right = (*pair, None, None)[:2]
            y = np.matmul(a.values - (rows[left] if left else 0), b.values - (zeros[right].values if right else 0))
            given = "".join(f", %{zero}" if zero else ", _" for zero in pair)
            ops[name] = (f"integer_matmul %a, %b{given}", tensor("i32", y))
        yield ops_case(f"integer_matmul {of_a} by {of_b}", {"a": a, "b": b, **zeros}, ops)
    for left, right in (((0, 3), (3, 2)), ((2, 0), (0, 2)), ((2, 1, 1, 2), (3, 2, 1)), ((1, 1), (1, 1))):
        a, b = tensor("u8", np.ones(left, int)), tensor("i8", np.full(right, -128))
        ops = {"y": ("integer_matmul %a, %b", tensor("i32", np.matmul(a.values, b.values).astype(int)))}
        yield ops_case(f"integer_matmul of {list(left)} and {list(right)}", {"a": a, "b": b}, ops)


# ------------------------------------------------------------------------------------------------------- lora_linear


def lora(x, w, a, b, scale=1.0):
    return x @ w + scale * ((x @ a) @ b)


def lora_linear():
    others = {"f16": "f32", "bf16": "f16", "f32": "f64", "f64": "bf16"}
    for dtype in REALS:
        x, w = numbers(dtype, (2, 3, 4), 18), numbers(dtype, (4, 5), 19)
        a, b = numbers(others[dtype], (4, 2), 20), numbers(dtype, (2, 5), 21)
        values = [v.values for v in (x, w, a, b)]
        ops = {
            "y": ("lora_linear %x, %w, %a, %b", tensor(dtype, lora(*values))),
            "z": ("lora_linear %x, %w, %a, %b {scale=0.25}", tensor(dtype, lora(*values, 0.25))),
        }
        yield ops_case(f"lora_linear {dtype}, a of {a.dtype}", {"x": x, "w": w, "a": a, "b": b}, ops)
    x, w, a, b = numbers("i8", (4,), 22), numbers("f16", (4, 3), 23), numbers("f16", (4, 1), 24), numbers("f16", (1, 3), 25)
    y = lora(x.values.astype(float), w.values, a.values, b.values, -2.0)
    yield ops_case("lora_linear of a vector", {"x": x, "w": w, "a": a, "b": b}, {"y": ("lora_linear %x, %w, %a, %b {scale=-2.0}", tensor("f16", y))})
    for m, k, n, r in ((0, 2, 3, 1), (2, 0, 3, 1), (2, 3, 0, 1), (2, 3, 2, 0)):
        x, w, a, b = (numbers("f32", shape, 26) for shape in ((m, k), (k, n), (k, r), (r, n)))
        ops = {"y": ("lora_linear %x, %w, %a, %b", tensor("f32", lora(x.values, w.values, a.values, b.values)))}
        yield ops_case(f"lora_linear of sizes {m}, {k}, {n}, {r}", {"x": x, "w": w, "a": a, "b": b}, ops)


def open_sizes():
    inputs = {"a": "f32[S, T, 3]", "b": "f32[T, 3]"}
    body = [
        '%y = einsum [%a, %b] {equation="stk,tk->ts"}',
        "%z = dot_general %a, %b {contract_a=[2], contract_b=[1], batch_a=[1], batch_b=[0]}",
        '%v = einsum [%a, %b, %b] {equation="...k,...k,tk->...t"}',
    ]
    program = "symbol S\nsymbol T\n" + method(inputs, body, ["y", "z", "v"])
    calls = []
    for s, t in ((2, 3), (0, 2), (3, 0), (1, 1)):
        a, b = numbers("f32", (s, t, 3), 27), numbers("f32", (t, 3), 28)
        y, v = np.einsum("stk,tk->ts", a.values, b.values), np.einsum("...k,...k,tk->...t", a.values, b.values, b.values)
        calls.append(call({"a": a, "b": b}, {k: tensor("f32", x) for k, x in {"y": y, "z": y, "v": v}.items()}, ulps=0))
    return case("open sizes", program, calls)


def limits():
    a = tensor("f32", np.ones((2, 3)))
    program = method({"a": a}, ['%y = einsum [%a, %a] {equation="ij,kj->ik"}'], ["y"])
    # The node, 9 characters, the result, and for each of 4 elements 3 terms of 2 factors.
    yield case("limits", program, [
        call({"a": a}, error="[einsum] the call takes more than 37 steps (at main: %y)", steps=37),
        call({"a": a}, {"y": tensor("f32", np.full((2, 2), 3))}, steps=38, bytes=100),
    ])


def cases():
    makers = (equations, einsum_dtypes, dots, grouped, grouped_packed, integer_matmul, lora_linear, limits)
    return [row for make in makers for row in make()] + [open_sizes()]
