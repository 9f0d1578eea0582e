"""Cases of attention. Sizes by their usual letters: q [B,H,S,D], k [B,G,T,D], v [B,G,T,E]."""

import numpy as np

from cases import INTEGERS, REALS, Tensor, call, case, error_case, method, ops_case, tensor


def attention(q, k, v, mask=None, sinks=None, lengths=None, scale=None, causal="none", window=None, softcap=None):
    """The formula on whole arrays, in float64."""
    heads, s, t = q.shape[1], q.shape[2], k.shape[2]
    sharing = heads // k.shape[1] if k.shape[1] else 1
    k, v = np.repeat(k, sharing, 1), np.repeat(v, sharing, 1)
    with np.errstate(all="ignore"):
        scores = np.einsum("bhsd,bhtd->bhst", q, k) * (1 / np.sqrt(q.shape[3]) if scale is None else scale)
        if softcap is not None:
            scores = softcap * np.tanh(scores / softcap)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
        keys = np.full(len(q), t) if lengths is None else np.array(lengths, np.int64)
        keys, j = keys[:, None, None, None], np.arange(t)
        scores = np.where(j < keys, scores, -np.inf)
        distance = np.arange(s)[:, None] + (keys - s if causal == "lower_right" else 0) - j
        if causal != "none":
            seen = (distance >= 0) & (distance < (np.inf if window is None else window))
            scores = np.where(seen, scores, -np.inf)
        top = scores.max(-1, keepdims=True, initial=-np.inf)
        blind = top == -np.inf
        sink = np.full((heads, 1, 1), -np.inf) if sinks is None else sinks[:, None, None]
        top = np.maximum(np.where(blind, 0, top), sink)
        powers = np.exp(scores - top)
        weights = powers / np.where(blind, 1, powers.sum(-1, keepdims=True) + np.exp(sink - top))
        return np.where(blind, 0, np.einsum("bhst,bhte->bhse", weights, v))


def numbers(seed, *shape):
    """Sixteenths: exact in every dtype, and short."""
    return np.rint(np.random.RandomState(seed).standard_normal(shape) * 16) / 16


def operands(b=2, h=4, g=2, s=3, t=5, d=3, e=2, dtypes=("f32", "f32", "f32")):
    shapes = ((b, h, s, d), (b, g, t, d), (b, g, t, e))
    return {name: tensor(dtype, numbers(i, *shape)) for i, (name, dtype, shape) in enumerate(zip("qkv", dtypes, shapes))}


def attributes(options):
    return " {" + ", ".join(f"{k}={v}" for k, v in options.items()) + "}" if options else ""


def attend(name, inputs, dtype="f32", **options):
    """The inputs are operands by their names."""
    rest = [f"%{operand}" if operand in inputs else "_" for operand in ("mask", "sinks", "lengths")]
    while rest and rest[-1] == "_":
        rest.pop()
    line = ", ".join(["attention %q", "%k", "%v", *rest]) + attributes(options)
    arrays = {k: np.asarray(x.values, bool if x.dtype == "bool" else np.float64) for k, x in inputs.items()}
    y = attention(**arrays, **options)
    tolerance = {"ulps": 64, "atol": 1e-15} if dtype == "f64" else {"atol": 1e-8}
    return ops_case(name, inputs, {"y": (line, tensor(dtype, y))}, **tolerance)


def by_dtype():
    for dtype in REALS:
        yield attend(dtype, operands(dtypes=(dtype,) * 3), dtype)
    yield attend("f16, bf16 and f16 make f32", operands(dtypes=("f16", "bf16", "f16")))
    yield attend("f32, f16 and f64 make f64", operands(dtypes=("f32", "f16", "f64")), "f64")
    # Integers become the dtype of the others first: as f16, 2049 is 2048, and both keys get the same score.
    q, k = tensor("i32", [[[[2049, 2048]]]]), tensor("f16", [[[[4, 0], [0, 4]]]])
    v = tensor("f16", numbers(2, 1, 1, 2, 2))
    y = tensor("f16", attention(tensor("f16", [[[[2048, 2048]]]]).values, k.values, v.values))
    yield ops_case("integers and f16", {"q": q, "k": k, "v": v}, {"y": ("attention %q, %k, %v", y)})


def by_attribute():
    for g in (1, 2, 4):
        yield attend(f"4 heads on {g}", operands(g=g))
    for s, t in ((3, 5), (5, 3), (4, 4), (1, 4), (4, 1)):
        for causal in ("upper_left", "lower_right"):
            yield attend(f"{causal}, {s} queries, {t} keys", operands(1, 2, 1, s, t), causal=causal)
            for window in (1, 2, 9):
                yield attend(f"{causal}, {s} queries, {t} keys, window {window}", operands(1, 2, 1, s, t), causal=causal, window=window)
    yield attend("scale", operands(), scale=0.7)
    yield attend("scale 0", operands(), scale=0.0)
    yield attend("negative scale", operands(), scale=-2.5)
    yield attend("softcap", operands(), softcap=0.5)
    yield attend("softcap, scale, causal", operands(), softcap=2.0, scale=3.0, causal="lower_right", window=2)


def by_mask():
    b, h, s, t = 2, 4, 3, 5
    seen = np.random.RandomState(5).rand(b, h, s, t) < 0.6
    seen[0, 0, 1] = False  # a row that sees no key
    yield attend("mask of bool", operands() | {"mask": tensor("bool", seen)})
    for shape in ((), (5,), (3, 1), (3, 5), (4, 1, 5), (2, 1, 3, 5), (1, 4, 1, 1)):
        part = np.ones(shape, bool) if shape == () else np.random.RandomState(6).rand(*shape) < 0.7
        yield attend(f"mask of bool{list(shape)}", operands() | {"mask": tensor("bool", part)})
        yield attend(f"mask of f32{list(shape)}", operands() | {"mask": tensor("f32", numbers(7, *shape))})
    yield attend("mask false", operands() | {"mask": tensor("bool", np.array(False))})
    added = np.where(seen, numbers(8, b, h, s, t), -np.inf)
    for dtype in REALS:
        yield attend(f"mask of {dtype} with -inf", operands() | {"mask": tensor(dtype, added)})
    mask = {"mask": tensor("f32", added)}
    yield attend("mask, causal, window, softcap", operands() | mask, causal="lower_right", window=3, softcap=1.5)
    yield attend("mask of bool, causal", operands() | {"mask": tensor("bool", seen)}, causal="upper_left")
    yield attend("mask of f32, f16 operands", operands(dtypes=("f16",) * 3) | mask, "f16")


def by_sink():
    for dtype in REALS:
        yield attend(f"sinks of {dtype}", operands() | {"sinks": tensor(dtype, numbers(9, 4))})
        yield attend(f"{dtype} and sinks of f32", operands(dtypes=(dtype,) * 3) | {"sinks": tensor("f32", numbers(9, 4))}, dtype)
    inf = np.inf
    sinks = {"sinks": tensor("f32", [0.5, 20, -20, -inf])}
    yield attend("sinks, large and none", operands() | sinks)
    yield attend("sinks, rows that see no key", operands(s=5, t=3) | sinks, causal="lower_right")
    yield attend("sinks are not scaled nor capped", operands() | sinks, scale=3.0, softcap=0.5, causal="upper_left")
    yield attend("sinks without keys", operands(t=0) | sinks)
    yield attend("sinks of NaN and +inf", operands() | {"sinks": tensor("f32", [np.nan, inf, 1, 2])})
    yield attend("sinks of NaN, rows that see no key", operands(s=5, t=3) | {"sinks": tensor("f32", [np.nan] * 4)}, causal="lower_right")
    yield attend("sinks above scores beyond f32", with_values(q=((0, 0, 0), [3e20, 0])) | {"sinks": tensor("f32", [1e30])})


def by_length():
    for dtype in INTEGERS:
        yield attend(f"lengths of {dtype}", operands() | {"lengths": tensor(dtype, [2, 5])})
    lengths = {"lengths": tensor("i32", [0, 3])}
    masks = {
        "no mask": {},
        "a mask of bool": {"mask": tensor("bool", np.random.RandomState(5).rand(2, 4, 3, 5) < 0.6)},
        "a mask of f32": {"mask": tensor("f32", np.where(np.random.RandomState(6).rand(2, 1, 3, 5) < 0.7, numbers(8, 2, 1, 3, 5), -np.inf))},
    }
    sinks = {"sinks": tensor("f32", numbers(9, 4))}
    for name, mask in masks.items():
        for causal in ("none", "upper_left", "lower_right"):
            options = {} if causal == "none" else {"causal": causal}
            yield attend(f"lengths, {name}, {causal}", operands() | mask | lengths, **options)
        yield attend(f"lengths, {name}, a window, sinks", operands() | mask | sinks | lengths, causal="lower_right", window=2, softcap=2.0)
    for s, t, g, ends in ((1, 4, 1, [4, 2, 0]), (4, 4, 4, [4, 1, 3]), (5, 3, 2, [3, 0, 2]), (2, 0, 2, [0, 0, 0])):
        for causal in ("upper_left", "lower_right"):
            given = operands(3, 4, g, s, t) | {"lengths": tensor("i64", ends)}
            yield attend(f"lengths {ends}, {s} queries, {t} keys, {g} heads, {causal}", given, causal=causal)
    yield attend("lengths without a batch", operands(b=0) | {"lengths": tensor("i64", np.zeros(0, int))})
    yield attend("NaN in a key beyond the length", with_values(k=((0, 0, 2, 0), np.nan)) | {"lengths": tensor("i64", [2])})
    for end, dtype in ((6, "i64"), (-1, "i8"), (2**64 - 1, "u64")):
        given = operands() | {"lengths": tensor(dtype, [2, end])}
        shown = min(end, 2**63 - 1)
        error = f"[attention] length of batch 1 is {shown}, expected 0..5 (at main: %y)"
        yield error_case(f"length {end} of 5 keys", given, "attention %q, %k, %v, _, _, %lengths", error)
    given = operands(s=0) | {"lengths": tensor("i64", [2, 7])}
    error = "[attention] length of batch 1 is 7, expected 0..5 (at main: %y)"
    yield error_case("a length is checked without queries too", given, "attention %q, %k, %v, _, _, %lengths", error)


def by_size():
    yield attend("no keys", operands(t=0))
    yield attend("no keys, causal", operands(t=0), causal="lower_right")
    yield attend("no queries", operands(s=0))
    yield attend("no batch", operands(b=0))
    yield attend("no heads", operands(h=0, g=0))
    yield attend("heads that nobody uses", operands(h=0, g=2))
    yield attend("no features of q", operands(d=0), scale=1.0)
    yield attend("no features of v", operands(e=0))
    yield attend("one of everything", operands(1, 1, 1, 1, 1, 1, 1))
    yield attend("odd sizes", operands(3, 3, 1, 7, 11, 5, 1), causal="lower_right")


def with_values(**values):
    inputs = operands(1, 1, 1, 2, 3, 2, 2)
    for operand, (index, value) in values.items():
        changed = inputs[operand].values.copy()
        changed[index] = value
        inputs[operand] = Tensor("f32", changed)
    return inputs


def special():
    inf, nan = np.inf, np.nan
    yield attend("NaN in a query", with_values(q=((0, 0, 0, 0), nan)))
    yield attend("NaN in a key", with_values(k=((0, 0, 1, 0), nan)))
    yield attend("NaN in a hidden key", with_values(k=((0, 0, 2, 0), nan)), causal="upper_left")
    yield attend("NaN in a value", with_values(v=((0, 0, 1, 0), nan)))
    yield attend("NaN in a hidden value", with_values(v=((0, 0, 2, 0), nan)), causal="upper_left")
    yield attend("an infinite score", with_values(q=((0, 0, 0), [inf, 0])))
    hidden = {"mask": tensor("bool", [[True, False, True], [True, True, True]])}
    yield attend("an infinite score that is hidden", with_values(k=((0, 0, 1), [inf, 0])) | hidden)
    yield attend("NaN in the mask", with_values() | {"mask": tensor("f32", [[0, nan, 0], [0, 0, -inf]])})
    yield attend("+inf in the mask", with_values() | {"mask": tensor("f32", [[0, inf, 0], [0, 0, -inf]])})
    yield attend("large scores", with_values(q=((0, 0, 0), [1e4, -1e4])))
    # A decomposition has scores of f32.
    yield attend("scores beyond f32", with_values(q=((0, 0, 0), [3e20, 0]), k=((0, 0, 0), [3e20, 0]))) | {"expands": False}


def open_sizes():
    types = {"q": "f32[B, H, S, 4]", "k": "f32[B, H, T, 4]", "v": "f32[B, H, T, E]"}
    symbols = "".join(f"symbol {name}\n" for name in "BHSTE")
    program = symbols + method(types, ["%y = attention %q, %k, %v {causal=lower_right}"], ["y"])
    calls = []
    for b, h, s, t, e in ((1, 2, 3, 5, 2), (2, 1, 5, 3, 3), (1, 0, 2, 2, 2), (1, 1, 2, 0, 2), (0, 3, 1, 1, 1)):
        inputs = operands(b, h, h, s, t, 4, e)
        y = attention(*(x.values for x in inputs.values()), causal="lower_right")
        calls.append(call(inputs, {"y": tensor("f32", y)}, atol=1e-8))
    return case("open sizes", program, calls)


def limits():
    inputs = operands(1, 1, 1, 2, 3, 2, 2)
    program = method(inputs, ["%y = attention %q, %k, %v"], ["y"])
    y = tensor("f32", attention(*(x.values for x in inputs.values())))
    # One for the node, 2·2 for the result, 2·3 scores of 2 products for q and 2 for v.
    return case("limits", program, [
        call(inputs, error="[attention] the call takes more than 28 steps (at main: %y)", steps=28),
        call(inputs, {"y": y}, atol=1e-8, steps=29),
    ])


def cases():
    return [
        *by_dtype(), *by_attribute(), *by_mask(), *by_sink(), *by_length(), *by_size(), *special(), open_sizes(), limits(),
    ]
