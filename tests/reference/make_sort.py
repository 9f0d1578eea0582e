"""Cases of sort, topk, partition, median, search_sorted and unique."""

import math

import numpy as np

from cases import INTEGERS, REALS, call, case, error_case, integer_range, method, tensor
from conversion import convert, promote

ORDERED = ("bool",) + INTEGERS + REALS
NAN, INF = math.nan, math.inf


def input_of(dtype, shape, seed=1):
    """Few distinct values, so that there are ties."""
    values = np.random.RandomState(seed).randint(0, 6, shape)
    if dtype == "bool":
        return tensor(dtype, values % 2 == 0)
    return tensor(dtype, values / 4 - 0.5) if dtype in REALS else tensor(dtype, values)


def edges(dtype):
    """Two rows of five with the ends of the dtype."""
    if dtype in REALS:
        return tensor(dtype, [[1, NAN, -INF, 0.0, -0.0], [-0.0, INF, NAN, 0.0, NAN]])
    low, high = (0, 1) if dtype == "bool" else integer_range(dtype)
    return tensor(dtype, [[high, low, 1, high, low], [0, 1, low, high, 0]])


def order_of(values, axis, descending=False):
    """NumPy's stable order. NaN is last, so descending it comes first."""
    if not descending:
        return np.argsort(values, axis, kind="stable")
    flipped = np.flip(values, axis)
    return np.flip(values.shape[axis] - 1 - np.argsort(flipped, axis, kind="stable"), axis)


def taken(x, order, axis):
    return tensor(x.dtype, np.take_along_axis(x.values, order, axis)), tensor("i64", order)


def several_case(name, inputs, ops):
    """`ops` by name: the op's line and the expected results."""
    body, expected = [], {}
    for op, (line, results) in ops.items():
        names = [f"{op}_{i}" for i in range(len(results))]
        body.append(f"{', '.join('%' + n for n in names)} = {line}")
        expected |= dict(zip(names, results))
    return case(name, method(inputs, body, expected), [call(inputs, expected, ulps=0)])


# ------------------------------------------------------------------------------------------------------- sort and topk


def sorting_ops(x, axis):
    size = x.shape[axis]
    up, down = order_of(x.values, axis), order_of(x.values, axis, True)

    def first(order, k):
        return taken(x, np.take(order, range(k), axis), axis)

    some, most = min(size, 2), max(size - 1, 0)
    return {
        "up": (f"sort %x {{axis={axis}}}", taken(x, up, axis)),
        "down": (f"sort %x {{axis={axis}, descending=true}}", taken(x, down, axis)),
        "largest": (f"topk %x {{k={some}, axis={axis}}}", first(down, some)),
        "smallest": (f"topk %x {{k={most}, axis={axis}, largest=false}}", first(up, most)),
        "all": (f"topk %x {{k={size}, axis={axis}}}", first(down, size)),
        "none": (f"topk %x {{k=0, axis={axis}}}", first(up, 0)),
    }


def sorting():
    for dtype in ORDERED:
        x = input_of(dtype, (2, 7, 3))
        yield several_case(f"sort and topk {dtype}", {"x": x}, sorting_ops(x, 1))
        x = edges(dtype)
        yield several_case(f"sort and topk {dtype} with its ends", {"x": x}, sorting_ops(x, -1))
    x = input_of("f32", (4, 5))
    up, down = order_of(x.values, -1), order_of(x.values, -1, True)
    defaults = {"sorted": ("sort %x", taken(x, up, -1)), "top": ("topk %x {k=3}", taken(x, down[:, :3], -1))}
    yield several_case("sort and topk by default", {"x": x}, defaults)
    x = tensor("i64", np.random.RandomState(5).permutation(1000)[:200])
    yield several_case("sort and topk of many", {"x": x}, sorting_ops(x, 0))
    for shape, axis in (((1,), 0), ((0,), 0), ((3, 0), 0), ((3, 0), 1), ((0, 2), -1), ((3, 1, 2), -2)):
        x = input_of("f32", shape)
        yield several_case(f"sort and topk of {list(shape)} along {axis}", {"x": x}, sorting_ops(x, axis))
    yield unordered()
    body = ["%v, %i = topk %x {k=min(S, 3)}", "%s, %j = sort %x {axis=0}"]
    program = "symbol S\n" + method({"x": "f32[2, S]"}, body, ["v", "i", "s", "j"])
    calls = []
    for size in (5, 3, 1, 0):
        x = input_of("f32", (2, size))
        top = order_of(x.values, 1, True)[:, :3]
        results = (*taken(x, top, 1), *taken(x, order_of(x.values, 0), 0))
        calls.append(call({"x": x}, dict(zip("visj", results))))
    yield case("sort and topk by symbol", program, calls)


def unordered():
    """Which elements they are is decided, their order is not: sort them."""
    x = tensor("f32", [[5, 1, NAN, 5, 2], [3, 3, 3, 0, -INF]])
    order = np.sort(order_of(x.values, 1, True)[:, :3], 1)
    body = ["%v, %i = topk %x {k=3, sorted=false}", "%j, %_where = sort %i", "%same = gather %x, %i {axis=1}"]
    body += ["%w, %_a = sort %v", "%u, %_b = sort %same"]
    values = np.sort(np.take_along_axis(x.values, order, 1), 1)
    expected = {"j": tensor("i64", order), "w": tensor("f32", values), "u": tensor("f32", values)}
    return case("topk in any order", method({"x": x}, body, expected), [call({"x": x}, expected)])


# ------------------------------------------------------------------------------------------------ partition and median


def partition_case(x, kth):
    """Element kth is NumPy's, none before it is larger, none behind smaller, and the indices lead there."""
    size = x.shape[1]
    body = [
        f"%y, %i = partition %x {{kth={kth}}}",
        f"%middle = slice %y {{axes=[1], starts=[{kth}], stops=[{kth + 1}]}}",
        f"%before = slice %y {{axes=[1], starts=[0], stops=[{kth}]}}",
        f"%behind = slice %y {{axes=[1], starts=[{kth + 1}], stops=[{size}]}}",
        "%not_larger = le %before, %middle",
        "%not_smaller = ge %behind, %middle",
        "%low = reduce_all %not_larger {axes=[0, 1]}",
        "%high = reduce_all %not_smaller {axes=[0, 1]}",
        "%from = gather %x, %i {axis=1}",
        "%same = eq %from, %y",
        "%all = reduce_all %same {axes=[0, 1]}",
        "%every, %_where = sort %i",
    ]
    values = x.values if x.dtype in REALS + ("bool",) else x.values.astype(np.int64 if x.dtype[0] == "i" else np.uint64)
    expected = {
        "middle": tensor(x.dtype, np.partition(values, kth, 1)[:, kth : kth + 1]),
        **{name: tensor("bool", True) for name in ("low", "high", "all")},
        "every": tensor("i64", np.tile(np.arange(size), (x.shape[0], 1))),
    }
    return case(f"partition {x.dtype} at {kth}", method({"x": x}, body, expected), [call({"x": x}, expected)])


def partition():
    for dtype in ORDERED:
        yield partition_case(input_of(dtype, (3, 8)), 4)
    for kth in (0, 7):
        yield partition_case(input_of("f32", (3, 8), 2), kth)
    # NaN is behind everything.
    x = tensor("f32", [NAN, 3, -INF, 2, NAN])
    body = ["%y, %i = partition %x {kth=S - 3, axis=0}", "%m = slice %y {axes=[0], starts=[S - 3], stops=[S]}"]
    program = "symbol S in 3..\n" + method({"x": "f32[S]"}, body, ["m"])
    yield case("partition with NaN", program, [call({"x": x}, {"m": tensor("f32", [3, NAN, NAN])})])
    empty = tensor("f32", np.zeros((0, 3)))
    results = {"y": ("partition %x {kth=2}", (empty, tensor("i64", np.zeros((0, 3), int))))}
    yield several_case("partition of nothing", {"x": empty}, results)


def median_of(x, axis=-1, keepdims=False, average=False):
    """With the mean NumPy's, else the lower one; NaN where there is one."""
    middle = np.take(np.sort(x.values, axis), [(x.shape[axis] - 1) // 2], axis)
    if x.dtype in REALS:
        middle = np.where(np.isnan(x.values).any(axis, keepdims=True), NAN, middle)
    if average:
        middle = np.median(x.values, axis, keepdims=True)
    return tensor(x.dtype, middle if keepdims else middle.squeeze(axis))


def median_ops(x, axis):
    ops = {
        "lower": (f"median %x {{axis={axis}}}", [median_of(x, axis)]),
        "kept": (f"median %x {{axis={axis}, keepdims=true}}", [median_of(x, axis, True)]),
    }
    if x.dtype in REALS:
        ops["mean"] = f"median %x {{axis={axis}, average=true}}", [median_of(x, axis, average=True)]
    return ops


def median():
    for dtype in ORDERED:
        for size in (4, 5):
            x = input_of(dtype, (2, size, 3), size)
            yield several_case(f"median {dtype} of {size}", {"x": x}, median_ops(x, 1))
        x = edges(dtype)
        yield several_case(f"median {dtype} with its ends", {"x": x}, median_ops(x, -1))
    largest = float.fromhex("0x1.fffffffffffffp1023")
    x = tensor("f64", [[largest, largest], [-largest, largest], [5e-324, 5e-324], [INF, -INF], [INF, INF]])
    mean = tensor("f64", [largest, 0, 5e-324, NAN, INF])
    yield several_case("median between the largest", {"x": x}, {"mean": ("median %x {average=true}", [mean])})
    x = input_of("f32", (3, 4))
    yield several_case("median by default", {"x": x}, {"y": ("median %x", [median_of(x)])})
    for shape, axis in (((1,), 0), ((0, 3), 1), ((2, 0), 0)):
        x = input_of("f32", shape)
        yield several_case(
            f"median of {list(shape)} along {axis}",
            {"x": x},
            {"y": (f"median %x {{axis={axis}}}", [median_of(x, axis)])},
        )


# ------------------------------------------------------------------------------------------------------- search_sorted


def search_ops(sorted_, values):
    dtype = promote(sorted_.dtype, values.dtype)
    a, v = convert(sorted_, dtype).values, convert(values, dtype).values
    return {
        side: (f"search_sorted %sorted, %values{written}", [tensor("i64", np.searchsorted(a, v, side))])
        for side, written in (("left", ""), ("right", " {right=true}"))
    }


def search_sorted():
    for dtype in ORDERED:
        inputs = {"sorted": tensor(dtype, np.sort(input_of(dtype, (9,)).values)), "values": input_of(dtype, (2, 4), 3)}
        yield several_case(f"search_sorted {dtype}", inputs, search_ops(*inputs.values()))
    for dtype in REALS:
        inputs = {
            "sorted": tensor(dtype, [-INF, -1, -0.0, 0.0, 2, INF, NAN, NAN]),
            "values": tensor(dtype, [-INF, INF, NAN, 0.0, -0.0, 1, 3]),
        }
        yield several_case(f"search_sorted {dtype} with specials", inputs, search_ops(*inputs.values()))
    mixed = [("u8", "i8"), ("i64", "f32"), ("f16", "bf16"), ("bool", "i32")]
    for a, b in mixed:
        inputs = {
            "sorted": tensor(a, [0, 1] if a == "bool" else [0, 1, 1, 4]),
            "values": tensor(b, [-1, 0, 1, 2, 4, 5]),
        }
        yield several_case(f"search_sorted {b} in {a}", inputs, search_ops(*inputs.values()))
    for size, shape in ((0, (3,)), (3, (0, 2)), (1, ()), (4, (2, 1, 2))):
        inputs = {
            "sorted": tensor("f32", np.arange(size)),
            "values": tensor("f32", np.arange(math.prod(shape)) + 0.5, shape),
        }
        yield several_case(f"search_sorted {list(shape)} in {size}", inputs, search_ops(*inputs.values()))
    values = tensor("f32", [1])
    wrong = {"[1, 3, 2]": ([1, 3, 2], 2, "2", "3"), "NaN first": ([NAN, 1], 1, "1", "nan")}
    for name, (numbers, k, got, before) in wrong.items():
        error = (
            f"[search_sorted] element {k} of sorted is {got}, expected at least {before}, the one before (at main: %y)"
        )
        yield error_case(
            f"search_sorted in {name}", {"s": tensor("f32", numbers), "v": values}, "search_sorted %s, %v", error
        )


# -------------------------------------------------------------------------------------------------------------- unique


def distinct(x, axis=None, sorted_=True):
    """By Python's dictionary: NaN is one value, and so are both zeros, of which the first stays."""
    slices = x.values.ravel() if axis is None else np.moveaxis(x.values, axis, 0)
    keys = [tuple((v != v, 0 if v != v else v) for v in np.ravel(s)) for s in slices]
    firsts, counts = {}, {}
    for i, key in enumerate(keys):
        firsts.setdefault(key, i)
        counts[key] = counts.get(key, 0) + 1
    order = sorted(firsts) if sorted_ else list(firsts)
    y = np.take(slices, [firsts[key] for key in order], 0) if order else slices[:0]
    inverse = np.array([order.index(key) for key in keys], int)
    return (
        tensor(x.dtype, y if axis is None else np.moveaxis(y, 0, axis)),
        tensor("i64", [firsts[key] for key in order]),
        tensor("i64", inverse.reshape(x.shape) if axis is None else inverse),
        tensor("i64", [counts[key] for key in order]),
    )


def check_with_numpy(x, axis, results):
    y, *rest = np.unique(x.values, True, True, True, axis)
    assert np.array_equal(y, results[0].values, equal_nan=x.dtype in REALS), (y, results[0])
    assert all(np.array_equal(np.ravel(a), b.values.ravel()) for a, b in zip(rest, results[1:])), (rest, results)


def unique_case(name, x, axis=None, numpy_too=True):
    written = "" if axis is None else f", axis={axis}"
    names = [f"{kind}{i}" for kind in ("sorted", "first") for i in range(4)]
    body = [
        f"{', '.join('%' + n for n in names[:4])} = unique %x {{count=N{written}}}",
        f"{', '.join('%' + n for n in names[4:])} = unique %x {{count=M{written}, sorted=false}}",
    ]
    results = distinct(x, axis)
    if numpy_too:
        check_with_numpy(x, axis, results)
    expected = dict(zip(names, results + distinct(x, axis, False)))
    program = "symbol N\nsymbol M\n" + method({"x": x}, body, expected)
    return case(f"unique {name}", program, [call({"x": x}, expected, ulps=0)])


def unique():
    for dtype in ORDERED:
        x = input_of(dtype, (3, 5))
        yield unique_case(dtype, x)
        yield unique_case(f"{dtype} with its ends", edges(dtype), numpy_too=dtype not in REALS)
        slices = tensor(
            dtype, np.array([[[1, 0], [0, 1]], [[1, 0], [0, 1]], [[0, 1], [1, 1]], [[1, 0], [0, 0]], [[0, 1], [1, 1]]])
        )
        comparable = dtype in REALS + ("bool",)  # NumPy has no slices of objects
        yield unique_case(f"{dtype} along 0", slices, 0, comparable)
        yield unique_case(f"{dtype} along 1", tensor(dtype, np.swapaxes(slices.values, 0, 1)), 1, comparable)
        yield unique_case(f"{dtype} along -1", tensor(dtype, np.moveaxis(slices.values, 0, 2)), -1, comparable)
    x = tensor("f32", [[NAN, 1], [0.0, NAN], [NAN, 1], [-0.0, NAN], [-INF, 2]])
    yield unique_case("of rows with NaN", x, 0, False)
    yield unique_case("of numbers with NaN", tensor("f32", [NAN, 3, NAN, 1, 3, INF]))
    for shape, axis in (
        ((), None),
        ((0,), None),
        ((2, 0, 3), None),
        ((1,), 0),
        ((0, 3), 0),
        ((3, 0), 0),
        ((2, 3, 0), 1),
        ((4, 1), 1),
    ):
        x = tensor("i32", np.zeros(shape, int))
        yield unique_case(f"of {list(shape)} along {axis}", x, axis, False)
    yield from bound_symbols()


def bound_symbols():
    """The symbol sizes what follows, and is another in every call; what it may be is checked."""
    body = ["%v, %_i, %_w, %n = unique %x {count=N}", "%d = add %v, %v", "%size = size_of {size=N}"]
    program = "symbol S in 1..\nsymbol N in 1..3\n" + method({"x": "i32[S]"}, body, ["d", "n", "size"])
    calls = []
    for values in ([3, 1, 3], [7], [2, 2, 1, 0, 1]):
        x = tensor("i32", values)
        y, _, _, counts = distinct(x)
        calls.append(
            call({"x": x}, {"d": tensor("i32", 2 * y.values), "n": counts, "size": tensor("i64", len(y.values))})
        )
    error = "[unique] N is 4, expected 1..3 (at main: %v)"
    calls.append(call({"x": tensor("i32", [1, 2, 3, 4])}, error=error))
    yield case("unique by symbol", program, calls)


def limits():
    """An axis without elements may be longer than any memory."""
    x = tensor("f32", np.zeros((0, 3)))
    program = "symbol S\n" + method(
        {"x": "f32[0, S]", "y": "f32[S, 0]"}, ["%v, %i = sort %x", "%w, %j = sort %y {axis=0}"], ["v", "w"]
    )
    y = tensor("f32", np.zeros((3, 0)))
    yield case("sort of nothing", program, [call({"x": x, "y": y}, {"v": x, "w": y}, bytes=64)])
    x = tensor("f32", np.arange(64))
    steps = "[sort] the call takes more than {} steps (at main: %v)"
    program = method({"x": x}, ["%v, %i = sort %x"], ["v", "i"])
    yield case(
        "steps of sort",
        program,
        [
            call({"x": x}, error=steps.format(576), steps=576),
            call({"x": x}, dict(zip("vi", taken(x, np.arange(64), 0))), steps=577),
        ],
    )


def cases():
    with np.errstate(all="ignore"):
        makers = (sorting, partition, median, search_sorted, unique, limits)
        return [case for make in makers for case in make()]
