"""Cases of if, while, scan and call. Expected values come from Python's own control flow."""

import numpy as np

from cases import COMPUTABLE, call, case, method, tensor


def i64(value):
    return tensor("i64", np.array(value, object))


def f32(values, shape=None):
    return tensor("f32", np.array(values, np.float64), shape)


def truth(value):
    return tensor("bool", np.array(value))


def graph(name, inputs, body, outputs):
    return method(inputs, body, outputs, name).replace("method", "graph", 1)


def branches():
    program = graph("double", {"x": "f32[S]", "n": "i64[]"}, ["%y = add %x, %x", "%m = add %n, %n"], ["y", "m"])
    program += graph("keep", {"x": "f32[S]", "n": "i64[]"}, [], ["x", "n"])
    program += method({"c": "bool[]", "x": "f32[S]", "n": "i64[]"}, ["%y, %m = if %c, [%x, %n] {on_true=@double, on_false=@keep}"], ["y", "m"])
    calls = []
    for x in ([1.5, -2.0, 3.0], []):
        for c in (True, False):
            k = 2 if c else 1
            calls.append(call({"c": truth(c), "x": f32(x), "n": i64(7)}, {"y": f32([k * v for v in x]), "m": i64(7 * k)}))
    yield case("two results", "symbol S\n" + program, calls)
    program = graph("one", {}, ["%y = full {shape=[2], value=1.0}"], ["y"]) + graph("two", {}, ["%y = full {shape=[2], value=2.0}"], ["y"])
    program += method({"c": "bool[]"}, ["%y = if %c {on_true=@one, on_false=@two}"], ["y"])
    yield case("no captures", program, [call({"c": truth(c)}, {"y": f32([v, v])}) for c, v in ((True, 1), (False, 2))])
    # Only the branch that is taken runs: the other would fail.
    program = graph("pick", {"x": "f32[2]", "i": "i64[]"}, ["%y = take %x, %i"], ["y"])
    program += graph("first", {"x": "f32[2]", "i": "i64[]"}, ["%zero = full {shape=[], value=0, dtype=i64}", "%y = take %x, %zero"], ["y"])
    program += method({"c": "bool[]", "x": "f32[2]", "i": "i64[]"}, ["%y = if %c, [%x, %i] {on_true=@pick, on_false=@first}"], ["y"])
    x = f32([4.0, 5.0])
    yield case("the other branch does not run", program, [
        call({"c": truth(True), "x": x, "i": i64(1)}, {"y": f32(5.0)}),
        call({"c": truth(False), "x": x, "i": i64(9)}, {"y": f32(4.0)}),
        call({"c": truth(True), "x": x, "i": i64(9)}, error='[take] index 9 is outside an axis of 2 elements (at pick: %y)'),
    ])


BELOW = graph("below", {"n": "i64[]", "a": "i64[]", "b": "i64[]", "end": "i64[]"}, ["%c = lt %n, %end"], ["c"])
STEP = graph("step", {"n": "i64[]", "a": "i64[]", "b": "i64[]", "end": "i64[]"},
             ["%one = full {shape=[], value=1, dtype=i64}", "%m = add %n, %one", "%s = add %a, %b"], ["m", "b", "s"])


def fibonacci(trips):
    a, b = 0, 1
    for _ in range(trips):
        a, b = b, (a + b + 2**63) % 2**64 - 2**63
    return a, b


def loop(attributes=""):
    inputs = {"n": "i64[]", "a": "i64[]", "b": "i64[]", "end": "i64[]"}
    line = f"%m, %x, %y = while [%n, %a, %b], [%end] {{condition=@below, body=@step{attributes}}}"
    return BELOW + STEP + method(inputs, [line], ["m", "x", "y"])


def numbered(end, trips, n=0, **options):
    a, b = fibonacci(trips)
    inputs = {"n": i64(n), "a": i64(0), "b": i64(1), "end": i64(end)}
    return call(inputs, {"m": i64(n + trips), "x": i64(a), "y": i64(b)}, **options)


def loops():
    yield case("while", loop(), [numbered(end, max(end, 0)) for end in (10, 1, 0, -3, 93)])
    yield case("at most 3 trips", loop(", max_trips=3"), [numbered(end, min(end, 3)) for end in (10, 3, 2, 0)])
    yield case("at most 0 trips", loop(", max_trips=0"), [numbered(10, 0)])
    # The node; each time a condition of 5 values and one node; each trip itself, 7 values and three nodes. A result of 1
    # element counts too.
    inputs = {"n": i64(0), "a": i64(0), "b": i64(1), "end": i64(2**62)}
    steps = 1 + (5 + 1 + 1) * 3 + (1 + 7 + 3 + 3) * 2  # up to the third question
    yield case("a loop without end", loop(), [
        call(inputs, error='[while] the call takes more than 1000 steps (at main: %m)', steps=1000),
        numbered(2, 2, steps=steps),
        call(inputs | {"end": i64(2)}, error=f'[lt] the call takes more than {steps - 1} steps (at below: %c)', steps=steps - 1),
    ])
    # Without carry, it is the condition alone that ends it.
    program = "state @n : i64[] = zeros\n"
    program += graph("more", {"end": "i64[]"}, ["%n = state_read {state=@n}", "%c = lt %n, %end"], ["c"])
    program += graph("count", {"end": "i64[]"}, ["%n = state_read {state=@n}", "%one = full {shape=[], value=1, dtype=i64}", "%m = add %n, %one", "%w = state_write %m {state=@n}"], [])
    program = program.replace("  return \n", "  return\n")
    program += method({"end": "i64[]"}, ["while [], [%end] {condition=@more, body=@count}", "%y = state_read {state=@n}"], ["y"])
    yield case("no carry", program, [call({"end": i64(e)}, {"y": i64(y)}, states={"n": i64(y)}) for e, y in ((4, 4), (2, 4), (6, 6))])


def trips_of(xs, c, k, reverse):
    """c = c·k + x; y = c - x"""
    ys = np.zeros(len(xs))
    for i in reversed(range(len(xs))) if reverse else range(len(xs)):
        c = c * k + xs[i]
        ys[i] = c - xs[i]
    return c, ys


def scans():
    body = graph("body", {"c": "f64[]", "x": "f64[]", "k": "f64[]"}, ["%p = mul %c, %k", "%d = add %p, %x", "%y = sub %d, %x"], ["d", "y"])
    for reverse in ("", ", reverse=true"):
        line = f"%d, %ys = scan [%c], [%xs], [%k] {{body=@body, length=S{reverse}}}"
        program = "symbol S\n" + body + method({"c": "f64[]", "xs": "f64[S]", "k": "f64[]"}, [line], ["d", "ys"])
        calls = []
        for xs in ([1.0, -2.0, 0.5, 4.0, 3.0], [2.5], []):
            d, ys = trips_of(xs, 2.0, 0.75, bool(reverse))
            inputs = {"c": tensor("f64", np.array(2.0)), "xs": tensor("f64", xs), "k": tensor("f64", np.array(0.75))}
            calls.append(call(inputs, {"d": tensor("f64", np.array(d)), "ys": tensor("f64", ys)}, ulps=0))
        yield case("scan" + reverse, program, calls)
    # Two xs of another shape and dtype, two ys, no carry and no captures.
    body = graph("body", {"a": "f32[2, 3]", "n": "i8[]"}, ["%t = transpose %a {perm=[1, 0]}", "%m = neg %n"], ["t", "m"])
    program = body + method({"a": "f32[4, 2, 3]", "n": "i8[4]"}, ["%t, %m = scan [], [%a, %n] {body=@body, length=4}"], ["t", "m"])
    a, n = np.arange(24.0).reshape(4, 2, 3), [1, -2, 3, -128]
    outputs = {"t": f32(a.transpose(0, 2, 1)), "m": tensor("i8", [-1, 2, -3, -128])}
    yield case("slices of several ranks", program, [call({"a": f32(a), "n": tensor("i8", n)}, outputs)])
    # Slices without elements.
    body = graph("body", {"c": "i64[]", "x": "f32[0]"}, ["%one = full {shape=[], value=1, dtype=i64}", "%d = add %c, %one"], ["d", "x"])
    program = body + method({"c": "i64[]", "x": "f32[3, 0]"}, ["%d, %y = scan [%c], [%x] {body=@body, length=3}"], ["d", "y"])
    empty = f32([], (3, 0))
    yield case("empty slices", program, [call({"c": i64(0), "x": empty}, {"d": i64(3), "y": empty})])
    # Nothing but a length; and nothing but a carry.
    body = graph("body", {}, ["%y = full {shape=[2], value=3, dtype=u8}"], ["y"])
    program = "symbol S\n" + body + method({"x": "f32[S]"}, ["%y = scan {body=@body, length=2*S + 1}"], ["y"])
    yield case("length alone", program, [call({"x": f32([0.0] * n)}, {"y": tensor("u8", [[3, 3]] * (2 * n + 1))}) for n in (0, 2)])
    for dtype in COMPUTABLE:
        body = graph("body", {"x": f"{dtype}[3]"}, [], ["x"])
        x = tensor(dtype, np.arange(6).reshape(2, 3) % 2)
        program = body + method({"x": x}, ["%y = scan [], [%x] {body=@body, length=2}"], ["y"])
        yield case(f"slices of {dtype}", program, [call({"x": x}, {"y": x})])
    program = body + method({"x": "c64[5, 3]"}, ["%y = scan [], [%x] {body=@body, length=5}"], ["y"])
    x = tensor("c64", np.arange(15).reshape(5, 3))
    # The node, 15 elements of the result, 5 trips that pass a value each.
    yield case("steps of a scan", program, [
        call({"x": x}, {"y": x}, steps=26),
        call({"x": x}, error='[scan] the call takes more than 25 steps (at main: %y)', steps=25),
    ])


def calls_():
    program = graph("square", {"x": "f32[S]"}, ["%y = mul %x, %x"], ["y"])
    program += graph("fourth", {"x": "f32[S]"}, ["%y = call [%x] {graph=@square}", "%z = call [%y] {graph=@square}"], ["z", "y"])
    program += method({"x": "f32[S]"}, ["%a, %b = call [%x] {graph=@fourth}", "%c = add %a, %b"], ["c", "a"])
    x = np.array([1.0, -2.0, 0.5])
    yield case("call", "symbol S\n" + program, [call({"x": f32(v)}, {"c": f32(v**4 + v**2), "a": f32(v**4)}) for v in (x, x[:0])])
    program = graph("both", {"x": "f32[2]", "y": "f32[2]"}, [], ["y", "x", "y"])
    program = program.replace("(y, x, y)", "(a, b, c)")
    program += method({"x": "f32[2]", "y": "f32[2]"}, ["%a, %b, %c = call [%y, %x] {graph=@both}"], ["a", "b", "c"])
    one, two = f32([1.0, 2.0]), f32([3.0, 4.0])
    yield case("inputs as results", program, [call({"x": one, "y": two}, {"a": one, "b": two, "c": one})])


def nested():
    """Sums of triangles: a scan inside of a while inside of a call."""
    program = graph("add_one", {"c": "i64[]", "x": "i64[]"}, ["%d = add %c, %x"], ["d"])
    program += graph("more", {"n": "i64[]", "t": "i64[]", "xs": "i64[S]"}, ["%zero = full {shape=[], value=0, dtype=i64}", "%c = gt %n, %zero"], ["c"])
    program += graph("again", {"n": "i64[]", "t": "i64[]", "xs": "i64[S]"}, [
        "%u = scan [%t], [%xs] {body=@add_one, length=S}", "%one = full {shape=[], value=1, dtype=i64}", "%m = sub %n, %one"], ["m", "u"])
    program += graph("all", {"n": "i64[]", "xs": "i64[S]"}, [
        "%zero = full {shape=[], value=0, dtype=i64}", "%m, %t = while [%n, %zero], [%xs] {condition=@more, body=@again}"], ["t"])
    program += method({"n": "i64[]", "xs": "i64[S]"}, ["%t = call [%n, %xs] {graph=@all}"], ["t"])
    calls = [call({"n": i64(n), "xs": tensor("i64", xs)}, {"t": i64(n * sum(xs))}) for n, xs in ((3, [1, 2, 4]), (0, [1]), (2, []))]
    return case("nested", "symbol S\n" + program, calls)


def bound_inside():
    """A symbol that the body binds has another size in each trip."""
    body = graph("body", {"c": "i64[]", "x": "f32[4]"}, ["%at = nonzero %x {count=K}", "%n = size_of {size=K}", "%d = add %c, %n"], ["d", "n"])
    program = "symbol K\nsymbol S\n" + body + method({"c": "i64[]", "x": "f32[S, 4]"}, ["%d, %n = scan [%c], [%x] {body=@body, length=S}"], ["d", "n"])
    x = np.array([[1.0, 0, 2, 0], [0, 0, 0, 0], [1, 1, 1, 1]])
    counts = np.count_nonzero(x, 1)
    return case("sizes bound in a body", program, [call({"c": i64(10), "x": f32(x)}, {"d": i64(10 + counts.sum()), "n": tensor("i64", counts)})])


def cases():
    return [*branches(), *loops(), *scans(), *calls_(), nested(), bound_inside()]
