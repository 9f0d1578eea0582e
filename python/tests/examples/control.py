from ingot import DType, ops
from support import Bench

from .registry import example


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
