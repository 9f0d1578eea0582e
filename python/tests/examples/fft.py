from ingot import DType, ops
from ingot.ops import FftNorm
from support import Bench

from .registry import example


@example(ops.Fft)
def fft(b: Bench) -> None:
    x = b.input(DType.c64, [b.s, 6])
    b.g.fft_forward(x, [0, 1], sizes=[b.s + 1, 4], norm=FftNorm.ortho)
    b.g.fft_inverse(x, [-1])


@example(ops.Rfft)
def rfft(b: Bench) -> None:
    b.g.rfft(b.f32(b.s, b.t), [0, 1], sizes=[b.s, 8], norm=FftNorm.forward)


@example(ops.Irfft)
def irfft(b: Bench) -> None:
    b.g.irfft(b.input(DType.c64, [b.s, 5]), [1], [9], norm=FftNorm.ortho)


@example(ops.Stft)
def stft(b: Bench) -> None:
    b.g.stft(b.f32(b.s, 16), 4, 2, window=b.f32(4))
    b.g.stft(b.input(DType.c64, [16]), 5, 3, onesided=False)
