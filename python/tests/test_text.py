"""The text of whole programs, letter by letter, and that the tool reads the same out of it."""

import array
import json
import unittest

from ingot import DType, Program, QuantMethod, QuantScheme, TensorType, ceil_div, maximum, minimum, ops
from ingot.weights import byte_count
from support import ToolTest


def weight_line(*arguments):
    return Program().weight("w", *arguments).declaration()


class Sizes(unittest.TestCase):
    def test_keep_their_meaning(self):
        cases = {
            "S + T + 1": lambda s, t: s + t + 1,
            "S + T - 1": lambda s, t: s + (t - 1),
            "1 + S": lambda s, t: 1 + s,
            "S - (T + 1)": lambda s, t: s - (t + 1),
            "5 - S": lambda s, t: 5 - s,
            "0 - S": lambda s, t: -s,
            "S - (-1)": lambda s, t: s - -1,
            "(S + 1)*(T - 2)": lambda s, t: (s + 1) * (t - 2),
            "2*S*T": lambda s, t: 2 * s * t,
            "S*(2*T)": lambda s, t: s * (2 * t),
            "S / 4": lambda s, t: s // 4,
            "(S / 4)*4": lambda s, t: s // 4 * 4,
            "S*4 / 8": lambda s, t: s * 4 // 8,
            "S / (T*2)": lambda s, t: s // (t * 2),
            "7 / T": lambda s, t: 7 // t,
            "(S % 4) % 3": lambda s, t: s % 4 % 3,
            "9 % S": lambda s, t: 9 % s,
            "ceil(S + 1, 4)": lambda s, t: ceil_div(s + 1, 4),
            "min(S, max(T, 3))*2": lambda s, t: minimum(s, maximum(t, 3)) * 2,
        }
        p = Program()
        s, t = p.symbol("S"), p.symbol("T")
        functions = {"ceil": lambda a, b: -(-a // b), "min": min, "max": max}
        for text, build in cases.items():
            with self.subTest(text):
                self.assertEqual(str(TensorType(DType.f32, [build(s, t)])), f"f32[{text}]")
                value = eval(text.replace(" / ", " // "), functions | {"S": 23, "T": 6})
                self.assertEqual(value, eval(str(build(23, 6)), functions))

    def test_have_no_truth_value(self):
        with self.assertRaisesRegex(TypeError, "the size S has no truth value"):
            bool(Program().symbol("S"))


class Weights(unittest.TestCase):
    def test_from_lists(self):
        cases = {
            "f32[2, 2] = [1.0, -2.5, inf, nan]": ([[1, -2.5], [float("inf"), float("nan")]], DType.f32),
            "bf16[] = [0.5]": (0.5, DType.bf16),
            "i4[3] = [-8, 7, 0]": ([-8, 7, 0], DType.i4),
            "u64[1] = [18446744073709551615]": ([2**64 - 1], DType.u64),
            "bool[3] = [true, false, true]": ([True, 0, 1], DType.bool),
            "c64[2] = [complex(1.0, 0.0), complex(0.0, -2.0)]": ([1, complex(0, -2)], DType.c64),
            "f32[0] = []": ([], DType.f32),
            "f32[2, 0] = []": ([[], []], DType.f32),
        }
        for wanted, arguments in cases.items():
            with self.subTest(wanted):
                self.assertEqual(weight_line(*arguments), f"weight @w : {wanted}")

    def test_without_contents(self):
        p, type = Program(), TensorType(DType.f32, [2, 3])
        self.assertEqual(p.declare_weight("w", type).declaration(), "weight @w : f32[2, 3]")
        zeros = p.zero_weight("z", type)
        self.assertEqual(zeros.declaration(), "weight @z : f32[2, 3] = zeros")
        state = p.state("s", DType.f32, [2, 3], initial=zeros)
        self.assertEqual(state.declaration(), "state @s : f32[2, 3] = @z")

    def test_from_buffers(self):
        self.assertEqual(weight_line(array.array("f", [1, -0.0])), "weight @w : f32[2] = [1.0, -0.0]")
        self.assertEqual(weight_line(array.array("q", [1, -2])), "weight @w : i64[2] = [1, -2]")
        self.assertEqual(weight_line(b"\x01\xff"), "weight @w : u8[2] = [1, 255]")
        self.assertEqual(weight_line(array.array("d", [float("nan")])), 'weight @w : f64[1] = hex"000000000000f87f"')
        self.assertEqual(weight_line(bytes(65)), f'weight @w : u8[65] = hex"{"00" * 65}"')
        self.assertEqual(weight_line(b"\x80\x3f", TensorType(DType.bf16, [1])), 'weight @w : bf16[1] = hex"803f"')
        scheme = QuantScheme(QuantMethod.mxfp4)
        line = weight_line(bytes(17), TensorType(DType.packed, [1, 32], scheme))
        head = "packed<mxfp4, bits=4, group=32, scale=f8e8m0>[1, 32]"
        self.assertEqual(line, f'weight @w : {head} = hex"{"00" * 17}"')


class Packed(ToolTest):
    def test_weights_of_every_method_are_as_long_as_the_tool_says(self):
        p = Program()
        for method in QuantMethod:
            type = TensorType(DType.packed, [3, 512], QuantScheme(method))
            p.weight(method.name, bytes(byte_count(type)), type)
        read = json.loads(self.tool("inspect", "--json", self.write("packed.txt", p)))
        self.assertEqual([weight["name"] for weight in read["weights"]], [method.name for method in QuantMethod])


class Names(ToolTest):
    def test_of_every_kind_come_back(self):
        p = Program()
        names = ["7", "1.5", "a b", 'q"uote\\', "tab\tline\n", "slash//slash", "größe", "\x7f\x00", "fc.w/0-1$"]
        g = p.method("odd method")
        for name in names:
            p.weight(name, [1.0], DType.f32)
            x = g.input(name, DType.f32, [1])
            g.output(name, g.neg(x).named(f"{name}, negative"))
        read = json.loads(self.tool("inspect", "--json", self.write("names.txt", p)))
        self.assertEqual([weight["name"] for weight in read["weights"]], names)
        self.assertEqual(read["graphs"][0]["name"], "odd method")
        self.assertEqual([value["name"] for value in read["graphs"][0]["inputs"]], names)
        self.assertEqual([value["name"] for value in read["graphs"][0]["outputs"]], names)
        self.assertEqual([node["name"] for node in read["graphs"][0]["nodes"]], [f"{name}, negative" for name in names])


class Programs(ToolTest):
    def build(self):
        p = Program()
        s = p.symbol("S", 1, 8)
        p.symbol("Rest", 2)
        w = p.weight("w", [2.0, 3.0], DType.f32)
        p.weights_from("model.ingot")
        p.weight_by_hash("h", TensorType(DType.f32, [4]), "00112233445566778899aabbccddeeff")
        p.weight_in_file("e", TensorType(DType.f16, [1]), "a.safetensors", "t", "00112233445566778899aabbccddeeff")
        p.weight_in_file("f", TensorType(DType.f16, [1]), "a.safetensors", "t")
        last = p.state("last", DType.f32, [2], initial=w)
        count = p.state("count", DType.i64, [])
        double = p.graph("double")
        double.output("y", double.input("x", DType.f32, [s, 2]) * 2)
        g = p.method("main")
        x = g.input("x", DType.f32, [s, 2])
        with g.at(op="Linear", file="model.py:3"):
            y = (x * w).named("scaled")
            with g.at(name="twice"):
                (z,) = g.call(double, [y])
        z.named("z").typed(DType.f32, [s, 2])
        g.state_write(last, g.reduce_sum(z, [0]))
        g.state_write(count, g.state_read(count) + 1)
        g.output("sum", g.reduce_sum(z, [0, 1]))
        g.output("w", w)
        return p

    def test_text(self):
        self.assertEqual(
            self.build().text(),
            """\
ingot 1
symbol S in 1..8
symbol Rest in 2..
weights_from "model.ingot"
weight @w : f32[2] = [2.0, 3.0]
weight @h : f32[4] = ref "00112233445566778899aabbccddeeff"
weight @e : f16[1] = file "a.safetensors" tensor "t" hash "00112233445566778899aabbccddeeff"
weight @f : f16[1] = file "a.safetensors" tensor "t"
state @last : f32[2] = @w
state @count : i64[] = zeros

graph double(%x: f32[S, 2]) -> (y) {
  %1 = full {shape=[], value=2.0}
  %2 = mul %x, %1
  return %2
}

method main(%x: f32[S, 2]) -> (sum, w) {
  %scaled = mul %x, @w loc(op="Linear", file="model.py:3")
  %z = call [%scaled] {graph=@double} : f32[S, 2] loc(op="Linear", file="model.py:3", name="twice")
  %3 = reduce_sum %z {axes=[0]}
  %4 = state_write %3 {state=@last}
  %5 = state_read {state=@count}
  %6 = full {shape=[], value=1, dtype=i64}
  %7 = add %5, %6
  %8 = state_write %7 {state=@count}
  %9 = reduce_sum %z {axes=[0, 1]}
  return %9, @w
}
""",
        )

    def test_provenance_comes_back(self):
        elsewhere = ("weights_from", "weight @h", "weight @e", "weight @f", "symbol Rest")
        lines = [line for line in self.build().text().splitlines() if not line.startswith(elsewhere)]
        path = self.folder / "program.txt"
        path.write_text("\n".join(lines))
        nodes = json.loads(self.tool("inspect", "--json", str(path)))["graphs"][1]["nodes"]
        known = [[node.get(key) for key in ("name", "source_op", "source_file")] for node in nodes[:3]]
        self.assertEqual(
            known, [["scaled", "Linear", "model.py:3"], ["twice", "Linear", "model.py:3"], [None, None, None]]
        )

    def test_operators(self):
        p = Program()
        g = p.method("main")
        x, n, b = g.input("x", DType.f32, [2]), g.input("n", DType.u8, [2]), g.input("b", DType.bool, [2])
        made = [x + 1, 1 + x, x - 1, 1 - x, x * 2, 2 * x, x / 2, 2 / x, x // 2, 2 // x, x % 2, 2 % x, x**2, 2**x, -x]
        made += [abs(x), x < 1, x <= 1, x > 1, x >= 1, 1 < x, x @ x, n & 1, 1 & n, n | 1, 1 | n, n ^ 1, 1 ^ n]
        made += [n << 1, 1 << n, n >> 1, 1 >> n, ~n, b & True]
        ops_made = [node.op for node in g.nodes if not isinstance(node.op, ops.Full)]
        names = "add add sub sub mul mul div div floor_div floor_div rem rem pow pow neg abs lt le gt ge gt matmul"
        names += " bitwise_and" * 2 + " bitwise_or" * 2 + " bitwise_xor" * 2 + " shift_left" * 2 + " shift_right" * 2
        names += " bitwise_not bitwise_and"
        spelled = ["matmul" if isinstance(op, ops.Matmul) else op.fn.name for op in ops_made]
        self.assertEqual(spelled, names.split())
        self.assertEqual([ops_made[3].a.dtype, ops_made[3].b], [DType.f32, x])
        self.assertEqual({var.dtype for var in made}, {DType.f32, DType.bool, DType.u8})


if __name__ == "__main__":
    unittest.main()
