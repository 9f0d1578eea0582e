"""Cases of fft_forward, fft_inverse, rfft, irfft and stft."""

import numpy as np

from cases import REALS, call, case, error_case, method, ops_case, tensor

NORMS = ("backward", "ortho", "forward")


def numbers(seed, *shape):
    """Sixteenths: exact in every dtype, and short."""
    return np.rint(np.random.RandomState(seed).standard_normal(shape) * 16) / 16


def complexes(seed, *shape):
    return tensor("c64", numbers(seed, *shape) + 1j * numbers(seed + 1000, *shape))


def attributes(axes, sizes=None, norm="backward"):
    text = f"axes={list(axes)}"
    if sizes is not None:
        text += f", sizes={list(sizes)}"
    return "{" + text + (f", norm={norm}" if norm != "backward" else "") + "}"


def both_ways(name, x, axes, sizes=None, norm="backward", **options):
    given = attributes(axes, sizes, norm)
    return ops_case(
        name,
        {"x": x},
        {
            "forward": (f"fft_forward %x {given}", tensor("c64", np.fft.fftn(x.values, sizes, axes, norm))),
            "inverse": (f"fft_inverse %x {given}", tensor("c64", np.fft.ifftn(x.values, sizes, axes, norm))),
        },
        **({"atol": 1e-6} | options),
    )


def real_case(name, x, axes, sizes=None, norm="backward", **options):
    return ops_case(
        name,
        {"x": x},
        {"y": (f"rfft %x {attributes(axes, sizes, norm)}", tensor("c64", np.fft.rfftn(x.values, sizes, axes, norm)))},
        **({"atol": 1e-6} | options),
    )


def inverse_real_case(name, x, axes, sizes, norm="backward", **options):
    return ops_case(
        name,
        {"x": x},
        {"y": (f"irfft %x {attributes(axes, sizes, norm)}", tensor("f32", np.fft.irfftn(x.values, sizes, axes, norm)))},
        **({"atol": 1e-6} | options),
    )


def by_size():
    """Powers of two, primes, their products, 1."""
    for n in (1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 15, 16, 25, 30):
        yield both_ways(f"{n} elements", complexes(n, n), [0])
        yield real_case(f"{n} reals", tensor("f32", numbers(n, n)), [0])
        yield inverse_real_case(f"back to {n} reals", complexes(n, n // 2 + 1), [0], [n])


def by_axis():
    x = complexes(50, 2, 3, 4)
    reals = tensor("f32", numbers(51, 2, 3, 4))
    for axes in ([0], [1], [-1], [0, 1], [2, 0], [-1, -2], [0, 1, 2], [2, 1, 0]):
        yield both_ways(f"axes {axes}", x, axes)
        yield real_case(f"axes {axes} of reals", reals, axes)
        yield inverse_real_case(f"axes {axes} back", x, axes, [x.shape[axis] for axis in axes])


def by_norm():
    x, reals = complexes(60, 3, 5), tensor("f32", numbers(61, 3, 5))
    for norm in NORMS:
        yield both_ways(f"norm {norm}", x, [0, 1], None, norm)
        yield both_ways(f"norm {norm}, one axis", x, [1], [4], norm)
        yield real_case(f"norm {norm} of reals", reals, [0, 1], None, norm)
        yield inverse_real_case(f"norm {norm} back", x, [0, 1], [3, 8], norm)


def by_sizes():
    """Axes that are cut and axes that are padded, before anything else happens."""
    x, reals = complexes(70, 4, 5), tensor("f32", numbers(71, 4, 5))
    for axes, sizes in (([0], [3]), ([0], [6]), ([1], [1]), ([0, 1], [6, 3]), ([1, 0], [7, 2]), ([1, 0], [5, 4])):
        yield both_ways(f"axes {axes} at {sizes}", x, axes, sizes)
        yield real_case(f"axes {axes} of reals at {sizes}", reals, axes, sizes)
        yield inverse_real_case(f"axes {axes} back to {sizes}", x, axes, sizes)


def by_dtype():
    for dtype in REALS:
        x = tensor(dtype, numbers(80, 2, 6))
        yield real_case(f"rfft of {dtype}", x, [1])
        window = tensor(dtype, [0.25, 1.0, 0.5, 0.125])
        yield stft_case(f"stft of {dtype}", x, 4, 1, window)


def special():
    nan, inf = np.nan, np.inf
    yield both_ways("NaN fills its own lane", tensor("c64", [[1, complex(nan, nan), 2], [1, 2, 3]]), [1])
    yield both_ways("an infinite sum", tensor("c64", [[inf], [1]]), [0])
    yield real_case("NaN fills its own lane of reals", tensor("f32", [[1, nan, 2], [1, 2, 3]]), [1])
    yield both_ways("one element as it is", tensor("c64", [[complex(inf, -0.0)], [complex(-0.0, 1e-45)]]), [1], atol=0)
    yield both_ways("the largest and the smallest", tensor("c64", [3e38, 1e-45, -1e38j]), [0], norm="ortho")
    # The imaginary parts of the first and of the middle frequency count for nothing.
    for n in (4, 5):
        yield inverse_real_case(f"imaginary parts of {n}", tensor("c64", [1 + 5j, 2 - 1j, 3 + 7j]), [0], [n])
    # A transform of many steps keeps the accuracy of a double: an impulse stays flat, a wave stays in its place.
    n = 251 * 8
    wave = np.exp(2j * np.pi * 3 * np.arange(n) / n)
    x = tensor("c64", np.round(wave.real * 64) / 64 + 1j * np.round(wave.imag * 64) / 64)
    expected = tensor("c64", np.fft.fft(x.values)[[0, 3, n - 1]])
    body = ["%y = fft_forward %x {axes=[0]}", "%z = take %y, %picked"]
    inputs = {"x": x, "picked": tensor("i64", [0, 3, n - 1])}
    yield case("2008 elements", method(inputs, body, ["z"]), [call(inputs, {"z": expected}, atol=1e-6)])


def empty():
    """An axis of no element has empty sums."""
    def zeros(*shape):
        return tensor("c64", np.zeros(shape))

    for shape, axes in (((0,), [0]), ((2, 0), [1]), ((0, 3), [1]), ((0, 3), [0, 1])):
        x = zeros(*shape)
        yield ops_case(f"shape {list(shape)}, axes {axes}", {"x": x},
                       {"f": (f"fft_forward %x {{axes={axes}}}", x), "i": (f"fft_inverse %x {{axes={axes}, norm=ortho}}", x)})
    x = tensor("f32", np.zeros((2, 0)))
    yield ops_case("no reals", {"x": x}, {"y": ("rfft %x {axes=[1], norm=forward}", zeros(2, 1))})
    yield both_ways("nothing, padded", zeros(0), [0], [3])
    yield real_case("no reals, padded", tensor("f32", np.zeros(0)), [0], [4])
    yield inverse_real_case("no frequencies", zeros(0), [0], [4])
    yield ops_case("cut to nothing", {"x": complexes(3, 4)}, {
        "y": ("fft_forward %x {axes=[0], sizes=[0]}", zeros(0)),
        "z": ("irfft %x {axes=[0], sizes=[0]}", tensor("f32", np.zeros(0))),
    })


def stft(x, length, step, window=1.0, onesided=True):
    frames = np.lib.stride_tricks.sliding_window_view(x, length, axis=-1)[..., ::step, :] * window
    return np.fft.rfft(frames) if onesided else np.fft.fft(frames)


def stft_case(name, x, length, step, window=None, onesided=True):
    inputs = {"x": x} | ({"w": window} if window else {})
    text = f"length={length}, step={step}" + ("" if onesided else ", onesided=false")
    expected = stft(x.values, length, step, window.values if window else 1.0, onesided)
    line = f"stft %x{', %w' if window else ''} {{{text}}}"
    return ops_case(name, inputs, {"y": (line, tensor("c64", expected))}, atol=1e-6)


def stfts():
    window = tensor("f32", np.rint(np.hanning(5) * 16) / 16)
    for shape in ((9,), (2, 8), (2, 1, 7), (5,), (0, 6)):
        x = tensor("f32", numbers(90, *shape))
        for step in (1, 2, 3, 9):
            yield stft_case(f"shape {list(shape)}, step {step}", x, 5, step, window)
        yield stft_case(f"shape {list(shape)}, both sides", x, 5, 2, window, onesided=False)
        yield stft_case(f"shape {list(shape)} without a window", x, 4, 3)
    yield stft_case("complex numbers", complexes(91, 2, 7), 3, 2, None, onesided=False)
    yield stft_case("complex numbers with a window", complexes(91, 7), 5, 1, window, onesided=False)
    yield stft_case("frames of one", tensor("f32", numbers(92, 3)), 1, 1)


def open_sizes():
    inputs = {"x": "f32[N, T]"}
    body = ["%y = rfft %x {axes=[0, 1], sizes=[N + 1, T]}", "%z = irfft %y {axes=[1], sizes=[T]}",
            "%s = stft %x {length=2, step=3}"]
    program = "symbol N\nsymbol T in 2..\n" + method(inputs, body, ["y", "z", "s"])
    calls = []
    for n, t in ((2, 3), (1, 2), (0, 5), (3, 8)):
        x = tensor("f32", numbers(n, n, t))
        y = tensor("c64", np.fft.rfftn(x.values, (n + 1, t)))
        z, s = tensor("f32", np.fft.irfft(y.values, t)), tensor("c64", stft(x.values, 2, 3))
        calls.append(call({"x": x}, {"y": y, "z": z, "s": s}, atol=1e-5))
    return case("open sizes", program, calls)


def limits():
    x = complexes(1, 6)
    # The node, the result, and for each of 6 elements 1 + 1 + 2 + 3.
    yield error_case("steps", {"x": x}, "fft_forward %x {axes=[0]}",
                     "[fft_forward] the call takes more than 48 steps (at main: %y)", steps=48)
    yield ops_case("steps that do", {"x": x}, {"y": ("fft_forward %x {axes=[0]}", tensor("c64", np.fft.fft(x.values)))},
                   steps=49, atol=1e-6)


def cases():
    return [*by_size(), *by_axis(), *by_norm(), *by_sizes(), *by_dtype(), *special(), *empty(), *stfts(), open_sizes(),
            *limits()]
