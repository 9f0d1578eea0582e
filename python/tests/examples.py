"""Programs that use every op, every value of its `fn`, and every attribute at a value that is not its default."""

from __future__ import annotations

from collections.abc import Callable

from ingot import DType, QuantMethod, QuantScheme, TensorType, maximum, ops
from ingot.ops import BinaryFn, Causal, CompareFn, IndexMode, PadMode, RandomFn, ReduceFn, ScatterFn, UnaryFn
from support import SCHEME, Bench

EXAMPLES: dict[type, Callable[[Bench], None]] = {}


def example(op: type):
    def add(function: Callable[[Bench], None]) -> Callable[[Bench], None]:
        EXAMPLES[op] = function
        return function

    return add


@example(ops.Unary)
def unary(b: Bench) -> None:
    special = {UnaryFn.logical_not: DType.bool, UnaryFn.bitwise_not: DType.i16}
    for fn in UnaryFn:
        getattr(b.g, fn.name)(b.input(special.get(fn, DType.f32), [b.s, 3]))
    b.g.abs(b.input(DType.c64, [2]))
    b.g.isnan(b.input(DType.c64, [2]))


@example(ops.Binary)
def binary(b: Bench) -> None:
    for fn in BinaryFn:
        dtype = DType.bool if fn.name.startswith("logical") else DType.f32
        dtype = DType.u8 if fn.name.startswith(("bitwise", "shift")) else dtype
        getattr(b.g, fn.name.removesuffix("_"))(b.input(dtype, [b.s, 3]), b.input(dtype, [3]))


@example(ops.Compare)
def compare(b: Bench) -> None:
    for fn in CompareFn:
        getattr(b.g, fn.name)(b.f32(b.s, 1), b.i64(4))


@example(ops.Select)
def select(b: Bench) -> None:
    b.g.select(b.input(DType.bool, [b.s]), b.f32(), b.f32(b.s))


@example(ops.Cast)
def cast(b: Bench) -> None:
    for dtype in DType:
        if dtype is not DType.packed:
            b.g.cast(b.f32(2), dtype)
    b.g.cast(b.f32(2), DType.i8, saturate=True)


@example(ops.Reduce)
def reduce(b: Bench) -> None:
    for fn in ReduceFn:
        dtype = DType.bool if fn in (ReduceFn.any, ReduceFn.all) else DType.f32
        getattr(b.g, f"reduce_{fn.name}")(b.input(dtype, [b.s, 2, 3]), [0, -1], keepdims=True)
    b.g.reduce_sum(b.input(DType.u8, [3]), [0], dtype=DType.u64)
    b.g.reduce_sum(b.input(DType.bool, [3]), [0])
    b.g.reduce_max(b.f32(b.s), [])


@example(ops.ArgReduce)
def arg_reduce(b: Bench) -> None:
    b.g.argmax(b.f32(b.s, 3))
    b.g.argmin(b.f32(b.s, 3), axis=0, keepdims=True, dtype=DType.i32, last=True)


@example(ops.Softmax)
def softmax(b: Bench) -> None:
    b.g.softmax(b.f32(b.s, 3), axis=0, log=True)


@example(ops.Matmul)
def matmul(b: Bench) -> None:
    b.g.matmul(b.f32(5, b.s), b.f32(7, 5), transpose_a=True, transpose_b=True)


@example(ops.Reshape)
def reshape(b: Bench) -> None:
    b.g.reshape(b.f32(b.s, 6), [b.s * 2, 3, 1])
    b.g.reshape(b.f32(1, 1), [])


@example(ops.Transpose)
def transpose(b: Bench) -> None:
    b.g.transpose(b.f32(b.s, 3, 4), [2, 0, 1])


@example(ops.Broadcast)
def broadcast(b: Bench) -> None:
    b.g.broadcast(b.f32(1, 3), [b.s, 2, 3])


@example(ops.Slice)
def slice(b: Bench) -> None:
    b.g.slice(b.f32(b.s + 4, 3), [0, -1], [2, 1], [b.s + 3, 3], steps=[3, 2])


@example(ops.Concatenate)
def concatenate(b: Bench) -> None:
    b.g.concatenate([b.f32(2, b.s), b.f32(2, 3), b.f32(2, 0)], axis=1)


@example(ops.Pad)
def pad(b: Bench) -> None:
    b.g.pad(b.f32(b.s, 3), [1, b.t], [0, 2], value=-1.5)
    for mode in PadMode:
        b.g.pad(b.f32(3), [2], [1], mode=mode)


@example(ops.EnsureShape)
def ensure_shape(b: Bench) -> None:
    b.g.ensure_shape(b.f32(b.s), [b.t])


@example(ops.Take)
def take(b: Bench) -> None:
    for mode in IndexMode:
        b.g.take(b.f32(b.s, 3), b.i64(5, 1), axis=-1, mode=mode)


@example(ops.Gather)
def gather(b: Bench) -> None:
    b.g.gather(b.f32(b.s, 3), b.i64(b.s, 2), axis=1, mode=IndexMode.drop)


@example(ops.Scatter)
def scatter(b: Bench) -> None:
    for fn in ScatterFn:
        scatter_fn = getattr(b.g, f"scatter_{fn.name}")
        scatter_fn(b.f32(b.s, 3), b.i64(b.s, 2), b.f32(b.s, 2), axis=1, mode=IndexMode.clamp)


@example(ops.Nonzero)
def nonzero(b: Bench) -> None:
    b.g.nonzero(b.f32(b.s, 3), b.n)


@example(ops.Iota)
def iota(b: Bench) -> None:
    b.g.iota(b.s + 1, dtype=DType.f32, start=0.5, step=-2)


@example(ops.Full)
def full(b: Bench) -> None:
    b.g.full([b.s, 2], 2**64 - 1, dtype=DType.u64)
    b.g.full([], complex(1, -0.0), dtype=DType.c64)
    b.g.full([2], True, dtype=DType.bool)
    for value in (float("nan"), float("-inf"), -0.0, 1e22, 5e-324):
        b.g.full([2], value, dtype=DType.f64)


@example(ops.Random)
def random(b: Bench) -> None:
    for fn in RandomFn:
        dtype = DType.u32 if fn is RandomFn.bits else DType.f64
        getattr(b.g, f"random_{fn.name}")(b.input(DType.u32, [2]), [b.s, 3], dtype=dtype)
    b.g.random_normal(b.input(DType.u32, [2]), [], offset=3, scale=0.25)


@example(ops.SizeOf)
def size_of(b: Bench) -> None:
    b.g.size_of(maximum(b.s, 4) // 2, dtype=DType.i32)


@example(ops.LayerNorm)
def layer_norm(b: Bench) -> None:
    b.g.layer_norm(b.f32(b.s, 3, 4), b.f32(3, 4), b.f32(3, 4), axis=1, eps=1e-6)
    b.g.layer_norm(b.f32(b.s, 3), bias=b.f32(3))


@example(ops.RmsNorm)
def rms_norm(b: Bench) -> None:
    b.g.rms_norm(b.f32(b.s, 3), b.f32(b.s, 3), axis=0, eps=0.0)


@example(ops.Attention)
def attention(b: Bench) -> None:
    q, k, v = b.f32(2, 4, b.s, 8), b.f32(2, 2, b.t, 8), b.f32(2, 2, b.t, 6)
    mask = b.input(DType.bool, [b.s, b.t])
    b.g.attention(q, k, v, mask, scale=0.5, causal=Causal.lower_right, window=3, softcap=20.0)
    b.g.attention(q, k, v, causal=Causal.upper_left)


@example(ops.Quantize)
def quantize(b: Bench) -> None:
    for method in QuantMethod:
        b.g.quantize(b.f32(3, 64), QuantScheme(method), b.f32())
    b.g.quantize(b.f32(3, 65), QuantScheme(QuantMethod.symmetric, bits=3, group=16, scale=DType.bf16))


@example(ops.Dequantize)
def dequantize(b: Bench) -> None:
    b.g.dequantize(b.packed(b.s, 64), b.f32(), dtype=DType.bf16)


@example(ops.QuantizedMatmul)
def quantized_matmul(b: Bench) -> None:
    b.g.quantized_matmul(b.f32(b.s, 64), b.packed(5, 64), b.f32())


@example(ops.StateRead)
def state_read(b: Bench) -> None:
    b.g.state_read(b.program.state("cache", DType.f32, [2, 3]))


@example(ops.StateWrite)
def state_write(b: Bench) -> None:
    b.g.state_write(b.program.state("packed", DType.packed, [2, 64], SCHEME), b.packed(2, 64))


@example(ops.StateUpdate)
def state_update(b: Bench) -> None:
    state = b.program.state("cache", DType.f32, [8, 3])
    b.g.state_update(state, b.f32(1, 2), [b.i64(), b.i64()], [0, 1], mode=IndexMode.drop)


@example(ops.If)
def if_(b: Bench) -> None:
    branches = []
    for name in ("first", "second"):
        graph = b.graph(name)
        x, y = graph.input("x", DType.f32, [b.s]), graph.input("y", DType.i32, [])
        graph.output("x", x * (2 if name == "first" else 3))
        graph.output("y", y)
        branches.append(graph)
    b.g.if_(b.input(DType.bool), *branches, [b.f32(b.s), b.input(DType.i32)])


@example(ops.While)
def while_(b: Bench) -> None:
    condition, body = b.graph("more"), b.graph("step")
    for graph in (condition, body):
        i, limit = graph.input("i", DType.i64, []), graph.input("limit", DType.i64, [])
        graph.output("out", i < limit if graph is condition else i + 1)
    b.g.while_(condition, body, [b.i64()], [b.i64()], max_trips=9)


@example(ops.Scan)
def scan(b: Bench) -> None:
    body = b.graph("step")
    total, x, factor = (body.input(name, DType.f32, [3]) for name in ("total", "x", "factor"))
    body.output("total", total + x)
    body.output("y", x * factor)
    b.g.scan(body, b.s, [b.f32(3)], [b.f32(b.s, 3)], [b.f32(3)], reverse=True)


@example(ops.Call)
def call(b: Bench) -> None:
    swap = b.graph("swap")
    x, y = swap.input("x", DType.f32, [b.s]), swap.input("y", DType.u8, [])
    swap.output("y", y)
    swap.output("x", x)
    b.g.call(swap, [b.f32(b.s), b.input(DType.u8)])


@example(ops.Custom)
def custom(b: Bench) -> None:
    attributes = {"ints": [1, -2], "reals": [0.5, 2], "text": 'say "hi"\n', "odd name": [], "nan": [float("nan")]}
    results = [TensorType(DType.f16, [b.s, 2]), TensorType(DType.packed, [3, 64], SCHEME)]
    b.g.custom("host.op", results, [b.f32(b.s), b.i64()], attributes=attributes)
