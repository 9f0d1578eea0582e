"""Cases of iota, full, random, size_of, eye, random_categorical, random_permutation and dropout."""

import math

import numpy as np

from cases import (
    COMPUTABLE,
    INTEGERS,
    NUMBERS,
    REALS,
    call,
    case,
    element_text,
    integer_range,
    method,
    ops_case,
    tensor,
    wrap,
)

# -------------------------------------------------------------------------------------------------------------- philox


def philox(counter, key):
    """Philox 4x32-10 on Python integers."""
    mask = 2**32 - 1
    for _ in range(10):
        a, b = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [(b >> 32) ^ counter[1] ^ key[0], b & mask, (a >> 32) ^ counter[3] ^ key[1], a & mask]
        key = [(key[0] + 0x9E3779B9) & mask, (key[1] + 0xBB67AE85) & mask]
    return counter


# Known answers of the Random123 library.
assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
assert philox([2**32 - 1] * 4, [2**32 - 1] * 2) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
PI_WORDS = [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0]
assert philox(PI_WORDS[:4], PI_WORDS[4:]) == [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]


def words(key, count):
    return [word for block in range((count + 3) // 4) for word in philox([block, 0, 0, 0], key)][:count]


def wide(key, count):
    stream = words(key, 2 * count)
    return [low | high << 32 for low, high in zip(stream[::2], stream[1::2])]


def uniforms(key, count, dtype):
    if dtype == "f64":
        return [(word >> 11) * 2.0**-53 for word in wide(key, count)]
    return [(word >> 8) * 2.0**-24 for word in words(key, count)]


BELOW_ONE = {"f16": 1 - 2.0**-11, "bf16": 1 - 2.0**-8, "f32": 1 - 2.0**-24, "f64": 1 - 2.0**-53}


def uniform(key, count, dtype):
    return np.minimum(uniforms(key, count, dtype), BELOW_ONE[dtype])


def normal(key, count, dtype):
    stream = uniforms(key, 2 * count, dtype)
    return np.array(
        [math.sqrt(-2 * math.log(1 - a)) * math.cos(2 * math.pi * b) for a, b in zip(stream[::2], stream[1::2])]
    )


def random():
    for key in ([0, 0], [1, 2**31 + 5]):
        k = tensor("u32", key)
        ops = {
            "u32": ("random_bits %key {shape=[3, 3], dtype=u32}", tensor("u32", words(key, 9), (3, 3))),
            "u64": ("random_bits %key {shape=[7], dtype=u64}", tensor("u64", wide(key, 7))),
            "one": ("random_bits %key {shape=[], dtype=u32}", tensor("u32", words(key, 1)[0])),
            "none": ("random_bits %key {shape=[2, 0], dtype=u64}", tensor("u64", np.zeros((2, 0), int))),
        }
        yield ops_case(f"random_bits by {key}", {"key": k}, ops)
        for dtype in REALS:
            u, n = uniform(key, 11, dtype), normal(key, 11, dtype)
            ops = {
                "u": (f"random_uniform %key {{shape=[11], dtype={dtype}}}", tensor(dtype, u)),
                "u_scaled": (
                    f"random_uniform %key {{shape=[11, 1], dtype={dtype}, offset=-2.0, scale=4.0}}",
                    tensor(dtype, -2 + 4 * u, (11, 1)),
                ),
                "n": (f"random_normal %key {{shape=[1, 11], dtype={dtype}}}", tensor(dtype, n, (1, 11))),
                "n_scaled": (
                    f"random_normal %key {{shape=[11], dtype={dtype}, offset=3.0, scale=0.5}}",
                    tensor(dtype, 3 + n / 2),
                ),
            }
            yield ops_case(f"random {dtype} by {key}", {"key": k}, ops, ulps=2 if dtype == "f64" else 1, atol=1e-15)
        yield ops_case(
            f"random by default, {key}",
            {"key": k},
            {"y": ("random_normal %key {shape=[3]}", tensor("f32", normal(key, 3, "f32")))},
        )


def below_one():
    """A word that f16 and bf16 would round up to 1."""
    key = next([k, 7] for k in range(100000) if philox([0] * 4, [k, 7])[0] >> 8 >= 2**24 - 2**11)
    ops = {
        d: (f"random_uniform %key {{shape=[1], dtype={d}}}", tensor(d, uniform(key, 1, d)))
        for d in ("f16", "bf16", "f32")
    }
    assert ops["f16"][1].values[0] == BELOW_ONE["f16"] and ops["bf16"][1].values[0] == BELOW_ONE["bf16"]
    yield ops_case("random_uniform stays below 1", {"key": tensor("u32", key)}, ops, ulps=0)


# ---------------------------------------------------------------------------------------------------------------- rest


def iota():
    settings = dict.fromkeys(INTEGERS, (3, 2)) | dict.fromkeys(REALS, (0.1, -0.3)) | {"c64": (1 - 2j, 0.5j)}
    for dtype in NUMBERS:
        start, step = settings[dtype]
        i = np.arange(5)
        given = {k: f"{k}={element_text(dtype, v)}" for k, v in (("start", start), ("step", step))}
        ops = {
            "plain": (f"iota {{length=5, dtype={dtype}}}", tensor(dtype, i)),
            "start": (f"iota {{length=5, dtype={dtype}, {given['start']}}}", tensor(dtype, start + i)),
            "step": (f"iota {{length=5, dtype={dtype}, {given['step']}}}", tensor(dtype, 0 + step * i)),
            "both": (f"iota {{length=5, dtype={dtype}, {', '.join(given.values())}}}", tensor(dtype, start + step * i)),
            "none": (f"iota {{length=0, dtype={dtype}}}", tensor(dtype, [])),
        }
        yield ops_case(f"iota {dtype}", {}, ops)
    for dtype in INTEGERS:
        low, high = integer_range(dtype)
        ops = {
            "over": (
                f"iota {{length=4, dtype={dtype}, start={high - 1}}}",
                tensor(dtype, wrap(dtype, [high - 1 + i for i in range(4)])),
            ),
            "far": (
                f"iota {{length=4, dtype={dtype}, start={low}, step={high}}}",
                tensor(dtype, wrap(dtype, [low + i * high for i in range(4)])),
            ),
        }
        yield ops_case(f"iota {dtype}, wrapping", {}, ops)
    yield ops_case(
        "iota f16 beyond its integers",
        {},
        {"y": ("iota {length=6, dtype=f16, start=2046}", tensor("f16", [2046, 2047, 2048, 2048, 2050, 2052]))},
    )
    yield ops_case("iota by default", {}, {"y": ("iota {length=3}", tensor("i64", [0, 1, 2]))})


def full():
    values = {dtype: integer_range(dtype) for dtype in INTEGERS}
    values |= {
        "bool": (0, 1),
        "f16": (0.1, 7),
        "bf16": (0.1, -0.0),
        "f32": (0.1, math.inf),
        "f64": (0.1, math.nan),
        "c64": (1.5 - 2j, 0.25),
    }
    for dtype in COMPUTABLE:
        ops = {}
        for i, value in enumerate(values[dtype]):
            written = f"complex({value.real}, {value.imag})" if isinstance(value, complex) else value
            ops[f"y{i}"] = f"full {{shape=[2, 3], value={written}, dtype={dtype}}}", tensor(
                dtype, np.full((2, 3), value)
            )
        ops["scalar"] = f"full {{shape=[], value={written}, dtype={dtype}}}", tensor(dtype, value)
        ops["none"] = f"full {{shape=[2, 0], value=0, dtype={dtype}}}", tensor(dtype, np.zeros((2, 0)))
        yield ops_case(f"full {dtype}", {}, ops)
    yield ops_case("full by default", {}, {"y": ("full {shape=[1], value=3}", tensor("f32", [3]))})


def sizes():
    inputs = {"x": "f32[S, T]"}
    body = [
        "%s = size_of {size=S}",
        "%more = size_of {size=S*T + 1}",
        "%small = size_of {size=T/2, dtype=i32}",
        "%seven = size_of {size=7}",
        "%count = iota {length=S*T}",
        "%block = full {shape=[T, S], value=2}",
    ]
    names = ["s", "more", "small", "seven", "count", "block"]
    program = "symbol S\nsymbol T in 0..100\n" + method(inputs, body, names)
    calls = []
    for s, t in ((2, 3), (0, 5), (4, 0)):
        expected = {
            "s": tensor("i64", s),
            "more": tensor("i64", s * t + 1),
            "small": tensor("i32", t // 2),
            "seven": tensor("i64", 7),
            "count": tensor("i64", np.arange(s * t)),
            "block": tensor("f32", np.full((t, s), 2)),
        }
        calls.append(call({"x": tensor("f32", np.zeros((s, t)))}, expected))
    yield case("sizes by symbol", program, calls)


def eye():
    for dtype in COMPUTABLE:
        ops = {
            "square": (f"eye {{rows=3, columns=3, dtype={dtype}}}", tensor(dtype, np.eye(3))),
            "up": (f"eye {{rows=3, columns=5, k=2, dtype={dtype}}}", tensor(dtype, np.eye(3, 5, 2))),
            "down": (f"eye {{rows=4, columns=2, k=-1, dtype={dtype}}}", tensor(dtype, np.eye(4, 2, -1))),
        }
        yield ops_case(f"eye {dtype}", {}, ops)
    far = {"above": 2**63 - 1, "below": -(2**63)}
    ops = {k: (f"eye {{rows=2, columns=3, k={v}}}", tensor("f32", np.zeros((2, 3)))) for k, v in far.items()}
    ops |= {
        f"{r}_{c}": (f"eye {{rows={r}, columns={c}}}", tensor("f32", np.eye(r, c))) for r, c in ((0, 3), (3, 0), (1, 1))
    }
    yield ops_case("eye, corners", {}, ops)
    body = ["%y = eye {rows=S, columns=T + 1}", "%z = eye {rows=S, columns=T, k=T - S, dtype=i32}"]
    program = "symbol S\nsymbol T in 0..100\n" + method({"x": "f32[S, T]"}, body, ["y", "z"])
    calls = []
    for s, t in ((2, 3), (4, 1), (0, 2), (3, 0)):
        expected = {"y": tensor("f32", np.eye(s, t + 1)), "z": tensor("i32", np.eye(s, t, t - s))}
        calls.append(call({"x": tensor("f32", np.zeros((s, t)))}, expected))
    yield case("eye by symbol", program, calls)


# ----------------------------------------------------------------------------------------------------- drawn from words


def categorical(key, logits, axis=-1):
    """Gumbel noise from the uniforms of each element; a 0 counts as half of the next."""
    u = np.array(uniforms(key, logits.values.size, logits.dtype)).reshape(logits.shape)
    noise = -np.log(-np.log(np.maximum(u, 2.0**-54 if logits.dtype == "f64" else 2.0**-25)))
    return tensor("i64", np.argmax(logits.values + noise, axis))  # of NaN the first


def random_categorical():
    keys = [[0, 0], [7, 2**32 - 1]]
    for dtype in REALS:
        logits = tensor(dtype, np.random.RandomState(4).randint(-8, 8, (3, 4, 5)) / 4)
        for key in keys:
            ops = {"y": ("random_categorical %key, %x", categorical(key, logits))}
            ops |= {f"y{a}": (f"random_categorical %key, %x {{axis={a}}}", categorical(key, logits, a)) for a in (0, 1)}
            ops["back"] = "random_categorical %key, %x {axis=-2}", categorical(key, logits, -2)
            yield ops_case(f"random_categorical {dtype} by {key}", {"key": tensor("u32", key), "x": logits}, ops)
    nan, inf = math.nan, math.inf
    rows = [[-inf, 0, -inf], [-inf, -inf, -inf], [0, inf, 1], [1, nan, nan], [inf, nan, 0], [1e6, 0, -1e6], [2, 3, inf]]
    logits = tensor("f32", rows)
    expected = {"y": ("random_categorical %key, %x", tensor("i64", [1, 0, 1, 1, 1, 0, 2]))}
    for key in keys:
        yield ops_case(f"random_categorical with specials by {key}", {"key": tensor("u32", key), "x": logits}, expected)
    # The one that is possible is drawn, though its uniform number is 0.
    key = [2754893, 3]
    logits = tensor("f32", [0.0, -inf])
    ops = {"y": ("random_categorical %key, %x", categorical(key, logits))}
    assert uniforms(key, 1, "f32") == [0] and ops["y"][1].values == 0
    yield ops_case("random_categorical at 0", {"key": tensor("u32", key), "x": logits}, ops)
    for shape, axis in (((1,), 0), ((2, 0), 0), ((0, 3), -1)):
        logits = tensor("f32", np.zeros(shape))
        y = tensor("i64", np.zeros(np.delete(shape, axis), int))
        line = f"random_categorical %key, %x {{axis={axis}}}"
        yield ops_case(
            f"random_categorical of {list(shape)}", {"key": tensor("u32", [1, 2]), "x": logits}, {"y": (line, y)}
        )


def random_permutation():
    for key in ([0, 0], [5, 2**31 + 1]):
        ops = {
            f"y{n}": (
                f"random_permutation %key {{length={n}}}",
                tensor("i64", np.argsort(np.array(wide(key, n), np.uint64), kind="stable")),
            )
            for n in (0, 1, 2, 9, 64)
        }
        yield ops_case(f"random_permutation by {key}", {"key": tensor("u32", key)}, ops)
    program = "symbol S\n" + method(
        {"x": "f32[S]", "key": "u32[2]"}, ["%y = random_permutation %key {length=S + 1}"], ["y"]
    )
    key = tensor("u32", [3, 4])
    calls = []
    for size in (4, 0):
        order = np.argsort(np.array(wide([3, 4], size + 1), np.uint64), kind="stable")
        calls.append(call({"x": tensor("f32", np.zeros(size)), "key": key}, {"y": tensor("i64", order)}))
    yield case("random_permutation by symbol", program, calls)


def dropped(key, x, ratio):
    ratio = ratio if x.dtype == "f64" else float(np.float32(ratio))
    kept = np.array(uniforms(key, x.values.size, x.dtype)).reshape(x.shape) >= ratio
    with np.errstate(all="ignore"):
        return tensor(x.dtype, np.where(kept, x.values / (1 - ratio), 0)), tensor("bool", kept)


def dropout_case(name, x, key, ratios):
    body, expected = [], {}
    for i, ratio in enumerate(ratios):
        body.append(f"%y{i}, %mask{i} = dropout %x, %key" + f" {{ratio={ratio!r}}}" * (ratio != 0.5))
        expected |= dict(zip((f"y{i}", f"mask{i}"), dropped(key, x, ratio)))
    inputs = {"x": x, "key": tensor("u32", key)}
    return case(f"dropout {name}", method(inputs, body, expected), [call(inputs, expected)])


def dropout():
    for dtype in REALS:
        values = np.random.RandomState(6).randint(-40, 40, (3, 7)) / 8
        values[0, :4] = math.nan, math.inf, -math.inf, -0.0
        yield dropout_case(dtype, tensor(dtype, values), [9, 8], [0.5, 0.1, 0.0, 1.0, 0.875])
    for shape in ((), (0, 3), (2, 1, 2)):
        yield dropout_case(f"of {list(shape)}", tensor("f32", np.ones(shape)), [1, 1], [0.5, 0.25])
    # A ratio that is just a uniform number: it is kept.
    key = [2, 2]
    ratio = uniforms(key, 1, "f32")[0]
    yield dropout_case("at the ratio", tensor("f32", [1.0, 2.0]), key, [ratio, ratio + 2.0**-24])


def cases():
    makers = (random, below_one, iota, full, sizes, eye, random_categorical, random_permutation, dropout)
    return [case for make in makers for case in make()]
