"""More models of tests/import/models_test.cpp: sizes that only the call knows, and forms of old opsets.

Written as make.py writes its own. The expected outputs are those of ONNX Runtime, where not of NumPy: run with a Python
that has onnxruntime.
"""

import numpy as np
import onnxruntime
from make import F, I, B, const, graph, info, model_of, node, real, save
from onnx import helper, numpy_helper

W = numpy_helper.from_array


def save_run(name, model, *data_sets):
    """Each data set is a list of inputs."""
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [value.name for value in model.graph.input]
    data_sets = [[np.asarray(value) for value in inputs] for inputs in data_sets]
    save(name, model, *[(inputs, session.run(None, dict(zip(names, inputs)))) for inputs in data_sets], evaluate=False)


def coarse(*shape):
    """Multiples of 1/4, so that sums of products are exact in f32."""
    return np.round(real(*shape) * 4) / 4


def windows():
    """Convolutions and pools over open batch, height and width."""
    nodes = [
        node("Conv", "x w7", "stem", strides=[2, 2], pads=[3, 3, 3, 3]),
        node("MaxPool", "stem", "pooled", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Conv", "pooled w3 b3", "kept", auto_pad="SAME_UPPER"),
        node("Add", "pooled kept", "joined"),
        node("Conv", "x w3x", "upper", strides=[2, 2], auto_pad="SAME_UPPER"),
        node("Conv", "x w3x", "lower", strides=[2, 3], auto_pad="SAME_LOWER"),
        node("Conv", "x w3x", "valid", strides=[2, 1], auto_pad="VALID"),
        node("Conv", "joined wd", "depthwise", group=4, dilations=[2, 1], pads=[2, 0, 2, 1]),
        node("AveragePool", "x", "average", kernel_shape=[2, 3], strides=[2, 2], auto_pad="SAME_LOWER"),
        node("AveragePool", "x", "counted", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 0, 1, 1], count_include_pad=1),
        node("MaxPool", "x", "up", kernel_shape=[3, 2], strides=[2, 2], ceil_mode=1),
        node("MaxPool", "x", "most most_at", kernel_shape=[3, 3], strides=[2, 1], auto_pad="SAME_UPPER"),
        node("LpPool", "x", "lp", kernel_shape=[2, 2], strides=[2, 2], p=3),
        node("ConvTranspose", "joined wt", "grown", strides=[2, 2], pads=[1, 1, 1, 1]),
        node("ConvTranspose", "joined wt", "same", strides=[2, 2], auto_pad="SAME_UPPER"),
        node("ConvTranspose", "joined wt", "padded", strides=[3, 2], output_padding=[1, 0]),
        node("GlobalAveragePool", "joined", "global"),
        node("InstanceNormalization", "joined scale shift", "normal"),
    ]
    weights = [W(coarse(4, 3, 7, 7), "w7"), W(coarse(4, 4, 3, 3), "w3"), W(coarse(4), "b3"), W(coarse(2, 3, 3, 3), "w3x"),
               W(coarse(4, 1, 3, 2), "wd"), W(coarse(4, 2, 4, 4), "wt"), W(coarse(4), "scale"), W(coarse(4), "shift")]
    outputs = ["joined", "upper", "lower", "valid", "depthwise", "average", "counted", "up", "most", "lp", "grown", "same",
               "padded", "global", "normal"]
    g = graph(nodes, [info("x", F, ["batch", 3, "height", "width"])],
              [info(name, F, None) for name in outputs] + [info("most_at", I, None)], weights)
    save_run("windows", model_of(g, opset=18), [coarse(2, 3, 17, 22)], [coarse(1, 3, 16, 13)])


def data_sizes():
    """Shapes, bounds, counts and limits that are data."""
    nodes = [
        node("TopK", "x k", "top top_at", axis=1, largest=0),
        node("Slice", "x starts ends axes", "cut"),
        node("Slice", "x ends starts axes steps", "back"),
        node("Range", "from to by", "numbers"),
        node("Range", "from_f to_f by_f", "reals"),
        node("Reshape", "x target", "shaped"),
        node("Expand", "row wide", "wider"),
        node("Tile", "x repeats", "tiled"),
        node("ConstantOfShape", "repeats", "zeros"),
        node("OneHot", "hot k on_off", "ones", axis=0),
        node("Pad", "x pads fill", "padded"),
        node("Pad", "x pads", "mirrored", mode="reflect"),
        node("Split", "x parts", "left right", axis=1),
        node("Trilu", "x diagonal", "triangle", upper=0),
        # The count of what is not 0 is a size as well.
        node("Greater", "x zero", "above"),
        node("NonZero", "above", "places"),
        node("Transpose", "places", "rows"),
        node("GatherND", "x rows", "found"),
        node("Compress", "x chosen", "kept", axis=0),
        node("Unique", "hot", "distinct first which often"),
    ]
    inputs = [
        info("x", F, ["n", 4]), info("k", I, [1]), info("starts", I, [2]), info("ends", I, [2]), info("from", I, []),
        info("to", I, []), info("by", I, []), info("from_f", F, []), info("to_f", F, []), info("by_f", F, []),
        info("target", I, [3]), info("wide", I, [3]), info("repeats", I, [2]), info("hot", I, ["m"]), info("pads", I, [4]),
        info("fill", F, []), info("parts", I, [2]), info("diagonal", I, []), info("chosen", B, ["n"]),
    ]
    constants = [const("axes", [0, 1]), const("steps", [-1, -2]), const("on_off", [-1, 2], np.float32),
                 const("zero", 0, np.float32), W(real(1, 4), "row")]
    floats = ["top", "cut", "back", "reals", "shaped", "wider", "tiled", "zeros", "ones", "padded", "mirrored", "left",
              "right", "triangle", "found", "kept"]
    integers = ["top_at", "numbers", "distinct", "first", "which", "often"]
    g = graph(nodes, inputs, [info(name, F, None) for name in floats] + [info(name, I, None) for name in integers], constants)
    i64, f32, flags = np.int64, np.float32, lambda *v: np.array(v, bool)
    lists = lambda *values: [np.array(v, i64) for v in values]
    first = [real(5, 4), *lists([2], [1, -9], [-1, 3], 2, 9, 3), f32(1), f32(2), f32(0.25),
             *lists([2, -1, 5], [3, 1, 1], [2, 1], [1, 0, 1], [1, 0, 0, 2]), f32(7), *lists([1, 3], -1),
             flags(1, 0, 0, 1, 1)]
    second = [real(3, 4), *lists([4], [-3, 1], [2**62, 2], 5, -4, -2), f32(1), f32(-2), f32(-1),
              *lists([-1, 4, 1], [1, 1, 4], [0, 3], [3, 3, 2, 0], [0, 2, 1, 0]), f32(-1), *lists([4, 0], 2),
              flags(0, 0, 0)]
    save_run("data_sizes", model_of(g), first, second)


def open_scan_loop():
    """Scan outputs of a loop that a condition ends; its body cuts by the number of the trip."""
    body = graph(
        [node("Add", "trip one", "next"), node("Unsqueeze", "trip axis", "from"), node("Unsqueeze", "next axis", "to"),
         node("Slice", "table from to", "row"), node("Add", "sum_in row", "sum"), node("ReduceSum", "sum", "total", keepdims=0),
         node("Less", "total limit", "going"), node("Mul", "sum two", "twice")],
        [info("trip", I, []), info("going_in", B, []), info("sum_in", F, [1])],
        [info("going", B, []), info("sum", F, [1]), info("twice", F, [1])], [const("one", 1), const("axis", [0])], name="body")
    g = graph([node("Loop", "most start x", "last all", body=body)],
              [info("most", I, []), info("start", B, []), info("x", F, [1]), info("table", F, [6]), info("limit", F, []),
               info("two", F, [])], [info("last", F, [1]), info("all", F, None)])
    table, two = np.arange(1, 7, dtype=np.float32), np.float32(2)
    run = lambda most, start, limit: [np.int64(most), np.bool_(start), np.zeros(1, np.float32), table, np.float32(limit), two]
    save_run("open_scan_loop", model_of(g), run(6, True, 9), run(2, True, 99), run(5, False, 99), run(0, True, 99))


def opset_6():
    """Broadcasting by attribute, and what was an attribute before it was an input."""
    x, row, column, c, slope = real(2, 3, 4), real(4), real(3), real(2), real(3)
    image, scale, shift, mean, var = real(2, 3, 2, 2), real(3), real(3), real(3), np.abs(real(3)) + 0.5
    nodes = [
        node("Add", "x row", "a", broadcast=1),
        node("Mul", "x column", "b", broadcast=1, axis=1),
        node("Sub", "x c", "d", broadcast=1, axis=0),
        node("Less", "x row", "e", broadcast=1),
        node("Clip", "x", "f", min=-0.5, max=0.75),
        node("Hardmax", "x", "g", axis=1),
        node("PRelu", "image slope", "h"),
        node("BatchNormalization", "image scale shift mean var", "i", is_test=1, epsilon=0.01),
        node("TopK", "x", "j jj", k=2, axis=1),
        node("Gemm", "m n row", "k", broadcast=1, transB=1),
    ]
    m, n = real(5, 2), real(4, 2)
    g = graph(nodes, [info("x", F, [2, 3, 4]), info("image", F, [2, 3, 2, 2])],
              [info(name, B if name == "e" else I if name == "jj" else F, None)
               for name in ("a", "b", "d", "e", "f", "g", "h", "i", "j", "jj", "k")],
              [W(row, "row"), W(column, "column"), W(c, "c"), W(slope, "slope"), W(scale, "scale"), W(shift, "shift"),
               W(mean, "mean"), W(var.astype(np.float32), "var"), W(m, "m"), W(n, "n")])
    flat = x.reshape(2, 12)
    along = lambda v: v[:, None, None]
    order = np.argsort(-x, axis=1, kind="stable")[:, :2]
    expected = [
        x + row, x * column[:, None], x - c[:, None, None], x < row, np.clip(x, -0.5, 0.75),
        (np.arange(12) == flat.argmax(1)[:, None]).astype(np.float32).reshape(x.shape),
        np.where(image < 0, along(slope) * image, image),
        (image - along(mean)) / np.sqrt(along(var) + 0.01) * along(scale) + along(shift),
        np.take_along_axis(x, order, 1), order.astype(np.int64), m @ n.T + row,
    ]
    expected = [v.astype(np.float32) if v.dtype == np.float64 else v for v in expected]
    save("opset_6", model_of(g, opset=6, ir=3), ([x, image], expected), evaluate=False)


def opset_8_scan():
    """A batch in front of states and sequences, of which one is read backwards."""
    body = graph([node("Add", "s a", "t"), node("Mul", "t b", "u"), node("Add", "u scale", "v")],
                 [info("s", F, [2]), info("a", F, [2]), info("b", F, [2])], [info("t", F, [2]), info("v", F, [2])], name="body")
    scan = helper.make_node("Scan", ["", "s0", "as", "bs"], ["last", "vs"], name="scan", body=body, num_scan_inputs=2,
                            directions=[0, 1])
    g = graph([scan], [info("s0", F, ["n", 2]), info("as", F, ["n", "t", 2]), info("bs", F, ["n", "t", 2]),
                       info("scale", F, [2])], [info("last", F, None), info("vs", F, None)])
    s, a, b, scale = real(3, 2), real(3, 4, 2), real(3, 4, 2), real(2)
    t = s[:, None] + np.cumsum(a, 1)
    save("opset_8_scan", model_of(g, opset=8, ir=3), ([s, a, b, scale], [t[:, -1], t * b[:, ::-1] + scale]), evaluate=False)


def short_indices():
    """Indices that are shorter than the data along other axes."""
    nodes = [
        node("ScatterElements", "x at y", "written", axis=1),
        node("ScatterElements", "x at y", "added", axis=0, reduction="add"),
        node("GatherElements", "x at", "read", axis=1),
    ]
    at = np.array([[2, 0], [1, -1]], np.int64)
    g = graph(nodes, [info("x", F, [3, 4]), info("at", I, [2, 2]), info("y", F, [2, 2])],
              [info(name, F, None) for name in ("written", "added", "read")])
    save_run("short_indices", model_of(g), [real(3, 4), at, real(2, 2)])


if __name__ == "__main__":
    for make in (windows, data_sizes, open_scan_loop, opset_6, opset_8_scan, short_indices):
        make()
