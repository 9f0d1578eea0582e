"""Times `ingot import` on ONNX models beside plain copies of their files, and measures its memory.

    import.py TOOL DIR     DIR/large.onnx is the model of onnx_peer.py; prints rows of a markdown table
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def make_inline(folder):
    """The same weights inside the .onnx file."""
    model = onnx.load(folder / "large.onnx")
    onnx.save(model, folder / "inline.onnx")


def make_wide(folder, nodes=5000):
    """Element-wise nodes with symbolic sizes and chains of shapes, without weights."""
    rows, x = [], "x"
    for i in range(nodes // 5):
        rows.append(helper.make_node("Shape", [x], [f"shape{i}"]))
        rows.append(helper.make_node("Reshape", [x, f"shape{i}"], [f"r{i}"]))
        rows.append(helper.make_node("Add", [f"r{i}", "one"], [f"a{i}"]))
        rows.append(helper.make_node("Relu", [f"a{i}"], [f"b{i}"]))
        rows.append(helper.make_node("Mul", [f"b{i}", x], [f"c{i}"]))
        x = f"c{i}"
    info = helper.make_tensor_value_info
    one = numpy_helper.from_array(np.ones((), np.float32), "one")
    graph = helper.make_graph(rows, "wide", [info("x", TensorProto.FLOAT, ["S", 16])], [info(x, TensorProto.FLOAT, ["S", 16])], [one])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]), folder / "wide.onnx")


def own_memory(pid):
    """MiB that belong to the process alone: mapped files do not count."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    except FileNotFoundError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1024


def run_import(tool, source, target):
    """Seconds, and the peak of its own memory."""
    start, peak = time.perf_counter(), 0.0
    process = subprocess.Popen([tool, "import", source, "-o", target])
    while process.poll() is None:
        peak = max(peak, own_memory(process.pid))
        time.sleep(0.002)
    seconds = time.perf_counter() - start
    assert process.returncode == 0, source
    return seconds, peak


def run_copy(files, folder):
    start = time.perf_counter()
    for file in files:
        shutil.copyfile(file, folder / "copy")
        (folder / "copy").unlink()
    return time.perf_counter() - start


def row(what, seconds, note):
    print(f"| {what} | {min(seconds) * 1000:.1f} ms | {statistics.median(seconds) * 1000:.1f} ms | {note} |", flush=True)


def compare(tool, folder, what, files, runs=9):
    copies, imports, peaks = [], [], []
    for _ in range(runs):
        os.sync()  # neither waits for what others have left to write
        copies.append(run_copy(files, folder))
        seconds, peak = run_import(tool, files[0], folder / "imported.ingot")
        (folder / "imported.ingot").unlink()
        imports.append(seconds)
        peaks.append(peak)
    row(f"copy, {what}", copies, "")
    ratios = [f"{best(imports) / best(copies):.2f}×" for best in (min, statistics.median)]
    row(f"import, {what}", imports, f"{' and '.join(ratios)} the copy, {max(peaks):.0f} MiB of its own at most")


def main():
    tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    make_inline(folder)
    make_wide(folder)
    compare(tool, folder, "10,000 nodes, 1 GiB beside the file", [folder / "large.onnx", folder / "large.onnx.data"])
    compare(tool, folder, "10,000 nodes, 1 GiB in the file", [folder / "inline.onnx"])
    wide = [run_import(tool, folder / "wide.onnx", folder / "wide.ingot") for _ in range(7)]
    row("import, 5,000 nodes without weights", [seconds for seconds, _ in wide], f"{max(peak for _, peak in wide):.0f} MiB")


if __name__ == "__main__":
    main()
