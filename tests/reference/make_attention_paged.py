"""Cases of paged_attention: attention over the keys of each batch, gathered from their pages."""

import numpy as np

from cases import INTEGERS, REALS, call, case, error_case, method, ops_case, tensor
from make_attention import attention, attributes, numbers


def operands(ends=(5, 3), h=4, g=2, s=2, page=2, width=3, d=2, e=2, count=5, dtypes=("f32", "f32", "f32"), index="i32"):
    """Pages in no order, and entries beyond the length that are no pages."""
    b = len(ends)
    shapes = ((b, h, s, d), (count, page, g, d), (count, page, g, e))
    values = {name: tensor(dtype, numbers(i, *shape)) for i, (name, dtype, shape) in enumerate(zip("qkv", dtypes, shapes))}
    order = np.random.RandomState(3).permutation(count)
    table = np.full((b, width), 99)
    for row, end in enumerate(ends):
        used = -(-end // page) if page else 0
        table[row, :used] = [order[(row * width + i) % count] for i in range(used)]
    return values | {"table": tensor(index, table), "lengths": tensor(index, list(ends))}


def paged(inputs, causal=True, **options):
    """Attention of each batch on its own, over the keys that its pages hold."""
    q, k, v = (inputs[name].values for name in "qkv")
    page, rows = k.shape[1], []
    for b, end in enumerate(inputs["lengths"].values):
        at = [(int(inputs["table"].values[b, t // page]), t % page) for t in range(end)]
        keys, values = (np.array([x[p, r] for p, r in at]).reshape(end, *x.shape[2:]) for x in (k, v))
        sinks = {"sinks": inputs["sinks"].values} if "sinks" in inputs else {}
        heads = (np.moveaxis(x, 0, 1)[None] for x in (keys, values))
        rows.append(attention(q[b : b + 1], *heads, causal="lower_right" if causal else "none", **sinks, **options))
    return np.concatenate(rows) if rows else np.zeros((*q.shape[:3], v.shape[3]))


def attend(name, inputs, dtype="f32", **options):
    line = "paged_attention %q, %k, %v, %table, %lengths" + (", %sinks" if "sinks" in inputs else "")
    shown = {k: str(v).lower() if isinstance(v, bool) else v for k, v in options.items()}
    tolerance = {"ulps": 64, "atol": 1e-15} if dtype == "f64" else {"atol": 1e-8}
    return ops_case(name, inputs, {"y": (line + attributes(shown), tensor(dtype, paged(inputs, **options)))}, **tolerance)


def by_dtype():
    for dtype in REALS:
        yield attend(dtype, operands(dtypes=(dtype,) * 3), dtype)
    yield attend("f32, f16 and bf16 make f32", operands(dtypes=("f32", "f16", "bf16")))
    for dtype in INTEGERS:
        yield attend(f"pages of {dtype}", operands(index=dtype))


def by_attribute():
    for options in (
        {"causal": False}, {"window": 1}, {"window": 2}, {"window": 9}, {"scale": -0.7}, {"softcap": 0.5},
        {"causal": False, "softcap": 1.5, "scale": 2.0},
    ):
        yield attend(", ".join(f"{k} {v}" for k, v in options.items()), operands(), **options)
        with_sinks = operands() | {"sinks": tensor("f16", numbers(9, 4))}
        yield attend(", ".join(f"{k} {v}" for k, v in options.items()) + ", sinks", with_sinks, **options)
    for g in (1, 2, 4):
        yield attend(f"4 heads on {g}", operands(g=g))


def by_size():
    for page, width in ((1, 6), (2, 3), (3, 2), (5, 1), (16, 1)):
        yield attend(f"pages of {page} rows", operands(page=page, width=width, count=12))
    for ends in ((0, 0), (0, 6), (1, 2), (6, 6), (4,)):
        yield attend(f"lengths {list(ends)}", operands(ends))
        yield attend(f"lengths {list(ends)}, not causal", operands(ends), causal=False)
    yield attend("more queries than keys", operands((1, 3, 0), s=4))
    yield attend("more queries than keys, with a sink", operands((1, 3, 0), s=4) | {"sinks": tensor("f32", numbers(9, 4))})
    yield attend("one query", operands(s=1))
    yield attend("no queries", operands(s=0))
    yield attend("no batch", operands(()))
    yield attend("no heads", operands(h=0, g=2))
    yield attend("no features of v", operands(e=0))
    yield attend("no features of q", operands(d=0), scale=1.0)
    yield attend("pages without rows", operands((0, 0), page=0))
    yield attend("no pages at all", operands((0, 0), width=0, count=1))


def beside_attention():
    """Pages one after the other are keys as `attention` has them."""
    q, k, v = (tensor("f32", numbers(i, *shape)) for i, shape in enumerate(((2, 4, 3, 2), (2, 6, 2, 2), (2, 6, 2, 3))))
    inputs = {"q": q, "k": k, "v": v, "table": tensor("i64", [[0, 1, 2], [3, 4, 5]]), "lengths": tensor("i64", [5, 2])}
    body = []
    for x, last in (("k", 2), ("v", 3)):
        body.append(f"%{x}_pages = reshape %{x} {{shape=[6, 2, 2, {last}]}}")
        body.append(f"%{x}_heads = transpose %{x} {{perm=[0, 2, 1, 3]}}")
    body.append("%y = paged_attention %q, %k_pages, %v_pages, %table, %lengths {window=3}")
    body.append("%z = attention %q, %k_heads, %v_heads, _, _, %lengths {causal=lower_right, window=3}")
    heads = (np.moveaxis(x.values, 2, 1) for x in (k, v))
    y = tensor("f32", attention(q.values, *heads, lengths=[5, 2], causal="lower_right", window=3))
    return case("pages in order", method(inputs, body, ["y", "z"]), [call(inputs, {"y": y, "z": y}, atol=1e-8)])


def refused():
    line = "paged_attention %q, %k, %v, %table, %lengths"
    at = " (at main: %y)"
    given = operands()
    long = given | {"lengths": tensor("i32", [5, 7])}
    yield error_case("a length beyond the table", long, line, "[paged_attention] length of batch 1 is 7, expected 0..6" + at)
    short = given | {"lengths": tensor("i32", [-1, 3])}
    yield error_case("a negative length", short, line, "[paged_attention] length of batch 0 is -1, expected 0..6" + at)
    for page in (5, -1, 2**31 - 1):
        table = given["table"].values.copy()
        table[1, 1] = page
        error = f"[paged_attention] page 1 of batch 1 is {page}, expected 0..4" + at
        yield error_case(f"page {page} of 5", given | {"table": tensor("i32", table)}, line, error)
    none = operands((1, 0), s=1, count=1)
    none |= {"k": tensor("f32", np.zeros((0, 2, 2, 2))), "v": tensor("f32", np.zeros((0, 2, 2, 2)))}
    yield error_case("a page where there is none", none, line, "[paged_attention] page 0 of batch 0 is 0, expected 0..-1" + at)


def open_sizes():
    types = {"q": "f32[B, 2, S, 4]", "k": "f32[P, R, 1, 4]", "v": "f32[P, R, 1, E]", "table": "i64[B, W]", "lengths": "i64[B]"}
    symbols = "".join(f"symbol {name}\n" for name in "BSPREW")
    program = symbols + method(types, ["%y = paged_attention %q, %k, %v, %table, %lengths {window=3}"], ["y"])
    calls = []
    for ends, s, page, width, e, count in (((4, 2), 2, 2, 2, 3, 4), ((1,), 1, 3, 1, 1, 1), ((), 2, 1, 2, 2, 1), ((0,), 2, 2, 1, 2, 1)):
        inputs = operands(ends, 2, 1, s, page, width, 4, e, count, index="i64")
        calls.append(call(inputs, {"y": tensor("f32", paged(inputs, window=3))}, atol=1e-8))
    return case("open sizes", program, calls)


def limits():
    inputs = operands((4,), 1, 1, 1, 2, 2, 2, 2, 2)
    program = method(inputs, ["%y = paged_attention %q, %k, %v, %table, %lengths"], ["y"])
    y = {"y": tensor("f32", paged(inputs))}
    # One for the node, 2 for the result, 2 pages and a length, as i64 and as they are, 4 scores of 2 products for q and 2 for v.
    return case("limits", program, [
        call(inputs, error="[paged_attention] the call takes more than 24 steps (at main: %y)", steps=24),
        call(inputs, y, atol=1e-8, steps=25),
        # 8 bytes of the result and 16 each of table and lengths as i64, then 8 for each weight of the longest row.
        call(inputs, error="[paged_attention] 32 bytes more than the 32 alive go beyond the limit of 63 (at main: %y)", bytes=63),
        call(inputs, y, atol=1e-8, bytes=64),
    ])


def cases():
    return [*by_dtype(), *by_attribute(), *by_size(), beside_attention(), *refused(), open_sizes(), limits()]
