"""Writes the models of tests/import/models_test.cpp, in the layout of ONNX's own test data:

    NAME/model.onnx, NAME/test_data_set_0/input_0.pb, NAME/test_data_set_0/output_0.pb, …

The expected outputs are those of onnx.reference.ReferenceEvaluator. Run with the Python of .venv.
"""

import pathlib
import shutil

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

HERE = pathlib.Path(__file__).parent
F, I, B = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
rng = np.random.default_rng(7)


def info(name, dtype, shape):
    return helper.make_tensor_value_info(name, dtype, shape)


def const(name, values, dtype=np.int64):
    return numpy_helper.from_array(np.array(values, dtype), name)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), name=f"{op}_{outputs.split()[0]}", **attributes)


def graph(nodes, inputs, outputs, initializers=(), name="g", **more):
    return helper.make_graph(nodes, name, inputs, outputs, list(initializers), **more)


def real(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def save(name, model, *data_sets, evaluate=True):
    """Each data set is a list of inputs, or a pair of inputs and expected outputs."""
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    for number, inputs in enumerate(data_sets):
        if evaluate:
            feeds = {value.name: array for value, array in zip(model.graph.input, inputs)}
            outputs = ReferenceEvaluator(model).run(None, feeds)
        else:
            inputs, outputs = inputs
        data = folder / f"test_data_set_{number}"
        data.mkdir()
        for kind, arrays in (("input", inputs), ("output", outputs)):
            for i, array in enumerate(arrays):
                proto = array if isinstance(array, TensorProto) else numpy_helper.from_array(np.asarray(array))
                (data / f"{kind}_{i}.pb").write_bytes(proto.SerializeToString())


def model_of(g, opset=17, functions=(), opsets=(), ir=9):
    imports = [helper.make_opsetid("", opset), *opsets]
    return helper.make_model(g, opset_imports=imports, functions=list(functions), ir_version=ir)


def shape_arithmetic():
    """Reshape, Expand and Slice targets put together from sizes, as exporters do."""
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s zero", "b", axis=0),
        node("Gather", "s one", "t", axis=0),
        node("Mul", "b t", "bt"),
        node("Unsqueeze", "bt axes0", "bt1"),
        node("Concat", "bt1 eight", "flat_shape", axis=0),
        node("Reshape", "x flat_shape", "flat"),
        node("MatMul", "flat w", "h"),
        node("Slice", "s zero1 two1", "bt_pair"),
        node("Concat", "bt_pair minus1 three1", "back_shape", axis=0),
        node("Reshape", "h back_shape", "heads"),
        node("Transpose", "heads", "swapped", perm=[0, 2, 1, 3]),
        # x[:, t/2:] plus a row that is expanded to it
        node("Div", "t two", "half"),
        node("Unsqueeze", "half axes0", "half1"),
        node("Slice", "x half1 big one1", "tail"),
        node("Sub", "t half", "rest"),
        node("Unsqueeze", "b axes0", "b1"),
        node("Unsqueeze", "rest axes0", "rest1"),
        node("Concat", "b1 rest1 minus1", "wanted", axis=0),
        node("Equal", "wanted minus1", "open"),
        node("Where", "open one1 wanted", "target"),
        node("Expand", "row target", "rows"),
        node("Add", "tail rows", "moved"),
        node("Size", "x", "count"),
        node("Cast", "count", "count_f", to=F),
        node("Mul", "moved count_f", "scaled"),
    ]
    constants = [
        const("zero", 0), const("one", 1), const("two", 2), const("axes0", [0]), const("eight", [8]), const("zero1", [0]),
        const("one1", [1]), const("two1", [2]), const("three1", [3]), const("minus1", [-1]), const("big", [2**63 - 1]),
        numpy_helper.from_array(real(8, 6), "w"), numpy_helper.from_array(real(8), "row"),
    ]
    g = graph(nodes, [info("x", F, ["batch", "time", 8])],
              [info("swapped", F, ["batch", None, None, 3]), info("scaled", F, None), info("s", I, [3])], constants)
    save("shape_arithmetic", model_of(g), [real(2, 5, 8)], [real(1, 1, 8)], [real(3, 4, 8)])


def equal_symbols():
    """Sizes with different names meet in Add, MatMul, Concat and Where."""
    nodes = [
        node("Add", "a b", "sum"),
        node("MatMul", "a c", "product"),
        node("Concat", "a b", "both", axis=1),
        node("Greater", "a b", "more"),
        node("Where", "more a b", "larger"),
    ]
    g = graph(nodes, [info("a", F, ["n", "k"]), info("b", F, ["m", "l"]), info("c", F, ["j", 2])],
              [info(name, F, None) for name in ("sum", "product", "both", "larger")])
    save("equal_symbols", model_of(g), [real(3, 4), real(3, 4), real(4, 2)])


def open_reshape():
    """A -1 that is only a whole number if the sizes are right."""
    g = graph([node("Reshape", "x target", "y")], [info("x", F, ["n", 3])], [info("y", F, None)], [const("target", [-1, 4])])
    save("open_reshape", model_of(g), [real(8, 3)], [real(4, 3)])


def branches():
    """If inside If, with values of both outer graphs."""
    inner = graph([node("Mul", "h w", "r1")], [], [info("r1", F, None)], name="inner_then")
    other = graph([node("Sub", "h x", "r2")], [], [info("r2", F, None)], name="inner_else")
    then = graph([node("Add", "x w", "h"), node("If", "c2", "r", then_branch=inner, else_branch=other)], [],
                 [info("r", F, None)], name="then")
    other = graph([node("Neg", "x", "n")], [], [info("n", F, None)], name="else")
    g = graph([node("If", "c1", "y", then_branch=then, else_branch=other)],
              [info("x", F, ["n"]), info("c1", B, []), info("c2", B, [])], [info("y", F, ["n"])],
              [numpy_helper.from_array(np.float32([2]), "w")])
    yes, no = np.array(True), np.array(False)
    save("branches", model_of(g), [real(3), yes, yes], [real(2), yes, no], [real(4), no, yes])


def known_branch():
    """The condition is known while importing, and the branches differ in rank."""
    then = graph([node("Squeeze", "x axes1", "r1")], [], [info("r1", F, None)], name="then")
    other = graph([node("Identity", "x", "r2")], [], [info("r2", F, None)], name="else")
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s one", "d", axis=0),
        node("Equal", "d one", "c"),
        node("If", "c", "y", then_branch=then, else_branch=other),
    ]
    g = graph(nodes, [info("x", F, ["n", 1])], [info("y", F, None)], [const("one", 1), const("axes1", [1])])
    save("known_branch", model_of(g), [real(3, 1)])


def counted_loop():
    """Trip count from a size; carried value, scan output, trip number, captured weight."""
    body = graph(
        [node("Add", "state w", "next"), node("Cast", "i", "i_f", to=F), node("Mul", "next i_f", "row"),
         node("Identity", "go", "go_on")],
        [info("i", I, []), info("go", B, []), info("state", F, ["n"])],
        [info("go_on", B, []), info("next", F, ["n"]), info("row", F, ["n"])], name="body")
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s zero", "trips", axis=0),
        node("Loop", "trips yes first", "last rows", body=body),
    ]
    g = graph(nodes, [info("x", F, ["t"]), info("first", F, [2])], [info("last", F, [2]), info("rows", F, ["t", 2])],
              [const("zero", 0), const("yes", True, bool), numpy_helper.from_array(np.float32([1, 0.5]), "w")])
    save("counted_loop", model_of(g), [real(3), real(2)], [real(1), real(2)])


def open_loop():
    """Runs until a condition on data, and at most a number of times."""
    body = graph(
        [node("Mul", "v factor", "next"), node("ReduceSum", "next", "sum", keepdims=0), node("Less", "sum limit", "go_on")],
        [info("i", I, []), info("go", B, []), info("v", F, [2])], [info("go_on", B, []), info("next", F, [2])], name="body")
    g = graph([node("Loop", "most start x", "y", body=body)],
              [info("most", I, []), info("start", B, []), info("x", F, [2]), info("limit", F, [])], [info("y", F, [2])],
              [numpy_helper.from_array(np.float32(2), "factor")])
    x = np.float32([1, 2])
    yes, no = np.array(True), np.array(False)
    save("open_loop", model_of(g), [np.int64(10), yes, x, np.float32(50)], [np.int64(2), yes, x, np.float32(50)],
         [np.int64(10), no, x, np.float32(50)], [np.int64(0), yes, x, np.float32(50)])


def nested_loops():
    """A loop in a loop; the inner body uses values of both graphs around it."""
    inner = graph([node("Add", "acc outer_scaled", "acc1"), node("Add", "acc1 bias", "acc2"), node("Identity", "c", "c1")],
                  [info("j", I, []), info("c", B, []), info("acc", F, [])], [info("c1", B, []), info("acc2", F, [])], name="inner")
    outer = graph(
        [node("Cast", "i", "i_f", to=F), node("Mul", "i_f x", "outer_scaled"),
         node("Loop", "three yes total", "total1", body=inner), node("Identity", "c", "c2")],
        [info("i", I, []), info("c", B, []), info("total", F, [])],
        [info("c2", B, []), info("total1", F, []), info("outer_scaled", F, [])], name="outer")
    g = graph([node("Loop", "four yes zero", "y scaled", body=outer)], [info("x", F, []), info("bias", F, [])],
              [info("y", F, []), info("scaled", F, [4])],
              [const("three", 3), const("four", 4), const("yes", True, bool), numpy_helper.from_array(np.float32(0), "zero")])
    # total += 3·(i·x + bias) for i in 0..3; ONNX's evaluator stacks scalars to [4, 1], against its own declaration
    x, bias = np.float32(1.5), np.float32(-2)
    scaled = np.arange(4, dtype=np.float32) * x
    save("nested_loops", model_of(g), ([x, bias], [np.float32(3 * (scaled + bias).sum()), scaled]), evaluate=False)


def constant_conditions():
    """Conditions that are constants of the body, or of the graph around it: the loops have as many trips as they say."""
    def body(condition, nodes, initializers=()):
        return graph([*nodes, node("Add", "v x", "next")], [info("i", I, []), info("go", B, []), info("v", F, [2])],
                     [info(condition, B, []), info("next", F, [2]), info("next", F, [2])], initializers, name="body")
    yes = const("", True, bool)
    nodes = [
        node("Loop", "three  x", "a as", body=body("c1", [node("Constant", "", "c1", value=yes)])),
        node("Loop", "three yes x", "b bs", body=body("c2", [], [const("c2", True, bool)])),
        node("Loop", "three yes x", "c cs", body=body("c3", [node("Identity", "yes", "c3")])),
    ]
    nodes[0].input[:] = ["three", "", "x"]
    g = graph(nodes, [info("x", F, [2])], [info(name, F, None) for name in ("a", "as", "b", "bs", "c", "cs")],
              [const("three", 3), const("yes", True, bool)])
    x = real(2)
    rows = np.stack([x * 2, x * 3, x * 4])
    save("constant_conditions", model_of(g), ([x], [x * 4, rows] * 3), evaluate=False)


def sequences():
    """Sequences made, changed, mapped and carried through a loop; optionals."""
    body = graph([node("Cast", "i", "i_f", to=F), node("Mul", "x i_f", "row"), node("SequenceInsert", "s row", "s1"),
                  node("Identity", "go", "go1")],
                 [info("i", I, []), info("go", B, []), helper.make_tensor_sequence_value_info("s", F, None)],
                 [info("go1", B, []), helper.make_tensor_sequence_value_info("s1", F, None), info("row", F, None)], name="body")
    double = graph([node("Add", "item item", "twice")], [info("item", F, None)], [info("twice", F, None)], name="double")
    nodes = [
        node("SequenceEmpty", "", "none"),
        node("Loop", "three yes none", "rows stacked", body=body),
        node("SequenceMap", "rows", "twice_rows", body=double),
        node("ConcatFromSequence", "twice_rows", "table", axis=1, new_axis=1),
        node("SplitToSequence", "x two", "parts", axis=0),
        node("SequenceLength", "parts", "count"),
        node("SequenceAt", "parts minus", "last"),
        node("SequenceErase", "parts zero", "fewer"),
        node("SequenceConstruct", "last x", "pair"),
        node("SequenceInsert", "pair last zero", "three_parts"),
        node("ConcatFromSequence", "three_parts", "joined", axis=0),
        node("ConcatFromSequence", "fewer", "tail", axis=0),
        node("Optional", "x", "maybe"),
        node("OptionalHasElement", "maybe", "there"),
        node("OptionalGetElement", "maybe", "inside"),
    ]
    g = graph(nodes, [info("x", F, [5])],
              [info(n, F, None) for n in ("table", "stacked", "last", "joined", "tail", "inside")] + [info("count", I, None), info("there", B, None)],
              [const("three", 3), const("two", 2), const("zero", 0), const("minus", -1), const("yes", True, bool)])
    x = real(5)
    rows = [x * 0, x, x * 2]
    expected = [np.stack([2 * r for r in rows], 1), np.stack(rows), x[4:], np.concatenate([x[4:], x[4:], x]), x[2:], x,
                np.int64(3), np.array(True)]
    save("sequences", model_of(g), ([x], expected), evaluate=False)


def scans():
    """Axes and directions of inputs and outputs, off their defaults."""
    body = graph([node("Add", "s a", "s1"), node("Mul", "s1 b", "m"), node("Identity", "a", "a1")],
                 [info("s", F, [2]), info("a", F, [2]), info("b", F, [2])],
                 [info("s1", F, [2]), info("m", F, [2]), info("a1", F, [2])], name="body")
    g = graph([node("Scan", "s0 a b", "s m a1", body=body, num_scan_inputs=2, scan_input_axes=[1, 0],
                    scan_input_directions=[1, 0], scan_output_axes=[1, 0], scan_output_directions=[0, 1])],
              [info("s0", F, [2]), info("a", F, [2, "t"]), info("b", F, ["t", 2])],
              [info("s", F, [2]), info("m", F, [2, "t"]), info("a1", F, ["t", 2])])
    a, b, s = real(2, 3), real(3, 2), real(2)
    state, ms, rows = s, [], []
    for t in range(3):
        state = state + a[:, 2 - t]
        ms.append(state * b[t])
        rows.append(a[:, 2 - t])
    save("scans", model_of(g), ([s, a, b], [state, np.stack(ms, 1), np.stack(rows[::-1])]), evaluate=False)


def functions():
    """Model-local functions: attributes by reference and by default, a call inside a call, names that clash."""
    def reference(name, argument, kind):
        return onnx.AttributeProto(name=name, ref_attr_name=argument, type=kind)

    scale = helper.make_function(
        "mine", "Scale", ["a"], ["b"],
        [helper.make_node("Constant", [], ["k"]), helper.make_node("Mul", ["a", "k"], ["b"])],
        [helper.make_opsetid("", 17)], ["k"])
    scale.node[0].attribute.append(reference("value_float", "k", onnx.AttributeProto.FLOAT))
    shift = helper.make_function(
        "mine", "ShiftScale", ["x", "y"], ["b"],
        [helper.make_node("Add", ["x", "y"], ["a"]), helper.make_node("Scale", ["a"], ["t"], domain="mine"),
         helper.make_node("LeakySoft", ["t"], ["b"], domain="mine")],
        [helper.make_opsetid("", 17), helper.make_opsetid("mine", 1)], ["k"])
    shift.node[1].attribute.append(reference("k", "k", onnx.AttributeProto.FLOAT))
    soft = helper.make_function(
        "mine", "LeakySoft", ["v"], ["a"], [helper.make_node("Softmax", ["v"], ["a"])], [helper.make_opsetid("", 17)], [],
        [helper.make_attribute("axis", 0)])
    soft.node[0].attribute.append(reference("axis", "axis", onnx.AttributeProto.INT))
    g = graph([node("ShiftScale", "x a", "h", domain="mine", k=3.0), node("LeakySoft", "h", "y", domain="mine", axis=1)],
              [info("x", F, ["n", 3]), info("a", F, [3])], [info("y", F, ["n", 3])])
    x, a = real(2, 3), real(3)
    soft_of = lambda v, axis: np.exp(v) / np.exp(v).sum(axis, keepdims=True)
    y = soft_of(soft_of((x + a) * 3, 0), 1)
    save("functions", model_of(g, functions=[scale, soft, shift], opsets=[helper.make_opsetid("mine", 1)]), ([x, a], [y]),
         evaluate=False)


def dtypes():
    """Every dtype, in typed fields and raw, as a constant that is an output."""
    T = TensorProto
    kinds = {
        "f16": (T.FLOAT16, [1.5, -2, 65504]), "bf16": (T.BFLOAT16, [1.5, -2, 3]), "f32": (T.FLOAT, [1.5, -2, 3e38]),
        "f64": (T.DOUBLE, [1.5, -2, 1e300]), "i8": (T.INT8, [-128, 0, 127]), "i16": (T.INT16, [-32768, 0, 32767]),
        "i32": (T.INT32, [-2**31, 0, 2**31 - 1]), "i64": (T.INT64, [-2**63, 0, 2**63 - 1]), "u8": (T.UINT8, [0, 1, 255]),
        "u16": (T.UINT16, [0, 1, 65535]), "u32": (T.UINT32, [0, 1, 2**32 - 1]), "u64": (T.UINT64, [0, 1, 2**64 - 1]),
        "bool": (T.BOOL, [True, False, True]), "c64": (T.COMPLEX64, [1 + 2j, -1j, 3]),
        "f8e4m3": (T.FLOAT8E4M3FN, [1.5, -2, 448]), "f8e5m2": (T.FLOAT8E5M2, [1.5, -2, 57344]),
        "f8e8m0": (T.FLOAT8E8M0, [0.5, 1, 2]), "i4": (T.INT4, [-8, 0, 7]), "u4": (T.UINT4, [0, 1, 15]),
        "i2": (T.INT2, [-2, 0, 1]), "u2": (T.UINT2, [0, 1, 3]), "f4e2m1": (T.FLOAT4E2M1, [0.5, -6, 1]),
    }
    tensors, outputs, expected = [], [], []
    for name, (dtype, values) in kinds.items():
        raw = numpy_helper.from_array(np.array(values, helper.tensor_dtype_to_np_dtype(dtype)), name + "_raw")
        typed = helper.make_tensor(name, dtype, [3], values)
        if typed.HasField("raw_data"):
            raise SystemExit(name)
        tensors += [typed, raw]
        outputs += [info(name, dtype, [3]), info(name + "_raw", dtype, [3])]
        expected += [raw, raw]
    save("dtypes", model_of(graph([], [], outputs, tensors), opset=25, ir=13), ([], expected), evaluate=False)


def constants():
    """Every form of Constant, a sparse initializer, an initializer that is listed as an input, unused outputs."""
    sparse = helper.make_sparse_tensor(const("sp", [5, 7], np.float32), const("sp_i", [1, 4]), [2, 3])
    coordinates = helper.make_sparse_tensor(const("", [9], np.float32), const("", [[1, 2]]), [2, 3])
    nodes = [
        node("Constant", "", "t", value=const("", [[1, 2, 3]], np.float32)),
        node("Constant", "", "f", value_float=2.0),
        node("Constant", "", "fs", value_floats=[1.0, 2.0, 3.0]),
        node("Constant", "", "i", value_int=2),
        node("Constant", "", "is", value_ints=[0, 1]),
        node("Constant", "", "coo", sparse_value=coordinates),
        node("Mul", "t f", "a"), node("Add", "a fs", "b"), node("Add", "b sp", "c"), node("Add", "c coo", "c2"),
        node("Gather", "c2 is", "d", axis=1), node("Add", "d default", "e"),
        node("ConstantOfShape", "is2", "zeros"), node("ConstantOfShape", "is2", "sevens", value=const("", [7])),
    ]
    g = graph(nodes, [info("default", F, [2])], [info("e", F, None), info("zeros", F, None), info("sevens", I, None), info("i", I, [])],
              [const("default", [10, 20], np.float32), const("is2", [0, 2])], sparse_initializer=[sparse])
    d = (np.float32([[1, 2, 3]]) * 2 + np.float32([1, 2, 3]) + np.float32([[0, 5, 0], [0, 7, 0]]) + np.float32([[0, 0, 0], [0, 0, 9]]))
    e = d[:, [0, 1]] + np.float32([10, 20])
    save("constants", model_of(g), ([], [e, np.zeros((0, 2), np.float32), np.zeros((0, 2), np.int64), np.int64(2)]), evaluate=False)


def old_forms():
    """Opset 9: attributes where newer versions have inputs, Softmax over all axes from one on."""
    nodes = [
        node("Softmax", "x", "a", axis=1),
        node("LogSoftmax", "x", "b", axis=2),
        node("Slice", "x", "c", axes=[1, 2], starts=[1, -2], ends=[3, 9223372036854775807]),
        node("Pad", "x", "d", mode="constant", pads=[0, 1, 0, 0, 0, 2], value=1.5),
        node("ReduceSum", "x", "e", axes=[1], keepdims=0),
        node("Unsqueeze", "e", "f", axes=[0, 2]),
        node("Squeeze", "f", "g", axes=[0]),
        node("Split", "x", "h1 h2", axis=1, split=[1, 2]),
    ]
    x = real(2, 3, 4)
    soft = lambda v: np.exp(v) / np.exp(v).sum(-1, keepdims=True)
    e = x.sum(1)
    expected = [soft(x.reshape(2, 12)).reshape(2, 3, 4), np.log(soft(x)), x[:, 1:3, -2:],
                np.pad(x, ((0, 0), (1, 0), (0, 2)), constant_values=1.5), e[:, None], x[:, :1], x[:, 1:]]
    g = graph(nodes, [info("x", F, [2, 3, 4])], [info(name, F, None) for name in ("a", "b", "c", "d", "g", "h1", "h2")])
    save("old_forms", model_of(g, opset=9, ir=4), ([x], expected), evaluate=False)


def external_data():
    """Weights in a file beside the model: one aligned, one not."""
    first, second = real(3, 2), real(2)
    data = b"skip" + first.tobytes() + b"\0" + second.tobytes()

    def outside(name, array, offset, length=None):
        tensor = TensorProto(name=name, data_type=F, dims=array.shape, data_location=TensorProto.EXTERNAL)
        entries = {"location": "weights.bin", "offset": str(offset)} | ({"length": str(length)} if length else {})
        for key, value in entries.items():
            tensor.external_data.add(key=key, value=value)
        return tensor

    g = graph([node("MatMul", "x w", "h"), node("Add", "h b", "y")], [info("x", F, ["n", 3])], [info("y", F, ["n", 2])],
              [outside("w", first, 4, 24), outside("b", second, 29, 8)])
    x = real(2, 3)
    save("external_data", model_of(g), ([x], [x @ first + second]), evaluate=False)
    (HERE / "external_data/weights.bin").write_bytes(data)


if __name__ == "__main__":
    for make in (shape_arithmetic, equal_symbols, open_reshape, branches, known_branch, counted_loop, open_loop,
                 nested_loops, constant_conditions, sequences, scans, functions, dtypes, constants, old_forms,
                 external_data):
        make()
