// Flags as they are given: what is empty, out of range or contradicts another is refused, never guessed at.
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/tool.h"

namespace ingot::test {
namespace {

using Flags = Tool;

TEST_F(Flags, SizesAreNumbers) {
  for (const std::string number : {"", "99999999999999999999", "-99999999999999999999", "3x", " 3", "three"}) {
    for (const std::string verb : {"run", "bench", "explain", "diff --against reference"}) {
      expect_refused("ingot " + verb + " scale.txt --random --size 'S=" + number + "'", 4,
                     "error: S=" + number + ": expected SYMBOL=NUMBER");
    }
  }
  expect_refused("ingot run scale.txt --random --size S", 4, "error: S: expected SYMBOL=NUMBER");
  expect_refused("ingot run scale.txt --random --size S=-1", 4, "S is -1, expected 1..8");
}

TEST_F(Flags, RandomInputsThatAreTooLargeAreNamed) {
  folder.write("open.txt", "ingot 1\nsymbol S\nmethod f(%x: f32[S]) -> (y) {\n  %y = neg %x\n  return %y\n}\n");
  const std::string problem = "f32[99999999999999] is 399999999999996 bytes, expected at most ";
  expect_refused("ingot run open.txt -i x=99999999999999xf32=random", 4,
                 "error: x=99999999999999xf32=random: " + problem);
  expect_refused("ingot run open.txt --random --size S=99999999999999", 4, "error: x=random: " + problem);
}

TEST_F(Flags, SizesAgreeWithInputs) {
  const std::string given = " scale.txt -i 'x=2x2xf32=1 2 3 4' --size S=";
  for (const std::string verb : {"run", "bench --iterations 1", "explain", "trace -o -", "diff --against reference"}) {
    EXPECT_EQ(run("ingot " + verb + given + "2").exit_code, 0) << verb;
    expect_refused("ingot " + verb + given + "3", 4, "error: S is 3 by --size, expected 2 by input x, axis 0");
  }
}

TEST_F(Flags, CallsAreLimited) {
  for (const std::string verb : {"run -q", "bench --iterations 1", "trace -o -", "diff --against reference"}) {
    const std::string line = "ingot " + verb + " scale.txt --random --size S=1";
    expect_refused(line + " --max-steps 1", 5, "takes more than 1 steps");
    expect_refused(line + " --max-memory 12", 5, "go beyond the limit of 12");
    EXPECT_EQ(run(line + " --max-steps 1000 --max-memory 1000").exit_code, 0) << verb;
  }
}

// Which item of a sequence it is must be known: the smallest of 10,000 zeros.
TEST_F(Flags, ImportsAreLimited) {
  folder.write("make.py", R"(
import onnx
from onnx import TensorProto, helper
nodes = [
    helper.make_node("ConstantOfShape", ["shape"], ["zeros"], value=helper.make_tensor("", TensorProto.INT64, [1], [0])),
    helper.make_node("ReduceMin", ["zeros"], ["at"], keepdims=0),
    helper.make_node("SequenceConstruct", ["x"], ["s"]),
    helper.make_node("SequenceAt", ["s", "at"], ["y"]),
]
x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
graph = helper.make_graph(nodes, "g", [x], [y], [helper.make_tensor("shape", TensorProto.INT64, [1], [10000])])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), "m.onnx")
)");
  expect_done(std::string(python) + " make.py");
  expect_done("ingot import m.onnx -o m.ingot");
  expect_refused("ingot import m.onnx -o m.ingot --max-steps 9999", 3, "takes more than 9999 steps");
  expect_refused("ingot import m.onnx -o m.ingot --max-memory 9999", 3, "go beyond the limit of 9999");
}

TEST_F(Flags, IntegersAreReadAsWritten) {
  struct Case {
    std::string line, range;
  };
  for (const Case& c : {Case{"run scale.txt -q --random --size S=1 --seed ", "0 to 18446744073709551615"},
                        {"run scale.txt -q --random --size S=1 --iterations ", "1 to 18446744073709551615"},
                        {"run scale.txt -q --random --size S=1 --warmup ", "0 to 18446744073709551615"},
                        {"run scale.txt -q --random --size S=1 --threads ", "1 to 1024"},
                        {"run scale.txt -q --random --size S=1 --sessions ", "1 to 1048576"},
                        {"run scale.txt -q --random --size S=1 --max-steps ", "0 to 18446744073709551615"},
                        {"run scale.txt -q --random --size S=1 --max-memory ", "0 to 9223372036854775807"},
                        {"import model.onnx -o a.ingot --max-steps ", "0 to 18446744073709551615"},
                        {"import model.onnx -o a.ingot --max-memory ", "0 to 9223372036854775807"},
                        {"explain scale.txt --size S=1 --active-extent ", "1 to 9223372036854775807"},
                        {"inspect scale.txt --inline-bytes ", "0 to 9223372036854775807"},
                        {"convert scale.txt --inline-bytes ", "0 to 9223372036854775807"}}) {
    for (const std::string number :
         {"-1", "18446744073709551616", "99999999999999999999", "010", "0x1", "1.5", "1e3"}) {
      expect_refused("ingot " + c.line + number, 2, ": " + number + " is no integer from " + c.range);
    }
    expect_refused("ingot " + c.line + "''", 2, ":  is no integer from " + c.range);
    if (c.range.starts_with('1')) expect_refused("ingot " + c.line + "0", 2, ": 0 is no integer from 1");
  }
  expect_done("ingot run scale.txt -q --random --size S=1 --seed 18446744073709551615 --warmup 0");
}

// --params fills what every verb that calls a method needs.
TEST_F(Flags, ParamsFillWeights) {
  folder.write("open.txt",
               "ingot 1\nweight @a : f32[2]\nweight @b : f32[2]\nmethod f(%x: f32[2]) -> (y) {\n"
               "  %p = mul %x, @a\n  %y = add %p, @b\n  return %y\n}\n");
  const std::string call = " open.txt --input \"x=2xf32=1 2\"";
  for (const char* verb : {"run", "bench", "diff --against reference", "run --check-nan"}) {
    expect_refused("ingot " + (verb + call), 4,
                   "error: [f] number of weights without contents is 2 (@a: f32[2], @b: f32[2]), expected 0");
  }
  folder.write("echo.txt", "ingot 1\nmethod f(%a: f32[2], %b: f32[2]) -> (a, b) { return %a, %b }\n");
  expect_done(R"(ingot run echo.txt --input "a=2xf32=3 4" --input "b=2xf32=10 20" --output @both.safetensors)");
  expect_done(R"(ingot run echo.txt --input "a=2xf32=3 4" --input "b=2xf32=10 20" --output a=@a.safetensors)");
  expect_done(R"(ingot run echo.txt --input "a=2xf32=3 4" --input "b=2xf32=10 20" --output b=@b.safetensors)");
  EXPECT_EQ(expect_done("ingot run --params both.safetensors" + call), "y: f32[2]\n  13.0 28.0\n");
  EXPECT_EQ(expect_done("ingot run --params a.safetensors --params b.safetensors" + call), "y: f32[2]\n  13.0 28.0\n");
  EXPECT_EQ(expect_done("ingot diff --against reference --params both.safetensors" + call), "0 of 2 values differ\n");
  expect_done("ingot bench --iterations 1 --params both.safetensors" + call);
  expect_done("ingot trace -o t.json --params both.safetensors" + call);
  expect_done("ingot run -q --check-nan --params both.safetensors" + call);

  expect_refused("ingot run --params a.safetensors" + call, 4, "error: there is no tensor for the parameter b: f32[2]");
  expect_refused("ingot run --params none.safetensors" + call, 4, "error: none.safetensors: cannot open");
  expect_refused("ingot run scale.txt --random --size S=1 --params both.safetensors", 4,
                 "error: there is no parameter a; there is no parameter b");
}

TEST_F(Flags, FilesToWriteHaveNames) {
  for (const std::string line : {"inspect scale.txt -o ", "convert scale.txt -o ", "import scale.txt -o ",
                                 "import scale.txt -o a.txt --report ", "trace scale.txt --random --size S=1 -o "}) {
    expect_refused("ingot " + line + "''", 2, ": the name is empty, expected that of a file, or - for");
  }
}

TEST_F(Flags, FilesAreWrittenOnce) {
  const std::string line = "ingot run scale.txt -i 'x=1x2xf32=1 2' -o y=@a.npy ";
  expect_done(line + "-o calls=@b.npy");
  expect_refused(line + "-o calls=@./a.npy", 2, "error: --output calls=@./a.npy: another is written to ./a.npy too");
  expect_refused(line + "-o \"calls=@$PWD/a.npy\"", 2, "another is written to ");
  expect_refused("ingot import scale.txt -o a.txt --report a.txt", 2, "--output and --report name the same file");
}

TEST_F(Flags, WhatCannotBeWrittenIsSaid) {
  for (const std::string line : {"--help", "--version", "run --help", "verify scale.txt", "inspect scale.txt", "ops",
                                 "run scale.txt --random --size S=1"}) {
    expect_refused("ingot " + line + " > /dev/full", 4, "error: cannot write to standard output");
  }
}

TEST_F(Flags, AgainstNamesAnEngine) {
  for (const std::string against : {"", ":", ":eager", "reference:"}) {
    expect_refused("ingot diff scale.txt --random --size S=1 --against '" + against + "'", 2,
                   "error: --against is '" + against + "', expected ENGINE, ENGINE:MODE, or a .npz");
  }
  expect_done("ingot diff scale.txt --random --size S=1 --against reference:eager");
}

}  // namespace
}  // namespace ingot::test
