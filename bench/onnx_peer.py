"""The graph of bench_program as ONNX: writes it, or times onnx.load + onnx.checker on it.

    onnx_peer.py make DIR
    onnx_peer.py load DIR     prints rows of the same table
"""

import pathlib
import sys
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH, WEIGHTS, NODES = 1024, 256, 10_000


def make(folder):
    weights = [
        numpy_helper.from_array(np.full((WIDTH, WIDTH), i / WEIGHTS, np.float32), f"layer.{i}.weight") for i in range(WEIGHTS)
    ]
    weights.append(numpy_helper.from_array(np.ones(WIDTH, np.float32), "norm"))
    nodes, x = [], "x"
    for i in range(NODES // 4):
        nodes.append(helper.make_node("MatMul", [x, f"layer.{i % WEIGHTS}.weight"], [f"m{i}"], name=f"layer{i}/matmul"))
        nodes.append(helper.make_node("Add", [f"m{i}", x], [f"a{i}"]))
        nodes.append(helper.make_node("Gelu", [f"a{i}"], [f"g{i}"]))
        nodes.append(helper.make_node("RMSNormalization", [f"g{i}", "norm"], [f"s{i}"], axis=-1))
        x = f"s{i}"
    info = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "large", [info("x", TensorProto.FLOAT, ["S", WIDTH])], [info(x, TensorProto.FLOAT, ["S", WIDTH])], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)])
    onnx.save(model, folder / "large.onnx", save_as_external_data=True, location="large.onnx.data")


def load(folder):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        model = onnx.load(folder / "large.onnx")
        onnx.checker.check_model(model)
        times.append((time.perf_counter() - start) * 1000)
    times.sort()
    print(f"| onnx.load + checker, weights read | {times[0]:.2f} ms | {times[len(times) // 2]:.2f} ms | onnx {onnx.__version__} |")
    times = []
    for _ in range(5):
        start = time.perf_counter()
        model = onnx.load(folder / "large.onnx", load_external_data=False)
        onnx.checker.check_model(folder / "large.onnx")
        times.append((time.perf_counter() - start) * 1000)
    times.sort()
    print(f"| onnx.load + checker, weights left on disk | {times[0]:.2f} ms | {times[len(times) // 2]:.2f} ms | onnx {onnx.__version__} |")


if __name__ == "__main__":
    {"make": make, "load": load}[sys.argv[1]](pathlib.Path(sys.argv[2]))
