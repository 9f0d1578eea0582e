"""Cases of det, slogdet, inverse, solve, triangular_solve and expm. make_linalg_factors.py has the factorisations."""

import numpy as np
import scipy.linalg

from cases import REALS, call, case, error_case, method, ops_case, tensor

FIELDS = REALS + ("c64",)
CLOSE = {"f16": {"ulps": 1}, "bf16": {"ulps": 1}, "f32": {"atol": 1e-7}, "f64": {"ulps": 64, "atol": 1e-13}, "c64": {"atol": 1e-6}}
MAGNITUDE = {dtype: dtype for dtype in REALS} | {"c64": "f32"}


def numbers(seed, *shape):
    """Eighths: exact in every dtype, and short."""
    return np.rint(np.random.RandomState(seed).standard_normal(shape) * 8) / 8


def matrices(dtype, seed, *shape):
    values = numbers(seed, *shape)
    return tensor(dtype, values + 1j * numbers(seed + 1000, *shape) if dtype == "c64" else values)


def regular(dtype, seed, *shape):
    """Far from singular."""
    return tensor(dtype, matrices(dtype, seed, *shape).values + 4 * np.eye(shape[-1]))


def several(name, inputs, line, outputs, **options):
    """One op with several results."""
    names = ", ".join(f"%{key}" for key in outputs)
    return case(name, method(inputs, [f"{names} = {line}"], outputs), [call(inputs, outputs, **options)])


def determinants():
    for dtype in FIELDS:
        for n in (1, 2, 3, 5):
            x = matrices(dtype, n, 2, n, n)
            sign, log = np.linalg.slogdet(x.values)
            yield ops_case(f"det {dtype}, {n}x{n}", {"x": x}, {"y": ("det %x", tensor(dtype, np.linalg.det(x.values)))}, **CLOSE[dtype])
            yield several(f"slogdet {dtype}, {n}x{n}", {"x": x}, "slogdet %x",
                          {"s": tensor(dtype, sign), "l": tensor(MAGNITUDE[dtype], log)}, **CLOSE[dtype])
    singular = tensor("f32", [[[1, 2], [2, 4]], [[0, 0], [1, 2]], [[0, 1], [1, 0]], [[0, 0], [0, 0]]])
    yield ops_case("det of singular ones and of a permutation", {"x": singular}, {"y": ("det %x", tensor("f32", [0, 0, -1, 0]))})
    yield several("slogdet of singular ones", {"x": singular}, "slogdet %x",
                  {"s": tensor("f32", [0, 0, -1, 0]), "l": tensor("f32", [-np.inf, -np.inf, 0, -np.inf])})
    large = tensor("f64", np.eye(4) * 1e200)
    yield several("slogdet beyond the range of det", {"x": large}, "slogdet %x",
                  {"s": tensor("f64", 1.0), "l": tensor("f64", 800 * np.log(10))}, ulps=4)
    yield ops_case("det beyond the range", {"x": large}, {"y": ("det %x", tensor("f64", np.inf))})
    yield ops_case("det of NaN", {"x": tensor("f32", [[[0, 1], [np.nan, 2]], [[1, 0], [0, 1]]])}, {"y": ("det %x", tensor("f32", [np.nan, 1]))})
    for shape in ((0, 0), (2, 0, 0), (0, 3, 3)):
        x = tensor("f32", np.zeros(shape))
        yield ops_case(f"det of {list(shape)}", {"x": x}, {"y": ("det %x", tensor("f32", np.ones(shape[:-2])))})
        yield several(f"slogdet of {list(shape)}", {"x": x}, "slogdet %x",
                      {"s": tensor("f32", np.ones(shape[:-2])), "l": tensor("f32", np.zeros(shape[:-2]))})


def inverses():
    for dtype in FIELDS:
        for n in (1, 2, 5):
            x = regular(dtype, n, 2, n, n)
            yield ops_case(f"inverse {dtype}, {n}x{n}", {"x": x}, {"y": ("inverse %x", tensor(dtype, np.linalg.inv(x.values)))}, **CLOSE[dtype])
    x = tensor("f32", [[0, 2, 0], [0, 0, 4], [1, 0, 0]])
    yield ops_case("inverse that needs other rows", {"x": x}, {"y": ("inverse %x", tensor("f32", np.linalg.inv(x.values) + 0.0))})
    yield ops_case("inverse of NaN", {"x": tensor("f32", [[np.nan]])}, {"y": ("inverse %x", tensor("f32", [[np.nan]]))})
    for shape in ((0, 0), (2, 0, 0), (0, 3, 3)):
        x = tensor("f32", np.zeros(shape))
        yield ops_case(f"inverse of {list(shape)}", {"x": x}, {"y": ("inverse %x", x)})
    for values, number in (([[1, 2], [2, 4]], 0), ([[[1, 0], [0, 1]], [[0, 0], [0, 1]]], 1)):
        yield error_case(f"inverse of a singular matrix, number {number}", {"x": tensor("f32", values)}, "inverse %x",
                         f"[inverse] matrix {number} of x is singular (at main: %y)")


def solutions():
    for dtype in FIELDS:
        a, b = regular(dtype, 1, 3, 3), matrices(dtype, 2, 3, 2)
        yield ops_case(f"solve {dtype}", {"a": a, "b": b}, {"y": ("solve %a, %b", tensor(dtype, np.linalg.solve(a.values, b.values)))}, **CLOSE[dtype])
    for of_a, of_b in (((2, 3, 3), (3, 1)), ((3, 3), (2, 3, 2)), ((2, 1, 2, 2), (3, 2, 1)), ((2, 2, 2), (1, 2, 3))):
        a, b = regular("f32", 3, *of_a), matrices("f32", 4, *of_b)
        y = np.linalg.inv(a.values) @ b.values
        yield ops_case(f"solve {list(of_a)}, {list(of_b)}", {"a": a, "b": b}, {"y": ("solve %a, %b", tensor("f32", y))}, atol=1e-7)
    a, b = tensor("i32", [[2, 1], [0, 4]]), matrices("f64", 5, 2, 2)
    yield ops_case("solve promotes", {"a": a, "b": b},
                   {"y": ("solve %a, %b", tensor("f64", np.linalg.solve(a.values.astype(float), b.values)))}, ulps=4)
    for of_a, of_b in (((0, 0), (0, 2)), ((2, 2), (2, 0)), ((0, 2, 2), (2, 1)), ((2, 2), (0, 2, 1))):
        a, b = tensor("f32", np.zeros(of_a)), tensor("f32", np.zeros(of_b))
        shape = (*np.broadcast_shapes(of_a[:-2], of_b[:-2]), of_a[-1], of_b[-1])
        for op in ("solve", "triangular_solve", "lstsq"):
            yield ops_case(f"{op} {list(of_a)}, {list(of_b)}", {"a": a, "b": b}, {"y": (f"{op} %a, %b", tensor("f32", np.zeros(shape)))})
    a, b = tensor("f32", [[[1, 0], [0, 1]], [[1, 2], [0.5, 1]]]), tensor("f32", [[[1], [2]]] * 2)
    yield error_case("solve with a singular matrix", {"a": a, "b": b}, "solve %a, %b", "[solve] matrix 1 of a is singular (at main: %y)")
    yield ops_case("solve with NaN on the right", {"a": tensor("f32", [[2, 1], [1, 4]]), "b": tensor("f32", [[np.nan, 2], [1, 1]])},
                   {"y": ("solve %a, %b", tensor("f32", [[np.nan, 1], [np.nan, 0]]))})


def triangular_solutions():
    for dtype in FIELDS:
        a, b = regular(dtype, 11, 2, 3, 3), matrices(dtype, 12, 2, 3, 2)
        ops = {}
        for upper in (False, True):
            for transpose in (False, True):
                for unit in (False, True):
                    attributes = {"upper": upper, "transpose": transpose, "unit": unit}
                    text = ", ".join(f"{key}=true" for key, value in attributes.items() if value)
                    y = np.stack([scipy.linalg.solve_triangular(p, q, lower=not upper, trans=int(transpose), unit_diagonal=unit)
                                  for p, q in zip(a.values, b.values)])
                    ops[f"y{len(ops)}"] = (f"triangular_solve %a, %b {{{text}}}", tensor(dtype, y))
        yield ops_case(f"triangular_solve {dtype}", {"a": a, "b": b}, ops, **CLOSE[dtype])
    # What is not read may be anything.
    a, b = tensor("f32", [[np.nan, np.inf], [2, np.nan]]), tensor("f32", [[1], [4]])
    yield ops_case("the other triangle is not read", {"a": a, "b": b}, {"y": ("triangular_solve %a, %b {unit=true}", tensor("f32", [[1], [2]]))})
    a, b = tensor("f32", [[[1, 5], [3, 2]], [[1, 5], [3, 0]]]), tensor("f32", [[1], [2]])
    for attributes in ("", " {upper=true}", " {transpose=true}"):
        yield error_case(f"triangular_solve with 0 on the diagonal{attributes}", {"a": a, "b": b}, f"triangular_solve %a, %b{attributes}",
                         "[triangular_solve] matrix 1 of a is singular (at main: %y)")


def exponentials():
    for dtype in FIELDS:
        for n in (1, 2, 4):
            x = matrices(dtype, n, 2, n, n)
            yield ops_case(f"expm {dtype}, {n}x{n}", {"x": x}, {"y": ("expm %x", tensor(dtype, scipy.linalg.expm(x.values)))},
                           **CLOSE[dtype] | ({"ulps": 512} if dtype == "f64" else {}))
    # By its definition: rotations, and what e^x is where x has one eigenvalue.
    turn = np.array([[0, -1], [1, 0]])
    for angle in (0.0, 1.0, 100.0, -3000.0):
        expected = np.cos(angle) * np.eye(2) + np.sin(angle) * turn + 0.0
        yield ops_case(f"expm turns by {angle}", {"x": tensor("f64", angle * turn)}, {"y": ("expm %x", tensor("f64", expected))}, atol=1e-11)
    for value in (-800.0, -20.0, 1e-10, 5.5, 300.0):
        x, e = tensor("f64", [[value, 1], [0, value]]), np.exp(value)
        yield ops_case(f"expm of a block of {value}", {"x": x}, {"y": ("expm %x", tensor("f64", [[e, e], [0, e]]))}, ulps=4000)
    yield ops_case("expm of 0", {"x": tensor("f32", np.zeros((2, 2)))}, {"y": ("expm %x", tensor("f32", np.eye(2)))})
    yield ops_case("expm beyond the range", {"x": tensor("f32", [[1000]])}, {"y": ("expm %x", tensor("f32", [[np.inf]]))})
    nans = np.full((2, 2), np.nan)
    for value in (np.nan, np.inf):
        yield ops_case(f"expm of {value}", {"x": tensor("f32", [[[value, 0], [0, 0]], np.zeros((2, 2))])},
                       {"y": ("expm %x", tensor("f32", [nans, np.eye(2)]))})
    for shape in ((0, 0), (2, 0, 0), (0, 3, 3)):
        x = tensor("f32", np.zeros(shape))
        yield ops_case(f"expm of {list(shape)}", {"x": x}, {"y": ("expm %x", x)})


def open_sizes():
    inputs = {"a": "f32[B, N, N]", "b": "f32[N, M]"}
    body = ["%y = solve %a, %b", "%z = det %a"]
    program = "symbol B\nsymbol N\nsymbol M\n" + method(inputs, body, ["y", "z"])
    calls = []
    for count, n, m in ((2, 3, 1), (1, 1, 2), (0, 2, 2), (2, 0, 3), (2, 2, 0)):
        a, b = regular("f32", n, count, n, n), matrices("f32", m, n, m)
        outputs = {"y": tensor("f32", np.linalg.inv(a.values) @ b.values), "z": tensor("f32", np.linalg.det(a.values))}
        calls.append(call({"a": a, "b": b}, outputs, atol=1e-6))
    return case("open sizes", program, calls)


def limits():
    x = tensor("f32", np.eye(3))
    # The node, the result, 27 for the elimination.
    yield error_case("steps", {"x": x}, "det %x", "[det] the call takes more than 28 steps (at main: %y)", steps=28)
    yield ops_case("steps that do", {"x": x}, {"y": ("det %x", tensor("f32", 1.0))}, steps=29)


def cases():
    return [*determinants(), *inverses(), *solutions(), *triangular_solutions(), *exponentials(), open_sizes(), *limits()]
