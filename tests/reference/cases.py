"""Makes tests/data/reference/<family>.json: programs with inputs, and the outputs that NumPy gives for them.

  python tests/reference/cases.py [--check] [family...]

tests/reference/make_<family>.py has the cases of a family: a function `cases()` that gives a list of what `case` makes.
Numbers are computed in float64, complex128 or exact integers, and rounded to their dtype once, at the end. `--check`
writes nothing and fails where a file is not what would be written, but for the last digits of reals: those of NumPy's
functions depend on the processor. Families whose numbers come from PyTorch or gguf are then left out where those are
not installed. The format is described in case.h.
"""

import argparse
import dataclasses
import importlib
import json
import math
import pathlib
import re
import sys

import numpy as np

# What scripts/test does without: their families are compared where they are installed.
OPTIONAL = ("torch", "gguf")

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "data" / "reference"
COUNTS = DATA / "counts.txt"

UNSIGNED = ("u8", "u16", "u32", "u64")
SIGNED = ("i8", "i16", "i32", "i64")
INTEGERS = UNSIGNED + SIGNED
REALS = ("f16", "bf16", "f32", "f64")
NUMBERS = INTEGERS + REALS + ("c64",)
COMPUTABLE = ("bool",) + NUMBERS


@dataclasses.dataclass(frozen=True)
class RealFormat:
    digits: int  # explicit bits of the mantissa
    min_exponent: int  # of the smallest normal number
    largest: float
    beyond: str  # what larger numbers become: inf, nan, largest


REAL_FORMATS = {
    "f16": RealFormat(10, -14, 65504.0, "inf"),
    "bf16": RealFormat(7, -126, float.fromhex("0x1.fep127"), "inf"),
    "f32": RealFormat(23, -126, float.fromhex("0x1.fffffep127"), "inf"),
    "f64": RealFormat(52, -1022, sys.float_info.max, "inf"),
    "f8e4m3": RealFormat(3, -6, 448.0, "nan"),
    "f8e5m2": RealFormat(2, -14, 57344.0, "inf"),
    "f8e8m0": RealFormat(0, -127, float.fromhex("0x1p127"), "nan"),
    "f4e2m1": RealFormat(1, 0, 6.0, "largest"),
}


def bits_of(dtype):
    """Width of one element."""
    if dtype == "bool":
        return 8
    digits = "".join(c if c.isdigit() else " " for c in dtype).split()
    return int(digits[0])


def integer_range(dtype):
    """Lowest and highest, inclusive."""
    bits = bits_of(dtype)
    return (0, 2**bits - 1) if dtype[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def round_real(dtype, x):
    """Float64 numbers to the nearest of a real format, halves to even; still as float64."""
    x = np.asarray(x, np.float64)
    if dtype == "f64":
        return x
    form = REAL_FORMATS[dtype]
    with np.errstate(all="ignore"):
        exponent = np.frexp(x)[1].astype(np.int64) - 1
        shift = form.digits - np.maximum(exponent, form.min_exponent)
        y = np.ldexp(np.rint(np.ldexp(x, shift)), -shift)
    y = np.where(np.isfinite(x), y, x)
    instead = {"inf": np.inf, "nan": np.nan, "largest": form.largest}[form.beyond]
    return np.where(np.abs(y) > form.largest, np.copysign(instead, x), y)


def wrap(dtype, x):
    """Integers of any size to their low bits."""
    low, high = integer_range(dtype)
    span = high - low + 1
    return np.array([(int(v) - low) % span + low for v in np.asarray(x, object).ravel()], object).reshape(np.shape(x))


@dataclasses.dataclass(frozen=True)
class Tensor:
    """`values` are exact in `dtype`: bool, Python integers (object), float64 or complex128."""

    dtype: str
    values: np.ndarray

    @property
    def shape(self):
        return self.values.shape

    @property
    def type(self):
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"

    def __str__(self):
        return f"{self.type} = [{', '.join(element_text(self.dtype, v) for v in self.values.ravel())}]"


def tensor(dtype, values, shape=None):
    """Rounds reals, refuses integers out of range; `wrap` them first where that is meant."""
    if dtype == "bool":
        array = np.array(values, bool)
    elif dtype == "c64":
        z = np.array(values, np.complex128)
        array = np.empty(z.shape, np.complex128)
        array.real, array.imag = round_real("f32", z.real), round_real("f32", z.imag)
    elif dtype in REAL_FORMATS:
        array = round_real(dtype, np.array(values, np.float64))
    else:
        array = np.array([int(v) for v in np.array(values, object).ravel()], object).reshape(np.shape(values))
        low, high = integer_range(dtype)
        assert all(low <= v <= high for v in array.ravel()), (dtype, values)
    return Tensor(dtype, array if shape is None else array.reshape(shape))


class Raw:
    """A tensor by its bytes: for packed ones, and for bits that no list can say."""

    def __init__(self, type, data):
        self.type, self.data = type, data

    def __str__(self):
        return f'{self.type} = hex"{self.data.hex()}"'


def element_text(dtype, value):
    if dtype == "bool":
        return "true" if value else "false"
    if dtype == "c64":
        return f"complex({element_text('f32', value.real)}, {element_text('f32', value.imag)})"
    if dtype not in REAL_FORMATS:
        return str(value)
    if np.isnan(value):
        return "nan"
    if dtype in ("f16", "bf16", "f32"):
        return str({"f16": np.float16, "bf16": np.float32, "f32": np.float32}[dtype](value))
    return repr(float(value))


def method(inputs, body, outputs, name="main"):
    """The text of a method. `inputs` by name: a Tensor, or the text of a type. `body` has a line for each node."""
    declared = ", ".join(f"%{k}: {v if isinstance(v, str) else v.type}" for k, v in inputs.items())
    lines = [f"method {name}({declared}) -> ({', '.join(outputs)}) {{"]
    lines += [f"  {line}" for line in body]
    lines.append(f"  return {', '.join('%' + output for output in outputs)}")
    return "\n".join(lines) + "\n}\n"


def call(inputs, outputs=None, error=None, states=None, **options):
    """One call: its outputs, or the text of its refusal. Options as case.h lists them."""
    row = {"inputs": {k: str(v) for k, v in inputs.items()}}
    row |= {"error": error} if error else {"outputs": {k: str(v) for k, v in (outputs or {}).items()}}
    return row | ({"states": {k: str(v) for k, v in states.items()}} if states else {}) | options


def case(name, program, calls):
    """`program` without its first line."""
    return {"name": name, "program": "ingot 1\n" + program, "calls": calls}


def ops_case(name, inputs, ops, **options):
    """One call of one method. `ops` by output: the op's line without `%y =`, and the expected Tensor."""
    body = [f"%{output} = {line}" for output, (line, _) in ops.items()]
    expected = {output: value for output, (_, value) in ops.items()}
    return case(name, method(inputs, body, expected), [call(inputs, expected, **options)])


def error_case(name, inputs, line, error, **options):
    """One op whose values are refused when it runs. The result is %y of the method main."""
    return case(name, method(inputs, [f"%y = {line}"], ["y"]), [call(inputs, error=error, **options)])


def text_of(rows):
    return "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"


def close(a, b):
    """Whether two words are the same real up to the last digit that bf16 has."""
    try:
        return "." in a + b and math.isclose(float(a), float(b), rel_tol=0.01, abs_tol=1e-9)
    except ValueError:
        return False


def agree(a, b):
    a, b = (re.split(r"([^\w.+-]+)", text) for text in (a, b))
    return len(a) == len(b) and all(x == y or close(x, y) for x, y in zip(a, b))


def counts():
    """How many cases each file has, so that none is lost unseen."""
    rows = [f"{path.stem} {len(json.loads(path.read_text()))}\n" for path in sorted(DATA.glob("*.json"))]
    return "".join(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("families", nargs="*")
    arguments = parser.parse_args()
    families = arguments.families or sorted(path.stem.removeprefix("make_") for path in HERE.glob("make_*.py"))
    stale = []
    for family in families:
        try:
            module = importlib.import_module(f"make_{family}")
        except ModuleNotFoundError as missing:
            if not arguments.check or missing.name not in OPTIONAL:
                raise
            print(f"{family}: not compared, {missing.name} is not installed")
            continue
        text, path = text_of(module.cases()), DATA / f"{family}.json"
        if not arguments.check:
            path.write_text(text)
        elif not path.exists() or not agree(path.read_text(), text):
            stale.append(path.name)
    if not arguments.check:
        COUNTS.write_text(counts())
    elif COUNTS.read_text() != counts():
        stale.append(COUNTS.name)
    sys.exit(f"stale, run tests/reference/cases.py: {', '.join(stale)}" if stale else 0)


if __name__ == "__main__":
    sys.modules["cases"] = sys.modules[__name__]  # so that the families import this one
    main()
