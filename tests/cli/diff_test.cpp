// Where values come from: run --check-nan, diff; and what an op means: ops.
#include "tests/cli/tool.h"

namespace ingot::test {
namespace {

// log of a negative number two nodes before the output, in a program whose loop makes one too.
constexpr const char* kLogs = R"(ingot 1
graph step(%x: f32[2]) -> (y) {
  %y = sqrt %x
  return %y
}
method logs(%x: f32[2]) -> (y) {
  %h = neg %x
  %log = log %h
  %y = exp %log
  return %y
}
method roots(%x: f32[2]) -> (y) {
  %y = call [%x] {graph=@step}
  return %y
}
)";

class Values : public Tool {
 protected:
  Values() { folder.write("logs.txt", kLogs); }
};

TEST_F(Values, CheckNanNamesTheNodeThatMakesTheFirst) {
  const CommandResult bad = run("ingot run logs.txt -m logs --check-nan --input 'x=2xf32=-1 4'");
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_EQ(bad.err, "NaN: first in %log = log %h : f32[2]\n");
  EXPECT_NE(bad.out.find("nan\n"), std::string::npos) << bad.out;
  EXPECT_EQ(expect_done("ingot run logs.txt -m logs --check-nan --input 'x=2xf32=-1 -4'"), "y: f32[2]\n  1.0 4.0\n");
  const CommandResult inside = run("ingot run logs.txt -m roots --check-nan --input 'x=2xf32=-1 4'");
  EXPECT_EQ(inside.exit_code, 1);
  EXPECT_EQ(inside.err, "NaN: first in %y = call [%x] {graph=@step} : f32[2]\n");
}

TEST_F(Values, CheckNanLeavesStateAndIntegersAlone) {
  EXPECT_EQ(expect_done("ingot run scale.txt --check-nan --repeat 3 --input 'x=1x2xf32=1 2'"),
            "y: f32[1, 2]\n  10.0 200.0\ncalls: i64[]\n  3\n");
}

TEST_F(Values, DiffFindsNothingBetweenAnEngineAndItself) {
  EXPECT_EQ(expect_done("ingot diff logs.txt -m logs --against reference --random"), "0 of 3 values differ\n");
}

TEST_F(Values, DiffFindsTheFirstValueThatDepartsFromARecord) {
  expect_done("ingot run logs.txt -m logs --input 'x=2xf32=-1 -4' --output @y.npz");
  EXPECT_EQ(expect_done("ingot diff logs.txt -m logs --input 'x=2xf32=-1 -4' --against y.npz"),
            "0 of 1 values differ\n");
  const CommandResult result = run("ingot diff logs.txt -m logs --input 'x=2xf32=-1 -5' --against y.npz");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out,
            "first difference in %y = exp %log : f32[2]\n"
            "  element [1] is 5, expected 4; 1 of 2 elements differ, largest error 1\n"
            "  errors: largest 1, mean 0.5, largest relative 0.25\n"
            "1 of 1 values differ\n");
  EXPECT_EQ(expect_done("ingot diff logs.txt -m logs --input 'x=2xf32=-1 -5' --against y.npz --atol 2"),
            "0 of 1 values differ\n");
}

TEST_F(Values, DiffSaysHowManyElementsAreNaN) {
  expect_done("ingot run logs.txt -m logs --input 'x=2xf32=-1 4' --output @y.npz");
  const CommandResult result = run("ingot diff logs.txt -m logs --input 'x=2xf32=-1 -4' --against y.npz");
  EXPECT_EQ(result.exit_code, 1);
  expect_words(result.out, {"element [1] is 4, expected nan; 1 of 2 elements differ, 1 of them by NaN or infinity, "
                            "largest error of the others 0\n"});
}

// Every value that the record names is compared, in the order of the program.
TEST_F(Values, DiffComparesIntermediateValuesByName) {
  std::string all = kLogs;
  all.replace(all.find("-> (y) {\n  %h"), 8, "-> (log, h, y) {");
  all.replace(all.find("return %y\n}\nmethod roots"), 9, "return %log, %h, %y");
  folder.write("all.txt", all);
  expect_done("ingot run all.txt -m logs --input 'x=2xf32=-1 -4' --output @all.npz");
  EXPECT_EQ(expect_done("ingot diff logs.txt -m logs --input 'x=2xf32=-1 -4' --against all.npz"),
            "0 of 3 values differ\n");
  const CommandResult result = run("ingot diff logs.txt -m logs --input 'x=2xf32=-2 -4' --against all.npz");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.out.find("first difference in %h = neg %x : f32[2]\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("\n3 of 3 values differ\n"), std::string::npos) << result.out;
}

TEST_F(Values, DiffRefuses) {
  expect_refused("ingot diff logs.txt -m logs --against fast --random", 2, "there is no engine 'fast', expected ");
  expect_refused("ingot diff logs.txt -m logs --against none.npz --random", 4, "none.npz");
  expect_done("ingot run scale.txt --input 'x=1x2xf32=1 2' --output @scale.npz");
  expect_refused("ingot diff all.txt --against scale.npz --random", 4, "all.txt");
  folder.write("one.txt", "ingot 1\nmethod one(%x: f32[2]) -> (z) {\n  %z = neg %x\n  return %z\n}\n");
  expect_refused("ingot diff one.txt --against scale.npz --random", 4, "scale.npz holds no value of method one");
}

TEST_F(Tool, OpsShowsWhatAnOpMeans) {
  const std::string all = expect_done("ingot ops"), one = expect_done("ingot ops argmax");
  expect_words(all, {"elementwise\n", "\nnorm\n", "  Softmax ", "  If "});
  expect_words(one,
               {"ArgReduce (reduce): argmax argmin\n", "lowest index wins a tie", "dtype     attribute  DType    i64"});
  EXPECT_EQ(expect_done("ingot ops ArgReduce"), one);
  EXPECT_NE(expect_done("ingot ops norm").find("LayerNorm (norm): layer_norm"), std::string::npos);
  expect_refused("ingot ops sofmax", 2, "there is no op 'sofmax', did you mean 'softmax'?");
}

}  // namespace
}  // namespace ingot::test
