"""Cases of sample, moe_route and moe_combine. (sample_test.cpp has the distribution of what is sampled.)"""

import itertools

import numpy as np
from scipy.special import expit, softmax

from cases import REALS, call, case, method, ops_case, tensor
from make_create import uniforms


def numbers(seed, *shape):
    """Sixteenths: exact in every dtype, and short."""
    return np.rint(np.random.RandomState(seed).standard_normal(shape) * 16) / 16


def attributes(options):
    def text(value):
        return str(value).lower() if isinstance(value, bool) else repr(value)

    return " {" + ", ".join(f"{k}={text(v)}" for k, v in options.items()) + "}" if options else ""


# ------------------------------------------------------------------------------------------------------------- sample


def left(p, top_k=None, top_p=1.0, min_p=0.0):
    """The tokens of a row of probabilities that may be drawn: every cut on what the one before has left."""
    tokens = sorted(range(len(p)), key=lambda i: (-p[i], i))[:top_k]
    if top_p < 1:
        mass = np.cumsum(p[tokens]) / np.sum(p[tokens])
        tokens = tokens[: int(np.argmax(mass >= top_p)) + 1]
    return [i for i in tokens if p[i] >= min_p * p[tokens[0]]]


def sample(logits, key, dtype, temperature=1.0, **cuts):
    rows = logits.reshape(-1, logits.shape[-1])
    least = 2.0**-54 if dtype == "f64" else 2.0**-25
    noise = -np.log(-np.log(np.maximum(uniforms(key, rows.size, dtype), least))).reshape(rows.shape)
    tokens = []
    for row, own in zip(rows, noise):
        if np.isnan(row).any() or temperature == 0:
            tokens.append(int(np.argmax(row)))  # the first NaN, where there is one
            continue
        with np.errstate(all="ignore"):
            # Equal infinities share everything.
            tempered = np.where(row == row.max(), 0, (row - row.max()) / temperature)
            noisy = np.full(row.shape, -np.inf)
            for i in left(softmax(tempered), **cuts):
                noisy[i] = tempered[i] + own[i]
        tokens.append(int(np.argmax(noisy)))
    return np.array(tokens, object).reshape(logits.shape[:-1])


def drawn(name, logits, key=(7, 11), **options):
    y = tensor("i64", sample(logits.values, list(key), logits.dtype, **options))
    inputs = {"x": logits, "key": tensor("u32", list(key))}
    return ops_case(name, inputs, {"y": ("sample %x, %key" + attributes(options), y)})


CUTS = [
    {}, {"top_k": 1}, {"top_k": 3}, {"top_k": 6}, {"top_p": 0.01}, {"top_p": 0.5}, {"top_p": 0.9}, {"min_p": 0.25}, {"min_p": 1.0},
    {"top_k": 4, "top_p": 0.7}, {"top_k": 5, "top_p": 0.95, "min_p": 0.125}, {"top_p": 0.8, "min_p": 0.5},
]


def samples():
    for dtype in REALS:
        x = tensor(dtype, numbers(1, 8, 6))
        for temperature in (0.0, 1.0, 0.25, 3.0):
            yield drawn(f"sample of {dtype}, temperature {temperature}", x, temperature=temperature)
    x = tensor("f32", numbers(2, 12, 6))
    for cuts in CUTS:
        yield drawn(f"sample{attributes(cuts)}", x, **cuts)
        yield drawn(f"sample{attributes(cuts)}, warm", x, temperature=2.5, **cuts)
        yield drawn(f"sample{attributes(cuts)}, greedy", x, temperature=0.0, **cuts)
    for key in ((0, 0), (2**32 - 1, 2**32 - 1), (1, 0), (0, 1)):
        yield drawn(f"sample, key {list(key)}", x, key)
    for shape in ((5,), (1,), (3, 1), (2, 3, 4), (0, 3), (2, 0, 3)):
        yield drawn(f"sample of {list(shape)}", tensor("f32", numbers(3, *shape)))


def sample_special():
    inf, nan = np.inf, np.nan
    ties = tensor("f32", [[1, 3, 3, 2], [0, 0, 0, 0], [-0.0, 0.0, -1, 0], [2, 2, 2, 5]])
    yield drawn("greedy: ties go to the lowest index", ties, temperature=0.0)
    for top_k in (1, 2):
        yield drawn(f"the top {top_k}: ties go to the lowest index", ties, top_k=top_k)
    yield drawn("ties in the mass", ties, top_p=0.5)
    odd = tensor("f32", [[1, nan, 2, nan], [inf, 1, inf, 2], [-inf, -inf, 1, -inf], [-inf, -inf, -inf, -inf], [inf, inf, -inf, 0]])
    for options in ({}, {"temperature": 0.0}, {"top_k": 2}, {"top_p": 0.5}, {"min_p": 0.5}):
        yield drawn(f"NaN and infinities{attributes(options)}", odd, **options)
    far = tensor("f64", [[1e300, -1e300, 0], [1e-300, 0, 2e-300], [1.7e308, -1.7e308, 1.7e308]])
    yield drawn("logits far apart", far)
    yield drawn("a temperature next to 0", tensor("f32", numbers(4, 6, 5)), temperature=1e-300)
    yield drawn("a temperature beyond all", tensor("f32", numbers(4, 6, 5)), temperature=1e300)


# --------------------------------------------------------------------------------------------------------- experts


def route(fn, logits, k, bias=None, groups=1, top_groups=1, normalize=False, scale=1.0):
    """As the gate of DeepSeek-V3 does: groups by the sum of their two best, the rest out, the best of what is left."""
    scores = softmax(logits, -1) if fn == "softmax" else expit(logits)
    choice = scores if bias is None else scores + bias
    tokens, experts = logits.shape
    by_group = choice.reshape(tokens, groups, experts // groups)
    of_group = np.sort(by_group, -1)[..., -2:].sum(-1)
    taking_part = np.argsort(-of_group, -1, kind="stable")[:, :top_groups]
    open_groups = np.zeros((tokens, groups), bool)
    np.put_along_axis(open_groups, taking_part, True, -1)
    masked = np.where(np.repeat(open_groups, experts // groups, -1), choice, -np.inf)
    chosen = np.argsort(-masked, -1, kind="stable")[:, :k]
    weights = np.take_along_axis(scores, chosen, -1)
    if normalize:
        weights = weights / weights.sum(-1, keepdims=True)
    return weights * scale, chosen


def routed(name, fn, logits, k, bias=None, **options):
    weights, experts = route(fn, logits.values, k, bias.values if bias else None, **options)
    inputs = {"x": logits} | ({"b": bias} if bias else {})
    line = f"%w, %e = moe_route_{fn} %x" + (", %b" if bias else "") + attributes({"k": k} | options)
    outputs = {"w": tensor(logits.dtype, weights), "e": tensor("i64", experts)}
    tolerance = {"ulps": 8} if logits.dtype == "f64" else {}
    return case(name, method(inputs, [line], ["w", "e"]), [call(inputs, outputs, **tolerance)])


def experts():
    for fn, dtype in itertools.product(("softmax", "sigmoid"), REALS):
        x, bias = tensor(dtype, numbers(1, 4, 6)), tensor(dtype, numbers(2, 6) / 4)
        for k in (1, 2, 6):
            yield routed(f"{fn} of {dtype}, {k} of 6", fn, x, k)
        yield routed(f"{fn} of {dtype}, normalised and scaled", fn, x, 3, normalize=True, scale=2.5)
        yield routed(f"{fn} of {dtype}, a bias for the choice", fn, x, 3, bias)
        yield routed(f"{fn} of {dtype}, a bias and groups", fn, x, 2, bias, groups=3, top_groups=2, normalize=True)
    x = tensor("f32", numbers(3, 16, 12))
    for fn, (groups, top_groups) in itertools.product(("softmax", "sigmoid"), ((1, 1), (2, 1), (3, 2), (4, 4), (6, 3), (12, 5))):
        k = min(4, 12 // groups * top_groups)
        yield routed(f"{fn}, {top_groups} of {groups} groups", fn, x, k, groups=groups, top_groups=top_groups)
        yield routed(f"{fn}, {top_groups} of {groups} groups, all of them", fn, x, 12 // groups * top_groups, groups=groups, top_groups=top_groups, scale=-0.5)
    yield routed("a bias of another dtype", "sigmoid", tensor("f16", numbers(1, 3, 4)), 2, tensor("f64", [0.1, -0.3, 0.2, 0]))
    ties = tensor("f32", [[1, 2, 2, 1, 2, 1], [0, 0, 0, 0, 0, 0]])
    yield routed("ties go to the lowest index", "softmax", ties, 4)
    yield routed("ties of groups go to the lowest index", "sigmoid", ties, 2, groups=3, top_groups=2)
    # Everyone to two of the experts.
    skewed = tensor("f32", np.where(np.arange(8) % 5 == 1, 4.0, 0) + numbers(5, 9, 8))
    yield routed("skewed", "softmax", skewed, 2, normalize=True)
    none = tensor("f32", np.zeros((0, 4)))
    yield routed("no tokens", "softmax", none, 2, groups=2, top_groups=1)
    yield routed("one expert", "sigmoid", tensor("f32", [[0.5], [-3]]), 1, normalize=True)


def experts_special():
    inf, nan = np.inf, np.nan
    x = tensor("f32", [[1, nan, 2, nan], [inf, 1, -inf, 2], [-inf, -inf, -inf, -inf], [800, -800, 0, 1]])

    def row(name, line, weights, chosen):
        inputs = {"x": x}
        outputs = {"w": tensor("f32", weights), "e": tensor("i64", chosen)}
        return case(name, method(inputs, [f"%w, %e = {line}"], ["w", "e"]), [call(inputs, outputs)])

    sigmoid = expit(np.array([1.0, 2.0]))
    yield row("sigmoid of NaN and infinities", "moe_route_sigmoid %x {k=3}",
              [[nan, nan, sigmoid[1]], [1, sigmoid[1], sigmoid[0]], [0, 0, 0], [1, sigmoid[0], 0.5]],
              [[1, 3, 2], [0, 3, 1], [0, 1, 2], [0, 3, 2]])
    yield row("weights of 0 stay 0", "moe_route_sigmoid %x {k=2, normalize=true}",
              [[nan, nan], [1 / (1 + sigmoid[1]), sigmoid[1] / (1 + sigmoid[1])], [0, 0], [1 / (1 + sigmoid[0]), sigmoid[0] / (1 + sigmoid[0])]],
              [[1, 3], [0, 3], [0, 1], [0, 3]])
    yield row("softmax of NaN and infinities", "moe_route_softmax %x {k=2}",
              [[nan, nan], [nan, nan], [nan, nan], [1, 0]], [[0, 1], [0, 1], [0, 1], [0, 1]])


def combine():
    for dtype, other in zip(REALS, ("f32", "f16", "bf16", "f32")):
        x, w = tensor(dtype, numbers(1, 3, 2, 4)), tensor(other, numbers(2, 3, 2))
        y = np.einsum("tkd,tk->td", x.values, w.values)
        yield ops_case(f"combine {dtype} by {other}", {"x": x, "w": w}, {"y": ("moe_combine %x, %w", tensor(dtype, y))}, atol=1e-12)
    for shape in ((0, 2, 3), (2, 0, 3), (2, 3, 0), (1, 1, 1)):
        x, w = tensor("f32", numbers(1, *shape)), tensor("f32", numbers(2, *shape[:2]))
        y = np.einsum("tkd,tk->td", x.values, w.values)
        yield ops_case(f"combine {list(shape)}", {"x": x, "w": w}, {"y": ("moe_combine %x, %w", tensor("f32", y))})
    x, w = tensor("f32", [[[np.nan, 1], [2, np.inf]]]), tensor("f32", [[0.5, -1]])
    yield ops_case("combine NaN and infinities", {"x": x, "w": w}, {"y": ("moe_combine %x, %w", tensor("f32", [[np.nan, -np.inf]]))})
    # A decomposition adds up in f32.
    x, w = tensor("f32", [[[3e38], [3e38], [-3e38]]]), tensor("f32", [[1, 1, 1]])
    yield ops_case("combine beyond f32", {"x": x, "w": w}, {"y": ("moe_combine %x, %w", tensor("f32", [[3e38]]))}) | {"expands": False}


def open_sizes():
    inputs = {"x": "f32[T, 2 * E]", "key": "u32[2]", "b": "f32[2 * E]"}
    body = [
        "%token = sample %x, %key {top_k=2, top_p=0.75}",
        "%w, %e = moe_route_softmax %x, %b {k=2, groups=2, top_groups=1}",
        "%rows = reshape %x {shape=[T, 2, E]}",
        "%y = moe_combine %rows, %w",
    ]
    program = "symbol T\nsymbol E in 2..\n" + method(inputs, body, ["token", "w", "e", "y"])
    calls = []
    for t, e in ((3, 2), (1, 5), (0, 3)):
        x, b = tensor("f32", numbers(t, t, 2 * e)), tensor("f32", numbers(e, 2 * e))
        w, chosen = route("softmax", x.values, 2, b.values, 2, 1)
        weights = tensor("f32", w)
        outputs = {
            "token": tensor("i64", sample(x.values, [1, 2], "f32", top_k=2, top_p=0.75)),
            "w": weights,
            "e": tensor("i64", chosen),
            "y": tensor("f32", np.einsum("tkd,tk->td", x.values.reshape(t, 2, e), weights.values)),
        }
        calls.append(call({"x": x, "key": tensor("u32", [1, 2]), "b": b}, outputs, atol=1e-8))
    return case("open sizes", program, calls)


def limits():
    x, key = tensor("f32", numbers(1, 2, 4)), tensor("u32", [1, 2])
    program = method({"x": x, "key": key}, ["%y = sample %x, %key"], ["y"])
    y = {"y": tensor("i64", sample(x.values, [1, 2], "f32"))}
    # One for the node, 2 for the result, 8 logits.
    return case("limits", program, [
        call({"x": x, "key": key}, error="[sample] the call takes more than 10 steps (at main: %y)", steps=10),
        call({"x": x, "key": key}, y, steps=11),
    ])


def cases():
    return [*samples(), *sample_special(), *experts(), *experts_special(), *combine(), open_sizes(), limits()]
