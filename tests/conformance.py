"""Writes docs/conformance.md: which ops each engine computes as NumPy and PyTorch do, and which of ONNX's tests pass.

    tests/conformance.py [--build build/dev] [--check]

The table comes from BUILD/bin/conformance, which runs every case of tests/data/reference; the list from
tests/import/node_tests/results.txt, which onnx_node_tests.py --renew writes. --check writes nothing and fails where the
page is not what would be written.
"""

import argparse
import collections
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/conformance.md"
RESULTS = ROOT / "tests/import/node_tests/results.txt"
ENGINES = ["reference"]

INTRO = """# Conformance

Written by `tests/conformance.py`; do not edit.

Every engine is held to one table of cases (`tests/data/reference`): small programs with inputs, and outputs from outside:
NumPy and SciPy in float64, PyTorch, gguf, ONNX Runtime. dtype and shape are compared exactly, reals to a step of their
dtype unless a case says otherwise, everything else bit by bit; each case runs twice, on results that begin as garbage.

A number is how many cases hold the op on that dtype (its first operand's, or its result's); `3 of 4` says that one fails.
*other* are the dtypes of storage and packed blocks.

"""

ONNX = """
## ONNX

The cases of the package onnx itself: its node tests with their expanded twins, and its small models. *fixed*: an axis or
a size that must be known when a model is imported comes from a short input, which the test then gives as a constant.
*random*: the case draws numbers, which ONNX leaves to the engine; types and shapes agree.

"""


def table(tool):
    done = subprocess.run([tool, *ENGINES], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("a case fails")
    return done.stdout


def rows_by(rows, column):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row[column]].append(row)
    return groups


def onnx_lists(text):
    head, *lines = text.split("\n\n", 1)
    rows = [line.split("\t") for line in lines[0].splitlines()]  # status, op, case, reason
    out = "".join(f"- {line}\n" for line in head.splitlines())
    by_status = rows_by(rows, 0)
    rest = [row for status in ("crashed", "failed", "unsupported") for row in by_status[status]]
    out += "\nNot passed:\n\n| case | op | why |\n|---|---|---|\n"
    out += "".join(f"| {case} | {op} | {reason} |\n" for _, op, case, reason in rest)
    out += "\nFixed, by op:\n\n| op | cases | why |\n|---|---|---|\n"
    for op, group in sorted(rows_by(by_status["fixed"], 1).items()):
        reasons = collections.Counter(row[3] for row in group)
        out += f"| {op} | {len(group)} | {reasons.most_common(1)[0][0]} |\n"
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/dev")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    page = INTRO + table(options.build / "bin/conformance") + ONNX + onnx_lists(RESULTS.read_text())
    if not options.check:
        PAGE.write_text(page)
    elif not PAGE.exists() or PAGE.read_text() != page:
        sys.exit("docs/conformance.md is stale: run tests/conformance.py")


if __name__ == "__main__":
    main()
