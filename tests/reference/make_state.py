"""Cases of state_read, state_write and state_update. Expected contents come from slice assignment."""

import numpy as np

from cases import COMPUTABLE, Raw, call, case, method, tensor

PLACE = ' (at main: %y)'


def updated(state, update, starts, axes, mode="error"):
    """NumPy's assignment to the part of the state that the update covers."""
    result, read, written = state.copy(), [slice(None)] * state.ndim, [slice(None)] * state.ndim
    for start, axis in zip(starts, axes):
        size, count = state.shape[axis], update.shape[axis]
        if mode == "clamp":
            start = min(max(start, 0), size - count)
        inside = [i for i in range(count) if 0 <= start + i < size]
        first, last = (inside[0], inside[-1] + 1) if inside else (0, 0)
        read[axis], written[axis] = slice(first, last), slice(start + first, start + last) if inside else slice(0, 0)
    result[tuple(written)] = update[tuple(read)]
    return result


def declared(name, contents):
    """A state that begins with these contents."""
    return f"weight @{name}0 : {contents}\nstate @{name} : {contents.type} = @{name}0\n"


def basics():
    zero, one, two = (tensor("f32", [[v, v + 0.5, -v]]) for v in (0.0, 1.0, 2.0))
    zero = tensor("f32", [[0.0, 0.0, 0.0]])
    program = f"state @s : {zero.type} = zeros\n" + method(
        {"x": zero.type}, ["%before = state_read {state=@s}", "%y = state_write %x {state=@s}", "%after = state_read {state=@s}"],
        ["before", "y", "after"])
    yield case("a read sees the writes before it", program, [
        call({"x": one}, {"before": zero, "y": one, "after": one}, states={"s": one}),
        call({"x": two}, {"before": one, "y": two, "after": two}, states={"s": two}),
        call({"x": two}, {"before": two, "y": two, "after": two}, states={"s": two}),
    ])
    program = declared("s", one) + method({}, ["%y = state_read {state=@s}"], ["y"])
    yield case("initial contents", program, [call({}, {"y": one}, states={"s": one})])
    count = [tensor("i64", np.array(n)) for n in range(4)]
    program = "state @n : i64[] = zeros\n" + method(
        {}, ["%a = state_read {state=@n}", "%one = full {shape=[], value=1, dtype=i64}", "%b = add %a, %one", "%y = state_write %b {state=@n}"], ["y"])
    yield case("a counter", program, [call({}, {"y": count[i + 1]}, states={"n": count[i + 1]}) for i in range(3)])
    program = declared("s", one) + "state @t : f32[1, 3] = zeros\n" + method(
        {}, ["%a = state_read {state=@s}", "%b = state_read {state=@t}", "%c = state_write %b {state=@s}", "%d = state_write %a {state=@t}"], ["c", "d"])
    yield case("two states change places", program, [
        call({}, {"c": zero, "d": one}, states={"s": zero, "t": one}),
        call({}, {"c": one, "d": zero}, states={"s": one, "t": zero}),
    ])


def methods():
    """Methods share the states."""
    x = tensor("i32", [4, -5])
    program = "state @s : i32[2] = zeros\n"
    program += method({"x": x}, ["%y = state_write %x {state=@s}"], ["y"], "put") + method({}, ["%y = state_read {state=@s}"], ["y"], "get")
    return case("two methods", program, [
        call({}, {"y": tensor("i32", [0, 0])}, method="get"),
        call({"x": x}, {"y": x}, method="put"),
        call({}, {"y": x}, method="get"),
    ])


def update_case(name, state, update, starts, axes, mode="error", start_dtype="i64", error=None):
    inputs = {"u": update} | {f"i{n}": tensor(start_dtype, np.array(start, object)) for n, start in enumerate(starts)}
    listed = ", ".join(f"%i{n}" for n in range(len(starts)))
    line = f"%y = state_update %u, [{listed}] {{state=@s, axes={list(axes)}" + (f", mode={mode}}}" if mode != "error" else "}")
    program = declared("s", state) + method(inputs, [line], ["y"])
    if error:
        return case(name, program, [call(inputs, error=error + PLACE, states={"s": state})])
    y = tensor(state.dtype, updated(state.values, update.values, starts, axes, mode))
    return case(name, program, [call(inputs, {"y": y}, states={"s": y})])


def of(dtype, first, *shape):
    """Numbers from `first` on, as the dtype has them."""
    values = np.arange(first, first + int(np.prod(shape))).reshape(shape)
    if dtype == "bool":
        return tensor(dtype, values % 3 == 0)
    limit = {"u4": 16, "u2": 4, "i2": 2, "i4": 8}.get(dtype)
    return tensor(dtype, values % limit if limit else values)


def updates():
    state, update = of("f32", 0, 5, 4), of("f32", 100, 2, 3)
    for starts in ((0, 0), (3, 1), (2, 0)):
        yield update_case(f"at {starts}", state, update, starts, (0, 1))
        yield update_case(f"axes the other way round, at {starts}", state, update, starts[::-1], (-1, -2))
    yield update_case("one axis", state, of("f32", 100, 2, 4), (3,), (0,))
    yield update_case("the last axis", state, of("f32", 100, 5, 1), (2,), (-1,))
    yield update_case("no axis", state, of("f32", 100, 5, 4), (), ())
    yield update_case("rank 0", tensor("f32", np.array(1.0)), tensor("f32", np.array(2.0)), (), ())
    yield update_case("the middle axis", of("f32", 0, 2, 4, 3), of("f32", 50, 2, 2, 3), (1,), (1,))
    yield update_case("an empty update", state, of("f32", 0, 0, 4), (5,), (0,))
    yield update_case("an empty state", of("f32", 0, 0, 4), of("f32", 0, 0, 4), (0,), (0,))
    for mode in ("clamp", "drop"):
        for starts in ((-1, 0), (-2, 0), (-9, 1), (4, 3), (5, 0), (9, -9), (3, 2), (1, 1), (-1, 2), (0, -2)):
            yield update_case(f"{mode} at {starts}", state, update, starts, (0, 1), mode)
        for start in (2**63 - 1, -(2**63)):
            yield update_case(f"{mode} at {start}", state, of("f32", 100, 2, 4), (start,), (0,), mode)
        yield update_case(f"{mode} at the largest u64", state, of("f32", 100, 2, 4), (2**64 - 1,), (0,), mode, "u64")
        yield update_case(f"{mode}, an empty update", state, of("f32", 0, 0, 4), (-3,), (0,), mode)


def by_dtype():
    for dtype in COMPUTABLE + ("u4", "i4", "u2", "i2", "f8e4m3", "f8e5m2", "f4e2m1"):
        if dtype == "f4e2m1":
            state, update = tensor(dtype, [[0, 1, 2], [3, 4, 6]]), tensor(dtype, [[-1.5], [0.5]])
        else:
            state, update = of(dtype, 0, 2, 3), of(dtype, 7, 2, 1)
        yield update_case(f"of {dtype}", state, update, (1,), (1,))
    for dtype in ("u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"):
        yield update_case(f"start of {dtype}", of("f32", 0, 4), of("f32", 9, 2), (2,), (0,), "error", dtype)


def refused():
    state, update = of("f32", 0, 5, 4), of("f32", 100, 2, 3)
    for start in (-1, 4, 2**63 - 1, -(2**63)):
        error = f"[state_update] start along axis 0 is {start}, expected 0 to 3 (2 elements go into 5)"
        yield update_case(f"error at {start}", state, update, (start, 0), (0, 1), error=error)
    error = "[state_update] start along axis 1 is 2, expected 0 to 1 (3 elements go into 4)"
    yield update_case("error along the second axis", state, update, (0, 2), (0, 1), error=error)


def rolled_back():
    """A call that fails after its writes leaves every state as it was."""
    program = "state @s : i64[2] = zeros\nstate @t : i64[] = zeros\n" + method(
        {"x": "i64[2]", "i": "i64[]"},
        ["%a = state_write %x {state=@s}", "%b = state_write %i {state=@t}", "%y = take %x, %i", "%c = state_read {state=@s}"], ["y", "c"])
    a, b, c = tensor("i64", [3, 4]), tensor("i64", [5, 6]), tensor("i64", [7, 8])
    scalar = lambda v: tensor("i64", np.array(v))
    yield case("a failed call", program, [
        call({"x": a, "i": scalar(1)}, {"y": scalar(4), "c": a}, states={"s": a, "t": scalar(1)}),
        call({"x": b, "i": scalar(2)}, error="[take] index 2 is outside an axis of 2 elements" + PLACE, states={"s": a, "t": scalar(1)}),
        call({"x": c, "i": scalar(0)}, {"y": scalar(7), "c": c}, states={"s": c, "t": scalar(0)}),
    ])


def packed():
    """Packed contents are read and replaced whole."""
    type = "packed<symmetric, bits=4, group=2, scale=f16>[2, 3]"
    first, second = (Raw(type, bytes(range(start, start + 12))) for start in (1, 101))
    program = declared("s", first) + method(
        {"x": first}, ["%old = state_read {state=@s}", "%y = state_write %x {state=@s}"], ["old", "y"])
    return case("packed", program, [
        call({"x": second}, {"old": first, "y": second}, states={"s": second}),
        call({"x": first}, {"old": second, "y": first}, states={"s": first}),
    ])


def in_graphs():
    """Writes inside of graphs that are called, in the order of the trips; only the branch that runs writes."""
    program = """state @log : i64[4] = zeros
graph put(%i: i64[], %x: i64[1]) -> (j, y) {
  %old = state_read {state=@log}
  %s = reduce_sum %old {axes=[0], keepdims=true}
  %v = add %s, %x
  %new = state_update %v, [%i] {state=@log, axes=[0]}
  %one = full {shape=[], value=1, dtype=i64}
  %j = add %i, %one
  return %j, %v
}
graph skip(%i: i64[], %x: i64[1]) -> (j, y) {
  return %i, %x
}
method main(%c: bool[], %i: i64[], %xs: i64[S, 1]) -> (j, ys, k) {
  %j, %ys = scan [%i], [%xs] {body=@put, length=S}
  %x = full {shape=[1], value=50, dtype=i64}
  %k, %v = if %c, [%j, %x] {on_true=@put, on_false=@skip}
  return %j, %ys, %k
}
"""

    def run(log, c, i, xs):
        log, ys = list(log), []
        for x in xs:
            ys.append(sum(log) + x)
            log[i], i = ys[-1], i + 1
        j = i
        if c:
            log[i], i = sum(log) + 50, i + 1
        return log, j, ys, i

    calls, log = [], [0, 0, 0, 0]
    for c, i, xs in ((True, 0, [3, 4]), (False, 1, [5]), (True, 3, [])):
        log, j, ys, k = run(log, c, i, xs)
        inputs = {"c": tensor("bool", np.array(c)), "i": tensor("i64", np.array(i)), "xs": tensor("i64", xs, (len(xs), 1))}
        outputs = {"j": tensor("i64", np.array(j)), "ys": tensor("i64", ys, (len(ys), 1)), "k": tensor("i64", np.array(k))}
        calls.append(call(inputs, outputs, states={"log": tensor("i64", log)}))
    inputs = {"c": tensor("bool", np.array(False)), "i": tensor("i64", np.array(3)), "xs": tensor("i64", [[1], [2]])}
    error = '[state_update] start along axis 0 is 4, expected 0 to 3 (1 elements go into 4) (at put: %new)'
    calls.append(call(inputs, error=error, states={"log": tensor("i64", log)}))
    return case("state in graphs", "symbol S\n" + program, calls)


def cases():
    return [*basics(), methods(), *updates(), *by_dtype(), *refused(), *rolled_back(), packed(), in_graphs()]
