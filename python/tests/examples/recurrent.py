from ingot import DType, ops
from ingot.ops import RnnActivation, RnnDirection
from support import Bench

from .registry import example


@example(ops.Rnn)
def rnn(b: Bench) -> None:
    x, lengths = b.f32(b.s, b.t, 4), b.i64(b.t)
    b.g.rnn(
        x,
        b.f32(2, 3, 4),
        b.f32(2, 3, 3),
        b.f32(2, 6),
        lengths,
        b.f32(2, b.t, 3),
        direction=RnnDirection.bidirectional,
        activations=[RnnActivation.affine, RnnActivation.relu],
        alphas=[0.5],
        betas=[0.25],
        clip=3.0,
    )
    b.g.rnn(x, b.f32(1, 3, 4), b.f32(1, 3, 3))


@example(ops.Gru)
def gru(b: Bench) -> None:
    b.g.gru(
        b.f32(b.s, b.t, 4),
        b.f32(1, 6, 4),
        b.f32(1, 6, 2),
        b.f32(1, 12),
        b.i64(b.t),
        b.f32(1, b.t, 2),
        direction=RnnDirection.reverse,
        activations=[RnnActivation.hard_sigmoid, RnnActivation.softsign],
        alphas=[0.25],
        betas=[0.5],
        clip=2.0,
        linear_before_reset=True,
    )


@example(ops.Lstm)
def lstm(b: Bench) -> None:
    b.g.lstm(
        b.f32(b.s, b.t, 4),
        b.f32(1, 8, 4),
        b.f32(1, 8, 2),
        b.f32(1, 16),
        b.i64(b.t),
        b.f32(1, b.t, 2),
        b.f32(1, b.t, 2),
        b.f32(1, 6),
        direction=RnnDirection.reverse,
        activations=[RnnActivation.sigmoid, RnnActivation.scaled_tanh, RnnActivation.tanh],
        alphas=[1.5],
        betas=[0.75],
        clip=1.0,
        input_forget=True,
    )


@example(ops.SelectiveScan)
def selective_scan(b: Bench) -> None:
    x = b.input(DType.f16, [b.t, b.s, 4])
    b.g.selective_scan(
        x, b.f32(b.t, b.s, 4), b.f32(4, 8), b.f32(b.t, b.s, 8), b.f32(b.t, b.s, 8), b.f32(4), b.f32(b.t, 4, 8)
    )


@example(ops.GatedDelta)
def gated_delta(b: Bench) -> None:
    q, k, v = b.f32(b.t, 4, b.s, 8), b.f32(b.t, 2, b.s, 8), b.f32(b.t, 2, b.s, 6)
    b.g.gated_delta(q, k, v, b.f32(b.t, 2, b.s, 8), b.f32(b.t, 2, b.s), b.f32(b.t, 2, 8, 6), scale=0.5, delta=False)
