"""Cases of rnn, gru and lstm by ONNX's equations (onnx_layers.py), and of selective_scan and gated_delta.

make_recurrent_torch.py has the layers that PyTorch has too.
"""

import numpy as np
from onnx_layers import DEFAULTS, FUNCTIONS, GATES, layer

from cases import INTEGERS, REALS, call, case, error_case, method, tensor

ULPS = {"f16": 1, "bf16": 1, "f32": 1, "f64": 64}
RESULTS = {"rnn": ["y", "h"], "gru": ["y", "h"], "lstm": ["y", "h", "c"]}
OPERANDS = {"rnn": ["x", "w", "r", "bias", "lengths", "h0"], "gru": ["x", "w", "r", "bias", "lengths", "h0"]}
OPERANDS["lstm"] = OPERANDS["rnn"] + ["c0", "peepholes"]


def numbers(seed, *shape):
    """Sixteenths: exact in every dtype, and short."""
    return np.rint(np.random.RandomState(seed).standard_normal(shape) * 8) / 16


def attribute(value):
    if isinstance(value, bool):
        return str(value).lower()
    return f"[{', '.join(map(str, value))}]" if isinstance(value, (list, tuple)) else str(value)


def line(op, operands, attributes, results=None):
    """The text of a node; operands that are not there are `_`."""
    names = ", ".join(f"%{name}" if name in operands else "_" for name in OPERANDS.get(op, operands))
    listed = ", ".join(f"{name}={attribute(value)}" for name, value in attributes.items())
    return f"{', '.join('%' + r for r in results or RESULTS[op])} = {op} {names}" + (f" {{{listed}}}" if listed else "")


def operands_of(op, seed=0, dtype="f32", steps=3, rows=2, inputs=3, units=2, directions=1, leave=()):
    """Every operand of a layer but those to leave out."""
    gates = GATES[op] * units
    shapes = {
        "x": (steps, rows, inputs), "w": (directions, gates, inputs), "r": (directions, gates, units),
        "bias": (directions, 2 * gates), "h0": (directions, rows, units), "c0": (directions, rows, units),
        "peepholes": (directions, 3 * units),
    }
    chosen = [name for name in OPERANDS[op] if name in shapes and name not in leave]
    return {name: tensor(dtype, numbers(seed + i, *shapes[name])) for i, name in enumerate(chosen)}


def reals_of(operands):
    return {key: operand.values.astype(np.float64) for key, operand in operands.items()}


def layer_case(name, op, operands, dtype="f32", **attributes):
    with np.errstate(all="ignore"):
        expected = layer(op, **reals_of(operands), **attributes)
    outputs = {key: tensor(dtype, value) for key, value in zip(RESULTS[op], expected)}
    program = method(operands, [line(op, operands, attributes)], RESULTS[op])
    return case(name, program, [call(operands, outputs, ulps=ULPS[dtype], atol=1e-15 if dtype == "f64" else 1e-9)])


def by_dtype():
    for op in GATES:
        for dtype in REALS:
            yield layer_case(f"{op} {dtype}", op, operands_of(op, dtype=dtype), dtype)
        mixed = operands_of(op) | {"w": tensor("f16", numbers(1, 1, 2 * GATES[op], 3)), "x": tensor("i8", [[[1, -2, 3]] * 2] * 3)}
        yield layer_case(f"{op}, operands of several dtypes", op, mixed)


def by_operand():
    for op in GATES:
        optional = [name for name in OPERANDS[op][3:] if name != "lengths"]
        for name in optional:
            yield layer_case(f"{op} without {name}", op, operands_of(op, 7, leave=(name,)))
        yield layer_case(f"{op}, the least", op, operands_of(op, 8, leave=optional))
        for sizes in ((0, 2, 3, 2), (3, 0, 3, 2), (3, 2, 0, 2), (3, 2, 3, 0), (1, 1, 1, 1)):
            named = dict(zip(("steps", "rows", "inputs", "units"), sizes))
            yield layer_case(f"{op} of sizes {list(sizes)}", op, operands_of(op, 9, **named))


def by_direction():
    for op in GATES:
        for direction in ("forward", "reverse", "bidirectional"):
            operands = operands_of(op, 20, steps=4, rows=3, directions=2 if direction == "bidirectional" else 1)
            yield layer_case(f"{op} {direction}", op, operands, direction=direction)
            operands["lengths"] = tensor("i64", [2, 0, 4])
            yield layer_case(f"{op} {direction} with lengths", op, operands, direction=direction)
    for dtype in INTEGERS:
        operands = operands_of("rnn", 30) | {"lengths": tensor(dtype, [1, 3])}
        yield layer_case(f"lengths of {dtype}", "rnn", operands)


def by_activation():
    """Every one of them, with its defaults and with other parameters, where the numbers reach all of its branches."""
    x = tensor("f32", [[[-4.0], [-1.0], [-0.25], [0.0], [0.25], [1.0], [1.5], [4.0]]])
    w, r = tensor("f32", [[[1.0]]]), tensor("f32", [[[0.5]]])
    for name, (_, defaults) in FUNCTIONS.items():
        yield layer_case(name, "rnn", {"x": x, "w": w, "r": r}, activations=[name])
        if defaults:
            given = {"alphas": [0.75]} | ({"betas": [-0.5]} if len(defaults) > 1 else {})
            yield layer_case(f"{name} with parameters", "rnn", {"x": x, "w": w, "r": r}, activations=[name], **given)
    # Parameters go to the activations that take one, in order.
    yield layer_case("activations of gru", "gru", operands_of("gru", 40), activations=["hard_sigmoid", "leaky_relu"],
                     alphas=[0.25, 0.125], betas=[0.375])
    yield layer_case("betas alone", "gru", operands_of("gru", 40), activations=["hard_sigmoid", "elu"], betas=[0.375])
    yield layer_case("activations of two directions", "lstm", operands_of("lstm", 41, directions=2), direction="bidirectional",
                     activations=["sigmoid", "affine", "scaled_tanh", "hard_sigmoid", "softsign", "elu"],
                     alphas=[0.5, 1.5, 0.25, 0.75], betas=[0.125, 0.5, 0.375])


def by_attribute():
    for op in GATES:
        yield layer_case(f"{op} with clip", op, operands_of(op, 50), clip=0.25)
    yield layer_case("clip reaches the cell", "lstm", operands_of("lstm", 51) | {"c0": tensor("f32", numbers(1, 1, 2, 2) * 8)}, clip=0.5)
    for direction in ("forward", "reverse"):
        yield layer_case(f"linear before reset, {direction}", "gru", operands_of("gru", 52), direction=direction,
                         linear_before_reset=True)
    yield layer_case("input and forget coupled", "lstm", operands_of("lstm", 53), input_forget=True)


def special():
    inf, nan = np.inf, np.nan
    x = tensor("f32", [[[nan], [1e30], [-1e30], [inf], [-inf]], [[0.0], [0.0], [0.0], [0.0], [0.0]]])
    one = {"x": x, "w": tensor("f32", [[[1.0]]]), "r": tensor("f32", [[[1.0]]])}
    for name in ("tanh", "sigmoid", "relu", "hard_sigmoid"):
        yield layer_case(f"{name} of what is not finite", "rnn", one, activations=[name])
    gates = {"w": tensor("f32", [[[1.0]] * 4]), "r": tensor("f32", [[[0.0]] * 4])}
    yield layer_case("NaN stays in its row, large numbers saturate", "lstm", {"x": tensor("f32", x.values[:, :3])} | gates)


def lengths_out_of_range():
    operands = operands_of("gru", 60, leave=("bias", "h0"))
    for lengths, error in (([3, 4], "length of batch 1 is 4, expected 0..3"), ([-1, 3], "length of batch 0 is -1, expected 0..3")):
        named = operands | {"lengths": tensor("i64", lengths)}
        program = method(named, [line("gru", named, {})], ["y", "h"])
        yield case(f"lengths {lengths}", program, [call(named, error=f"[gru] {error} (at main: %y)")])


def open_sizes():
    inputs = {"x": "f32[T, B, I]", "w": "f32[1, 8, I]", "r": "f32[1, 8, 2]", "lengths": "i32[B]"}
    program = "symbol T\nsymbol B\nsymbol I\n" + method(inputs, [line("lstm", inputs, {})], RESULTS["lstm"])
    calls = []
    for t, b, i in ((3, 2, 1), (1, 1, 3), (0, 2, 1), (2, 0, 1)):
        operands = operands_of("lstm", 70, steps=t, rows=b, inputs=i, leave=("bias", "h0", "c0", "peepholes"))
        operands["lengths"] = tensor("i32", np.minimum(np.arange(b) + 1, t))
        expected = layer("lstm", **reals_of(operands))
        calls.append(call(operands, {key: tensor("f32", v) for key, v in zip(RESULTS["lstm"], expected)}, atol=1e-9))
    return case("open sizes", program, calls)


def limits():
    operands = operands_of("rnn", 80, leave=("bias", "h0"))
    program = method(operands, [line("rnn", operands, {})], ["y", "h"])
    # The node, the results, and a multiplication for each of 3 steps, 2 rows, 2 units and 3 + 2 operands.
    steps = 1 + 12 + 4 + 3 * 2 * 2 * 5
    expected = layer("rnn", **reals_of(operands))
    yield case("limits", program, [
        call(operands, error=f"[rnn] the call takes more than {steps - 1} steps (at main: %y)", steps=steps - 1),
        call(operands, {"y": tensor("f32", expected[0]), "h": tensor("f32", expected[1])}, steps=steps, atol=1e-9),
    ])


# --------------------------------------------------------------------------------------------------------------- scans


def selective_scan(x, delta, a, b, c, d=None, h0=None):
    """Whole steps at a time, in the order of the axes that the operands have."""
    h = np.zeros((x.shape[0], x.shape[2], a.shape[1])) if h0 is None else h0
    y = np.zeros(x.shape)
    for t in range(x.shape[1]):
        h = np.exp(delta[:, t, :, None] * a) * h + (delta[:, t] * x[:, t])[:, :, None] * b[:, t, None, :]
        y[:, t] = np.einsum("bcn,bn->bc", h, c[:, t])
    # The same in one formula: what step s adds decays by the sum of the deltas after it.
    sums = np.cumsum(delta, axis=1)
    decay = np.exp((sums[:, :, None] - sums[:, None])[..., None] * a) * np.tri(x.shape[1])[None, :, :, None, None]
    first = np.zeros(h.shape) if h0 is None else h0
    once = np.einsum("btscn,bsc,bsn,btn->btc", decay, delta * x, b, c)
    once += np.einsum("btcn,bcn,btn->btc", np.exp(sums[..., None] * a), first, c)
    np.testing.assert_allclose(y, once, rtol=1e-9, atol=1e-12)
    return y if d is None else y + d * x, h


def scan_case(name, operands, dtype="f32", state="f32", **options):
    y, h = selective_scan(**reals_of(operands))
    names = ", ".join(f"%{key}" if key in operands else "_" for key in ("x", "delta", "a", "b", "c", "d", "h0"))
    program = method(operands, [f"%y, %h = selective_scan {names}"], ["y", "h"])
    return case(name, program, [call(operands, {"y": tensor(dtype, y), "h": tensor(state, h)}, **options)])


def scan_operands(seed, dtypes=("f32",) * 7, rows=2, steps=3, channels=2, n=3, leave=()):
    shapes = {
        "x": (rows, steps, channels), "delta": (rows, steps, channels), "a": (channels, n), "b": (rows, steps, n),
        "c": (rows, steps, n), "d": (channels,), "h0": (rows, channels, n),
    }
    made = {key: numbers(seed + i, *shape) for i, (key, shape) in enumerate(shapes.items())}
    made |= {"delta": np.abs(made["delta"]), "a": -np.abs(made["a"])}
    return {key: tensor(dtype, made[key]) for key, dtype in zip(made, dtypes) if key not in leave}


def selective_scans():
    for dtype in REALS:
        yield scan_case(f"selective_scan {dtype}", scan_operands(1, (dtype,) * 7), dtype, dtype, ulps=ULPS[dtype], atol=1e-9)
    yield scan_case("selective_scan, operands of several dtypes", scan_operands(2, ("f16", "f32", "f64", "bf16", "f16", "f32", "f64")),
                    "f16", "f64", ulps=2, atol=1e-9)
    for dtype, state in (("f16", "f32"), ("bf16", "f32"), ("f32", "f32"), ("f64", "f64")):
        yield scan_case(f"selective_scan {dtype} from 0", scan_operands(3, (dtype,) * 7, leave=("h0", "d")), dtype, state,
                        ulps=ULPS[dtype], atol=1e-9)
    for sizes in ((1, 1, 1, 1), (0, 3, 2, 3), (2, 0, 2, 3), (2, 3, 0, 3), (2, 3, 2, 0)):
        named = dict(zip(("rows", "steps", "channels", "n"), sizes))
        yield scan_case(f"selective_scan of sizes {list(sizes)}", scan_operands(4, **named), atol=1e-9)
    operands = scan_operands(5, leave=("d", "h0"), rows=1, steps=2, channels=1, n=1)
    operands["x"] = tensor("f32", [[[np.nan], [1.0]]])
    with np.errstate(all="ignore"):
        yield scan_case("selective_scan of NaN", operands)


def gated_delta(q, k, v, g=None, beta=None, state=None, scale=None, delta=True):
    """Whole heads at a time; k and v repeated for the heads of q that share them."""
    share = q.shape[1] // max(k.shape[1], 1)
    scale = k.shape[3] ** -0.5 if scale is None else scale
    g = np.zeros(k.shape[:3]) if g is None else g
    g = np.broadcast_to(g if g.ndim == 4 else g[..., None], k.shape)
    beta = np.ones(k.shape[:3]) if beta is None else beta
    s = np.zeros((*k.shape[:2], k.shape[3], v.shape[3])) if state is None else state
    first, out = s, np.zeros((*q.shape[:3], v.shape[3]))
    for t in range(q.shape[2]):
        s = np.exp(g[:, :, t, :, None]) * s
        known = np.einsum("bgkv,bgk->bgv", s, k[:, :, t]) if delta else 0
        update = beta[:, :, t, None] * (v[:, :, t] - known)
        s = s + k[:, :, t, :, None] * update[:, :, None, :]
        out[:, :, t] = scale * np.einsum("bhkv,bhk->bhv", np.repeat(s, share, 1), q[:, :, t])
    check_by_matrices(k, v, g, beta, first, s, delta)
    return out, s


def check_by_matrices(k, v, g, beta, first, last, delta):
    """The last S as a product of matrices: S = (1 - beta·k·kᵀ)·diag(e^g)·S + beta·k·vᵀ."""
    for b, h in np.ndindex(*k.shape[:2]):
        s = first[b, h]
        for t in range(k.shape[2]):
            keys = k[b, h, t][:, None]
            forget = np.eye(k.shape[3]) - (beta[b, h, t] * keys @ keys.T if delta else 0)
            s = forget @ np.diag(np.exp(g[b, h, t])) @ s + beta[b, h, t] * keys @ v[b, h, t][None]
        np.testing.assert_allclose(s, last[b, h], rtol=1e-9, atol=1e-12)


def delta_operands(seed, dtypes=("f32",) * 6, batch=2, heads=2, groups=2, steps=3, keys=3, values=2, by_key=False, leave=()):
    lead = (batch, groups, steps)
    shapes = {
        "q": (batch, heads, steps, keys), "k": (*lead, keys), "v": (*lead, values), "g": (*lead, keys) if by_key else lead,
        "beta": lead, "state": (batch, groups, keys, values),
    }
    made = {key: numbers(seed + i, *shape) for i, (key, shape) in enumerate(shapes.items())}
    made |= {"g": -np.abs(made["g"]), "beta": np.abs(made["beta"])}
    return {key: tensor(dtype, made[key]) for key, dtype in zip(made, dtypes) if key not in leave}


def delta_case(name, operands, dtype="f32", state="f32", atol=1e-9, ulps=1, **attributes):
    expected = gated_delta(**reals_of(operands), **attributes)
    names = ", ".join(f"%{key}" if key in operands else "_" for key in ("q", "k", "v", "g", "beta", "state"))
    listed = ", ".join(f"{key}={attribute(value)}" for key, value in attributes.items())
    program = method(operands, [f"%o, %s = gated_delta {names}" + (f" {{{listed}}}" if listed else "")], ["o", "s"])
    outputs = {"o": tensor(dtype, expected[0]), "s": tensor(state, expected[1])}
    return case(name, program, [call(operands, outputs, atol=atol, ulps=ulps)])


def gated_deltas():
    for dtype in REALS:
        operands = delta_operands(1, (dtype,) * 6)
        yield delta_case(f"gated_delta {dtype}", operands, dtype, dtype, atol=1e-9, ulps=ULPS[dtype])
    yield delta_case("gated_delta, operands of several dtypes", delta_operands(2, ("f16", "bf16", "f16", "f64", "f32", "bf16")),
                     "f32", "bf16")
    for dtype, state in (("f16", "f32"), ("bf16", "f32"), ("f64", "f64")):
        yield delta_case(f"gated_delta {dtype} from 0", delta_operands(3, (dtype,) * 6, leave=("state",)), dtype, state, ulps=ULPS[dtype])
    for by_key in (False, True):
        yield delta_case(f"fewer heads, decay by key {by_key}", delta_operands(4, heads=6, by_key=by_key))
        yield delta_case(f"one head, decay by key {by_key}", delta_operands(5, heads=3, groups=1, by_key=by_key))
    yield delta_case("keys of one number", delta_operands(6, keys=1, by_key=True))
    yield delta_case("a scale", delta_operands(7), scale=0.25)
    yield delta_case("without the rule of delta", delta_operands(8, heads=4), delta=False)
    for leave in (("g",), ("beta",), ("state",), ("g", "beta", "state")):
        yield delta_case(f"without {', '.join(leave)}", delta_operands(9, leave=leave))
    for sizes in ((0, 2, 2, 3, 3, 2), (1, 0, 2, 3, 3, 2), (1, 0, 0, 3, 3, 2), (1, 2, 2, 0, 3, 2), (1, 2, 2, 3, 3, 0), (1, 1, 1, 1, 1, 1)):
        named = dict(zip(("batch", "heads", "groups", "steps", "keys", "values"), sizes))
        yield delta_case(f"gated_delta of sizes {list(sizes)}", delta_operands(10, **named))
    yield delta_case("keys of no number", delta_operands(11, keys=0), scale=1.0)


def cases():
    return [*by_dtype(), *by_operand(), *by_direction(), *by_activation(), *by_attribute(), *special(),
            *lengths_out_of_range(), open_sizes(), *limits(), *selective_scans(), *gated_deltas()]
