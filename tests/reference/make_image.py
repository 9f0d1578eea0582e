"""Cases of resize, roi_align, roi_pool and nms: what ONNX's reference implementation gives in float64."""

import itertools

import numpy as np
from onnx.helper import make_node
from onnx.reference import ReferenceEvaluator

from cases import COMPUTABLE, REALS, call, case, error_case, method, ops_case, tensor

ULPS = {"f16": 1, "bf16": 1, "f32": 1, "f64": 64}
COORDINATES = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize")
ROUNDINGS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


def evaluate(op, inputs, **attributes):
    """One node on arrays; None leaves an input out."""
    names = [f"i{k}" if value is not None else "" for k, value in enumerate(inputs)]
    node = make_node(op, names, ["y"], **attributes)
    return ReferenceEvaluator(node).run(None, {n: v for n, v in zip(names, inputs) if n})[0]


def numbers(seed, *shape):
    """Sixteenths: exact in every dtype, and short. No -0, which sums lose and moves keep."""
    return np.rint(np.random.RandomState(seed).standard_normal(shape) * 16) / 16 + 0.0


def values_text(values):
    return f"[{', '.join(repr(float(v)) for v in values)}]"


# -------------------------------------------------------------------------------------------------------------- resize


def resize(x, axes, sizes, scales=None, mode="linear", coordinates="half_pixel", rounding="round_prefer_floor", a=-0.75,
           exclude=False, antialias=False, roi=None, extrapolation=0.0):
    """The op's line and its result."""
    attributes = [f"axes={list(axes)}", f"sizes={list(sizes)}"]
    attributes += [f"scales={values_text(scales)}"] if scales else []
    attributes += [f"mode={mode}", f"coordinates={coordinates}"]
    attributes += [f"rounding={rounding}"] if mode == "nearest" else []
    attributes += [f"cubic_coefficient={a}"] if a != -0.75 else []
    attributes += ["exclude_outside=true"] if exclude else []
    attributes += ["antialias=true"] if antialias else []
    attributes += [f"roi={values_text(roi)}", f"extrapolation={float(extrapolation)}"] if roi else []
    positive = [axis % x.values.ndim for axis in axes]
    y = evaluate(
        "Resize",
        [np.asarray(x.values, np.float64), None if roi is None else np.array(roi), np.array(scales) if scales else None, None if scales else np.array(sizes)],
        axes=positive, mode=mode, coordinate_transformation_mode=coordinates, nearest_mode=rounding, cubic_coeff_a=a,
        exclude_outside=int(exclude), antialias=int(antialias), extrapolation_value=float(extrapolation),
        keep_aspect_ratio_policy="stretch",
    )
    assert y.shape == tuple(sizes[positive.index(k)] if k in positive else n for k, n in enumerate(x.shape)), (y.shape, sizes)
    return f"resize %x {{{', '.join(attributes)}}}", tensor(x.dtype, y)


def resized(name, x, variants, **options):
    return ops_case(name, {"x": x}, {f"y{k}": resize(x, **v) for k, v in enumerate(variants)}, **{"atol": 1e-6, **options})


def every_mode():
    """Up and down, through every rule of coordinates."""
    x = tensor("f32", numbers(1, 4, 5))
    for coordinates in COORDINATES:
        crop = {"roi": [0.25, -0.125, 0.75, 1.5], "extrapolation": 7.5} if coordinates == "tf_crop_and_resize" else {}
        for mode in ("linear", "cubic"):
            rows = [{"axes": [0, 1], "sizes": sizes, "mode": mode, "coordinates": coordinates, **crop} for sizes in ([7, 9], [3, 2], [4, 5], [0, 3])]
            rows += [{**row, "exclude": True} for row in rows[:2]]
            rows += [{**row, "antialias": True} for row in rows[:2]]
            rows += [{**rows[1], "antialias": True, "exclude": True}]
            yield resized(f"{mode}, {coordinates}", x, rows, atol=2e-6)
        rows = [{"axes": [0, 1], "sizes": sizes, "mode": "nearest", "rounding": rounding, "coordinates": coordinates, **crop}
                for rounding in ROUNDINGS for sizes in ([7, 9], [3, 2], [8, 10])]
        yield resized(f"nearest, {coordinates}", x, rows)
        if coordinates != "pytorch_half_pixel":
            yield resized(f"to one element, {coordinates}", x, [
                {"axes": [0, 1], "sizes": [1, 1], "mode": mode, "coordinates": coordinates, **crop} for mode in ("linear", "cubic", "nearest")
            ])
    yield resized("to one element, pytorch_half_pixel", x, [
        {"axes": [0, 1], "sizes": [1, 1], "mode": mode, "coordinates": "pytorch_half_pixel"} for mode in ("linear", "nearest")
    ])
    yield ops_case("to one element, cubic pytorch_half_pixel", {"x": x}, {
        "y": ("resize %x {axes=[0, 1], sizes=[1, 1], mode=cubic, coordinates=pytorch_half_pixel}", tensor("f32", x.values[:1, :1])),
    })


def explicit_scales():
    """Scales that are not the quotient of the sizes."""
    x = tensor("f32", numbers(2, 3, 7))
    for coordinates in COORDINATES:
        crop = {"roi": [0.0, 0.25, 1.0, 0.875]} if coordinates == "tf_crop_and_resize" else {}
        rows = [{"axes": [0, 1], "sizes": [int(3 * a), int(7 * b)], "scales": [a, b], "mode": mode, "coordinates": coordinates, **crop}
                for a, b in ((1.6, 0.6), (2.75, 1.3), (0.75, 0.3)) for mode in ("linear", "cubic", "nearest")]
        yield resized(f"scales, {coordinates}", x, rows, atol=2e-6)


def numbers_as_values():
    """Scales and regions that the program is called with."""
    x, sizes = tensor("f32", numbers(6, 3, 7)), [4, 4]
    for coordinates in COORDINATES:
        crops = coordinates == "tf_crop_and_resize"
        modes = {mode: f"%{mode} = resize %x, %f{', %r' if crops else ''} {{axes=[0, -1], sizes={sizes}, mode={mode}, coordinates={coordinates}}}"
                 for mode in ("linear", "cubic", "nearest")}
        calls = []
        for dtype, scales, roi in (("f32", (1.6, 0.6), (0, 0.25, 1, 0.875)), ("f16", (1.375, 0.65), (-0.25, 0, 0.5, 1.25)), ("bf16", (1.5, 0.7), (1, 0.5, 0, 0)),
                                   ("f64", (1.34, 0.7), (0.125, 0.125, 0.75, 0.5))):
            f, r = tensor("f64", tensor(dtype, scales).values), tensor("f64", tensor("f16", roi).values)
            given = {"scales": list(f.values), **({"roi": list(r.values)} if crops else {})}
            expected = {mode: resize(x, [0, -1], sizes, mode=mode, coordinates=coordinates, **given)[1] for mode in modes}
            calls.append(call({"x": x, "f": f, **({"r": r} if crops else {})}, expected, atol=2e-6))
        program = method({"x": x, "f": "f64[2]", **({"r": "f64[4]"} if crops else {})}, modes.values(), modes)
        yield case(f"factors, {coordinates}", program, calls)
    for dtype in REALS:
        f, r = tensor(dtype, [1.5, 0.625]), tensor(dtype, [0, 0.25, 1, 0.875])
        y = resize(x, [0, 1], sizes, scales=list(f.values), coordinates="tf_crop_and_resize", roi=list(r.values))[1]
        plain = resize(x, [0, 1], sizes, coordinates="tf_crop_and_resize", roi=list(r.values))[1]
        attributes = f"{{axes=[0, 1], sizes={sizes}, coordinates=tf_crop_and_resize}}"
        yield ops_case(f"factors and region of {dtype}", {"x": x, "f": f, "r": r}, {"y": (f"resize %x, %f, %r {attributes}", y), "z": (f"resize %x, _, %r {attributes}", plain)}, atol=1e-6)
    program = "symbol P\n" + method({"x": "f32[3, 7]", "f": "f32[1]", "n": "i64[]"}, ["%m = item %n {symbol=P}", "%y = resize %x, %f {axes=[1], sizes=[P]}"], ["y"])
    calls = [call({"x": x, "f": tensor("f32", [scale]), "n": tensor("i64", int(7 * scale))}, {"y": resize(x, [1], [int(7 * scale)], scales=[scale])[1]}, atol=1e-6)
             for scale in (0.5, 1.0, 1.75)]
    yield case("factors, and sizes that follow them", program, calls)
    scalar = tensor("f32", 2.5)
    yield ops_case("factors of no axes", {"x": scalar, "f": tensor("f32", [])}, {"y": ("resize %x, %f {axes=[], sizes=[]}", scalar)})


def refused_numbers():
    x, place = tensor("f32", numbers(7, 2, 3)), " (at main: %y)"
    line = "resize %x, %f {axes=[1, 0], sizes=[4, 0]}"  # refused where nothing is sampled, too
    for value in (0.0, -1.0, np.nan, np.inf, 1e300, 1e-10):
        error = f"[resize] factor 1 is {'%g' % value}, expected 2^-32 to 2^32{place}"
        yield error_case(f"a factor of {value}", {"x": x, "f": tensor("f64", [1, value])}, line, error)
    for mode, value in itertools.product(("linear", "nearest"), (np.nan, np.inf, -np.inf)):
        line = f"resize %x, _, %r {{axes=[1], sizes=[4], coordinates=tf_crop_and_resize, mode={mode}}}"
        error = f"[resize] number 1 of region is {value}, expected a finite number{place}"
        yield error_case(f"a region to {value}, {mode}", {"x": x, "r": tensor("f32", [0, value])}, line, error)


def by_axes():
    x = tensor("f32", numbers(3, 2, 3, 4))
    for axes, sizes in (([2], [6]), ([-1], [3]), ([0], [5]), ([2, 0], [2, 3]), ([1, -1], [5, 7]), ([0, 1, 2], [3, 4, 5])):
        yield resized(f"axes {axes} to {sizes}", x, [{"axes": axes, "sizes": sizes, "mode": mode} for mode in ("linear", "cubic", "nearest")])
    yield ops_case("no axes", {"x": x}, {"y": ("resize %x {axes=[], sizes=[]}", x), "z": ("resize %x {axes=[], sizes=[], mode=nearest}", x)})
    yield resized("a coefficient", x, [{"axes": [1, 2], "sizes": [5, 3], "mode": "cubic", "a": -0.5}, {"axes": [2], "sizes": [2], "mode": "cubic", "a": 0.25, "antialias": True}])
    five = tensor("f32", numbers(4, 1, 2, 3, 2, 2))
    yield resized("five axes", five, [{"axes": [1, 2, 3, 4], "sizes": [3, 2, 3, 1], "mode": mode} for mode in ("linear", "cubic", "nearest")])


def by_dtype():
    for dtype in REALS:
        x = tensor(dtype, numbers(5, 3, 4))
        yield resized(f"linear {dtype}", x, [{"axes": [0, 1], "sizes": [5, 3]}], ulps=ULPS[dtype], atol=1e-12)
        yield resized(f"cubic {dtype}", x, [{"axes": [0, 1], "sizes": [5, 3], "mode": "cubic"}], ulps=ULPS[dtype], atol=1e-12)
    picks = {"axes": [0], "sizes": [7], "mode": "nearest", "coordinates": "asymmetric", "rounding": "floor"}
    index = evaluate("Resize", [np.arange(3.0), None, None, np.array([7])], mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor").astype(int)
    for dtype in COMPUTABLE:
        source = {"bool": [True, False, True], "c64": [1 + 2j, -0.5j, 3], "u64": [2**64 - 1, 1, 2**63], "i64": [-(2**63), 5, 2**63 - 1]}
        x = tensor(dtype, source.get(dtype, [3, 1, 2]))
        line = f"resize %x {{axes=[0], sizes=[7], mode=nearest, coordinates=asymmetric, rounding={picks['rounding']}}}"
        yield ops_case(f"nearest {dtype}", {"x": x}, {"y": (line, tensor(dtype, x.values[index]))})
    x = tensor("f32", [-0.0, 0.0, np.nan])
    yield ops_case("nearest keeps -0", {"x": x}, {"y": ("resize %x {axes=[0], sizes=[6], mode=nearest}", tensor("f32", np.repeat(x.values, 2)))})
    x = tensor("u8", [10, 20, 30])
    line = "resize %x {axes=[0], sizes=[4], mode=nearest, coordinates=tf_crop_and_resize, roi=[-0.5, 1.0], extrapolation=255.0}"
    yield ops_case("extrapolated u8", {"x": x}, {"y": (line, tensor("u8", [255, 10, 20, 30]))})
    x = tensor("f32", [1.0, np.inf, np.nan, 2.0])
    line = "resize %x {axes=[0], sizes=[7], coordinates=align_corners}"
    with np.errstate(all="ignore"):
        y = tensor("f32", [1, np.inf, np.inf, np.nan, np.nan, np.nan, 2])
    yield ops_case("a sample of weight 0 is not read", {"x": x}, {"y": (line, y)})


def sizes_0():
    x = tensor("f32", np.zeros((2, 0)))
    yield ops_case("none to none", {"x": x}, {"y": ("resize %x {axes=[0], sizes=[3]}", tensor("f32", np.zeros((3, 0))))})
    yield ops_case("empty to empty", {"x": x}, {"y": ("resize %x {axes=[1], sizes=[0], mode=nearest}", x)})
    error = "[resize] axis 1 of x is 0, expected at least 1 to sample from (at main: %y)"
    yield error_case("empty to some", {"x": x}, "resize %x {axes=[1], sizes=[3]}", error)
    program = "symbol S\nsymbol T\n" + method({"x": "f32[S, T]"}, ["%y = resize %x {axes=[1], sizes=[2*T]}"], ["y"])
    calls = []
    for s, t in ((2, 3), (1, 1), (0, 2), (3, 0)):
        x = tensor("f32", numbers(s + t, s, t))
        y = resize(x, [1], [2 * t])[1] if s * t else tensor("f32", np.zeros((s, 2 * t)))
        calls.append(call({"x": x}, {"y": y}, atol=1e-6))
    yield case("open sizes", program, calls)
    x = tensor("f32", numbers(3, 2, 4))
    line = "resize %x {axes=[1], sizes=[2], antialias=true}"
    program = method({"x": x}, [f"%y = {line}"], ["y"])
    yield case("steps", program, [
        call({"x": x}, error="[resize] the call takes more than 28 steps (at main: %y)", steps=28),
        call({"x": x}, {"y": resize(x, [1], [2], antialias=True)[1]}, steps=29, atol=1e-6),
    ])


# ------------------------------------------------------------------------------------------------------------- regions


def roi_align(x, rois, batch, fn="avg", height=1, width=1, sampling=0, scale=1.0, half_pixel=True):
    line = f"roi_align_{fn} %x, %r, %b {{height={height}, width={width}, sampling={sampling}, scale={scale}, half_pixel={str(half_pixel).lower()}}}"
    y = evaluate("RoiAlign", [x.values, rois.values, np.array(batch.values, np.int64)], mode=fn, output_height=height, output_width=width,
                 sampling_ratio=sampling, spatial_scale=scale, coordinate_transformation_mode="half_pixel" if half_pixel else "output_half_pixel")
    return line, tensor(x.dtype, y + 0.0)  # of 0 and -0 it takes the first


def aligned():
    x = tensor("f32", numbers(11, 2, 3, 5, 6))
    rois = tensor("f32", [[0, 0, 5, 4], [1.25, 0.5, 3.75, 4.5], [-2, -3, 8, 9], [2, 2, 2, 2], [4, 3, 1, 1], [0.3, 3.9, 5.9, 4.1]])
    batch = tensor("i64", [0, 1, 1, 0, 1, 0])
    inputs = {"x": x, "r": rois, "b": batch}
    for fn, half_pixel in itertools.product(("avg", "max"), (True, False)):
        rows = [{"height": 2, "width": 3}, {"height": 2, "width": 2, "sampling": 2}, {"height": 1, "width": 1, "scale": 0.5}, {"height": 3, "width": 1, "sampling": 1, "scale": 1.5}]
        ops = {f"y{k}": roi_align(x, rois, batch, fn, half_pixel=half_pixel, **row) for k, row in enumerate(rows)}
        yield ops_case(f"roi_align_{fn}, half_pixel {half_pixel}", inputs, ops, atol=1e-6)
    for dtype in REALS:
        x, rois = tensor(dtype, numbers(12, 1, 2, 4, 4)), tensor(dtype, [[0.5, 0.25, 3, 3.5]])
        batch = tensor("u8", [0])
        ops = {fn: roi_align(x, rois, batch, fn, 2, 2, 2) for fn in ("avg", "max")}
        yield ops_case(f"roi_align of {dtype}", {"x": x, "r": rois, "b": batch}, ops, ulps=ULPS[dtype], atol=1e-9)
    x, rois, batch = tensor("f32", numbers(13, 1, 2, 3, 3)), tensor("f32", np.zeros((0, 4))), tensor("i32", [])
    yield ops_case("no regions", {"x": x, "r": rois, "b": batch}, {"y": ("roi_align_avg %x, %r, %b {height=2}", tensor("f32", np.zeros((0, 2, 2, 1))))})
    x, rois, batch = tensor("f32", np.zeros((1, 2, 0, 3))), tensor("f32", [[0, 0, 1, 1]]), tensor("i32", [0])
    yield ops_case("no rows", {"x": x, "r": rois, "b": batch}, {"y": ("roi_align_max %x, %r, %b", tensor("f32", np.zeros((1, 2, 1, 1))))})


def roi_pool(x, rois, height, width, scale=1.0):
    """Corners to the nearest, halves away from 0; both belong to the region."""
    y = np.zeros((len(rois), x.shape[1], height, width))
    for r, (batch, *corners) in enumerate(rois):
        x1, y1, x2, y2 = np.copysign(np.floor(np.abs(np.array(corners) * scale) + 0.5), corners)
        across, down = max(x2 - x1 + 1, 1) / width, max(y2 - y1 + 1, 1) / height
        for ph, pw in itertools.product(range(height), range(width)):
            rows = [int(np.clip(v + y1, 0, x.shape[2])) for v in (np.floor(ph * down), np.ceil((ph + 1) * down))]
            columns = [int(np.clip(v + x1, 0, x.shape[3])) for v in (np.floor(pw * across), np.ceil((pw + 1) * across))]
            window = x[int(batch), :, slice(*rows), slice(*columns)]
            if window.size:
                y[r, :, ph, pw] = window.max((1, 2))
    return y


def pooled():
    rois = tensor("f32", [[0, 0, 0, 5, 4], [1, 1.5, 0.5, 3.5, 4.4], [1, -2, -3, 8, 9], [0, 2, 2, 2, 2], [1, 4, 3, 1, 1], [0, 9, 9, 12, 12]])
    x = tensor("f32", numbers(14, 2, 3, 5, 6))
    ops = {}
    for k, (height, width, scale) in enumerate(((2, 3, 1.0), (1, 1, 0.5), (4, 2, 1.5), (3, 3, 0.25))):
        line = f"roi_pool %x, %r {{height={height}, width={width}, scale={scale}}}"
        ops[f"y{k}"] = (line, tensor("f32", roi_pool(x.values, rois.values, height, width, scale)))
    yield ops_case("roi_pool", {"x": x, "r": rois}, ops)
    for dtype in REALS:
        x, rois = tensor(dtype, numbers(15, 1, 2, 4, 4)), tensor(dtype, [[0, 1, 0, 3, 2]])
        yield ops_case(f"roi_pool of {dtype}", {"x": x, "r": rois}, {"y": ("roi_pool %x, %r {height=2, width=2}", tensor(dtype, roi_pool(x.values, rois.values, 2, 2)))})
    x, rois = tensor("f32", [[[[1, np.nan, 3], [-np.inf, -np.inf, 2]]]]), tensor("f32", [[0, 0, 0, 0, 1], [0, 1, 0, 1, 0], [0, 0, 1, 1, 1]])
    yield ops_case("NaN and infinities", {"x": x, "r": rois}, {"y": ("roi_pool %x, %r {height=1, width=1}", tensor("f32", [1, np.nan, -np.inf], (3, 1, 1, 1)))})
    rois = tensor("f64", [[0, -1e300, -1e300, 1e300, 1e300], [0, 1e300, 0, 1e300, 5]])
    x = tensor("f64", numbers(16, 1, 1, 2, 2))
    yield ops_case("far corners", {"x": x, "r": rois}, {"y": ("roi_pool %x, %r {height=1, width=1}", tensor("f64", [x.values.max(), 0], (2, 1, 1, 1)))})


def refused_regions():
    x, batch = tensor("f32", numbers(17, 2, 1, 3, 3)), tensor("i64", [0, 2])
    rois, place = tensor("f32", [[0, 0, 1, 1], [0, 0, 2, 2]]), " (at main: %y)"
    inputs = {"x": x, "r": rois, "b": batch}
    yield error_case("a batch beyond", inputs, "roi_align_avg %x, %r, %b", f"[roi_align_avg] batch of region 1 is 2, expected 0 to 1{place}")
    inputs["b"] = tensor("i64", [-1, 0])
    yield error_case("a batch below", inputs, "roi_align_max %x, %r, %b", f"[roi_align_max] batch of region 0 is -1, expected 0 to 1{place}")
    inputs = {"x": x, "r": tensor("f32", [[0, 0, np.inf, 1], [0, 0, 2, 2]]), "b": tensor("i64", [1, 0])}
    yield error_case("an endless region", inputs, "roi_align_avg %x, %r, %b", f"[roi_align_avg] a corner of region 0 is inf, expected a finite number{place}")
    for row, message in (([0.5, 0, 0, 1, 1], "batch of region 0 is 0.5, expected 0 to 1"), ([2, 0, 0, 1, 1], "batch of region 0 is 2, expected 0 to 1"),
                         ([-1, 0, 0, 1, 1], "batch of region 0 is -1, expected 0 to 1"), ([0, 0, np.nan, 1, 1], "a corner of region 0 is nan, expected a finite number")):
        yield error_case(f"roi_pool of {row}", {"x": x, "r": tensor("f32", [row])}, "roi_pool %x, %r {height=1, width=1}", f"[roi_pool] {message}{place}")


# --------------------------------------------------------------------------------------------------------------- boxes


def nms(boxes, scores, max_output, iou=0.0, least=None, center=False):
    return evaluate(
        "NonMaxSuppression",
        [boxes, scores, np.array([max_output]), np.array([iou]), None if least is None else np.array([least])],
        center_point_box=int(center),
    )


def boxes_kept():
    rng = np.random.RandomState(21)
    corners = np.rint(rng.uniform(0, 8, (2, 7, 4)) * 4) / 4
    scores = np.rint(rng.uniform(0, 1, (2, 3, 7)) * 8) / 8  # many equal ones
    sized = np.concatenate([corners[..., :2], np.abs(corners[..., 2:]) / 2], -1)
    b, c, s = tensor("f32", corners), tensor("f32", sized), tensor("f32", scores)
    rows = [(3, 0.0, None), (10, 0.5, None), (2, 0.25, 0.5), (0, 0.5, None), (7, 1.0, 0.125), (7, 0.5, 2.0)]
    for k, (most, iou, least) in enumerate(rows):
        for name, box, center in (("corners", b, False), ("centres", c, True)):
            expected = nms(box.values, scores, most, iou, least, center)
            inputs = {"b": box, "s": s, **({"i": tensor("f32", iou)} if iou else {}), **({"l": tensor("f32", least)} if least is not None else {})}
            operands = f"%b, %s, {'%i' if iou else '_'}{', %l' if least is not None else ''}"
            line = f"%y = nms {operands} {{count=K, max_output={most}{', center=true' if center else ''}}}"
            yield case(f"nms of {name}, {k}", "symbol K\n" + method(inputs, [line], ["y"]), [call(inputs, {"y": tensor("i64", expected.astype(object).reshape(-1, 3))})])
    program = "symbol M\nsymbol K\n" + method(
        {"b": b, "s": s, "m": "i32[]", "i": "f64[]", "l": "f64[]"}, ["%n = item %m {symbol=M}", "%y = nms %b, %s, %i, %l {count=K, max_output=M}"], ["y"])
    calls = []
    for most, iou, least in rows[1:]:
        least = -np.inf if least is None else least
        inputs = {"b": b, "s": s, "m": tensor("i32", most), "i": tensor("f64", iou), "l": tensor("f64", least)}
        calls.append(call(inputs, {"y": tensor("i64", nms(corners, scores, most, iou, least).astype(object).reshape(-1, 3))}))
    yield case("nms of every number as a value", program, calls)


def odd_boxes():
    program = "symbol K\n" + method({"b": "f32[N, B, 4]", "s": "f32[N, C, B]"}, ["%i = full {shape=[], value=0.5, dtype=f32}", "%y = nms %b, %s, %i {count=K, max_output=9}"], ["y"])
    program = "symbol N\nsymbol B\nsymbol C\n" + program
    calls = []
    for n, b, c in ((0, 3, 1), (1, 0, 2), (1, 2, 0)):
        calls.append(call({"b": tensor("f32", np.zeros((n, b, 4))), "s": tensor("f32", np.zeros((n, c, b)))}, {"y": tensor("i64", np.zeros((0, 3), object))}))
    # Without area nothing overlaps; NaN is no score; infinities are.
    boxes = tensor("f32", [[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 2, 2], [0, 0, 2, 2], [2, 2, 0, 0], [0, 0, 2, np.inf], [0, 0, np.nan, 1]]])
    scores = tensor("f32", [[[0.5, 0.5, -np.inf, np.inf, 0.25, np.nan, 0.125]]])
    calls.append(call({"b": boxes, "s": scores}, {"y": tensor("i64", [[0, 0, 3], [0, 0, 0], [0, 0, 1], [0, 0, 6]])}))
    yield case("odd boxes", program, calls)
    for dtype in REALS:
        b, s = tensor(dtype, [[[0, 0, 1, 1], [0, 0.25, 1, 1.25], [0, 3, 1, 4]]]), tensor(dtype, [[[0.5, 0.75, 0.25]]])
        inputs = {"b": b, "s": s, "i": tensor(dtype, 0.5), "l": tensor(dtype, 0.25)}
        expected = nms(b.values, s.values, 3, 0.5, 0.25)
        line = "%y = nms %b, %s, %i, %l {count=K, max_output=3}"
        yield case(f"nms of {dtype}", "symbol K\n" + method(inputs, [line], ["y"]), [call(inputs, {"y": tensor("i64", expected.astype(object))})])
    inputs = {"b": tensor("f32", [[[0, 0, 1, 1]]]), "s": tensor("f32", [[[0.5]]]), "i": tensor("f32", 0.5), "l": tensor("f32", 0.5)}
    program = "symbol K\n" + method(inputs, ["%y = nms %b, %s, %i, %l {count=K, max_output=3}"], ["y"])
    for name, value, error in (("i", np.nan, "iou_threshold is nan, expected 0 to 1"), ("i", -0.5, "iou_threshold is -0.5, expected 0 to 1"),
                               ("i", 1.5, "iou_threshold is 1.5, expected 0 to 1"), ("l", np.nan, "score_threshold is nan, expected a number")):
        given = {**inputs, name: tensor("f32", value)}
        yield case(f"nms with {name} {value}", program, [call(given, error=f"[nms] {error} (at main: %y)")])


def cases():
    return [*every_mode(), *explicit_scales(), *numbers_as_values(), *refused_numbers(), *by_axes(), *by_dtype(), *sizes_0(), *aligned(), *pooled(), *refused_regions(), *boxes_kept(), *odd_boxes()]
