"""The equations of ONNX's RNN, GRU and LSTM in NumPy: whole gates, step by step, over the rows that still run."""

import numpy as np

DEFAULTS = {"rnn": ("tanh",), "gru": ("sigmoid", "tanh"), "lstm": ("sigmoid", "tanh", "tanh")}
GATES = {"rnn": 1, "gru": 3, "lstm": 4}

# Functions of x and what alpha and beta are where they are not given.
FUNCTIONS = {
    "tanh": (lambda x: np.tanh(x), ()),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), ()),
    "relu": (lambda x: np.maximum(x, 0), ()),
    "affine": (lambda x, a, b: a * x + b, (1.0, 0.0)),
    "leaky_relu": (lambda x, a: np.where(x >= 0, x, a * x), (0.01,)),
    "thresholded_relu": (lambda x, a: np.where(x >= a, x, 0), (1.0,)),
    "scaled_tanh": (lambda x, a, b: a * np.tanh(b * x), (1.0, 1.0)),
    "hard_sigmoid": (lambda x, a, b: np.minimum(np.maximum(a * x + b, 0), 1), (0.2, 0.5)),
    "elu": (lambda x, a: np.where(x >= 0, x, a * (np.exp(x) - 1)), (1.0,)),
    "softsign": (lambda x: x / (1 + np.abs(x)), ()),
    "softplus": (lambda x: np.log(1 + np.exp(x)), ()),
}


def functions_of(op, activations, alphas, betas, clip, directions):
    """Callables for each direction in turn; parameters go to those that take one."""
    names = list(activations) or list(DEFAULTS[op]) * directions
    alphas, betas = list(alphas), list(betas)
    made = []
    for name in names:
        function, defaults = FUNCTIONS[name]
        given = [alphas.pop(0)] if defaults and alphas else list(defaults[:1])
        given += [betas.pop(0)] if len(defaults) > 1 and betas else list(defaults[1:])

        def apply(x, function=function, given=tuple(given)):
            return function(x if clip is None else np.clip(x, -clip, clip), *given)

        made.append(apply)
    return made


def rnn_step(x, h, c, w, r, wb, rb, p, f, options):
    return f[0](x @ w.T + h @ r.T + wb + rb), c


def gru_step(x, h, c, w, r, wb, rb, p, f, options):
    (wz, wr, wh), (rz, rr, rh) = np.split(w, 3), np.split(r, 3)
    (wbz, wbr, wbh), (rbz, rbr, rbh) = np.split(wb, 3), np.split(rb, 3)
    z = f[0](x @ wz.T + h @ rz.T + wbz + rbz)
    reset = f[0](x @ wr.T + h @ rr.T + wbr + rbr)
    if options.get("linear_before_reset"):
        new = f[1](x @ wh.T + reset * (h @ rh.T + rbh) + wbh)
    else:
        new = f[1](x @ wh.T + (reset * h) @ rh.T + rbh + wbh)
    return (1 - z) * new + z * h, c


def lstm_step(x, h, c, w, r, wb, rb, p, f, options):
    i, o, forget, cell = np.split(x @ w.T + h @ r.T + wb + rb, 4, axis=1)
    pi, po, pf = np.split(p, 3)
    i = f[0](i + pi * c)
    forget = 1 - i if options.get("input_forget") else f[0](forget + pf * c)
    c = forget * c + i * f[1](cell)
    return f[0](o + po * c) * f[2](c), c


STEPS = {"rnn": rnn_step, "gru": gru_step, "lstm": lstm_step}


def layer(op, x, w, r, bias=None, lengths=None, h0=None, c0=None, peepholes=None, direction="forward", activations=(),
          alphas=(), betas=(), clip=None, **options):
    """Every h, the last h, and for lstm the last c."""
    steps, rows, units = x.shape[0], x.shape[1], r.shape[2]
    directions = w.shape[0]
    lengths = np.full(rows, steps) if lengths is None else np.array([int(n) for n in lengths])
    bias = np.zeros((directions, 2 * w.shape[1])) if bias is None else bias
    peepholes = np.zeros((directions, 3 * units)) if peepholes is None else peepholes
    last_h = np.zeros((directions, rows, units)) if h0 is None else h0.copy()
    last_c = np.zeros((directions, rows, units)) if c0 is None else c0.copy()
    y = np.zeros((steps, directions, rows, units))
    functions = functions_of(op, activations, alphas, betas, clip, directions)
    each = len(DEFAULTS[op])
    for d in range(directions):
        wb, rb = np.split(bias[d], 2)
        backwards = direction == "reverse" or d == 1
        for t in reversed(range(steps)) if backwards else range(steps):
            runs = t < lengths
            h, c = STEPS[op](x[t][runs], last_h[d][runs], last_c[d][runs], w[d], r[d], wb, rb, peepholes[d],
                             functions[d * each:(d + 1) * each], options)
            y[t, d, runs] = last_h[d, runs] = h
            last_c[d, runs] = c
    return (y, last_h, last_c) if op == "lstm" else (y, last_h)
