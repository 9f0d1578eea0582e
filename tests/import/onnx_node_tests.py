"""ONNX's own node tests, run on Ingot.

    tests/import/onnx_node_tests.py [--build build/dev] [--filter TEXT] [--list] [--baseline FILE]

The cases are those of onnx.backend.test: small models with inputs and expected outputs. They are written once into
BUILD/onnx_node_tests in ONNX's own layout; the tool BUILD/bin/onnx_node_tests imports and runs all of them in one
process. A summary follows: how many passed (`fixed`: only with short inputs as constants), and for every op what failed
and what is unsupported, with the reasons.
"""

import argparse
import collections
import pathlib
import shutil
import subprocess
import sys
import warnings

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.loader import load_model_tests

KINDS = ["node", "simple", "pytorch-operator", "pytorch-converted"]


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


def write_case(case, folder):
    folder.mkdir(parents=True)
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


def write_cases(folder):
    """Writes every case; the file `done` says that all are there, for this version of onnx."""
    stamp = folder / "done"
    if stamp.exists() and stamp.read_text() == onnx.__version__:
        return
    print(f"writing the cases of onnx {onnx.__version__} to {folder}", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = [case for kind in KINDS for case in load_model_tests(kind=kind)]
    cases = [case for case in cases if case.model or case.model_dir]
    lines, ops = [], []
    for case in cases:
        try:
            write_case(case, folder / case.name)
        except (TypeError, ValueError, NotImplementedError) as error:
            print(f"left out {case.name}: {error}", file=sys.stderr)
            shutil.rmtree(folder / case.name)
            continue
        lines.append(f"{case.name}\t{case.rtol}\t{case.atol}\n")
        ops.append(f"{case.name}\t{op_of(case, folder / case.name)}\n")
    (folder / "cases.tsv").write_text("".join(lines))
    (folder / "ops.tsv").write_text("".join(ops))
    stamp.write_text(onnx.__version__)


def run_tool(tool, folder, count):
    """Results by name. A case that kills the tool is noted, and the rest goes on behind it."""
    names = [line.split("\t")[0] for line in (folder / "cases.tsv").read_text().splitlines()]
    results, first = {}, 0
    while first < count:
        done = subprocess.run([tool, folder, str(first)], stdout=subprocess.PIPE, text=True, errors="replace")
        for line in done.stdout.splitlines():
            status, name, reason = line.split("\t", 2)
            results[name] = (status, reason.removeprefix(f"{folder / name}/model.onnx: "))
        first = len(results)
        if first < count:
            results[names[first]] = ("crashed", f"exit code {done.returncode}")
            first += 1
    return results


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
    parser.add_argument("--filter", default="", help="only ops and cases that contain this text")
    parser.add_argument("--list", action="store_true", help="a line for every case instead of the summary")
    parser.add_argument("--baseline", type=pathlib.Path, help="a list of cases that must pass; exit code 1 where one does not")
    options = parser.parse_args()
    folder = options.build / "onnx_node_tests"
    write_cases(folder)
    ops = dict(line.split("\t") for line in (folder / "ops.tsv").read_text().splitlines())
    results = run_tool(options.build / "bin/onnx_node_tests", folder, len(ops))
    missing = []
    if options.baseline:
        wanted = options.baseline.read_text().split()
        missing = [name for name in wanted if results.get(name, ("missing",))[0] not in ("passed", "fixed")]
    results = {n: r for n, r in results.items() if options.filter in n or options.filter in ops[n]}
    if options.list:
        for name, (status, reason) in sorted(results.items()):
            print(f"{status}\t{ops[name]}\t{name}\t{reason}")
    else:
        counts = collections.Counter(status for status, _ in results.values())
        print(", ".join(f"{counts[status]} {status}" for status in ("passed", "fixed", "failed", "crashed", "unsupported")))
        print_group("Crashed", results, ops, "crashed")
        print_group("Failed", results, ops, "failed")
        print_group("Unsupported", results, ops, "unsupported")
    for name in missing:
        print(f"must pass and does not: {name}: {results.get(name)}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
