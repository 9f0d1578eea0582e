"""What make_microsoft.py and make_ml.py share: models of tests/import/runtime_models_test.cpp, as NAME.onnx and NAME.npz.

The second holds the inputs and the outputs that ONNX Runtime computes, by their names. Each model holds several ops side by
side. Needs onnx and onnxruntime.
"""

import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

ROOT = pathlib.Path(__file__).parents[1] / "data/onnx_runtime"
MS, ML = "com.microsoft", "ai.onnx.ml"
HIDDEN = "hidden"
rng = np.random.default_rng(11)


def real(*shape, scale=1.0):
    return (rng.standard_normal(shape) * scale).astype(np.float32)


def codes(*shape, dtype=np.uint8):
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max + 1, shape).astype(dtype)


class Const:
    """An operand that the file holds."""

    def __init__(self, array):
        self.array = np.asarray(array)


def f32(x):
    return np.float32(x)


def runtime_outputs(model, names, feeds):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(names, feeds)


class Model:
    """Nodes that do not depend on each other; every operand is an input or a constant of its own."""

    def __init__(self, name, opset=17, ml=3):
        self.name, self.opset, self.ml = name, opset, ml
        self.nodes, self.inputs, self.outputs, self.constants, self.feeds, self.given = [], [], [], [], {}, {}

    def add(self, op, operands, outputs=1, domain=MS, open_axes=(), expected=None, **attributes):
        """operands: arrays, Const or None. outputs: how many, or a list: 1 is compared, HIDDEN only computed, 0 left out.
        open_axes: those of every input that are symbols. expected: the results of a node that ONNX Runtime cannot run."""
        number = len(self.nodes)
        names = []
        for i, operand in enumerate(operands):
            if operand is None:
                names.append("")
                continue
            names.append(f"n{number}_x{i}")
            if isinstance(operand, Const):
                self.constants.append(numpy_helper.from_array(operand.array, names[-1]))
                continue
            array = np.asarray(operand)
            shape = [f"n{number}_x{i}_{axis}" if axis in open_axes else size for axis, size in enumerate(array.shape)]
            self.inputs.append(helper.make_tensor_value_info(names[-1], helper.np_dtype_to_tensor_dtype(array.dtype), shape))
            self.feeds[names[-1]] = array
        wanted = [True] * outputs if isinstance(outputs, int) else outputs
        results = [f"n{number}_y{i}" if want else "" for i, want in enumerate(wanted)]
        self.outputs += [name for name, want in zip(results, wanted) if want and want is not HIDDEN]
        self.given |= dict(zip(results, expected or []))
        self.nodes.append(helper.make_node(op, names, results, name=f"n{number}_{op}", domain=domain, **attributes))

    def proto(self, nodes, outputs):
        used = {name for node in nodes for name in node.input}
        inputs = [info for info in self.inputs if info.name in used]
        constants = [tensor for tensor in self.constants if tensor.name in used]
        graph = helper.make_graph(nodes, "g", inputs, [onnx.ValueInfoProto(name=name) for name in outputs], constants)
        imports = [helper.make_opsetid("", self.opset), helper.make_opsetid(MS, 1), helper.make_opsetid(ML, self.ml)]
        return helper.make_model(graph, opset_imports=imports, ir_version=10)

    def results(self):
        """What ONNX Runtime computes; it is not asked for what was given."""
        names = [name for name in self.outputs if name not in self.given]
        nodes = [node for node in self.nodes if not set(node.output) & set(self.given)]
        model = self.proto(nodes, names)
        feeds = {info.name: self.feeds[info.name] for info in model.graph.input}
        return dict(zip(names, runtime_outputs(model, names, feeds))) | self.given

    def save(self):
        ROOT.mkdir(exist_ok=True)
        (ROOT / f"{self.name}.onnx").write_bytes(self.proto(self.nodes, self.outputs).SerializeToString())
        np.savez_compressed(ROOT / f"{self.name}.npz", **self.feeds, **self.results())


def outputs_of(op, operands, outputs=1, domain=MS, opset=17, **attributes):
    """What ONNX Runtime says about one node, for another that means the same."""
    model = Model("", opset)
    model.add(op, operands, outputs, domain, **attributes)
    return list(model.results().values())
