"""Cases of cholesky, qr, svd, eigh and lstsq: numpy.linalg, with signs as the ops choose them.

Where any of several bases may come out, cases compare products of the results.
"""

import numpy as np
from make_linalg import CLOSE, FIELDS, MAGNITUDE, matrices, numbers, several

from cases import call, case, error_case, method, ops_case, tensor


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def definite(dtype, seed, *shape):
    x = np.rint(matrices(dtype, seed, *shape).values * 2) / 2
    return tensor(dtype, x @ adjoint(x) + 2 * np.eye(shape[-1]))


def symmetric(dtype, seed, *shape):
    x = matrices(dtype, seed, *shape).values
    return tensor(dtype, (x + adjoint(x)) / 2)


def over_stack(function, x):
    """function of every matrix: a list of stacks."""
    lead = x.shape[:-2]
    results = [function(x[i]) for i in np.ndindex(*lead)]
    return [np.stack(parts).reshape(*lead, *parts[0].shape) for parts in zip(*results)]


def gram(dtype, name, by="g"):
    """Lines for the products of the columns with each other."""
    if dtype != "c64":
        return [f"%{by} = matmul %{name}, %{name} {{transpose_a=true}}"]
    return [f"%{by}c = conj %{name}", f"%{by} = matmul %{by}c, %{name} {{transpose_a=true}}"]


def product_case(name, x, body, outputs, atol=1e-6):
    return case(name, method({"x": x}, body, outputs), [call({"x": x}, outputs, atol=atol)])


def eyes(dtype, lead, n):
    return tensor(dtype, np.broadcast_to(np.eye(n), (*lead, n, n)))


def choleskys():
    for dtype in FIELDS:
        for n in (1, 2, 4):
            x = definite(dtype, n, 2, n, n)
            l = np.linalg.cholesky(x.values)
            yield ops_case(f"cholesky {dtype}, {n}x{n}", {"x": x}, {
                "l": ("cholesky %x", tensor(dtype, l)),
                "u": ("cholesky %x {upper=true}", tensor(dtype, adjoint(l) + 0.0)),
            }, **CLOSE[dtype])
    x = tensor("f32", [[4, np.nan], [2, 5]])
    yield ops_case("cholesky reads one triangle", {"x": x}, {"l": ("cholesky %x", tensor("f32", [[2, 0], [1, 2]]))})
    x = tensor("f32", [[4, 2], [np.nan, 5]])
    yield ops_case("cholesky reads the other triangle", {"x": x}, {"u": ("cholesky %x {upper=true}", tensor("f32", [[2, 1], [0, 2]]))})
    for shape in ((0, 0), (2, 0, 0), (0, 3, 3)):
        x = tensor("f32", np.zeros(shape))
        yield ops_case(f"cholesky of {list(shape)}", {"x": x}, {"l": ("cholesky %x", x)})
    for name, values in (("negative", [[1, 2], [2, 1]]), ("zero", [[1, 1], [1, 1]]), ("NaN", [[1, 0], [0, np.nan]])):
        yield error_case(f"cholesky, {name}", {"x": tensor("f32", [[[1, 0], [0, 1]], values])}, "cholesky %x",
                         "[cholesky] matrix 1 of x is not positive definite (at main: %y)")


def qr(x, complete=False):
    q, r = np.linalg.qr(x, "complete" if complete else "reduced")
    diagonal = np.diag(r)
    turn = np.ones(q.shape[1], q.dtype)
    turn[: len(diagonal)] = diagonal / np.abs(diagonal)
    return q * turn + 0.0, np.conj(turn)[:, None] * r + 0.0


def qrs():
    for dtype in FIELDS:
        for shape in ((3, 3), (2, 4, 2), (2, 3), (1, 1)):
            x = matrices(dtype, sum(shape), *shape)
            q, r = over_stack(qr, x.values)
            yield several(f"qr {dtype} {list(shape)}", {"x": x}, "qr %x", {"q": tensor(dtype, q), "r": tensor(dtype, r)}, **CLOSE[dtype])
    for dtype in ("f32", "c64"):
        x = matrices(dtype, 5, 3, 3)
        q, r = qr(x.values, True)
        yield several(f"complete qr {dtype}", {"x": x}, "qr %x {complete=true}", {"q": tensor(dtype, q), "r": tensor(dtype, r)}, **CLOSE[dtype])
        x = matrices(dtype, 6, 2, 4, 2)
        body = ["%q, %r = qr %x {complete=true}", "%p = matmul %q, %r", *gram(dtype, "q")]
        yield product_case(f"complete qr {dtype} of tall ones", x, body, {"p": x, "g": eyes(dtype, (2,), 4)})
    for name, values in (("a column of 0", [[0, 1], [0, 2], [0, 3]]), ("dependent columns", [[1, 2], [1, 2], [1, 2]]), ("zeros", np.zeros((3, 2)))):
        x = tensor("f32", values)
        body = ["%q, %r = qr %x", "%p = matmul %q, %r", *gram("f32", "q")]
        yield product_case(f"qr of {name}", x, body, {"p": x, "g": eyes("f32", (), 2)})
    for power in (1e300, 1e-300):
        x = tensor("f64", numbers(3, 3, 2) * power)
        q, r = qr(x.values / power)
        yield several(f"qr of numbers near {power}", {"x": x}, "qr %x", {"q": tensor("f64", q), "r": tensor("f64", r * power)}, ulps=64)
    x = tensor("f32", [[[np.nan, 1], [1, 2]], [[2, 0], [0, 3]]])
    q, r = np.stack([np.full((2, 2), np.nan), np.eye(2)]), np.stack([[[np.nan, np.nan], [0, np.nan]], [[2, 0], [0, 3]]])
    yield several("qr of NaN", {"x": x}, "qr %x", {"q": tensor("f32", q), "r": tensor("f32", r)})
    for shape in ((0, 0), (2, 0, 3), (3, 0), (0, 2, 2)):
        x = tensor("f32", np.zeros(shape))
        m, n = shape[-2:]
        for complete in (False, True):
            k = m if complete else min(m, n)
            q = np.broadcast_to(np.eye(m, k), (*shape[:-2], m, k))
            yield several(f"qr of {list(shape)}, complete {complete}", {"x": x}, f"qr %x {{complete={str(complete).lower()}}}",
                          {"q": tensor("f32", q), "r": tensor("f32", np.zeros((*shape[:-2], k, n)))})


def turns(vectors):
    """For each column what makes its first component near the largest magnitude positive."""
    if vectors.size == 0:
        return np.ones(vectors.shape[1])
    magnitudes = np.abs(vectors)
    first = np.argmax(magnitudes >= 0.999 * magnitudes.max(0), axis=0)
    chosen = vectors[first, range(vectors.shape[1])]
    return np.conj(chosen) / np.abs(chosen)


def svd(x):
    u, s, vt = np.linalg.svd(x, full_matrices=False)
    turn = turns(u)
    return u * turn + 0.0, s, np.conj(turn)[:, None] * vt + 0.0


def singular_products(name, x, full=False, atol=1e-6):
    """u·diag(s)·vt, that s descends, and the products of the vectors with each other."""
    (*lead, m, n), dtype, k = x.shape, x.dtype, min(x.shape[-2:])
    wide = m if full else k
    body = [f"%u, %s, %vt = svd %x {{full={str(full).lower()}}}"]
    body += [f"%uk = slice %u {{axes=[-1], starts=[0], stops=[{k}]}}",
             f"%vk = slice %vt {{axes=[-2], starts=[0], stops=[{k}]}}", f"%row = reshape %s {{shape={[*lead, 1, k]}}}",
             "%scaled = mul %uk, %row", "%p = matmul %scaled, %vk", *gram(dtype, "u")]
    body += [f"%v = transpose %vt {{perm={[*range(len(lead)), len(lead) + 1, len(lead)]}}}", *gram(dtype, "v", "h")]
    singular = tensor(MAGNITUDE[dtype], np.linalg.svd(x.values, compute_uv=False))
    outputs = {"p": x, "s": singular, "g": eyes(dtype, lead, wide), "h": eyes(dtype, lead, n if full else k)}
    return product_case(name, x, body, outputs, atol)


def svds():
    for dtype in FIELDS:
        for shape in ((3, 3), (2, 4, 2), (2, 3), (1, 1)):
            x = matrices(dtype, 20 + sum(shape), *shape)
            u, s, vt = over_stack(svd, x.values)
            outputs = {"u": tensor(dtype, u), "s": tensor(MAGNITUDE[dtype], s), "vt": tensor(dtype, vt)}
            yield several(f"svd {dtype} {list(shape)}", {"x": x}, "svd %x", outputs, **CLOSE[dtype])
    for dtype in ("f32", "f64", "c64"):
        for shape in ((2, 4, 2), (2, 5), (3, 3), (6, 1)):
            yield singular_products(f"full svd {dtype} {list(shape)}", matrices(dtype, 30, *shape), True)
    for name, values in (("rank 1", np.ones((4, 3))), ("zeros", np.zeros((3, 2))), ("repeated", np.eye(3)), ("a wide rank 1", np.ones((2, 4))),
                         ("ranks 2", numbers(1, 5, 2) @ numbers(2, 2, 4)), ("a permutation", np.eye(4)[[2, 0, 3, 1]]),
                         ("large and small", np.diag([1e6, 1.0, 1e-6]) @ np.ones((3, 3)))):
        for full in (False, True):
            yield singular_products(f"svd of {name}, full {full}", tensor("f64", values), full, atol=1e-9)
    for power in (1e300, 1e-300):
        x = tensor("f64", np.array([[3.0, 0], [4.0, 5.0]]) * power)
        u, s, vt = svd(x.values / power)
        yield several(f"svd of numbers near {power}", {"x": x}, "svd %x",
                      {"u": tensor("f64", u), "s": tensor("f64", s * power), "vt": tensor("f64", vt)}, ulps=64)
    x = tensor("f32", [[[np.nan, 1], [1, 2]], [[np.inf, 1], [1, 2]], [[2, 0], [0, 3]]])
    nans, flip = np.full((2, 2), np.nan), np.array([[0.0, 1], [1, 0]])
    yield several("svd of NaN", {"x": x}, "svd %x", {
        "u": tensor("f32", np.stack([nans, nans, flip])), "s": tensor("f32", [[np.nan] * 2, [np.nan] * 2, [3, 2]]),
        "vt": tensor("f32", np.stack([nans, nans, flip]))})
    for shape in ((0, 0), (2, 0, 3), (3, 0), (0, 2, 2)):
        x = tensor("f32", np.zeros(shape))
        (*lead, m, n), k = shape, min(shape[-2:])
        for full in (False, True):
            u, v = (np.broadcast_to(np.eye(size, size if full else k), (*lead, size, size if full else k)) for size in (m, n))
            yield several(f"svd of {list(shape)}, full {full}", {"x": x}, f"svd %x {{full={str(full).lower()}}}",
                          {"u": tensor("f32", u), "s": tensor("f32", np.zeros((*lead, k))), "vt": tensor("f32", np.swapaxes(v, -1, -2))})


def eigh(x):
    values, vectors = np.linalg.eigh(x)
    return values, vectors * turns(vectors) + 0.0


def eigen_products(name, x, atol=1e-6):
    (*lead, n, _), dtype = x.shape, x.dtype
    body = ["%w, %v = eigh %x", f"%row = reshape %w {{shape={[*lead, 1, n]}}}", "%scaled = mul %v, %row", "%xv = matmul %x, %v",
            "%d = sub %xv, %scaled", *gram(dtype, "v")]
    outputs = {"w": tensor(MAGNITUDE[dtype], np.linalg.eigvalsh(x.values)), "g": eyes(dtype, lead, n)}
    zero = ["%m = abs %d", f"%e = reduce_max %m {{axes={list(range(len(lead) + 2))}}}",
            f"%limit = full {{shape=[], value={atol}, dtype={MAGNITUDE[dtype]}}}",
            "%small = lt %e, %limit"]
    return product_case(name, x, body + zero, outputs | {"small": tensor("bool", True)}, atol)


def eighs():
    for dtype in FIELDS:
        for n in (1, 2, 4):
            x = symmetric(dtype, 40 + n, 2, n, n)
            values, vectors = over_stack(eigh, x.values)
            outputs = {"w": tensor(MAGNITUDE[dtype], values), "v": tensor(dtype, vectors)}
            yield several(f"eigh {dtype}, {n}x{n}", {"x": x}, "eigh %x", outputs, **CLOSE[dtype])
            yield several(f"eigh {dtype}, {n}x{n}, upper", {"x": x}, "eigh %x {upper=true}", outputs, **CLOSE[dtype])
    for dtype in ("f64", "c64"):
        yield eigen_products(f"eigh {dtype}, 12x12", symmetric(dtype, 50, 12, 12), atol=1e-10 if dtype == "f64" else 1e-5)
    for name, values in (("one value", np.eye(3) * 2), ("zeros", np.zeros((3, 3))), ("ones", np.ones((4, 4))), ("a swap", [[0, 1], [1, 0]]),
                         ("pairs", np.kron(np.eye(2), [[2.0, 1], [1, 2]])), ("small ones", np.diag([1e8, 1, 1e-8]) + 1e-12)):
        yield eigen_products(f"eigh of {name}", tensor("f64", values), atol=1e-9)
    # Equal magnitudes: the first is positive, whatever rounding does.
    x, half = tensor("f64", [[0.1, 0.3], [0.3, 0.1]]), np.sqrt(0.5)
    yield several("eigh, the sign of equal magnitudes", {"x": x}, "eigh %x",
                  {"w": tensor("f64", [-0.2, 0.4]), "v": tensor("f64", [[half, half], [-half, half]])}, ulps=8)
    x = tensor("f32", [[2, np.nan], [1, 2]])
    expected = {"w": tensor("f32", [1, 3]), "v": tensor("f32", [[half, half], [-half, half]])}
    yield several("eigh reads one triangle", {"x": x}, "eigh %x", expected)
    x = tensor("f32", [[2, 1], [np.nan, 2]])
    yield several("eigh reads the other triangle", {"x": x}, "eigh %x {upper=true}", expected)
    x = tensor("c64", [[2 + 3j, 99], [1j, 2 - 1j]])
    yield several("eigh reads no imaginary part of the diagonal", {"x": x}, "eigh %x",
                  {"w": tensor("f32", [1, 3]), "v": tensor("c64", np.array([[half, half], [-half * 1j, half * 1j]]) + 0.0)}, atol=1e-6)
    x = tensor("f32", [[[np.nan, 0], [0, 1]], [[1, 0], [0, np.inf]], [[2, 0], [0, 1]]])
    nans = np.full((2, 2), np.nan)
    yield several("eigh of NaN", {"x": x}, "eigh %x", {"w": tensor("f32", [[np.nan] * 2, [np.nan] * 2, [1, 2]]),
                                                       "v": tensor("f32", np.stack([nans, nans, [[0, 1], [1, 0]]]))})
    for power in (1e300, 1e-300):
        x = tensor("f64", np.array([[2.0, 1], [1, 5]]) * power)
        values, vectors = eigh(x.values / power)
        yield several(f"eigh of numbers near {power}", {"x": x}, "eigh %x", {"w": tensor("f64", values * power), "v": tensor("f64", vectors)}, ulps=64)
    for shape in ((0, 0), (2, 0, 0), (0, 3, 3)):
        x = tensor("f32", np.zeros(shape))
        yield several(f"eigh of {list(shape)}", {"x": x}, "eigh %x", {"w": tensor("f32", np.zeros(shape[:-1])), "v": x})


def lstsqs():
    for dtype in FIELDS:
        for of_a, of_b in (((4, 2), (4, 3)), ((2, 4), (2, 1)), ((3, 3), (3, 2))):
            a, b = matrices(dtype, 60, *of_a), matrices(dtype, 61, *of_b)
            y = np.linalg.lstsq(a.values, b.values, rcond=None)[0]
            yield ops_case(f"lstsq {dtype} {list(of_a)}", {"a": a, "b": b}, {"y": ("lstsq %a, %b", tensor(dtype, y))}, **CLOSE[dtype])
    for of_a, of_b in (((2, 3, 2), (3, 1)), ((3, 2), (2, 3, 2)), ((2, 1, 2, 2), (3, 2, 1))):
        a, b = matrices("f32", 62, *of_a), matrices("f32", 63, *of_b)
        yield ops_case(f"lstsq {list(of_a)}, {list(of_b)}", {"a": a, "b": b}, {"y": ("lstsq %a, %b", tensor("f32", np.linalg.pinv(a.values) @ b.values))}, atol=1e-6)
    a, b = tensor("f64", numbers(1, 4, 2) @ numbers(2, 2, 3)), tensor("f64", numbers(3, 4, 2))
    yield ops_case("lstsq of rank 2", {"a": a, "b": b}, {"y": ("lstsq %a, %b", tensor("f64", np.linalg.pinv(a.values) @ b.values))}, atol=1e-12)
    # What counts as 0.
    a, b = tensor("f32", np.diag([8.0, 2.0, 0.5])), tensor("f32", np.ones((3, 1)))
    ops = {}
    for i, (rcond, kept) in enumerate(((0.0, 3), (0.0625, 2), (0.06, 3), (0.25, 1), (0.24, 2), (1.0, 0))):
        y = np.where(np.arange(3) < kept, 1 / np.array([8.0, 2.0, 0.5]), 0)[:, None]
        ops[f"y{i}"] = (f"lstsq %a, %b {{rcond={rcond}}}", tensor("f32", y))
    yield ops_case("rcond", {"a": a, "b": b}, ops, atol=0)
    # The epsilon is that of the dtype: 2^-10 of f16, 2^-7 of bf16, 2^-23 of f32, each times 2.
    for dtype, small in (("f16", -9), ("bf16", -6), ("f32", -22), ("f64", -51), ("c64", -22)):
        a = tensor(dtype, [[[1, 0], [0, 2.0 ** small]], [[1, 0], [0, 2.0 ** (small + 1)]]])
        y = [[[1], [0]], [[1], [2.0 ** -(small + 1)]]]
        b = tensor(dtype, [[1], [1]])
        yield ops_case(f"rcond of {dtype}", {"a": a, "b": b}, {"y": ("lstsq %a, %b", tensor(dtype, y))})
    a, b = tensor("f32", [[[np.nan, 0], [0, 1]], [[1, 0], [0, 2]], [[0, 0], [0, 0]]]), tensor("f32", [[1], [1]])
    yield ops_case("lstsq of NaN and of 0", {"a": a, "b": b}, {"y": ("lstsq %a, %b", tensor("f32", [[[np.nan]] * 2, [[1], [0.5]], [[0], [0]]]))})
    a, b = tensor("f32", np.zeros((0, 2))), tensor("f32", np.zeros((0, 3)))
    yield ops_case("lstsq without equations", {"a": a, "b": b}, {"y": ("lstsq %a, %b", tensor("f32", np.zeros((2, 3))))})


def open_sizes():
    inputs = {"x": "f32[B, M, N]"}
    body = ["%u, %s, %vt = svd %x", "%q, %r = qr %x", "%row = reshape %s {shape=[B, 1, min(M, N)]}", "%us = mul %u, %row",
            "%a = matmul %us, %vt", "%b = matmul %q, %r"]
    program = "symbol B\nsymbol M\nsymbol N\n" + method(inputs, body, ["a", "b", "s"])
    calls = []
    for shape in ((2, 3, 2), (1, 2, 4), (0, 2, 2), (2, 0, 3), (2, 3, 0)):
        x = matrices("f32", 70, *shape)
        outputs = {"a": x, "b": x, "s": tensor("f32", np.linalg.svd(x.values, compute_uv=False))}
        calls.append(call({"x": x}, outputs, atol=1e-5))
    return case("open sizes", program, calls)


def cases():
    return [*choleskys(), *qrs(), *svds(), *eighs(), *lstsqs(), open_sizes()]
