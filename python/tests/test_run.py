"""Programs written in Python with NumPy weights, run by the tool and compared with NumPy."""

import unittest

import numpy as np
from ingot import DType, Program, TensorType
from support import ToolTest


class Runs(ToolTest):
    def run_method(self, program, method, **inputs):
        """The outputs of one call, as NumPy arrays."""
        arguments = []
        for name, value in inputs.items():
            np.save(self.folder / f"{name}.npy", value)
            arguments += ["--input", f"{name}=@{name}.npy"]
        path = self.write("program.txt", program)
        self.tool("run", path, "--method", method, *arguments, "--output", "@out.npz")
        with np.load(self.folder / "out.npz") as outputs:
            return dict(outputs)

    def test_mlp(self):
        rng = np.random.default_rng(3)
        w1, b1 = rng.normal(size=(5, 7)).astype(np.float32), rng.normal(size=7).astype(np.float32)
        w2, b2 = rng.normal(size=(3, 7)).astype(np.float32), rng.normal(size=3).astype(np.float32)
        p = Program()
        n = p.symbol("N", 1)
        g = p.method("classify")
        x = g.input("x", DType.f32, [n, 5])
        hidden = g.relu(x @ p.weight("w1", w1) + p.weight("b1", b1)) * np.float64(0.5)
        logits = g.matmul(hidden, p.weight("w2", w2), transpose_b=True) + p.weight("b2", b2)
        g.output("p", g.softmax(logits))
        g.output("best", g.argmax(logits))

        given = rng.normal(size=(4, 5)).astype(np.float32)
        got = self.run_method(p, "classify", x=given)
        wide = [array.astype(np.float64) for array in (given, w1, b1, w2, b2)]
        logits = np.maximum(wide[0] @ wide[1] + wide[2], 0) * 0.5 @ wide[3].T + wide[4]
        powers = np.exp(logits - logits.max(1, keepdims=True))
        np.testing.assert_allclose(got["p"], powers / powers.sum(1, keepdims=True), rtol=1e-5)
        np.testing.assert_array_equal(got["best"], logits.argmax(1))
        self.assertEqual(got["p"].dtype, np.float32)

    def test_scan(self):
        # An exponential average, and its trace from the last row to the first.
        p = Program()
        t = p.symbol("T")
        step = p.graph("step")
        mean, x, rate = (
            step.input(name, DType.f64, shape) for name, shape in (("mean", [3]), ("x", [3]), ("rate", []))
        )
        after = mean + rate * (x - mean)
        step.output("mean", after)
        step.output("trace", after)
        g = p.method("average")
        xs = g.input("xs", DType.f64, [t, 3])
        start = g.full([3], 1.0, dtype=DType.f64)
        last, trace = g.scan(step, t, [start], [xs], [g.scalar(0.25, DType.f64)], reverse=True)
        g.output("last", last)
        g.output("trace", trace)

        for length in (0, 1, 5):
            given = np.random.default_rng(length).normal(size=(length, 3))
            mean, trace = np.ones(3), np.zeros((length, 3))
            for i in reversed(range(length)):
                mean = mean + 0.25 * (given[i] - mean)
                trace[i] = mean
            got = self.run_method(p, "average", xs=given)
            np.testing.assert_allclose(got["last"], mean, rtol=1e-15)
            np.testing.assert_allclose(got["trace"], trace, rtol=1e-15)

    def test_while_and_if(self):
        # Collatz: how many steps from n to 1.
        p = Program()
        even, odd = p.graph("even"), p.graph("odd")
        for graph in (even, odd):
            n = graph.input("n", DType.i64, [])
            graph.output("next", n // 2 if graph is even else 3 * n + 1)
        more, body = p.graph("more"), p.graph("body")
        for graph in (more, body):
            n, steps = graph.input("n", DType.i64, []), graph.input("steps", DType.i64, [])
            if graph is more:
                graph.output("more", n > 1)
            else:
                (following,) = graph.if_(graph.eq(n % 2, graph.scalar(0, DType.i64)), even, odd, [n])
                graph.output("n", following)
                graph.output("steps", steps + 1)
        g = p.method("collatz")
        _, steps = g.while_(more, body, [g.input("n", DType.i64, []), g.scalar(0, DType.i64)])
        g.output("steps", steps)
        for n, wanted in ((1, 0), (6, 8), (27, 111)):
            self.assertEqual(self.run_method(p, "collatz", n=np.array(n))["steps"], wanted)

    def test_state_is_kept_between_calls(self):
        p = Program()
        total = p.state("total", DType.f32, [2], initial=p.weight("start", np.array([1, 2], np.float32)))
        g = p.method("add")
        g.output("total", g.state_write(total, g.state_read(total) + g.input("x", DType.f32, [2])))
        np.save(self.folder / "x.npy", np.array([10, 100], np.float32))
        path = self.write("program.txt", p)
        self.tool("run", path, "--input", "x=@x.npy", "--repeat", "3", "--output", "total=@total.npy")
        np.testing.assert_array_equal(np.load(self.folder / "total.npy"), [31, 302])

    def test_weights_are_filled_from_a_file(self):
        p = Program()
        g = p.method("f")
        w = p.declare_weight("w", TensorType(DType.f32, [2, 3]))
        b = p.zero_weight("b", TensorType(DType.f32, [3]))
        g.output("y", g.input("x", DType.f32, [1, 2]) @ w + b)
        path = self.write("program.txt", p)
        given = np.arange(6, dtype="<f4").reshape(2, 3)
        header = b'{"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}'
        header += b" " * (-len(header) % 8)
        contents = len(header).to_bytes(8, "little") + header + given.tobytes()
        (self.folder / "w.safetensors").write_bytes(contents)
        self.tool("run", path, "--input", "x=1x2xf32=1 2", "--params", "w.safetensors", "--output", "y=@y.npy")
        np.testing.assert_array_equal(np.load(self.folder / "y.npy"), [[1, 2]] @ given)

    def test_weights_keep_their_bits(self):
        rng = np.random.default_rng(5)
        odd = np.array([np.nan, -np.nan, -0.0, np.inf, 1e-45, 0.1], np.float32)
        odd.view(np.uint32)[0] |= 5  # the payload of a NaN
        arrays = {
            "odd": odd,
            "scalar": np.array(2.5),
            "empty": np.zeros((0, 3), np.int8),
            "c64": np.complex64([1 + 2j]),
        }
        arrays |= {"turned": np.arange(6, dtype=np.int16).reshape(2, 3).T, "every": np.arange(9, dtype=np.uint32)[::2]}
        for dtype in "?BHIQbhilqefd":
            for size in (3, 65):
                arrays[f"{dtype}{size}"] = rng.integers(0, 2, size).astype(dtype)
        p = Program()
        g = p.method("all")
        for name, array in arrays.items():
            g.output(name, p.weight(name, array))
        got = self.run_method(p, "all")
        for name, array in arrays.items():
            with self.subTest(name):
                self.assertEqual(got[name].tobytes(), array.tobytes())
                self.assertEqual(
                    (got[name].dtype.str, got[name].shape), (array.dtype.newbyteorder("<").str, array.shape)
                )

    def test_numpy_numbers_are_numbers(self):
        p = Program()
        g = p.method("f")
        x = g.input("x", DType.f32, [np.int64(2)])
        y = np.float32(2) * x + np.int8(1)
        g.output("y", g.softmax(g.pad(y, [np.int32(1)], [0], value=np.float16(-1)), axis=np.int64(0)))
        self.assertIn("%2 = mul %1, %x", p.text())
        self.assertIn("full {shape=[], value=2.0}", p.text())
        self.assertIn("value=-1.0", p.text())
        wanted = np.exp([-1.0, 3.0, 5.0])
        got = self.run_method(p, "f", x=np.array([1, 2], np.float32))["y"]
        np.testing.assert_allclose(got, wanted / wanted.sum(), rtol=1e-6)

    def test_numpy_arrays_are_no_operands(self):
        g = Program().method("f")
        x = g.input("x", DType.f32, [2])
        for call in (lambda: x + np.ones(2), lambda: np.ones(2) + x):
            with self.assertRaisesRegex(TypeError, r"\[add\] [ab] is array\(\[1., 1.\]\), expected a Var or a Weight"):
                call()

    def test_numpy_arrays_that_are_refused(self):
        cases = {
            "weight w: the data has the format 'Zd', which no dtype has: give bytes and a TensorType": np.array([1j]),
            "weight w: the data has the format '>i', expected little-endian numbers": np.array([1], ">i4"),
        }
        for message, array in cases.items():
            with self.assertRaises(ValueError) as caught:
                Program().weight("w", array)
            self.assertEqual(str(caught.exception), message)
        with self.assertRaisesRegex(ValueError, "the data is f64, expected f32"):
            Program().weight("w", np.ones(2), DType.f32)
        with self.assertRaisesRegex(ValueError, r"the data is f64\[2\], expected f64\[1, 2\]"):
            Program().weight("w", np.ones(2), TensorType(DType.f64, [1, 2]))


if __name__ == "__main__":
    unittest.main()
