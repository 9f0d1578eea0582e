"""Cases of softmax_cross_entropy and the losses by element: PyTorch's, in float64."""

import itertools

import numpy as np
import torch
import torch.nn.functional as F

from cases import INTEGERS, REALS, call, case, error_case, method, ops_case, tensor

TOLERANCE = {"f16": {"atol": 1e-9}, "bf16": {"atol": 1e-9}, "f32": {"atol": 1e-9}, "f64": {"ulps": 64, "atol": 1e-15}}
REDUCTIONS = ("none", "sum", "mean")


def numbers(seed, *shape):
    """Sixteenths: exact in every dtype, and short."""
    return np.rint(np.random.RandomState(seed).standard_normal(shape) * 16) / 16


def attributes(options):
    return " {" + ", ".join(f"{k}={v}" for k, v in options.items()) + "}" if options else ""


# ------------------------------------------------------------------------------------------------------ cross-entropy


def cross_entropy(logits, labels, weight=None, axis=-1, ignore=None, smoothing=0.0, reduction="mean"):
    """PyTorch's wants the classes on axis 1."""
    is_real = labels.dtype == np.float64
    rank = logits.ndim
    x = torch.tensor(np.moveaxis(logits, axis, 0)[None].copy())  # one batch, then the classes
    y = torch.tensor(np.moveaxis(labels, axis, 0)[None].copy() if is_real else labels.astype(np.int64)[None])
    result = F.cross_entropy(
        x, y, None if weight is None else torch.tensor(weight),
        ignore_index=-(2**40) if ignore is None else ignore, reduction=reduction, label_smoothing=smoothing,
    ).numpy()
    if reduction == "none":
        return result[0].reshape(np.delete(logits.shape, axis % rank))
    # Without a batch each row counts as one, as a batch of rows does.
    if reduction == "mean" and is_real:
        rows = logits.size // logits.shape[axis]
        total = F.cross_entropy(x, y, None if weight is None else torch.tensor(weight), reduction="sum", label_smoothing=smoothing)
        return total.numpy() / rows
    return result


def entropy(name, logits, labels, weight=None, **options):
    inputs = {"x": logits, "t": labels} | ({"w": weight} if weight else {})
    values = {k: np.asarray(v.values, np.float64 if v.dtype in REALS else object) for k, v in inputs.items()}
    y = cross_entropy(values["x"], values["t"], values.get("w"), **options)
    line = "softmax_cross_entropy %x, %t" + (", %w" if weight else "") + attributes(options)
    return ops_case(name, inputs, {"y": (line, tensor(logits.dtype, y))}, **TOLERANCE[logits.dtype])


def shares(seed, *shape):
    """Probabilities in eighths along the last axis, of 3."""
    parts = np.random.RandomState(seed).multinomial(8, [0.5, 0.25, 0.25], shape[:-1])
    assert shape[-1] == 3
    return parts / 8


def classes():
    x, labels, weight = tensor("f32", numbers(1, 4, 5)), tensor("i64", [0, 4, 2, 2]), tensor("f32", [1, 0.5, 2, 0, 3])
    for reduction, w, ignore, smoothing in itertools.product(REDUCTIONS, (None, weight), (None, 2, -100), (0.0, 0.25)):
        options = {"reduction": reduction}
        options |= {} if ignore is None else {"ignore": ignore}
        options |= {"smoothing": smoothing} if smoothing else {}
        yield entropy(f"classes, {'weighted, ' if w else ''}{attributes(options)}", x, labels, w, **options)
    for dtype in REALS:
        other = {"f16": "f32", "bf16": "f64", "f32": "bf16", "f64": "f16"}[dtype]
        yield entropy(f"{dtype}, weights of {other}", tensor(dtype, numbers(2, 3, 4)), tensor("i32", [3, 0, 1]), tensor(other, [1, 2, 0.5, 4]), smoothing=0.125)
        yield entropy(f"{dtype}", tensor(dtype, numbers(2, 3, 4)), tensor("u8", [3, 0, 1]), reduction="none")
    for dtype in INTEGERS:
        yield entropy(f"labels of {dtype}", tensor("f32", numbers(3, 3, 2)), tensor(dtype, [1, 0, 1]))
        yield entropy(f"labels of {dtype}, one ignored", tensor("f32", numbers(3, 3, 2)), tensor(dtype, [1, 9, 1]), ignore=9)
    yield entropy("labels of u8 are never -100", tensor("f32", numbers(3, 3, 2)), tensor("u8", [1, 0, 1]), ignore=-100)
    large = tensor("u64", [1, 2**64 - 1])
    error = f"[softmax_cross_entropy] label {2**63 - 1} is outside 2 classes (at main: %y)"
    yield error_case("a label beyond i64", {"x": tensor("f32", numbers(3, 2, 2)), "t": large}, "softmax_cross_entropy %x, %t {ignore=-1}", error)


def axes():
    for axis in (0, 1, 2, -1, -2, -3):
        x = tensor("f32", numbers(4, 2, 3, 4))
        labels = tensor("i64", np.random.RandomState(5).randint(0, x.shape[axis], np.delete(x.shape, axis % 3)))
        w = tensor("f32", np.abs(numbers(6, x.shape[axis])))
        for reduction in ("none", "mean"):
            yield entropy(f"axis {axis}, {reduction}", x, labels, w, axis=axis, ignore=1, reduction=reduction)
    x = tensor("f32", np.moveaxis(numbers(4, 2, 4, 3), 2, 1))
    p = tensor("f32", np.moveaxis(shares(7, 2, 4, 3), 2, 1))
    yield entropy("probabilities along axis 1", x, p, axis=1, reduction="none")
    yield entropy("one row", tensor("f32", numbers(1, 3)), tensor("i64", np.array(2)))
    yield entropy("one row of probabilities", tensor("f32", numbers(1, 3)), tensor("f32", shares(3, 3)), axis=0)
    yield entropy("one class", tensor("f32", numbers(1, 3, 1)), tensor("i64", [0, 0, 0]), smoothing=0.5)


def probabilities():
    x, weight = tensor("f32", numbers(1, 4, 3)), tensor("f32", [1, 0.5, 2])
    for reduction, w, smoothing in itertools.product(REDUCTIONS, (None, weight), (0.0, 0.25, 1.0)):
        options = {"reduction": reduction} | ({"smoothing": smoothing} if smoothing else {})
        yield entropy(f"probabilities, {'weighted, ' if w else ''}{attributes(options)}", x, tensor("f32", shares(2, 4, 3)), w, **options)
    for dtype in REALS:
        yield entropy(f"probabilities of {dtype}", x, tensor(dtype, shares(3, 4, 3)))
        yield entropy(f"{dtype} and probabilities of f32", tensor(dtype, x.values), tensor("f32", shares(3, 4, 3)))
    yield entropy("labels that are no probabilities", x, tensor("f32", numbers(8, 4, 3)))


def cross_special():
    inf, nan = np.inf, np.nan
    x = tensor("f32", [[1, nan, 2], [inf, 1, 2], [-inf, 1, 2], [-inf, -inf, -inf], [1e4, -1e4, 0], [1, 2, 3]])
    labels = tensor("i64", [0, 1, 0, 1, 1, 2])
    yield entropy("NaN and infinities stay in their row", x, labels, reduction="none")
    yield entropy("NaN and infinities that are ignored", x, tensor("i64", [7, 7, 7, 7, 1, 2]), ignore=7, smoothing=0.25)
    yield entropy("-inf for another class", tensor("f32", [[1, -inf, 2]]), tensor("i64", [2]), reduction="none")
    yield entropy("-inf, smoothed", tensor("f32", [[1, -inf, 2]]), tensor("i64", [2]), smoothing=0.5, reduction="none")
    yield entropy("everything ignored", tensor("f32", numbers(1, 2, 3)), tensor("i64", [7, 7]), ignore=7)
    yield entropy("everything ignored, summed", tensor("f32", numbers(1, 2, 3)), tensor("i64", [7, 7]), ignore=7, reduction="sum")
    yield entropy("weights of 0 alone", tensor("f32", numbers(1, 2, 3)), tensor("i64", [1, 1]), tensor("f32", [1, 0, 1]))
    yield entropy("f16 beyond its powers", tensor("f16", [[60000, -60000, 11]]), tensor("i64", [0]))
    none = tensor("f32", np.zeros((0, 3)))
    for reduction, y in (("none", np.zeros(0)), ("sum", 0.0), ("mean", nan)):
        line = f"softmax_cross_entropy %x, %t {{reduction={reduction}}}"
        yield ops_case(f"no rows, {reduction}", {"x": none, "t": tensor("i64", np.zeros(0, int))}, {"y": (line, tensor("f32", y))})
        yield ops_case(f"no rows of probabilities, {reduction}", {"x": none, "t": none}, {"y": (line, tensor("f32", y))})
    for label in (3, -1):
        error = f"[softmax_cross_entropy] label {label} is outside 3 classes (at main: %y)"
        yield error_case(f"label {label}", {"x": tensor("f32", numbers(1, 2, 3)), "t": tensor("i64", [0, label])}, "softmax_cross_entropy %x, %t", error)


# -------------------------------------------------------------------------------------------------------- by element

FUNCTIONS = {
    "mse": lambda x, y, delta: F.mse_loss(x, y, reduction="none"),
    "l1": lambda x, y, delta: F.l1_loss(x, y, reduction="none"),
    "huber": lambda x, y, delta: F.huber_loss(x, y, reduction="none", delta=delta),
    "smooth_l1": lambda x, y, delta: F.smooth_l1_loss(x, y, reduction="none", beta=delta),
    "bce": lambda x, y, delta: F.binary_cross_entropy(x, y, reduction="none"),
    "bce_logits": lambda x, y, delta: F.binary_cross_entropy_with_logits(x, y, reduction="none"),
    "kl_div": lambda x, y, delta: F.kl_div(x, y, reduction="none"),
    "hinge": lambda x, y, delta: torch.clamp(1 - x * y, min=0),
}
REDUCE = {"none": lambda x: x, "sum": np.sum, "mean": lambda x: np.mean(x) if x.size else np.nan}


def loss(fn, x, y, weight=1.0, delta=1.0, reduction="mean"):
    losses = FUNCTIONS[fn](torch.tensor(x), torch.tensor(y), delta).numpy()
    return REDUCE[reduction](losses * weight)


def operands(fn, shape, seed=1):
    x, y = numbers(seed, *shape), numbers(seed + 1, *shape)
    if fn == "bce":
        x = np.clip(np.abs(x), 0, 1)
    if fn in ("bce", "bce_logits", "kl_div"):
        y = np.clip(np.abs(y), 0, 1)
    return x, np.where(y < 0, -1.0, 1.0) if fn == "hinge" else y


def element(name, fn, x, y, weight=None, dtype=None, **options):
    inputs = {"x": x, "t": y} | ({"w": weight} if weight else {})
    values = [np.asarray(v.values, np.float64) for v in inputs.values()]
    line = f"{fn}_loss %x, %t" + (", %w" if weight else "") + attributes(options)
    dtype = dtype or x.dtype
    return ops_case(name, inputs, {"y": (line, tensor(dtype, loss(fn, *values, **options)))}, **TOLERANCE[dtype])


def elements():
    for fn in FUNCTIONS:
        for dtype in REALS:
            x, y = (tensor(dtype, v) for v in operands(fn, (3, 5)))
            for reduction in REDUCTIONS:
                yield element(f"{fn} of {dtype}, {reduction}", fn, x, y, reduction=reduction)
        x, y = (tensor("f32", v) for v in operands(fn, (2, 3)))
        for dtype, shape in zip(REALS, ((), (3,), (2, 1), (2, 3))):
            w = tensor(dtype, numbers(4, *shape))
            yield element(f"{fn}, weights {w.type}", fn, x, y, w)
            yield element(f"{fn}, weights {w.type}, none", fn, x, y, w, reduction="none")
        if fn in ("huber", "smooth_l1"):
            for delta in (0.25, 1.5):
                yield element(f"{fn}, delta {delta}", fn, x, y, delta=delta, reduction="none")
        yield element(f"{fn} of scalars", fn, *(tensor("f32", np.array(v[0, 0])) for v in operands(fn, (1, 1))))
        none = tensor("f32", np.zeros((0, 3)))
        for reduction in REDUCTIONS:
            yield element(f"{fn} of nothing, {reduction}", fn, none, none, reduction=reduction)


def element_dtypes():
    yield element("f16 and bf16 make f32", "mse", tensor("f16", [1, 2.5]), tensor("bf16", [0.5, 3]), dtype="f32")
    yield element("targets of bool", "bce_logits", tensor("f32", [1, -2]), tensor("bool", [True, False]))
    yield element("targets of i8", "hinge", tensor("f32", [0.5, -2, 3]), tensor("i8", [1, 1, -1]))
    yield element("x of i32", "l1", tensor("i32", [1, -2]), tensor("f64", [0.5, 3]), dtype="f64")
    # Integers become the dtype of the others first: as f16, 2049 is 2048.
    yield ops_case("integers and f16", {"x": tensor("f16", [2048]), "t": tensor("i32", [2049])}, {"y": ("l1_loss %x, %t", tensor("f16", 0.0))})


def element_special():
    inf, nan = np.inf, np.nan
    x, y = tensor("f32", [nan, 1, inf, -inf, 1, -0.0, 2]), tensor("f32", [1, nan, 1, 1, inf, 0, -1])
    for fn in ("mse", "l1", "huber", "smooth_l1", "hinge"):
        yield element(f"{fn} of NaN and infinities", fn, x, y, reduction="none")
    x, y = tensor("f32", [0, 1, 0, 1, 0.5]), tensor("f32", [0, 1, 1, 0, 0.25])
    yield element("bce: logarithms stop at -100", "bce", x, y, reduction="none")
    outside = {"x": tensor("f32", [-0.5, 1.5, nan]), "t": tensor("f32", [1, 0, 1])}
    yield ops_case("bce outside 0 … 1", outside, {"y": ("bce_loss %x, %t {reduction=none}", tensor("f32", [nan, nan, nan]))})
    x = tensor("f32", [1e4, -1e4, 80, -80, nan, 0, -0.0])
    yield element("bce_logits, far away", "bce_logits", x, tensor("f32", [0, 1, 1, 0.5, 1, 1, 0]), reduction="none")
    yield ops_case("bce_logits, close to 0", {"x": tensor("f32", [-80]), "t": tensor("f32", [0])}, {"y": ("bce_logits_loss %x, %t", tensor("f32", np.exp(-80.0)))})
    x, y = tensor("f32", [-1, -2, nan, -inf, -inf, 1]), tensor("f32", [0, -0.5, 1, 1, 0, nan])
    yield element("kl_div: 0·log 0 is 0", "kl_div", x, y, reduction="none")
    # A decomposition squares in f32.
    far = tensor("f32", [3e20, 1]), tensor("f32", [-3e20, 1])
    yield element("squares beyond f32", "mse", *far, tensor("f32", [1e-20, 1]), reduction="none") | {"expands": False}
    yield element("sums beyond f16", "l1", tensor("f16", [60000, 60000]), tensor("f16", [0, 0]))


def open_sizes():
    inputs = {"x": "f32[N, C, S]", "t": "i32[N, S]", "p": "f32[N, C, S]", "w": "f32[C]", "v": "f32[C, 1]"}
    body = [
        "%classes = softmax_cross_entropy %x, %t, %w {axis=1, ignore=0, smoothing=0.25}",
        "%shares = softmax_cross_entropy %x, %p, %w {axis=1, smoothing=0.25, reduction=none}",
        "%mse = mse_loss %x, %p, %v",
        "%huber = huber_loss %x, %p {delta=0.5, reduction=none}",
    ]
    program = "symbol N\nsymbol C in 1..\nsymbol S\n" + method(inputs, body, ["classes", "shares", "mse", "huber"])
    calls = []
    for n, c, s in ((2, 3, 2), (1, 2, 3), (3, 2, 1)):
        x, p = (tensor("f32", numbers(n + i, n, c, s)) for i in range(2))
        w = tensor("f32", np.abs(numbers(3, c)))
        t, v = tensor("i32", np.arange(n * s).reshape(n, s) % c), tensor("f32", numbers(4, c, 1))
        outputs = {
            "classes": cross_entropy(x.values, t.values, w.values, 1, 0, 0.25),
            "shares": cross_entropy(x.values, p.values, w.values, 1, None, 0.25, "none"),
            "mse": loss("mse", x.values, p.values, v.values),
            "huber": loss("huber", x.values, p.values, 1.0, 0.5, "none"),
        }
        calls.append(call({"x": x, "t": t, "p": p, "w": w, "v": v}, {k: tensor("f32", y) for k, y in outputs.items()}, atol=1e-8))
    return case("open sizes", program, calls)


def cases():
    return [
        *classes(), *axes(), *probabilities(), *cross_special(), *elements(), *element_dtypes(), *element_special(),
        open_sizes(),
    ]
