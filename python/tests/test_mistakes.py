"""A mistake that Python can see is an error at the call, which says what was got and what is expected."""

import array
import unittest

from ingot import DType, Program, QuantMethod, QuantScheme, TensorType
from ingot.ops import IndexMode, PadMode
from support import Bench


class Mistakes(unittest.TestCase):
    def refused(self, error, message, call, *arguments, **keywords):
        with self.assertRaises(error) as caught:
            call(*arguments, **keywords)
        self.assertEqual(str(caught.exception), message)

    def test_in_attributes(self):
        b = Bench()
        x = b.f32(2, 3)
        cases = [
            ("[softmax] axis is 'last', expected an integer", b.g.softmax, x, {"axis": "last"}),
            ("[softmax] axis is 1.0, expected an integer", b.g.softmax, x, {"axis": 1.0}),
            ("[softmax] axis is True, expected an integer", b.g.softmax, x, {"axis": True}),
            ("[softmax] log is 1, expected a bool", b.g.softmax, x, {"log": 1}),
            ("[rms_norm] eps is '1', expected a real number", b.g.rms_norm, x, {"eps": "1"}),
            ("[cast] dtype is 'f32', expected a DType", b.g.cast, x, {"dtype": "f32"}),
            (
                "[pad] mode is <IndexMode.drop: 2>, expected a PadMode",
                b.g.pad,
                x,
                {"before": [0, 0], "after": [0, 0], "mode": IndexMode.drop},
            ),
            ("[pad] value is 'x', expected a number", b.g.pad, x, {"before": [0, 0], "after": [0, 0], "value": "x"}),
            ("[transpose] perm is 1, expected a sequence of integers", b.g.transpose, x, {"perm": 1}),
            ("[transpose] perm is '10', expected a sequence of integers", b.g.transpose, x, {"perm": "10"}),
            ("[transpose] perm is [1, None], expected an integer", b.g.transpose, x, {"perm": [1, None]}),
            (
                "[reshape] shape is [2.0], expected a size: an int or an expression over symbols",
                b.g.reshape,
                x,
                {"shape": [2.0]},
            ),
            ("[reshape] shape is 6, expected a sequence of sizes", b.g.reshape, x, {"shape": 6}),
            ("[nonzero] count is 3, expected a Symbol", b.g.nonzero, x, {"count": 3}),
            ("[quantize] scheme is None, expected a QuantScheme", b.g.quantize, x, {"scheme": None}),
            ("[custom] results is [<DType.f32: 11>], expected a TensorType", b.g.custom, "f", {"results": [DType.f32]}),
            (
                "[custom] attributes is [1], expected a dict of names and lists of numbers, or strings",
                b.g.custom,
                "f",
                {"results": [], "attributes": [1]},
            ),
            (
                "[custom] attributes is {'a': 1}, expected a list of numbers or a string",
                b.g.custom,
                "f",
                {"results": [], "attributes": {"a": 1}},
            ),
            ("[custom] name is 7, expected a string", b.g.custom, 7, {"results": []}),
        ]
        for message, call, first, keywords in cases:
            with self.subTest(message):
                self.refused(TypeError, message, call, first, **keywords)
        self.refused(
            ValueError, f"[softmax] axis is {2**63}, expected an integer of 64 bits", b.g.softmax, x, axis=2**63
        )
        message = f"[full] value is {2**64}, expected an integer of 64 bits, signed or unsigned"
        self.refused(ValueError, message, b.g.full, [], 2**64)
        self.assertEqual(len(b.g.nodes), 0)

    def test_in_names_of_ops_and_attributes(self):
        b = Bench()
        with self.assertRaisesRegex(AttributeError, "softmaxx"):
            b.g.softmaxx(b.f32(2))
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'axes'"):
            b.g.softmax(b.f32(2), axes=0)
        with self.assertRaisesRegex(TypeError, "missing 1 required positional argument: 'perm'"):
            b.g.transpose(b.f32(2))
        with self.assertRaisesRegex(TypeError, "positional argument"):
            b.g.softmax(b.f32(2), 0)

    def test_in_operands(self):
        b, other = Bench(), Bench()
        x, far = b.f32(2), other.f32(2)
        self.refused(TypeError, "[relu] x is 1.0, expected a Var or a Weight", b.g.relu, 1.0)
        self.refused(TypeError, "[relu] x is None, expected a Var or a Weight", b.g.relu, None)
        message = "[concatenate] operands is Var(%in1), expected a sequence of Vars and Weights"
        self.refused(TypeError, message, b.g.concatenate, x)
        message = "[add] b is Var(%in1), expected a value of graph main, not of graph main"
        self.refused(ValueError, message, b.g.add, x, far)
        weight = other.program.weight("w", [1.0], DType.f32)
        self.refused(ValueError, "[add] b is Weight(@w), expected something of the same program", b.g.add, x, weight)
        state = other.program.state("s", DType.f32, [])
        self.refused(
            ValueError, "[state_read] state is State(@s), expected something of the same program", b.g.state_read, state
        )
        message = "[reshape] shape is [Symbol(S)], expected symbols of this program, and S is not"
        self.refused(ValueError, message, b.g.reshape, x, [other.s])

    def test_in_calls(self):
        b = Bench()
        x = b.f32(2)
        late = b.graph("late")
        self.refused(
            ValueError,
            "[call] graph is Graph(@late), expected a graph that was made before graph main",
            b.g.call,
            late,
            [x],
        )
        self.refused(TypeError, "[call] graph is 'late', expected a Graph", b.g.call, "late", [x])
        body, user = b.graph("body"), b.graph("user")
        user.call(body)
        message = "the input x comes too late: graph body is called already, so its signature is fixed"
        self.refused(ValueError, message, body.input, "x", DType.f32, [])

    def test_in_numbers_beside_values(self):
        b = Bench()
        mixed = b.g.add(b.f32(2), b.i64(2))
        message = (
            "the number 1 stands beside %4, whose dtype is not known here: "
            "write Graph.scalar(number, dtype), or declare the type with Var.typed"
        )
        self.refused(TypeError, message, lambda: mixed + 1)
        mixed.typed(DType.f32, [2])
        self.assertIs((mixed + 1).dtype, DType.f32)
        self.refused(
            ValueError,
            f"[full] value is 0.5, expected an integer in {-2**63}..{2**63 - 1} (dtype i64)",
            lambda: b.i64(2) + 0.5,
        )
        self.refused(
            ValueError, "[full] value is 256, expected an integer in 0..255 (dtype u8)", lambda: b.input(DType.u8) * 256
        )
        message = "%in5 has no truth value while the program is being written: use Graph.if_ or Graph.select"
        self.refused(TypeError, message, bool, b.f32())

    def test_in_names(self):
        p = Program()
        g = p.method("f")
        x = g.input("x", DType.f32, [])
        p.weight("w", [1.0], DType.f32)
        g.output("y", x)
        cases = [
            (ValueError, "the weight w is declared twice", lambda: p.weight("w", [1.0], DType.f32)),
            (ValueError, "the graph f is declared twice", lambda: p.graph("f")),
            (ValueError, "the name of a state is empty", lambda: p.state("", DType.f32, [])),
            (TypeError, "the name of a graph is 3, expected a string", lambda: p.method(3)),
            (ValueError, "graph f: the name 'x' is taken", lambda: g.input("x", DType.f32, [])),
            (ValueError, "graph f: the name 'x' is taken", lambda: g.neg(x).named("x")),
            (ValueError, "graph f has two outputs y", lambda: g.output("y", x)),
            (TypeError, "the output z is 3, expected a Var or a Weight", lambda: g.output("z", 3)),
            (ValueError, "the symbol is 'a-b', expected letters, digits and underscores", lambda: p.symbol("a-b")),
            (ValueError, "the symbol S lies in 3..2, expected 0 <= min <= max", lambda: p.symbol("S", 3, 2)),
            (TypeError, "the symbol S lies in 0..2.5, expected an integer", lambda: p.symbol("S", max=2.5)),
            (TypeError, "the name of a file is 3, expected a string", lambda: p.weights_from(3)),
        ]
        for error, message, call in cases:
            with self.subTest(message):
                self.refused(error, message, call)
        p.symbol("S")
        self.refused(ValueError, "the symbol S is declared twice", p.symbol, "S")

    def test_in_types(self):
        p = Program()
        s = p.symbol("S")
        cases = [
            (TypeError, "the dtype of a tensor is 'f32', expected a DType", lambda: TensorType("f32", [])),
            (TypeError, "the shape is 3, expected a sequence of sizes", lambda: TensorType(DType.f32, 3)),
            (
                TypeError,
                "a size is 1.5, expected an integer or an expression over symbols",
                lambda: TensorType(DType.f32, [1.5]),
            ),
            (ValueError, "a size is -1, expected at least 0", lambda: TensorType(DType.f32, [-1])),
            (
                ValueError,
                f"a size is {2**63}, expected an integer of 64 bits or an expression over symbols",
                lambda: TensorType(DType.f32, [2**63]),
            ),
            (
                ValueError,
                "dtype packed with scheme None: packed has a scheme, others have none",
                lambda: TensorType(DType.packed, [3]),
            ),
            (
                TypeError,
                "the scheme of a tensor is 4, expected a QuantScheme",
                lambda: TensorType(DType.packed, [3], 4),
            ),
            (TypeError, "the method of a scheme is 'affine', expected a QuantMethod", lambda: QuantScheme("affine")),
            (
                TypeError,
                "bits of a scheme is 4.0, expected an integer",
                lambda: QuantScheme(QuantMethod.affine, bits=4.0),
            ),
            (
                TypeError,
                "the scale of a scheme is 'f16', expected a DType",
                lambda: QuantScheme(QuantMethod.affine, scale="f16"),
            ),
            (
                ValueError,
                "state k: the type is f32[S], expected sizes that are numbers",
                lambda: p.state("k", DType.f32, [s]),
            ),
            (
                ValueError,
                "symbols of this program, and S is not",
                lambda: Program().method("f").input("x", DType.f32, [s]),
            ),
        ]
        for error, message, call in cases:
            with self.subTest(message):
                self.refused(error, message, call)

    def test_in_weights(self):
        p = Program()
        w = p.weight("ok", [1.0], DType.f32)
        scheme = TensorType(DType.packed, [2, 64], QuantScheme(QuantMethod.affine))
        blocks = TensorType(DType.packed, [33], QuantScheme(QuantMethod.q4_0))
        cases = [
            (TypeError, "weight w: a list does not say its dtype: give one", ([1.0],)),
            (TypeError, "weight w: the type is 'f32', expected a DType or a TensorType", ([1.0], "f32")),
            (ValueError, "weight w: the data is ragged: rows of shapes [[1], [2]]", ([[1], [1, 2]], DType.f32)),
            (TypeError, "weight w: the data holds 'a', expected a real number (f32)", (["a"], DType.f32)),
            (TypeError, "weight w: the data holds True, expected a real number (f16)", ([True], DType.f16)),
            (ValueError, "weight w: the data holds 8, expected an integer in -8..7 (i4)", ([8], DType.i4)),
            (ValueError, "weight w: the data holds 2, expected False or True (bool)", ([2], DType.bool)),
            (ValueError, "weight w: the data is of shape [2], expected [3]", ([1, 2], TensorType(DType.f32, [3]))),
            (ValueError, "weight w: the contents of a packed tensor are bytes, not a list", ([1], scheme)),
            (ValueError, f"weight w: the data has 71 bytes, expected 72 for {scheme}", (bytes(71), scheme)),
            (
                ValueError,
                f"weight w: the last axis of {blocks} is 33, expected a multiple of 32",
                (bytes(18), blocks),
            ),
            (
                ValueError,
                "weight w: the data has 3 bytes, expected 2 for f16[1]",
                (bytes(3), TensorType(DType.f16, [1])),
            ),
            (ValueError, "weight w: the data is f64, expected f32", (array.array("d", [1]), DType.f32)),
            (
                ValueError,
                "weight w: the data is f32[1], expected f32[2]",
                (array.array("f", [1]), TensorType(DType.f32, [2])),
            ),
            (
                ValueError,
                "weight w: the data has the format 'c', which no dtype has: give bytes and a TensorType",
                (memoryview(b"a").cast("c"),),
            ),
        ]
        for error, message, arguments in cases:
            with self.subTest(message):
                self.refused(error, message, p.weight, "w", *arguments)
        self.refused(
            ValueError,
            "weight w: the hash is '12', expected 32 hexadecimal digits in lower case",
            p.weight_by_hash,
            "w",
            TensorType(DType.f32, []),
            "12",
        )
        self.refused(
            TypeError,
            "weight w: the type is <DType.f32: 11>, expected a TensorType",
            p.weight_in_file,
            "w",
            DType.f32,
            "a",
            "b",
        )
        self.refused(
            ValueError, "state s: the weight @ok is f32[1], expected f32[2]", p.state, "s", DType.f32, [2], initial=w
        )
        self.refused(
            ValueError,
            "state s: the weight @ok belongs to another program",
            Program().state,
            "s",
            DType.f32,
            [1],
            initial=w,
        )
        self.refused(
            ValueError,
            "state s: the weight @open has no contents, expected zeros or a weight with contents",
            p.state,
            "s",
            DType.f32,
            [1],
            initial=p.declare_weight("open", TensorType(DType.f32, [1])),
        )
        for declare in (p.declare_weight, p.zero_weight):
            self.refused(
                TypeError, "weight w: the type is <DType.f32: 11>, expected a TensorType", declare, "w", DType.f32
            )
            self.refused(
                ValueError,
                "weight w: the type is f32[S], expected sizes that are numbers",
                declare,
                "w",
                TensorType(DType.f32, [Program().symbol("S")]),
            )
        self.refused(TypeError, "state s: initial is 0, expected a Weight", p.state, "s", DType.f32, [1], initial=0)

    def test_leave_the_graph_as_it_was(self):
        b = Bench()
        x = b.f32(2)
        before = b.program.text()
        with self.assertRaises(TypeError):
            b.g.pad(x, [0], [0], mode=PadMode)
        self.assertEqual(b.program.text(), before)


if __name__ == "__main__":
    unittest.main()
