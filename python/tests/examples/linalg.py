from ingot import ops
from support import Bench

from .registry import example


@example(ops.Cholesky)
def cholesky(b: Bench) -> None:
    b.g.cholesky(b.f32(b.s, 3, 3), upper=True)


@example(ops.Qr)
def qr(b: Bench) -> None:
    b.g.qr(b.f32(b.s, b.t), complete=True)


@example(ops.Svd)
def svd(b: Bench) -> None:
    b.g.svd(b.f32(b.s, b.t), full=True)


@example(ops.Eigh)
def eigh(b: Bench) -> None:
    b.g.eigh(b.f32(b.s, b.s), upper=True)


@example(ops.Solve)
def solve(b: Bench) -> None:
    b.g.solve(b.f32(2, b.s, b.s), b.f32(b.s, 3))


@example(ops.TriangularSolve)
def triangular_solve(b: Bench) -> None:
    b.g.triangular_solve(b.f32(b.s, b.s), b.f32(b.s, 3), upper=True, transpose=True, unit=True)


@example(ops.Inverse)
def inverse(b: Bench) -> None:
    b.g.inverse(b.f32(b.s, b.s)) * 2.0


@example(ops.Det)
def det(b: Bench) -> None:
    b.g.det(b.f32(b.t, b.s, b.s))


@example(ops.SlogDet)
def slogdet(b: Bench) -> None:
    b.g.slogdet(b.f32(b.t, b.s, b.s))


@example(ops.Lstsq)
def lstsq(b: Bench) -> None:
    b.g.lstsq(b.f32(b.s, 3), b.f32(b.s, 2), rcond=1e-3)


@example(ops.Expm)
def expm(b: Bench) -> None:
    b.g.expm(b.f32(b.s, b.s))
