"""Cases of quantize, dequantize and quantized_matmul. Rows of codes are made as one large integer each."""

import dataclasses
import math

import numpy as np

from cases import REALS, Raw, Tensor, call, case, error_case, method, ops_case, round_real, tensor

F4 = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]  # the codes 0 to 7; 8 to 15 are negative


def f8e4m3(code):
    """1 sign, 4 exponent bits of bias 7, 3 mantissa bits; all ones is NaN."""
    sign, exponent, mantissa = -1 if code & 0x80 else 1, code >> 3 & 15, code & 7
    if code & 0x7F == 0x7F:
        return np.nan
    return sign * (mantissa / 8 * 2.0**-6 if exponent == 0 else (1 + mantissa / 8) * 2.0 ** (exponent - 7))


F8 = [f8e4m3(code) for code in range(127)]  # the numbers that are not negative


def f8e5m2(code):
    """1 sign, 5 exponent bits of bias 15, 2 mantissa bits: the upper byte of an f16."""
    return float(np.array([code << 8], np.uint16).view(np.float16)[0])


F8E5 = [f8e5m2(code) for code in range(0x7C)]
# QLoRA's quantiles of the normal distribution.
NF4 = [-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334,
       -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
       0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0]


def nearest(table, x):
    """The code of |x| in an ascending table; of two equally near the even one. The sign is the bit above."""
    magnitude = min(abs(x), table[-1])
    code = min(range(len(table)), key=lambda c: (abs(table[c] - magnitude), c % 2))
    return code | (1 << (len(table) - 1).bit_length() if np.signbit(x) else 0)


FLOAT_CODES = {"mxfp4": F4, "nvfp4": F4, "mxfp8": F8, "fp8_e4m3": F8, "fp8_e5m2": F8E5}


@dataclasses.dataclass(frozen=True)
class Scheme:
    method: str
    bits: int
    group: int
    scale: str

    def __str__(self):
        return f"packed<{self.method}, bits={self.bits}, group={self.group}, scale={self.scale}>"

    def stored(self, x):
        """A scale or bias: its bytes, and the number that they are."""
        if self.scale == "f8e8m0":
            exponent = int(np.clip(np.log2(x), -127, 127))
            return bytes([exponent + 127]), 2.0**exponent
        if self.scale == "f8e4m3":
            code = nearest(F8, x)
            return bytes([code]), f8e4m3(code)
        y = float(round_real(self.scale, x))
        if self.scale == "bf16":
            return np.float32(y).tobytes()[2:], y
        return {"f16": np.float16, "f32": np.float32}[self.scale](y).tobytes(), y

    def fit(self, x):
        """Scale and bias before they are stored."""
        top = np.abs(x).max()
        if self.method == "affine":
            least = min(x, key=lambda v: (v, not np.signbit(v)))  # -0 before +0
            return (x.max() - least) / (2**self.bits - 1), least
        if self.method == "symmetric":
            return top / (2 ** (self.bits - 1) - 1), 0.0
        if self.method == "nf4":
            return top, 0.0
        if self.method in ("nvfp4", "fp8_e4m3", "fp8_e5m2"):
            return top / FLOAT_CODES[self.method][-1], 0.0
        below = 2 if self.method == "mxfp4" else 8
        return 2.0 ** max(math.frexp(top)[1] - 1 - below, -127) if top else 2.0**-127, 0.0

    def code(self, x, scale, bias):
        if self.method == "nf4":
            return int(np.abs(np.array(NF4) - (x / scale if scale else 0.0)).argmin())
        if scale == 0:
            return 0
        q = (x - bias) / scale
        if self.method == "affine":
            return int(np.clip(np.rint(q), 0, 2**self.bits - 1))
        if self.method == "symmetric":
            limit = 2 ** (self.bits - 1) - 1
            return int(np.clip(np.rint(q), -limit, limit)) % 2**self.bits
        return nearest(FLOAT_CODES[self.method], q)

    def value(self, code):
        if self.method == "affine":
            return float(code)
        if self.method == "symmetric":
            return float(code - 2**self.bits if code >> (self.bits - 1) else code)
        if self.method == "nf4":
            return NF4[code]
        if self.bits == 8:
            return f8e5m2(code) if self.method == "fp8_e5m2" else f8e4m3(code)
        return -F4[code - 8] if code >= 8 else F4[code]


@dataclasses.dataclass(frozen=True)
class Packed:
    """What the codes stand for, and the bytes."""

    values: np.ndarray
    raw: Raw

    @property
    def type(self):
        return self.raw.type

    def __str__(self):
        return str(self.raw)


def pack(scheme, x):
    """What quantize makes of an array, and what that reads back as."""
    columns = x.shape[-1]
    codes, scales, biases, values = b"", b"", b"", []  # a sum with -0.0 changes nothing
    for row in x.reshape(-1, columns) if x.size else []:
        bits = 0
        for first in range(0, columns, scheme.group):
            group = row[first : first + scheme.group]
            scale, bias = scheme.fit(group)
            scale_bytes, scale = scheme.stored(scale)
            scales += scale_bytes
            if scheme.method == "affine":
                bias_bytes, bias = scheme.stored(bias)
                biases += bias_bytes
            for k, v in enumerate(group, first):
                code = scheme.code(v, scale, bias)
                bits |= code << (k * scheme.bits)
                values.append(scale * scheme.value(code) + (bias if scheme.method == "affine" else -0.0))
        codes += bits.to_bytes((columns * scheme.bits + 7) // 8, "little")
    raw = Raw(f"{scheme}[{', '.join(map(str, x.shape))}]", codes + scales + biases)
    return Packed(np.array(values, np.float64).reshape(x.shape), raw)


INTEGER_SCHEMES = [Scheme(m, bits, 5, s) for m in ("affine", "symmetric") for bits, s in zip(range(2, 9), ("f16", "bf16", "f32") * 3)]
FLOAT_SCHEMES = [Scheme("mxfp4", 4, 32, "f8e8m0"), Scheme("mxfp8", 8, 32, "f8e8m0"), Scheme("nvfp4", 4, 16, "f8e4m3")]
SCALED_SCHEMES = [Scheme("nf4", 4, 5, "f16"), Scheme("nf4", 4, 64, "f32"), Scheme("fp8_e4m3", 8, 7, "bf16"), Scheme("fp8_e4m3", 8, 64, "f32"),
                  Scheme("fp8_e5m2", 8, 4, "f16"), Scheme("fp8_e5m2", 8, 64, "bf16")]
SCHEMES = INTEGER_SCHEMES + FLOAT_SCHEMES + SCALED_SCHEMES


def numbers(seed, *shape):
    """Sixteenths: exact in every dtype, and short."""
    return np.rint(np.random.RandomState(seed).standard_normal(shape) * 16) / 16


def both_ways(name, scheme, x, dtype="f32", **options):
    packed = pack(scheme, x.values)
    y = tensor(dtype, packed.values)
    ops = {"p": (f"quantize %x {{scheme={scheme}}}", packed), "y": (f"dequantize %p {{dtype={dtype}}}", y)}
    return ops_case(name, {"x": x}, ops, **{"ulps": 0, **options})


def by_scheme():
    for i, scheme in enumerate(SCHEMES):
        columns = 13 if scheme in INTEGER_SCHEMES else 37  # groups that are short, rows that end within a byte
        yield both_ways(str(scheme), scheme, tensor("f32", numbers(i, 3, columns)))
    for scale in ("f16", "bf16", "f32"):
        for method_ in ("affine", "symmetric"):
            yield both_ways(f"{method_}, scales of {scale}", Scheme(method_, 3, 2, scale), tensor("f32", numbers(4, 2, 5)))
    for dtype in REALS:
        for scheme in (Scheme("affine", 4, 4, "f16"), Scheme("symmetric", 5, 64, "f32"), FLOAT_SCHEMES[0], FLOAT_SCHEMES[2], SCALED_SCHEMES[0], SCALED_SCHEMES[4]):
            yield both_ways(f"{scheme.method} of {dtype}", scheme, tensor(dtype, numbers(5, 7)), dtype)


def by_shape():
    for scheme in (Scheme("affine", 3, 4, "f16"), FLOAT_SCHEMES[1], Scheme("nf4", 4, 4, "f16")):
        for shape in ((1,), (7,), (2, 3, 5), (2, 1, 1, 9), (0,), (3, 0), (0, 5), (2, 0, 3)):
            yield both_ways(f"{scheme.method}{list(shape)}", scheme, tensor("f32", numbers(6, *shape)))
    yield both_ways("groups of one", Scheme("affine", 4, 1, "f32"), tensor("f32", numbers(7, 2, 3)))
    yield both_ways("a group beyond the row", Scheme("symmetric", 4, 2**31 - 1, "f32"), tensor("f32", numbers(8, 2, 3)))


def special():
    zeros = tensor("f32", [[0.0, -0.0, 0.0]])
    for scheme in (Scheme("affine", 4, 3, "f16"), Scheme("symmetric", 4, 3, "f16"), *FLOAT_SCHEMES, *SCALED_SCHEMES[::2]):
        # -0 in f4e2m1 and f8e4m3 keeps its sign where the scale is not 0.
        yield both_ways(f"zeros by {scheme.method}", scheme, zeros if scheme.method != "affine" else tensor("f32", [[0.0] * 3]))
    yield both_ways("a constant by affine", Scheme("affine", 4, 4, "f16"), tensor("f32", [[2.7] * 4, [-1.3] * 4]))
    yield both_ways("ties by affine", Scheme("affine", 2, 8, "f32"), tensor("f32", [[0, 3, 0.5, 1.5, 2.5, 0.25, 0.75]]))
    yield both_ways("ties by symmetric", Scheme("symmetric", 4, 8, "f32"), tensor("f32", [[7, 0.5, 1.5, 2.5, -0.5, -1.5, -7]]))
    halves = [[6, 0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5, -0.25, -0.75, -1.25, -1.75, -2.5, -3.5, -5, 0]]
    yield both_ways("ties by mxfp4", FLOAT_SCHEMES[0], tensor("f32", halves))
    yield both_ways("ties by nvfp4", FLOAT_SCHEMES[2], tensor("f32", halves))
    yield both_ways("ties by mxfp8", FLOAT_SCHEMES[1], tensor("f32", [[256, 17, 19, 2**-10, 1.5 * 2**-9, 1.25 * 2**-8, -21, 2**-11]]))
    levels = [(a + b) / 2 for a, b in zip(NF4, NF4[1:])]  # of two the lower
    yield both_ways("ties by nf4", Scheme("nf4", 4, 16, "f32"), tensor("f64", [[1.0, *levels]]), "f64")
    yield both_ways("ties by fp8_e4m3", Scheme("fp8_e4m3", 8, 8, "f32"), tensor("f32", [[448, 17, 19, 2**-10, 1.5 * 2**-9, 1.25 * 2**-8, -21, 2**-11]]))
    yield both_ways("ties by fp8_e5m2", Scheme("fp8_e5m2", 8, 8, "f32"), tensor("f32", [[57344, 9, 11, 2**-17, 1.5 * 2**-16, -36, -44, 53248]]))
    yield both_ways("a rounded scale of fp8_e4m3", Scheme("fp8_e4m3", 8, 4, "bf16"), tensor("f32", [[449.7, -450, 3, 0.1]]))
    yield both_ways("saturated mxfp4", FLOAT_SCHEMES[0], tensor("f32", [[7.9, 7, 6.5, 5, -7.99]]))
    yield both_ways("saturated mxfp8", FLOAT_SCHEMES[1], tensor("f32", [[511, 500, 449, 480, -511]]))
    yield both_ways("saturated nvfp4", FLOAT_SCHEMES[2], tensor("f32", [[1e6, 2688, 2000, -1e5, 1]]))
    yield both_ways("scales below nvfp4", FLOAT_SCHEMES[2], tensor("f32", [[1e-3, -5e-3, 5.8e-3]]))
    yield both_ways("scales below f16", Scheme("symmetric", 4, 4, "f16"), tensor("f32", [[1e-8, -2e-8, 0]]))
    yield both_ways("a rounded scale", Scheme("symmetric", 2, 4, "bf16"), tensor("f32", [[1.0039, -1.0039, 0.4, 0.6]]))
    yield both_ways("a rounded bias", Scheme("affine", 8, 4, "bf16"), tensor("f32", [[100.3, 100.7, 101.2, 103.9]]))
    small, large = tensor("f64", [[1e-60, -3e-61, 0]]), tensor("f64", [[1e60, -3e59, 1e38]])
    for scheme in FLOAT_SCHEMES[:2]:
        yield both_ways(f"below {scheme.method}", scheme, small, "f64")
        yield both_ways(f"beyond {scheme.method}", scheme, large, "f64")


def with_scale():
    """The operand `scale`: x / scale is packed, and dequantised times another scale."""
    x = tensor("f32", numbers(9, 3, 21))
    for scheme in (Scheme("affine", 4, 8, "f16"), Scheme("symmetric", 6, 8, "bf16"), *FLOAT_SCHEMES, *SCALED_SCHEMES[::2]):
        for value in (0.375, -3.0):
            scale = tensor("f32", np.array(value))
            packed = pack(scheme, x.values / value)
            ops = {
                "p": (f"quantize %x, %s {{scheme={scheme}}}", packed),
                "y": ("dequantize %p, %s", tensor("f32", packed.values * value)),
                "h": ("dequantize %p, %s {dtype=bf16}", tensor("bf16", packed.values * value)),
            }
            yield ops_case(f"{scheme.method} with scale {value}", {"x": x, "s": scale}, ops, ulps=0)


def every_code():
    """Bytes that quantize never makes are read as well: -2^(bits-1), NaN, scales of any kind."""
    for bits in range(2, 9):
        for method_ in ("affine", "symmetric"):
            scheme = Scheme(method_, bits, 2**bits, "f32")
            codes = sum(code << (code * bits) for code in range(2**bits)).to_bytes(2**bits * bits // 8, "little")
            parts = np.float32(0.75).tobytes() + (np.float32(-2.5).tobytes() if method_ == "affine" else b"")
            values = np.array([0.75 * scheme.value(c) + (-2.5 if method_ == "affine" else -0.0) for c in range(2**bits)])
            x = Raw(f"{scheme}[{2**bits}]", codes + parts)
            yield ops_case(f"every code of {method_}, {bits} bits", {"x": x}, {"y": ("dequantize %x", tensor("f32", values))}, ulps=0)
    for scheme, codes in ((Scheme("nf4", 4, 16, "f32"), bytes(c | c + 1 << 4 for c in range(0, 16, 2))), (Scheme("fp8_e5m2", 8, 256, "f32"), bytes(range(256)))):
        count = len(codes) * 8 // scheme.bits
        x = Raw(f"{scheme}[{count}]", codes + np.float32(-1.5).tobytes())
        values = np.array([-1.5 * scheme.value(c) for c in range(count)])
        yield ops_case(f"every code of {scheme.method}", {"x": x}, {"y": ("dequantize %x", tensor("f32", values))}, ulps=0)
    mx8, nv = FLOAT_SCHEMES[1], FLOAT_SCHEMES[2]
    scales = bytes([0, 1, 100, 126, 127, 128, 254, 255])
    factors = np.array([2.0 ** (s - 127) if s < 255 else np.nan for s in scales])
    values = np.array([mx8.value(c) for c in range(256)]) * np.repeat(factors, 32)
    x = Raw(f"{mx8}[256]", bytes(range(256)) + scales)
    yield ops_case("every code of mxfp8", {"x": x}, {"y": ("dequantize %x {dtype=f64}", tensor("f64", values))}, ulps=0)
    codes = bytes(low | high << 4 for low, high in zip(range(0, 16, 2), range(1, 16, 2)))
    factors = [f8e4m3(s) for s in range(256)]
    values = np.outer(factors, [nv.value(c) for c in range(16)])
    x = Raw(f"{nv}[256, 16]", codes * 256 + bytes(range(256)))
    yield ops_case("every scale of nvfp4", {"x": x}, {"y": ("dequantize %x", tensor("f32", values))}, ulps=0)


def matmul():
    schemes = (Scheme("affine", 4, 8, "f16"), Scheme("symmetric", 3, 4, "f32"), *FLOAT_SCHEMES, *SCALED_SCHEMES[::2])
    for i, scheme in enumerate(schemes):
        w = pack(scheme, numbers(20 + i, 3, 19))
        for dtype in REALS:
            x = tensor(dtype, numbers(30, 2, 19))
            y = tensor(dtype, x.values @ w.values.T)
            tolerance = {"ulps": 64, "atol": 1e-14} if dtype == "f64" else {"atol": 1e-9}
            yield ops_case(f"{scheme.method} matmul of {dtype}", {"x": x, "w": w}, {"y": ("quantized_matmul %x, %w", y)}, **tolerance)
    scheme = schemes[0]
    for x_shape, n in (((5,), 3), ((1, 5), 1), ((2, 3, 5), 4), ((0, 5), 3), ((2, 5), 0), ((2, 0), 3), ((0,), 2), ((2, 0, 3, 5), 2)):
        x, w = tensor("f32", numbers(31, *x_shape)), pack(scheme, numbers(32, n, x_shape[-1]))
        y = tensor("f32", x.values @ w.values.T)
        yield ops_case(f"{list(x_shape)} by {n} rows", {"x": x, "w": w}, {"y": ("quantized_matmul %x, %w", y)}, atol=1e-9)
    x, w, s = tensor("f32", numbers(33, 2, 9)), pack(scheme, numbers(34, 3, 9)), tensor("f32", np.array(-1.5))
    y = tensor("f32", x.values @ w.values.T * -1.5)
    yield ops_case("matmul with scale", {"x": x, "w": w, "s": s}, {"y": ("quantized_matmul %x, %w, %s", y)}, atol=1e-9)
    x = Tensor("f32", np.array([[np.nan, 0, 0], [np.inf, 1, 1], [1, 2, 3]]))
    w = pack(Scheme("symmetric", 4, 3, "f32"), np.array([[7.0, 1, -2], [0, 3, 7]]))
    with np.errstate(all="ignore"):
        y = tensor("f32", (x.values[:, None, :] * w.values[None]).sum(-1))
    yield ops_case("matmul of NaN and infinity", {"x": x, "w": w}, {"y": ("quantized_matmul %x, %w", y)})
    x, w = tensor("f32", numbers(35, 2, 5)), pack(scheme, numbers(36, 3, 5))
    program = f"weight @w : {w}\n" + method({"x": x}, ["%y = quantized_matmul %x, @w"], ["y"])
    yield case("matmul by a weight", program, [
        call({"x": x}, {"y": tensor("f32", x.values @ w.values.T)}, atol=1e-9),
        call({"x": x}, error='[quantized_matmul] the call takes more than 36 steps (at main: %y)', steps=36),
        call({"x": x}, {"y": tensor("f32", x.values @ w.values.T)}, atol=1e-9, steps=37),
    ])


def refused():
    place = ' (at main: %y)'
    for scheme in (Scheme("affine", 4, 2, "f16"), Scheme("symmetric", 4, 2, "f16"), *FLOAT_SCHEMES, *SCALED_SCHEMES[::2]):
        for value in ("nan", "inf", "-inf"):
            x = tensor("f32", [[1, 2, 3], [4, 5, float(value)]])
            error = f"[quantize] an element of a group is {value}, expected a finite number{place}"
            yield error_case(f"{value} by {scheme.method}", {"x": x}, f"quantize %x {{scheme={scheme}}}", error)
    for method_, what, number in (("symmetric", "scale", "142857.14285714287"), ("affine", "bias", "-1000000"), ("nf4", "scale", "1000000")):
        scheme, x = Scheme(method_, 4, 4, "f16"), tensor("f32", [[-1e6, -1e6, -1e6 + 15 * (method_ == "affine")]])
        error = f"[quantize] {what} of a group is {number}, expected a number that f16 holds{place}"
        yield error_case(f"{what} of {method_} beyond f16", {"x": x}, f"quantize %x {{scheme={scheme}}}", error)
    x, s = tensor("f32", [[1.0, 2.0]]), tensor("f32", np.array(0.0))
    error = f"[quantize] an element of a group is inf, expected a finite number{place}"
    yield error_case("scale 0", {"x": x, "s": s}, f"quantize %x, %s {{scheme={FLOAT_SCHEMES[0]}}}", error)


def cases():
    return [*by_scheme(), *by_shape(), *special(), *with_scale(), *every_code(), *matmul(), *refused()]
