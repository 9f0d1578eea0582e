"""ONNX's own node tests, run on Ingot.

    tests/import/onnx_node_tests.py [--build build/dev] [--engine ENGINE[:MODE]] [--filter TEXT] [--list]
                                    [--check | --renew] [--networks]

The cases are those of onnx.backend.test: small models with inputs and expected outputs, or with --networks the nine
image networks that onnx brings without their weights. They are written once into BUILD/onnx_node_tests
(onnx_network_tests) in ONNX's own layout; the tool BUILD/bin/onnx_node_tests imports and runs all of them in one
process. A summary follows: how many passed (`fixed`: only with short inputs as constants; `random`: with numbers of its
own, as ONNX allows), how many of those that work on tensors alone, and for every op what failed and what is unsupported,
with the reasons. node_tests/results.txt keeps the counts and every case that does not simply pass on the reference engine;
results_ENGINE.txt keeps the counts of another one and every case that comes out otherwise than there, alike in all of its
modes; why a case may fail there, tests/data/departures.txt says under the family `onnx`. --renew writes that file, --check
fails where it is not what came out.
"""

import argparse
import collections
import difflib
import pathlib
import shutil
import subprocess
import sys
import warnings

import numpy as np
import onnx
import onnx.backend.test.loader
from onnx import numpy_helper
from onnx.backend.test.loader import load_model_tests

KINDS = ["node", "simple", "pytorch-operator", "pytorch-converted"]
DATA = pathlib.Path(onnx.backend.test.loader.DATA_DIR)
STAMP = f"{onnx.__version__}, layout 2"
BEYOND_TENSORS = {"ConcatFromSequence", "Optional", "OptionalGetElement", "OptionalHasElement", "SequenceAt",
                  "SequenceConstruct", "SequenceEmpty", "SequenceErase", "SequenceInsert", "SequenceLength", "SequenceMap",
                  "SplitToSequence"}
DEPARTURES = pathlib.Path(__file__).resolve().parents[1] / "data/departures.txt"
KEPT = pathlib.Path(__file__).parent / "node_tests/results.txt"
GOOD = ("passed", "fixed", "random")
STATUSES = (*GOOD, "failed", "crashed", "unsupported")


def as_proto(value, info):
    """A value as the proto that its declared type asks for."""
    kind = info.type.WhichOneof("value")
    if isinstance(value, (onnx.TensorProto, onnx.SequenceProto, onnx.OptionalProto)):
        return value
    if kind == "sequence_type":
        return numpy_helper.from_list(list(value), info.name)
    if kind == "optional_type":
        return numpy_helper.from_optional(value, info.name)
    return numpy_helper.from_array(np.asarray(value), info.name)


def write_network(case, folder):
    """A network whose weights are all alike, on the input that ONNX's own runner makes."""
    source = DATA / "light" / pathlib.Path(case.url).name
    model = onnx.load(source)
    shutil.copy(source, folder / "model.onnx")
    data = folder / "test_data_set_0"
    data.mkdir()
    stored = {tensor.name for tensor in model.graph.initializer}
    for i, value in enumerate(model.graph.input):
        if value.name in stored:
            continue
        shape = [dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim]
        count = int(np.prod(shape))
        array = (np.arange(count).reshape(shape) / count).astype(np.float32)
        (data / f"input_{i}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
    for i in range(len(model.graph.output)):
        shutil.copy(source.with_name(f"{source.stem}_output_{i}.pb"), data / f"output_{i}.pb")


def write_case(case, folder):
    folder.mkdir(parents=True)
    if case.url:
        return write_network(case, folder)
    if case.model_dir:
        shutil.copytree(case.model_dir, folder, dirs_exist_ok=True)
        return
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    for number, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{number}"
        data.mkdir()
        for kind, values, infos in (("input", inputs, case.model.graph.input), ("output", outputs, case.model.graph.output)):
            for i, (value, info) in enumerate(zip(values, infos)):
                (data / f"{kind}_{i}.pb").write_bytes(as_proto(value, info).SerializeToString())


def op_of(case, folder):
    """The op that a case is about: that of the first node."""
    model = case.model or onnx.load(folder / "model.onnx")
    nodes = model.graph.node
    return nodes[0].op_type if nodes else "none"


def on_tensors(case, folder):
    """Whether a case has to do with tensors of numbers alone: no strings, sequences, optionals."""
    graph = (case.model or onnx.load(folder / "model.onnx")).graph
    types = [value.type for value in (*graph.input, *graph.output)]
    return not any(node.op_type in BEYOND_TENSORS for node in graph.node) and all(
        kind.WhichOneof("value") == "tensor_type" and kind.tensor_type.elem_type != onnx.TensorProto.STRING
        for kind in types)


def write_cases(folder, kinds):
    """Writes every case; the file `done` says that all are there, for this version of onnx."""
    stamp = folder / "done"
    if stamp.exists() and stamp.read_text() == STAMP:
        return
    print(f"writing the cases of onnx {onnx.__version__} to {folder}", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = [case for kind in kinds for case in load_model_tests(kind=kind)]
    cases = [case for case in cases if case.model or case.model_dir or case.url]
    lines, ops = [], []
    for case in cases:
        try:
            write_case(case, folder / case.name)
        except (TypeError, ValueError, NotImplementedError) as error:
            print(f"left out {case.name}: {error}", file=sys.stderr)
            shutil.rmtree(folder / case.name)
            continue
        lines.append(f"{case.name}\t{case.rtol}\t{case.atol}\n")
        kind = "tensors" if on_tensors(case, folder / case.name) else "others"
        ops.append(f"{case.name}\t{op_of(case, folder / case.name)}\t{kind}\n")
    (folder / "cases.tsv").write_text("".join(lines))
    (folder / "ops.tsv").write_text("".join(ops))
    stamp.write_text(STAMP)


def run_tool(tool, folder, engine, count):
    """Results by name. A case that kills the tool is noted, and the rest goes on behind it."""
    names = [line.split("\t")[0] for line in (folder / "cases.tsv").read_text().splitlines()]
    results, first = {}, 0
    while first < count:
        done = subprocess.run([tool, folder, engine, str(first)], stdout=subprocess.PIPE, text=True, errors="replace")
        for line in done.stdout.splitlines():
            status, name, reason = line.split("\t", 2)
            results[name] = (status, reason.removeprefix(f"{folder / name}/model.onnx: "))
        first = len(results)
        if first < count:
            results[names[first]] = ("crashed", f"exit code {done.returncode}")
            first += 1
    return results


def summary(results, on_tensors_alone):
    """The counts, in two lines."""
    counts = collections.Counter(status for status, _ in results.values())
    tensors = [status for name, (status, _) in results.items() if name in on_tensors_alone]
    good = sum(status in GOOD for status in tensors)
    return [
        ", ".join(f"{counts[status]} {status}" for status in STATUSES),
        f"on tensors alone, without text, sequences and optionals: {good} of {len(tensors)}, "
        f"{100 * good / max(len(tensors), 1):.2f} %",
    ]


def kept_file(engine):
    name = engine.split(":")[0]
    return KEPT if name == "reference" else KEPT.with_name(f"results_{name}.txt")


def results_of_reference():
    """What results.txt says of the cases that do not simply pass."""
    rows = [line.split("\t") for line in KEPT.read_text().split("\n\n", 1)[1].splitlines()]
    return {name: (status, reason) for status, _, name, reason in rows}


def with_departures(results, engine):
    """Failures that are known to stay, with the reason instead of the difference, whose digits depend on the processor."""
    rows = [line.split("\t") for line in DEPARTURES.read_text().splitlines()]
    reasons = {name: reason for of, family, name, reason in rows if (of, family) == (engine.split(":")[0], "onnx")}
    return {name: (status, reasons.get(name, reason) if status == "failed" else reason)
            for name, (status, reason) in results.items()}


def results_text(results, ops, on_tensors_alone, usual):
    """What is kept: the counts, then a line for each case that comes out otherwise than usual."""
    head = [f"onnx {onnx.__version__}", *summary(results, on_tensors_alone)]
    order = {status: i for i, status in enumerate(reversed(STATUSES))}
    rows = [(status, ops[name], name, reason) for name, (status, reason) in results.items()
            if (status, reason) != usual.get(name, ("passed", ""))]
    rows.sort(key=lambda row: (order[row[0]], row[1], row[2]))
    return "\n".join(head) + "\n\n" + "".join("\t".join(row) + "\n" for row in rows)


def check(path, now):
    kept = path.read_text()
    if kept == now:
        return 0
    print(f"{path.name} is not what came out; onnx_node_tests.py --renew writes it", file=sys.stderr)
    print("".join(difflib.unified_diff(kept.splitlines(True), now.splitlines(True), "kept", "now", n=0)), file=sys.stderr)
    return 1


def print_group(title, results, ops, status):
    groups = collections.defaultdict(list)
    for name, (got, reason) in results.items():
        if got == status:
            groups[ops[name]].append((name, reason))
    if not groups:
        return
    print(f"\n{title}")
    for op, cases in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
        print(f"  {op} ({len(cases)})")
        reasons = collections.Counter(reason for _, reason in cases)
        for reason, count in reasons.most_common(3):
            example = next(name for name, other in cases if other == reason)
            print(f"    {count:4}  {reason[:160]}  [{example}]")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--build", type=pathlib.Path, default=root / "build/dev")
    parser.add_argument("--engine", default="reference", help="and mode: mlx:lazy")
    parser.add_argument("--filter", default="", help="only ops and cases that contain this text")
    parser.add_argument("--list", action="store_true", help="a line for every case instead of the summary")
    parser.add_argument("--networks", action="store_true", help="image networks instead: minutes")
    parser.add_argument("--check", action="store_true", help="exit code 1 where the results are not those kept")
    parser.add_argument("--renew", action="store_true", help="write the results that are kept")
    options = parser.parse_args()
    folder = options.build / ("onnx_network_tests" if options.networks else "onnx_node_tests")
    write_cases(folder, ["real"] if options.networks else KINDS)
    rows = [line.split("\t") for line in (folder / "ops.tsv").read_text().splitlines()]
    ops = {name: op for name, op, _ in rows}
    on_tensors_alone = {name for name, _, kind in rows if kind == "tensors"}
    results = run_tool(options.build / "bin/onnx_node_tests", folder, options.engine, len(ops))
    results = with_departures(results, options.engine)
    kept = kept_file(options.engine)
    usual = {} if kept == KEPT else results_of_reference()
    if options.renew:
        kept.write_text(results_text(results, ops, on_tensors_alone, usual))
    if options.check:
        return check(kept, results_text(results, ops, on_tensors_alone, usual))
    results = {n: r for n, r in results.items() if options.filter in n or options.filter in ops[n]}
    if options.list:
        for name, (status, reason) in sorted(results.items()):
            print(f"{status}\t{ops[name]}\t{name}\t{reason}")
    else:
        print("\n".join(summary(results, on_tensors_alone)))
        print_group("Crashed", results, ops, "crashed")
        print_group("Failed", results, ops, "failed")
        print_group("Unsupported", results, ops, "unsupported")
    return 0


if __name__ == "__main__":
    sys.exit(main())
