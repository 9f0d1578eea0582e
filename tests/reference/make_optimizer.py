"""Cases of adamw_step, sgd_step (torch.optim, in float64) and lion_step (its paper: Chen et al. 2023, algorithm 2)."""

import itertools

import numpy as np
import torch

from cases import INTEGERS, REALS, call, case, method, tensor

TOLERANCE = {"f16": {"atol": 1e-9}, "bf16": {"atol": 1e-9}, "f32": {"atol": 1e-9}, "f64": {"ulps": 64, "atol": 1e-15}}
STATE = {"adamw": ("p", "m", "v"), "lion": ("p", "m"), "sgd": ("p", "m")}
OPERANDS = {"adamw": "%p, %g, %m, %v, %step, %lr", "lion": "%p, %g, %m, %lr", "sgd": "%p, %g, %m, %lr"}


def numbers(seed, *shape):
    """Sixteenths: exact in every dtype, and short."""
    return np.rint(np.random.RandomState(seed).standard_normal(shape) * 16) / 16


def adamw(p, g, m, v, step, lr, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01):
    x = torch.tensor(p, requires_grad=True)
    x.grad = torch.tensor(g)
    optimizer = torch.optim.AdamW([x], lr, (beta1, beta2), eps, weight_decay, foreach=False)
    state = {"step": torch.tensor(float(step) - 1, dtype=torch.float64), "exp_avg": torch.tensor(m), "exp_avg_sq": torch.tensor(v)}
    optimizer.state[x] = state
    optimizer.step()
    return [each.detach().numpy().copy() for each in (x, state["exp_avg"], state["exp_avg_sq"])]


def sgd(p, g, m, lr, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False):
    x = torch.tensor(p, requires_grad=True)
    x.grad = torch.tensor(g)
    optimizer = torch.optim.SGD([x], lr, momentum, dampening, weight_decay, nesterov, foreach=False)
    optimizer.state[x] = {"momentum_buffer": torch.tensor(m)}
    optimizer.step()
    # Without momentum PyTorch keeps no buffer, and the step is the gradient.
    buffer = optimizer.state[x]["momentum_buffer"].numpy() if momentum else 0 * m + g + weight_decay * p
    return [x.detach().numpy().copy(), buffer.copy()]


def lion(p, g, m, lr, beta1=0.9, beta2=0.99, weight_decay=0.0):
    with np.errstate(all="ignore"):
        direction = np.sign(beta1 * m + (1 - beta1) * g) + weight_decay * p
        return [p - lr * direction, beta2 * m + (1 - beta2) * g]


STEPS = {"adamw": adamw, "lion": lion, "sgd": sgd}


def attributes(options):
    def text(value):
        return str(value).lower() if isinstance(value, bool) else repr(value)

    return " {" + ", ".join(f"{k}={text(v)}" for k, v in options.items()) + "}" if options else ""


def chain(name, fn, inputs, gradients, **options):
    """One call after the other, each from what the one before has left, rounded to its dtypes."""
    state = STATE[fn]
    results = ", ".join(f"%next_{each}" for each in state)
    program = method(inputs, [f"{results} = {fn}_step {OPERANDS[fn]}{attributes(options)}"], [f"next_{each}" for each in state])
    calls = []
    for count, gradient in enumerate(gradients):
        inputs = inputs | {"g": tensor(inputs["g"].dtype, gradient)}
        if "step" in inputs and count > 0:
            inputs |= {"step": tensor(inputs["step"].dtype, np.array(inputs["step"].values + 1))}
        values = {k: np.asarray(v.values, np.float64) for k, v in inputs.items()}
        scalars = {k: float(values[k]) for k in ("step", "lr") if k in values}
        after = STEPS[fn](**(values | scalars), **options)
        outputs = {f"next_{each}": tensor(inputs[each].dtype, value) for each, value in zip(state, after)}
        calls.append(call(inputs, outputs, **TOLERANCE[inputs["p"].dtype]))
        inputs = inputs | {each: outputs[f"next_{each}"] for each in state}
    return case(name, program, calls)


def inputs_of(fn, shape=(2, 3), dtype="f32", moments=None, gradient=None, step="i64", lr="f32", rate=0.0625):
    values = {"p": tensor(dtype, numbers(1, *shape)), "g": tensor(gradient or dtype, np.zeros(shape))}
    values["m"] = tensor(moments or dtype, numbers(2, *shape))
    if fn == "adamw":
        values["v"] = tensor(moments or dtype, np.abs(numbers(3, *shape)))
        values["step"] = tensor(step, np.array(1))
    return values | {"lr": tensor(lr, np.array(rate))}


def gradients(count, shape=(2, 3)):
    return [numbers(10 + i, *shape) for i in range(count)]


VARIANTS = {
    "adamw": [{}, {"beta1": 0.5}, {"beta2": 0.75}, {"eps": 0.25}, {"weight_decay": 0.0}, {"weight_decay": 0.5, "beta1": 0.0, "beta2": 0.0}],
    "lion": [{}, {"beta1": 0.25}, {"beta2": 0.5}, {"weight_decay": 0.25}, {"beta1": 0.0, "beta2": 0.0}],
    "sgd": [
        {}, {"momentum": 0.5}, {"momentum": 0.75, "dampening": 0.25}, {"weight_decay": 0.25}, {"momentum": 0.5, "nesterov": True},
        {"momentum": 0.9, "weight_decay": 0.125, "nesterov": True}, {"momentum": 1.5, "dampening": -1.0},
    ],
}


def by_attribute():
    for fn, variants in VARIANTS.items():
        for options in variants:
            for dtype in ("f32", "f64"):
                yield chain(f"{fn} of {dtype}, 4 steps{attributes(options)}", fn, inputs_of(fn, dtype=dtype), gradients(4), **options)


def by_dtype():
    for fn in STEPS:
        for dtype in REALS:
            yield chain(f"{fn} of {dtype}", fn, inputs_of(fn, dtype=dtype), gradients(2))
        for dtype, moments, gradient in itertools.product(("f16", "bf16"), ("f32", "f64"), ("bf16", "f32")):
            yield chain(f"{fn} of {dtype}, moments of {moments}, gradient of {gradient}", fn, inputs_of(fn, dtype=dtype, moments=moments, gradient=gradient), gradients(2))
        for lr in REALS:
            yield chain(f"{fn}, rate of {lr}", fn, inputs_of(fn, lr=lr), gradients(1))
    for step in INTEGERS + REALS:
        yield chain(f"adamw, step of {step}", "adamw", inputs_of("adamw", (2,), step=step), gradients(2, (2,)))


def special():
    inf, nan = np.inf, np.nan
    odd = np.array([nan, inf, -inf, 0.0, -0.0, 1e-40])
    for fn in STEPS:
        for shape in ((), (0,), (2, 0), (1,)):
            yield chain(f"{fn} of {list(shape)}", fn, inputs_of(fn, shape), gradients(1, shape))
        zeros = inputs_of(fn, (6,)) | {each: tensor("f32", np.zeros(6)) for each in STATE[fn]}
        yield chain(f"{fn} from zeros, gradients of every kind", fn, zeros, [odd])
        yield chain(f"{fn}, a rate of 0", fn, inputs_of(fn, rate=0.0), gradients(1))
    for rate in (nan, -0.5):
        yield chain(f"lion, a rate of {rate}", "lion", inputs_of("lion", rate=rate), gradients(1))
    late = inputs_of("adamw") | {"step": tensor("i64", np.array(100000))}
    yield chain("adamw, a late step", "adamw", late, gradients(1))
    large = inputs_of("adamw", (2,)) | {"m": tensor("f32", [1e20, 1]), "v": tensor("f32", [1e38, 1e-38])}
    # A decomposition squares in f32.
    yield chain("adamw, squares beyond f32", "adamw", large, [np.array([1e25, 1e-25])]) | {"expands": False}


def open_sizes():
    program = "symbol N\nsymbol S\n" + method(
        {"p": "f32[N, S]", "g": "f32[N, S]", "m": "f32[N, S]", "lr": "f32[]"},
        ["%p1, %m1 = sgd_step %p, %g, %m, %lr {momentum=0.5}", "%p2, %m2 = lion_step %p1, %g, %m1, %lr"],
        ["p1", "m1", "p2", "m2"],
    )
    calls = []
    for shape in ((2, 3), (1, 1), (0, 2)):
        inputs = inputs_of("sgd", shape) | {"g": tensor("f32", numbers(9, *shape))}
        values = {k: np.asarray(v.values, np.float64) for k, v in inputs.items()}
        p1, m1 = (tensor("f32", y) for y in sgd(values["p"], values["g"], values["m"], float(values["lr"]), 0.5))
        p2, m2 = (tensor("f32", y) for y in lion(p1.values, values["g"], m1.values, float(values["lr"])))
        calls.append(call(inputs, {"p1": p1, "m1": m1, "p2": p2, "m2": m2}, atol=1e-8))
    return case("open sizes", program, calls)


def cases():
    return [*by_attribute(), *by_dtype(), *special(), open_sizes()]
