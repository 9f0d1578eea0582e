"""Writes docs/conformance.md: which ops each engine computes as NumPy and PyTorch do, and which of ONNX's tests pass.

    tests/conformance.py [--build build/dev] [--check]

The tables come from BUILD/bin/conformance, which runs every case of tests/data/reference, beside
tests/data/departures.txt; the lists from tests/import/node_tests, which onnx_node_tests.py --renew writes. --check writes
nothing and fails where the page is not what would be written.
"""

import argparse
import collections
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/conformance.md"
RESULTS = ROOT / "tests/import/node_tests/results.txt"
DEPARTURES = ROOT / "tests/data/departures.txt"
ENGINES = ["reference", "mlx:compiled"]

INTRO = """# Conformance

Written by `tests/conformance.py`; do not edit.

Every engine is held to one table of cases (`tests/data/reference`): small programs with inputs, and outputs from outside:
NumPy and SciPy in float64, PyTorch, gguf, ONNX Runtime. dtype and shape are compared exactly, reals to a step of their
dtype unless a case says otherwise, everything else bit by bit; each case runs twice, on results that begin as garbage.

A number is how many cases hold the op on that dtype (its first operand's, or its result's); `3 of 4` says that one fails.
*other* are the dtypes of storage and packed blocks.

MLX computes in the dtype itself, in an order of its own: there a real of f16, bf16, f32, f64 or c64 may be 8 steps of its
dtype away, relative to the expected value, and a step at 1 absolutely (reduce: 16 and 4; matmul in f32 and f64: 8 and
32; fft: 8 and 256; `tests/support/target.h`), and the sign of a zero is its own. In its modes eager and lazy it
gives what it gives compiled, which is shown here; but a loop's limit is noticed at the node itself.

"""

ONNX = """
## ONNX

The cases of the package onnx itself: its node tests with their expanded twins, and its small models. *fixed*: an axis or
a size that must be known when a model is imported comes from a short input, which the test then gives as a constant.
*random*: the case draws numbers, which ONNX leaves to the engine; types and shapes agree.

"""


def tables(tool):
    done = subprocess.run([tool, *ENGINES], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("a case fails")
    return done.stdout


def departures(text):
    """Which cases an engine may fail."""
    rows = [line.split("\t") for line in text.splitlines()]  # engine, family, case, reason
    out = "\n## Departures\n\nCases that an engine fails for a reason that stays.\n\n"
    out += "| engine | family | case | why |\n|---|---|---|---|\n"
    return out + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def rows_by(rows, column):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row[column]].append(row)
    return groups


def read_results(path):
    """The counts, and rows of status, op, case, reason."""
    head, lines = path.read_text().split("\n\n", 1)
    return head, [line.split("\t") for line in lines.splitlines()]


def onnx_on_engines():
    """What comes out on other engines otherwise than on the reference engine."""
    out = ""
    for path in sorted(RESULTS.parent.glob("results_*.txt")):
        head, rows = read_results(path)
        out += f"\n### On {path.stem.removeprefix('results_')}\n\n" + "".join(f"- {line}\n" for line in head.splitlines())
        if not rows:
            out += "\nEvery case comes out as on the reference engine, in every mode.\n"
            continue
        out += "\nOtherwise than on the reference engine, in every mode:\n\n| case | op | status | why |\n|---|---|---|---|\n"
        out += "".join(f"| {case} | {op} | {status} | {reason} |\n" for status, op, case, reason in rows)
    return out


def onnx_lists():
    head, rows = read_results(RESULTS)
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
    page = INTRO + tables(options.build / "bin/conformance") + departures(DEPARTURES.read_text())
    page += ONNX + onnx_lists() + onnx_on_engines()
    if not options.check:
        PAGE.write_text(page)
    elif not PAGE.exists() or PAGE.read_text() != page:
        sys.exit("docs/conformance.md is stale: run tests/conformance.py")


if __name__ == "__main__":
    main()
