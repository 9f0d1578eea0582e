"""Cases of the GGUF methods: blocks as the package gguf reads and writes them.

What the package does not have (q8_1, q8_k, and quantisation to most methods) is written here from the layout of the
blocks and the rules of docs/semantics.md.
"""

import gguf
import numpy as np

from cases import REALS, Raw, call, case, error_case, method, ops_case, tensor

SEARCHED = ("iq2_xxs", "iq2_xs", "iq2_s", "iq3_xxs", "iq3_s", "iq1_s", "iq1_m")
BITS = {"q4_0": 4, "q4_1": 4, "q5_0": 5, "q5_1": 5, "q8_0": 8, "q8_1": 8, "q2_k": 2, "q3_k": 3, "q4_k": 4, "q5_k": 5, "q6_k": 6, "q8_k": 8,
        "iq4_nl": 4, "iq4_xs": 4, "iq2_xxs": 2, "iq2_xs": 2, "iq2_s": 2, "iq3_xxs": 3, "iq3_s": 3, "iq1_s": 1, "iq1_m": 1, "tq1_0": 1, "tq2_0": 2}
# Where a block has its halves: d, dmin, m. Random ones are mostly too large or too small to say much.
HALVES = {"q4_0": [0], "q4_1": [0, 2], "q5_0": [0], "q5_1": [0, 2], "q8_0": [0], "q8_1": [0, 2], "q2_k": [80, 82], "q3_k": [108], "q4_k": [0, 2],
          "q5_k": [0, 2], "q6_k": [208], "q8_k": [], "iq4_nl": [0], "iq4_xs": [0], "iq2_xxs": [0], "iq2_xs": [0], "iq2_s": [0], "iq3_xxs": [0],
          "iq3_s": [0], "iq1_s": [0], "iq1_m": [], "tq1_0": [52], "tq2_0": [64]}


def sizes(name):
    """Elements and bytes of a block. The package still has the q8_1 of two f32; the format has two halves."""
    return (32, 36) if name == "q8_1" else gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[name.upper()]]


def scheme(name):
    return f"packed<{name}, bits={BITS[name]}, group={sizes(name)[0]}, scale={'f32' if name == 'q8_k' else 'f16'}>"


def packed(name, blocks, *shape):
    """Blocks as an array of bytes."""
    return Raw(f"{scheme(name)}[{', '.join(map(str, shape))}]", np.ascontiguousarray(blocks).tobytes())


def floats(values):
    """f32 by its bytes: short, and exact."""
    return Raw(f"f32[{', '.join(map(str, values.shape))}]", values.astype(np.float32).tobytes())


def dequantize(name, blocks):
    """f32 of rows of bytes."""
    if name == "q8_1":
        d, codes = blocks[:, :2].copy().view(np.float16).astype(np.float32), blocks[:, 4:].copy().view(np.int8)
        return d * codes
    if name == "q8_k":
        return blocks[:, :4].copy().view(np.float32) * blocks[:, 4:260].copy().view(np.int8)
    with np.errstate(all="ignore"):
        return gguf.quants.dequantize(blocks, gguf.GGMLQuantizationType[name.upper()])


def random_blocks(name, seed, n):
    rng = np.random.RandomState(seed)
    blocks = rng.randint(0, 256, (n, sizes(name)[1]), np.uint8)
    for at in HALVES[name]:
        blocks[:, at : at + 2] = (rng.standard_normal((n, 1)) / 8).astype(np.float16).view(np.uint8)
    if name == "q8_k":
        blocks[:, :4] = (rng.standard_normal((n, 1)) / 8).astype(np.float32).view(np.uint8)
    if name == "iq1_m":  # the highest bits of four scales
        d = int(np.float16(0.07).view(np.uint16))
        for k in range(4):
            blocks[:, 49 + 2 * k] = blocks[:, 49 + 2 * k] & 15 | (d >> 4 * k & 15) << 4
    return blocks


def every_type():
    for seed, name in enumerate(BITS):
        blocks = random_blocks(name, seed, 4 if sizes(name)[0] == 32 or name == "q4_k" else 1)
        values = dequantize(name, blocks)
        values = values.reshape(2, -1) if len(blocks) == 4 else values
        x = packed(name, blocks, *values.shape)
        yield ops_case(f"blocks of {name}", {"x": x}, {"y": ("dequantize %x", floats(values))}, ulps=0)


def every_word():
    """Each word of a codebook."""
    for name, words in (("iq2_xxs", 256), ("iq2_xs", 512), ("iq2_s", 1024), ("iq3_xxs", 256), ("iq3_s", 512), ("iq1_s", 2048)):
        per_block = 64 if name.startswith("iq3") else 32
        blocks = np.zeros((words // per_block, sizes(name)[1]), np.uint8)
        for word in range(words):
            block, k = blocks[word // per_block], word % per_block
            if name == "iq2_xxs":
                block[2 + k // 4 * 8 + k % 4] = word
            elif name == "iq2_xs":
                block[2 + 2 * k : 4 + 2 * k] = word & 255, word >> 8
            elif name == "iq2_s":
                block[2 + k], block[66 + k // 4] = word & 255, block[66 + k // 4] | word >> 8 << k % 4 * 2
            elif name == "iq3_xxs":
                block[2 + k] = word
            elif name == "iq3_s":
                block[2 + k], block[66 + k // 8] = word & 255, block[66 + k // 8] | word >> 8 << k % 8
            else:
                high = word >> 8 << k % 4 * 3
                block[2 + k] = word & 255
                block[34 + k // 4 * 2] |= high & 255
                block[35 + k // 4 * 2] |= high >> 8
        blocks[:, :2] = 0, 0x3C  # d = 1
        levels = dequantize(name, blocks)
        # One number for a word: its levels are few, and their sum with weights tells them apart.
        size = 4 if name.startswith("iq3") else 8
        weights = 3.0 ** np.arange(size) if size == 8 else 64.0 ** np.arange(4)
        sums = (levels.reshape(words, size).astype(np.float64) * weights).sum(-1)
        w = tensor("f64", weights)
        body = [f"%v = dequantize %x {{dtype=f64}}", f"%r = reshape %v {{shape=[{words}, {size}]}}", "%m = mul %r, %w", "%y = reduce_sum %m {axes=[1]}"]
        x = packed(name, blocks, len(blocks), 256)
        yield case(f"words of {name}", method({"x": x, "w": w}, body, ["y"]), [call({"x": x, "w": w}, {"y": tensor("f64", sums)}, ulps=0)])


def special():
    """Scales of every kind: NaN, infinities, signed zeros, the smallest."""
    halves = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 6e-8, -65504, 1], np.float16)
    for name in ("q4_0", "q4_1", "q8_0", "iq4_nl"):
        blocks = random_blocks(name, 40, len(halves))
        blocks[:, :2] = halves.view(np.uint8).reshape(-1, 2)
        values = dequantize(name, blocks)
        x = packed(name, blocks, *values.shape)
        yield ops_case(f"scales of {name}", {"x": x}, {"y": ("dequantize %x", tensor("f32", values.astype(np.float64)))}, ulps=0)
    for name in ("q4_0", "q6_k"):
        for shape in ((0,), (0, sizes(name)[0]), (2, 0)):
            x = packed(name, np.zeros(0, np.uint8), *shape)
            yield ops_case(f"{name} of shape {list(shape)}", {"x": x}, {"y": ("dequantize %x", tensor("f32", np.zeros(shape)))})
    blocks = random_blocks("q5_k", 41, 1)
    values, scale = dequantize("q5_k", blocks).astype(np.float64), tensor("f32", np.array(-0.375))
    x = packed("q5_k", blocks, 1, 256)
    ops = {dtype: (f"dequantize %x, %s {{dtype={dtype}}}", tensor(dtype, values * -0.375)) for dtype in ("f16", "f64")}
    yield ops_case("q5_k times a scale", {"x": x, "s": scale}, ops, ulps=1)


def matmul():
    for seed, name in enumerate(("q4_0", "q8_1", "q3_k", "q4_k", "iq4_xs", "iq2_xs", "iq1_m", "tq1_0")):
        blocks = random_blocks(name, 60 + seed, 2)
        w, k = packed(name, blocks, 2, sizes(name)[0]), sizes(name)[0]
        x = tensor("f32", np.rint(np.random.RandomState(seed).standard_normal(k) * 4) / 4)
        y = tensor("f32", dequantize(name, blocks).astype(np.float64) @ x.values)
        yield ops_case(f"matmul by {name}", {"x": x, "w": w}, {"y": ("quantized_matmul %x, %w", y)}, ulps=4, atol=1e-6)


# -------------------------------------------------------------------------------------------------------- quantisation


def half(d):
    return np.float16(d).view(np.uint16).tobytes()


def extreme(x):
    """Of each row the first of the largest magnitude."""
    return x[np.arange(len(x)), np.abs(x).argmax(-1)]


def ratio(x, step):
    with np.errstate(all="ignore"):
        return np.where(step == 0, 0.0, x / step)


def fields(values, *bits):
    """Numbers of the given widths beside each other in bytes, from the low bits; one row of `values` for each."""
    total = np.zeros(values.shape[1:], np.int64)
    for value, shift in zip(values, np.cumsum((0, *bits[:-1]))):
        total |= value.astype(np.int64) << shift
    return total.astype(np.uint8).tobytes()


def with_mins(x, group, steps, top):
    """d, dmin, scales, mins, codes of 256 numbers."""
    rows = x.reshape(-1, group)
    m = np.maximum(0, -rows.min(-1))
    s = (rows.max(-1) + m) / top
    d, dmin = np.float64(np.float16(s.max() / steps)), np.float64(np.float16(m.max() / steps))
    scales, mins = np.clip(np.rint(ratio(s, d)), 0, steps), np.clip(np.rint(ratio(m, dmin)), 0, steps)
    codes = np.clip(np.rint(ratio(rows + (dmin * mins)[:, None], (d * scales)[:, None])), 0, top)
    return d, dmin, scales.astype(int), mins.astype(int), codes.astype(int).ravel()


def with_scales(x, group, lowest_scale, lowest_code):
    """d, scales, and x over the step of its group."""
    rows = x.reshape(-1, group)
    s = extreme(rows) / lowest_code
    d = np.float64(np.float16(extreme(s[None])[0] / lowest_scale))
    scales = np.clip(np.rint(ratio(s, d)), lowest_scale, -lowest_scale - 1)
    return d, scales.astype(int), ratio(rows, (d * scales)[:, None]).ravel()


def twelve_bytes(scales, mins):
    """Six bits of 8 scales and 8 mins."""
    low = [scales[j] | scales[j + 4] >> 4 << 6 for j in range(4)] + [mins[j] | mins[j + 4] >> 4 << 6 for j in range(4)]
    return bytes(low + [scales[j] & 15 | (mins[j] & 15) << 4 for j in range(4, 8)])


def level(y):
    return np.abs(np.array(gguf.quants.IQ4_NL.kvalues) - y[:, None]).argmin(-1)


def q2_k(x):
    d, dmin, scales, mins, q = with_mins(x, 16, 15, 3)
    return fields(np.array([scales, mins]), 4, 4) + fields(q.reshape(2, 4, 32).transpose(1, 0, 2), 2, 2, 2, 2) + half(d) + half(dmin)


def q3_k(x):
    d, scales, y = with_scales(x, 16, -32, -4)
    q, scales = np.clip(np.rint(y), -4, 3).astype(int) + 4, scales + 32
    low, high = fields((scales & 15).reshape(2, 8), 4, 4), fields((scales >> 4).reshape(4, 4), 2, 2, 2, 2)
    return fields((q >> 2).reshape(8, 32), *[1] * 8) + fields((q & 3).reshape(2, 4, 32).transpose(1, 0, 2), 2, 2, 2, 2) + low + high + half(d)


def q4_k(x):
    d, dmin, scales, mins, q = with_mins(x, 32, 63, 15)
    return half(d) + half(dmin) + twelve_bytes(scales, mins) + fields(q.reshape(4, 2, 32).transpose(1, 0, 2), 4, 4)


def q5_k(x):
    d, dmin, scales, mins, q = with_mins(x, 32, 63, 31)
    low = fields((q & 15).reshape(4, 2, 32).transpose(1, 0, 2), 4, 4)
    return half(d) + half(dmin) + twelve_bytes(scales, mins) + fields((q >> 4).reshape(8, 32), *[1] * 8) + low


def q6_k(x):
    d, scales, y = with_scales(x, 16, -128, -32)
    q = np.clip(np.rint(y), -32, 31).astype(int) + 32
    low = fields((q & 15).reshape(2, 2, 64).transpose(1, 0, 2), 4, 4)
    return low + fields((q >> 4).reshape(2, 4, 32).transpose(1, 0, 2), 2, 2, 2, 2) + scales.astype(np.int8).tobytes() + half(d)


def q8_k(x):
    inverse = np.float32(-127) / extreme(x.astype(np.float32)[None])[0]
    q = np.minimum(np.rint(inverse * x.astype(np.float32)), 127).astype(np.int8)
    return np.float32(1 / inverse).tobytes() + q.tobytes() + q.reshape(16, 16).sum(-1, dtype=np.int16).tobytes()


def q8_1(x):
    d = np.abs(x.astype(np.float32)).max() / np.float32(127)
    y = x.astype(np.float32) * (np.float32(1) / d)
    q = np.copysign(np.floor(np.abs(y) + np.float32(0.5)), y).astype(np.int8)
    return half(d) + half(np.float32(q.sum(dtype=np.int32)) * d) + q.tobytes()


def iq4_nl(x):
    d = np.float64(np.float16(extreme(x[None])[0] / -127))
    return half(d) + fields(level(ratio(x, d)).reshape(2, 16), 4, 4)


def iq4_xs(x):
    d, scales, y = with_scales(x, 32, -32, -127)
    high = sum(int(s) >> 4 << 2 * j for j, s in enumerate(scales + 32)).to_bytes(2, "little")
    low = fields(((scales + 32) & 15).reshape(4, 2).T, 4, 4)
    return half(d) + high + low + fields(level(y).reshape(8, 2, 16).transpose(1, 0, 2), 4, 4)


WRITTEN = {f.__name__: f for f in (q2_k, q3_k, q4_k, q5_k, q6_k, q8_k, q8_1, iq4_nl, iq4_xs)}
PACKAGE = ("q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "tq1_0", "tq2_0")


def quantize(name, x):
    """Rows of bytes."""
    if name in WRITTEN:
        return np.frombuffer(b"".join(WRITTEN[name](block) for block in x.reshape(-1, sizes(name)[0])), np.uint8).reshape(-1, sizes(name)[1])
    return gguf.quants.quantize(x.astype(np.float32), gguf.GGMLQuantizationType[name.upper()]).reshape(-1, sizes(name)[1])


def both_ways(case_name, name, x, dtype="f32"):
    blocks = quantize(name, x.values)
    shape = x.values.shape
    y = floats(dequantize(name, blocks).reshape(shape)) if dtype == "f32" else tensor(dtype, dequantize(name, blocks).reshape(shape).astype(np.float64))
    ops = {"p": (f"quantize %x {{scheme={scheme(name)}}}", packed(name, blocks, *shape)), "y": (f"dequantize %p {{dtype={dtype}}}", y)}
    return ops_case(case_name, {"x": x}, ops, ulps=0)


def eighths(seed, *shape):
    return np.rint(np.random.RandomState(seed).standard_normal(shape) * 8) / 8


def quantised():
    for seed, name in enumerate((*PACKAGE, *WRITTEN)):
        size = sizes(name)[0]
        yield both_ways(f"to {name}", name, tensor("f32", eighths(seed, 2, 2 * size) if size == 32 else eighths(seed, 1, size)))
        fine = np.random.RandomState(seed + 50).standard_normal(size).astype(np.float32)
        yield both_ways(f"to {name}, many digits", name, tensor("f32", fine))
        # Groups of one sign, of zeros, of one number; ties.
        odd = np.concatenate([np.full(size // 4, 0.75), np.zeros(size // 4), -np.arange(size // 4) / 2.0, np.tile([7.0, 3.5, 0.5, 1.5], size // 16)])
        yield both_ways(f"to {name}, odd groups", name, tensor("f32", odd))
    for dtype in REALS:
        yield both_ways(f"q4_0 of {dtype}", "q4_0", tensor(dtype, eighths(90, 32)), dtype)
    for name in ("q4_0", "q5_1", "q8_0", "tq1_0"):
        yield both_ways(f"zeros to {name}", name, tensor("f32", np.zeros(sizes(name)[0])))
    yield both_ways("scales below f16", "q4_1", tensor("f32", np.arange(32) * 1e-9))
    x, s = tensor("f32", eighths(91, 32)), tensor("f32", np.array(-0.25))
    blocks = quantize("q5_1", x.values / -0.25)
    ops = {"p": (f"quantize %x, %s {{scheme={scheme('q5_1')}}}", packed("q5_1", blocks, 32))}
    yield ops_case("q5_1 with a scale", {"x": x, "s": s}, ops)


def refused():
    for name in ("q4_1", "q8_0", "q8_k", "q6_k", "tq2_0"):
        x = np.ones(sizes(name)[0])
        x[5] = np.nan
        line, place = f"quantize %x {{scheme={scheme(name)}}}", " (at main: %y)"
        yield error_case(f"NaN to {name}", {"x": tensor("f32", x)}, line, f"[quantize] an element of a group is nan, expected a finite number{place}")
        x[5] = 1e300
        error = f"[quantize] an element of a group is 1e+300, expected a number that f32 holds{place}"
        yield error_case(f"1e300 to {name}", {"x": tensor("f64", x)}, line, error)
    x = np.zeros(32)
    x[7] = 1e6
    error = "[quantize] scale of a group is -125000, expected a number that f16 holds (at main: %y)"
    yield error_case("1e6 to q4_0", {"x": tensor("f32", x)}, f"quantize %x {{scheme={scheme('q4_0')}}}", error)
    error = "[quantize] bias of a group is -100000, expected a number that f16 holds (at main: %y)"
    yield error_case("-1e5 to q4_1", {"x": tensor("f32", np.full(32, -1e5))}, f"quantize %x {{scheme={scheme('q4_1')}}}", error)


def cases():
    return [*every_type(), *every_word(), *special(), *matmul(), *quantised(), *refused()]
