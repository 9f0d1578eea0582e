from ingot import DType, minimum, ops
from support import Bench

from .registry import example


@example(ops.Sort)
def sort(b: Bench) -> None:
    b.g.sort(b.f32(b.s, 3), axis=0, descending=True)


@example(ops.TopK)
def topk(b: Bench) -> None:
    b.g.topk(b.f32(b.s, 3), 2)
    b.g.topk(b.input(DType.u8, [b.s, 3]), minimum(b.s, 4), axis=0, largest=False, sorted=False)


@example(ops.Partition)
def partition(b: Bench) -> None:
    b.g.partition(b.f32(b.s, 3), b.s - 1, axis=0)


@example(ops.Median)
def median(b: Bench) -> None:
    b.g.median(b.f32(b.s, 3), axis=0, keepdims=True, average=True)


@example(ops.SearchSorted)
def search_sorted(b: Bench) -> None:
    b.g.search_sorted(b.f32(b.s), b.i64(2, 3), right=True)


@example(ops.Unique)
def unique(b: Bench) -> None:
    b.g.unique(b.f32(b.s, 3), b.n, axis=1, sorted=False)
