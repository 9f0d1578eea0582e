"""Cases of rnn, gru and lstm as PyTorch has them, in float64. Gates are stacked in another order there."""

import numpy as np
import torch
from make_recurrent import RESULTS, ULPS, line, operands_of
from onnx_layers import layer
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from cases import REALS, call, case, method, tensor

MODULES = {"rnn": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}
# Where each gate of PyTorch is among ours.
ORDER = {"rnn": [0], "gru": [1, 0, 2], "lstm": [0, 2, 3, 1]}


def reordered(op, stacked):
    return np.concatenate([np.split(stacked, len(ORDER[op]))[gate] for gate in ORDER[op]])


def module_of(op, w, r, bias, **options):
    module = MODULES[op](w.shape[2], r.shape[2], bidirectional=len(w) == 2, dtype=torch.float64, **options)
    for d, suffix in enumerate(("l0", "l0_reverse")[: len(w)]):
        halves = np.split(bias[d], 2)
        parts = {"weight_ih": w[d], "weight_hh": r[d], "bias_ih": halves[0], "bias_hh": halves[1]}
        for name, part in parts.items():
            getattr(module, f"{name}_{suffix}").data = torch.from_numpy(reordered(op, part).copy())
    return module


def expected(op, x, w, r, bias, h0, c0=None, lengths=None, **options):
    first = torch.from_numpy(h0)
    first = first if c0 is None else (first, torch.from_numpy(c0))
    given = torch.from_numpy(x)
    if lengths is not None:
        given = pack_padded_sequence(given, torch.tensor([int(n) for n in lengths]), enforce_sorted=False)
    with torch.no_grad():
        y, last = module_of(op, w, r, bias, **options)(given, first)
    if lengths is not None:
        y, _ = pad_packed_sequence(y, total_length=len(x))
    y = y.numpy().reshape(*x.shape[:2], len(w), r.shape[2]).transpose(0, 2, 1, 3)
    return (y, last.numpy()) if c0 is None else (y, *(part.numpy() for part in last))


def torch_case(name, op, operands, dtype="f32", attributes=None, **options):
    values = {key: operand.values for key, operand in operands.items()}
    results = expected(op, **values, **options)
    for ours, theirs in zip(layer(op, **values, **(attributes or {})), results):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)  # ONNX's equations say the same
    outputs = {key: tensor(dtype, value) for key, value in zip(RESULTS[op], results)}
    program = method(operands, [line(op, operands, attributes or {})], RESULTS[op])
    return case(name, program, [call(operands, outputs, ulps=ULPS[dtype], atol=1e-15 if dtype == "f64" else 1e-9)])


def cases():
    made = []
    for op in MODULES:
        fixed = {"linear_before_reset": True} if op == "gru" else {}
        for dtype in REALS:
            operands = operands_of(op, 100, dtype, leave=("peepholes",))
            made.append(torch_case(f"{op} {dtype}", op, operands, dtype, fixed))
        both = operands_of(op, 200, steps=5, rows=4, inputs=2, units=3, directions=2, leave=("peepholes",))
        made.append(torch_case(f"{op} both ways", op, both, attributes=fixed | {"direction": "bidirectional"}))
        both["lengths"] = tensor("i32", [5, 1, 4, 2])
        made.append(torch_case(f"{op} both ways with lengths", op, both, attributes=fixed | {"direction": "bidirectional"}))
    relu = {"activations": ["relu"]}
    made.append(torch_case("rnn with relu", "rnn", operands_of("rnn", 300), attributes=relu, nonlinearity="relu"))
    return made
