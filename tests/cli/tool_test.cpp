// The tool as a user meets it: outputs, messages and exit codes.
#include "tests/cli/tool.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace ingot::test {
namespace {

TEST_F(Tool, VersionStatesBuildFacts) {
  const std::string out = expect_done("ingot --version");
  expect_words(out, {"ingot ", "format 2", "compiler ", "build ", "system ", "flatbuffers "});
}

TEST_F(Tool, HelpNamesEveryVerbAndTheExitCodes) {
  const std::string out = expect_done("ingot --help");
  expect_words(out, {"inspect", "verify", "run", "convert", "completion", "Exit codes: 0 done"});
  EXPECT_NE(expect_done("ingot run --help").find("NAME=2x3xf32=1 2 3 4 5 6"), std::string::npos);
}

TEST_F(Tool, WrongUsageIsTwo) {
  expect_refused("ingot", 2, "error: there is no verb, expected one of import, inspect, verify, run, ");
  expect_refused("ingot frobnicate", 2, "error: there is no verb 'frobnicate', expected one of import, ");
  expect_refused("ingot insect --help", 2, ", completion, did you mean 'inspect'?");
  expect_refused("ingot --verbose", 2, "(ingot --help shows the flags)");
  expect_refused("ingot inspect", 2, "file is required (ingot inspect --help shows the flags)");
  expect_refused("ingot inspect scale.txt --json --dot", 2, "--json excludes --dot");
  expect_refused("ingot run scale.txt --engine warp", 2, "warp");
  expect_refused("ingot run scale.txt --rtol -1", 2, "--rtol");
  expect_refused("ingot convert scale.txt -o a.ingot --external-weights --embed-weights", 2, "contradict");
  expect_refused("ingot convert scale.txt -o a.txt --embed-weights", 2, "only a .ingot file");
  expect_refused("ingot completion fish", 2, "fish");
}

// ------------------------------------------------------------------------------------------------------------ inspect

TEST_F(Tool, InspectPrintsTextThatReadsBack) {
  const std::string text = expect_done("ingot inspect scale.txt");
  EXPECT_NE(text.find("%y = mul %x, @w : f32[S, 2]"), std::string::npos) << text;
  folder.write("again.txt", text);
  EXPECT_EQ(expect_done("ingot inspect again.txt"), text);
  EXPECT_EQ(expect_done("ingot inspect scale.txt --no-types").find(": f32[S, 2]\n"), std::string::npos);
}

TEST_F(Tool, InspectAsJson) {
  const auto json = nlohmann::json::parse(expect_done("ingot inspect scale.txt --json"));
  EXPECT_EQ(json["symbols"].size(), 1U);
  EXPECT_EQ(json["weights"].size(), 1U);
  EXPECT_EQ(json["states"].size(), 1U);
  EXPECT_EQ(json["graphs"][0]["name"], "scale");
  EXPECT_EQ(json["graphs"][0]["nodes"].size(), 5U);
}

TEST_F(Tool, InspectAsDotAndIntoAFile) {
  EXPECT_EQ(expect_done("ingot inspect scale.txt --dot -o g.dot"), "");
  const std::string dot = read_text(folder.path() / "g.dot");
  EXPECT_EQ(dot.rfind("digraph", 0), 0U) << dot;
  EXPECT_NE(dot.find("mul"), std::string::npos);
}

TEST_F(Tool, SummaryCounts) {
  const std::string out = expect_done("ingot inspect scale.txt --summary");
  expect_words(out, {"text form", "scale", "x: f32[S, 2]", "S in 1..8", "calls: i64[]", "mul", "8 B"});
}

TEST_F(Tool, WeightsWithoutContentsAreShown) {
  folder.write("open.txt",
               "ingot 1\nweight @w : f32[2]\nweight @z : f32[3] = zeros\nmethod f() -> (w) { return @w }\n");
  expect_words(expect_done("ingot inspect open.txt --summary"),
               {"20 B in 2 tensors (2 distinct), 5 parameters", "to fill   w: f32[2]"});
  const auto json = nlohmann::json::parse(expect_done("ingot inspect open.txt --json"));
  EXPECT_EQ(json["weights"][0]["contents"], "none");
  EXPECT_EQ(json["weights"][0]["bytes"], 8);
  EXPECT_FALSE(json["weights"][0].contains("hash"));
  EXPECT_EQ(json["weights"][1]["contents"], "zeros");
  EXPECT_EQ(expect_done("ingot verify --hashes open.txt"), "ok open.txt: 1 method, 0 nodes, 20 B of weights\n");
  expect_done("ingot convert open.txt -o open.ingot");
  const std::string text = expect_done("ingot convert open.ingot");
  expect_words(text, {"weight @w : f32[2]\n", "weight @z : f32[3] = zeros\n"});
}

TEST_F(Tool, InspectExpandsComposites) {
  folder.write("soft.txt", "ingot 1\nmethod f(%x: f32[3]) -> (y) {\n  %y = softmax %x\n  return %y\n}\n");
  EXPECT_NE(expect_done("ingot inspect soft.txt").find("softmax"), std::string::npos);
  const std::string expanded = expect_done("ingot inspect --expand soft.txt");
  EXPECT_EQ(expanded.find("= softmax"), std::string::npos) << expanded;
  EXPECT_NE(expanded.find("reduce_sum"), std::string::npos) << expanded;
}

TEST_F(Tool, InspectShowsWhatPassesDo) {
  folder.write("long.txt",
               "ingot 1\nmethod f(%x: f32[3]) -> (y, z) {\n  %a = neg %x\n  %b = neg %a\n  %y = exp %b\n"
               "  %c = exp %x\n  %z = sin %c\n  return %y, %z\n}\n");
  const std::string table = expect_done("ingot inspect long.txt --passes");
  expect_words(table, {"canonicalize  ", "\nfold  ", "\ncse  ", "\ndce  ",
                       "\n  undone                           1  -(-x)", "\n  reshape_same                     0  "});
  const std::string once = expect_done("ingot inspect long.txt --after canonicalize --no-types");
  EXPECT_NE(once.find("  %y = exp %x\n  %c = exp %x\n  %z = sin %c\n"), std::string::npos) << once;
  const std::string merged = expect_done("ingot inspect long.txt --after cse --no-types");
  EXPECT_NE(merged.find("  %y = exp %x\n  %z = sin %y\n"), std::string::npos) << merged;
  EXPECT_NE(expect_done("ingot inspect long.txt --after dce --summary").find("exp"), std::string::npos);
  expect_words(table, {"\nhoist  ", "\n  prepared                         0  nodes"});
  folder.write("weights.txt",
               "ingot 1\nweight @w : f32[2] = [1.0, 2.0]\nmethod f(%x: f32[2]) -> (y) {\n  %a = neg %x\n  %b = neg %a\n"
               "  %v = exp @w\n  %y = add %b, %v\n  return %y\n}\n");
  expect_words(expect_done("ingot inspect weights.txt --passes"), {"\n  prepared                         1  nodes"});
  const std::string hoisted = expect_done("ingot inspect weights.txt --after hoist --no-types");
  expect_words(hoisted, {"graph f.prepare() ->", "= exp @w\n", "%y = add %v, %x\n"});
  EXPECT_EQ(hoisted.find("neg"), std::string::npos) << hoisted;
  expect_refused("ingot inspect long.txt --after csee", 2, "--after: csee not in {canonicalize,fold");
  expect_refused("ingot inspect long.txt --passes --json", 2, "--json excludes --passes");
}

// ---------------------------------------------------------------------------------------------------- convert, verify

TEST_F(Tool, TextToFileAndBack) {
  expect_done("ingot convert scale.txt -o scale.ingot");
  expect_done("ingot convert scale.ingot -o back.txt");
  expect_done("ingot convert back.txt -o again.ingot");
  EXPECT_EQ(read_text(folder.path() / "scale.ingot"), read_text(folder.path() / "again.ingot"));
  EXPECT_EQ(expect_done("ingot convert scale.ingot"), read_text(folder.path() / "back.txt"));
}

TEST_F(Tool, LargeWeightsStayInTheFileThatTheTextNames) {
  expect_done("ingot convert scale.txt -o scale.ingot");
  expect_done("ingot convert scale.ingot --inline-bytes 0 -o by_hash.txt");
  const std::string text = read_text(folder.path() / "by_hash.txt");
  EXPECT_NE(text.find("weights_from \"scale.ingot\""), std::string::npos) << text;
  EXPECT_NE(text.find("= ref \""), std::string::npos) << text;
  expect_done("ingot run by_hash.txt -i 'x=1x2xf32=1 2' --expect 'y=1x2xf32=10 200'");
  expect_done("rm scale.ingot");
  expect_refused("ingot verify by_hash.txt", 4, "by_hash.txt:");
}

TEST_F(Tool, WeightsBesideTheFile) {
  std::string ones = "1.0";
  for (int i = 1; i < 300'000; ++i) ones += ", 1.0";
  folder.write("large.txt", "ingot 1\nweight @w : f32[300000] = [" + ones +
                                "]\nmethod f() -> (y) {\n  %y = reduce_sum @w {axes=[0]}\n  return %y\n}\n");
  expect_done("ingot convert large.txt -o large.ingot --external-weights");
  expect_done("ls large.ingot-*.safetensors");
  expect_done("ingot run large.ingot --expect y=f32=300000");
  expect_done("ingot convert large.ingot -o whole.ingot --embed-weights && rm large.ingot-*.safetensors");
  expect_done("ingot run whole.ingot --expect y=f32=300000");
  expect_refused("ingot run large.ingot", 4, "large.ingot-");
}

TEST_F(Tool, VerifyReportsEveryFile) {
  expect_done("ingot convert scale.txt -o scale.ingot");
  EXPECT_EQ(expect_done("ingot verify scale.ingot scale.txt"),
            "ok scale.ingot: 1 method, 5 nodes, 8 B of weights\nok scale.txt: 1 method, 5 nodes, 8 B of weights\n");
  EXPECT_EQ(expect_done("ingot verify -q --hashes scale.ingot"), "");
  folder.write("bad.txt", "ingot 1\nmethod f(%x: f32[3]) -> (y) {\n  %y = expp %x\n  return %y\n}\n");
  const CommandResult result = run("ingot verify bad.txt missing.ingot scale.txt");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_NE(result.out.find("ok scale.txt"), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("bad.txt:3:8: "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("missing.ingot"), std::string::npos) << result.err;
}

TEST_F(Tool, VerifyHashesFindsChangedWeights) {
  expect_done("ingot convert scale.txt -o scale.ingot");
  expect_done("printf 'X' | dd of=scale.ingot bs=1 seek=16384 conv=notrunc status=none");
  expect_done("ingot verify scale.ingot");
  expect_refused("ingot verify --hashes scale.ingot", 4, "hash of weights[0]");
}

TEST_F(Tool, DamagedFilesAreNamed) {
  expect_done("ingot convert scale.txt -o scale.ingot");
  expect_done("printf 'x' | dd of=scale.ingot bs=1 conv=notrunc status=none");
  expect_refused("ingot verify scale.ingot", 4, "scale.ingot: ");
  expect_refused("ingot verify scale.ingot", 4, "expected that of an .ingot file");
  expect_refused("ingot inspect .", 4, ".");
  expect_refused("ingot inspect /dev/null", 4, "/dev/null");
  expect_refused("ingot convert scale.txt -o no/such/folder/a.ingot", 4, "no/such/folder");
}

// ------------------------------------------------------------------------------------------------------------- import

TEST_F(Tool, ImportsAnOnnxModel) {
  const std::string model = std::string(source_dir) + "/tests/data/onnx/branches/model.onnx";
  expect_done("ingot import " + model + " -o m.ingot");
  EXPECT_NE(expect_done("ingot inspect m.ingot").find("method main("), std::string::npos);
  expect_done("ingot import " + model + " -o m.txt && ingot convert m.txt -o again.ingot");
  EXPECT_EQ(expect_done("ingot inspect m.ingot"), expect_done("ingot inspect again.ingot"));
  expect_refused("ingot import scale.txt -o n.ingot", 4, "scale.txt");
  expect_refused("ingot import missing.onnx -o n.ingot", 4, "missing.onnx");
  expect_refused("ingot import " + model, 2, "--output is required");
  expect_refused("ingot import " + model + " -o n.ingot --shape x", 2, "expected INPUT=SIZE");
  expect_refused("ingot import " + model + " -o n.ingot --shape nothing=1", 4, "nothing");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "n.ingot"));
}

// An input that is given at import is a constant of the program.
TEST_F(Tool, ImportsWithConstants) {
  folder.write("make.py", R"(from onnx import TensorProto, helper, save
x, b, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xby")
graph = helper.make_graph([helper.make_node("Add", ["x", "b"], ["y"])], "g", [x, b], [y])
save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]), "model.onnx")
)");
  expect_done(std::string(python) + " make.py");
  expect_done("ingot import model.onnx -o m.ingot --constant 'b=2xf32=10 20'");
  EXPECT_EQ(expect_done("ingot run m.ingot --input 'x=2xf32=1 2'"), "y: f32[2]\n  11.0 22.0\n");
  expect_refused("ingot run m.ingot --input 'x=2xf32=1 2' --input 'b=2xf32=1 2'", 4, "there is no input b");
  expect_refused("ingot import model.onnx -o n.ingot --constant 'c=2xf32=1 2'", 4, "c");
  expect_refused("ingot import model.onnx -o n.ingot --constant 'b=3xf32=1 2 3'", 4, "b");
  expect_refused("ingot import model.onnx -o n.ingot --constant b=random", 4, "expected a type before random");
}

TEST_F(Tool, ReportsWhatItCannotImport) {
  folder.write("make.py", R"(from onnx import TensorProto, helper, save
x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
node = helper.make_node("Blur", ["x"], ["y"], name="b0", domain="acme")
opsets = [helper.make_opsetid("", 20), helper.make_opsetid("acme", 1)]
save(helper.make_model(helper.make_graph([node], "g", [x], [y]), opset_imports=opsets), "model.onnx")
)");
  expect_done(std::string(python) + " make.py");
  expect_refused("ingot import model.onnx -o n.ingot --report r.json", 3, "acme::Blur");
  const auto report = nlohmann::json::parse(read_text(folder.path() / "r.json"));
  EXPECT_EQ(report["unsupported"].size(), 1U);
  EXPECT_EQ(report["unsupported"][0]["count"], 1);
  EXPECT_EQ(report["unsupported"][0]["places"][0], "b0");
}

// ---------------------------------------------------------------------------------------------------------------- run

TEST_F(Tool, RunShowsOutputs) {
  EXPECT_EQ(expect_done("ingot run scale.txt -i 'x=2x2xf32=1 2 3 4'"),
            "y: f32[2, 2]\n  10.0 200.0\n  30.0 400.0\ncalls: i64[]\n  1\n");
  EXPECT_EQ(expect_done("ingot run scale.txt -i 'in0=1x2xf32=1,2' --repeat 3 -q"), "");
  EXPECT_NE(expect_done("ingot run scale.txt -i 'x=1x2xf32=1,2' --repeat 3").find("calls: i64[]\n  3\n"),
            std::string::npos);
}

TEST_F(Tool, RunComparesAndExitsOne) {
  const std::string base = "ingot run scale.txt -q -i 'x=1x2xf32=1 2' --expect ";
  expect_done(base + "'y=1x2xf32=10 200'");
  expect_done(base + "'out0=1x2xf32=10.05 200' --rtol 0.01");
  expect_done(base + "'y=1x2xf32=10.05 200' --rtol 0 --atol 0.1");
  expect_refused(base + "'y=1x2xf32=10.05 200'", 1, "differs: y: element [0, 0] is 10, expected 10.05");
  expect_refused(base + "'y=2xf32=10 200'", 1, "type is f32[1, 2], expected f32[2]");
  expect_refused(base + "'z=2xf32=10 200'", 4, "there is no output 'z'");
}

TEST_F(Tool, RunReadsAndWritesEveryFormat) {
  for (const char* name : {"y.npy", "y.npz", "y.safetensors"}) {
    const std::string file(name);
    expect_done("ingot run scale.txt -i 'x=2x2xf32=1 2 3 4' -o y=@" + file);
    expect_done("ingot run scale.txt -i 'x=2x2xf32=1 2 3 4' -q --expect y=@" + file);
    expect_refused("ingot run scale.txt -i 'x=2x2xf32=1 2 3 5' -q --expect y=@" + file, 1, "differs");
  }
  expect_done("ingot run scale.txt -i 'x=2x2xf32=1 2 3 4' -o @all.npz");
  expect_done("ingot run scale.txt -i 'x=2x2xf32=1 2 3 4' -q --expect @all.npz");
  expect_done("ingot run scale.txt -i 'x=2x2xf32=1 2 3 4' -o @all.safetensors");
  expect_done("ingot run scale.txt -i 'x=2x2xf32=1 2 3 4' -q --expect @all.safetensors");
  expect_refused("ingot run scale.txt -i 'x=2x2xf32=1 2 3 4' -o @all.npy", 4, "a .npy holds one tensor");
  expect_refused("ingot run scale.txt -i 'x=2x2xf32=1 2 3 4' -o y=@y.csv", 4, ".npy, .npz or .safetensors");
}

TEST_F(Tool, NumPyReadsWhatItWrites) {
  expect_done("ingot run scale.txt -i 'x=2x2xf32=1 2 3 4' -o y=@y.npy");
  EXPECT_EQ(expect_done(std::string(python) + " -c \"import numpy; print(numpy.load('y.npy').tolist())\""),
            "[[10.0, 200.0], [30.0, 400.0]]\n");
  expect_done(std::string(python) + " -c \"import numpy; numpy.save('x.npy', numpy.array([[1, 2]], 'f4'))\"");
  expect_done("ingot run scale.txt -i x=@x.npy -q --expect 'y=1x2xf32=10 200'");
}

// Every file here breaks off inside its elements, so that reading one would fail in another way than its type does.
TEST_F(Tool, TypesAreComparedBeforeFilesAreRead) {
  expect_done(std::string(python) +
              " -c \"import numpy; x = numpy.arange(999999, dtype='f4')\n"
              "numpy.savez_compressed('x.npz', x=x)\n"
              "numpy.savez_compressed('both.npz', x=x[:2].reshape(1, 2), y=x)\n"
              "numpy.savez_compressed('rows.npz', x=x[:18].reshape(9, 2))\n"
              "for name in ('x.npz', 'both.npz', 'rows.npz'):\n"
              "  bytes = bytearray(open(name, 'rb').read())\n"
              "  at = bytes.find(b'PK\\1\\2') - 30\n"
              "  bytes[at] ^= 255\n"
              "  open(name, 'wb').write(bytes)\"");
  for (const char* verb : {"run", "bench", "explain"}) {
    expect_refused(std::string("ingot ") + verb + " scale.txt -i @x.npz", 4,
                   "[scale] input x is f32[999999], expected f32[S, 2]");
    expect_refused(std::string("ingot ") + verb + " scale.txt -i x=@x.npz", 4,
                   "[scale] input x is f32[999999], expected f32[S, 2]");
    expect_refused(std::string("ingot ") + verb + " scale.txt -i @both.npz", 4, "there is no input y");
    expect_refused(std::string("ingot ") + verb + " scale.txt -i @rows.npz", 4, "[scale] ");
  }
  expect_refused("ingot run scale.txt -i @rows.npz", 4, "S");
  // The tensor that is named is whole.
  expect_done("ingot run scale.txt -q -i x=@both.npz");
  expect_refused("ingot run scale.txt -i 'x=1x2xf32=1 2' -q --expect y=@both.npz", 1,
                 "differs: y: type is f32[1, 2], expected f32[999999]");
  expect_refused("ingot diff scale.txt -i 'x=1x2xf32=1 2' --against both.npz", 1, "");
}

TEST_F(Tool, RandomInputsAreTheSameForTheSameSeed) {
  const std::string once = expect_done("ingot run scale.txt -i x=random --size S=3 --seed 5");
  EXPECT_EQ(expect_done("ingot run scale.txt --random --size S=3 --seed 5"), once);
  EXPECT_NE(expect_done("ingot run scale.txt -i x=random --size S=3 --seed 6"), once);
  EXPECT_NE(expect_done("ingot run scale.txt -i x=3x2xf32=random --seed 5"), "");
  expect_refused("ingot run scale.txt --random", 4, "--size");
  expect_refused("ingot run scale.txt --random --size T=3", 4, "no such symbol");
  expect_refused("ingot run scale.txt --random --size S=three", 4, "expected SYMBOL=NUMBER");
  expect_refused("ingot run scale.txt --random --size S=9", 4, "S");
}

TEST_F(Tool, BadInputsAreFour) {
  expect_refused("ingot run scale.txt", 4, "x");
  expect_refused("ingot run scale.txt -i 'x=1x2xf32=1'", 4, "x=1x2xf32=1: ");
  expect_refused("ingot run scale.txt -i 'x=1x2xf32=1 2 3'", 4, "x=1x2xf32=1 2 3: ");
  expect_refused("ingot run scale.txt -i 'x=1x2xf31=1 2'", 4, "'f31' is no dtype");
  expect_refused("ingot run scale.txt -i 'x=1x3xf32=1 2 3'", 4, "f32[1, 3]");
  expect_refused("ingot run scale.txt -i 'x=1x2xi32=1 2'", 4, "i32[1, 2]");
  expect_refused("ingot run scale.txt -i 'z=f32=1' -i 'x=1x2xf32=1 2'", 4, "z");
  expect_refused("ingot run scale.txt -i 'x=9x2xf32=random'", 4, "S");
  expect_refused("ingot run scale.txt -i x=@missing.npy", 4, "missing.npy");
  expect_refused("ingot run scale.txt -i x", 4, "expected NAME=TYPE=VALUES");
  expect_refused("ingot run scale.txt -m forward -i 'x=1x2xf32=1 2'", 4, "forward");
}

TEST_F(Tool, FailingWhileRunningIsFiveAndUnsupportedIsThree) {
  folder.write("take.txt", kTake);
  expect_done("ingot run take.txt -i 'x=3xf32=1 2 3' -i i=1xi64=-1 -q --expect y=1xf32=3");
  expect_refused("ingot run take.txt -i 'x=3xf32=1 2 3' -i i=1xi64=3", 5, "f: %y");
  folder.write("custom.txt",
               "ingot 1\nmethod f(%x: f32[3]) -> (y) {\n  %y = custom [%x] {name=\"mine\", "
               "results=[f32[3]]}\n  return %y\n}\n");
  expect_done("ingot verify custom.txt");
  expect_refused("ingot run custom.txt -i 'x=3xf32=1 2 3'", 3, "mine");
}

TEST_F(Tool, EveryDtypeComesInAndGoesOutInline) {
  struct Case {
    const char *dtype, *values;
  };
  for (const Case& c : {Case{"bool", "true false"},
                        {"u8", "0 255"},
                        {"u16", "0 65535"},
                        {"u32", "0 4294967295"},
                        {"u64", "0 18446744073709551615"},
                        {"i8", "-128 127"},
                        {"i16", "-32768 32767"},
                        {"i32", "-2147483648 2147483647"},
                        {"i64", "-9223372036854775808 9223372036854775807"},
                        {"f16", "-0.5 inf"},
                        {"bf16", "-0.5 nan"},
                        {"f32", "-0.0 1e-45"},
                        {"f64", "0.1 1e-310"},
                        {"c64", "complex(1.0, -2.0) complex(0.0, inf)"}}) {
    const std::string type(c.dtype);
    folder.write("id.txt",
                 "ingot 1\nmethod f(%x: " + type + "[2]) -> (y) {\n  %y = reshape %x {shape=[1, 2]}\n  return %y\n}\n");
    EXPECT_EQ(expect_done("ingot run id.txt -i 'x=2x" + type + "=" + c.values + "'"),
              "y: " + type + "[1, 2]\n  " + c.values + "\n");
  }
}

TEST_F(Tool, LongOutputsAreCut) {
  folder.write("iota.txt",
               "ingot 1\nmethod f() -> (y) {\n  %i = iota {length=30, dtype=i32}\n  %y = broadcast %i {shape=[20, "
               "30]}\n  return %y\n}\n");
  const std::string out = expect_done("ingot run iota.txt");
  EXPECT_NE(out.find("y: i32[20, 30]\n  0 1 2 3 4 5 6 7 8 9 10 11 …\n"), std::string::npos) << out;
  EXPECT_EQ(out.substr(out.size() - 6), "  …\n") << out;
}

// --------------------------------------------------------------------------------------------------------- completion

TEST_F(Tool, CompletionCompletesVerbsFlagsAndFiles) {
  expect_done("ingot completion bash > c.bash; ingot completion zsh > c.zsh");
  const auto complete = [&](const std::string& words, int at) {
    return expect_done("bash -c '. ./c.bash; COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(at) +
                       "; _ingot; echo ${COMPREPLY[@]}'");
  };
  EXPECT_EQ(complete("ingot insp", 1), "inspect\n");
  EXPECT_EQ(complete("ingot run --exp", 2), "--expect\n");
  EXPECT_EQ(complete("ingot run scale.t", 2), "scale.txt\n");
  EXPECT_NE(read_text(folder.path() / "c.zsh").find("bashcompinit"), std::string::npos);
}

// `script` gives the tool a terminal.
TEST_F(Tool, ColoursOnATerminalOnly) {
  const std::string on = run("script -qec 'ingot verify scale.txt missing.txt' /dev/null").out;
  EXPECT_NE(on.find("\x1b[32mok\x1b[0m"), std::string::npos) << on;
  EXPECT_NE(on.find("\x1b[31merror\x1b[0m"), std::string::npos) << on;
  const std::string off = run("NO_COLOR=1 script -qec 'ingot verify scale.txt missing.txt' /dev/null").out;
  EXPECT_EQ(off.find('\x1b'), std::string::npos) << off;
}

}  // namespace
}  // namespace ingot::test
