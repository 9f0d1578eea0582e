// Cost, shapes and memory before anything runs; an observer changes nothing.
#include "runtime/cost.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "program/error.h"
#include "program/text.h"
#include "runtime/engines.h"
#include "runtime/environment.h"
#include "runtime/session.h"

namespace ingot {
namespace {

constexpr const char* kProgram = R"(ingot 1
symbol B in 1..64
symbol N in 0..64
state @sum : f32[4] = zeros
graph body(%carry: f32[4], %x: f32[4]) -> (carry, y) {
  %next = add %carry, %x
  return %next, %next
}
method scanned(%x: f32[B, 4]) -> (last, all) {
  %before = state_read {state=@sum}
  %last, %all = scan [%before], [%x], [] {body=@body, length=B}
  %after = state_write %last {state=@sum}
  return %after, %all
}
method found(%x: f32[B]) -> (where) {
  %where = nonzero %x {count=N}
  return %where
}
)";

Executable compiled(const CompileOptions& options = {.engine = "reference"}) {
  return compile(parse(kProgram), options);
}

double flops_of(const std::string& body, const Bindings& bindings = {}) {
  const Program program = parse("ingot 1\n" + body);
  const GraphCost cost = cost_of(program, program.graphs.back(), bindings);
  EXPECT_EQ(cost.unknown, 0U) << body;
  return *cost.total.flops;
}

TEST(Cost, CountsTheFamilies) {
  EXPECT_EQ(flops_of("method f(%a: f32[3, 2, 5], %b: f32[5, 7]) -> (y) {\n  %y = matmul %a, %b\n  return %y\n}\n"),
            2 * 3 * 2 * 7 * 5);
  EXPECT_EQ(flops_of("method f(%a: f32[5, 2], %b: f32[5, 7]) -> (y) {\n  %y = matmul %a, %b {transpose_a=true}\n"
                     "  return %y\n}\n"),
            2 * 2 * 7 * 5);
  EXPECT_EQ(flops_of("method f(%x: f32[1, 4, 8], %w: f32[6, 2, 3], %b: f32[6]) -> (y) {\n"
                     "  %y = conv %x, %w, %b {groups=2}\n  return %y\n}\n"),
            2 * 6 * 6 * (2 * 3) + 6 * 6);
  EXPECT_EQ(flops_of("method f(%q: f32[1, 4, 3, 8], %k: f32[1, 2, 5, 8], %v: f32[1, 2, 5, 6]) -> (y) {\n"
                     "  %y = attention %q, %k, %v\n  return %y\n}\n"),
            4 * 3 * 5 * (2 * 8 + 2 * 6 + 5));
  EXPECT_EQ(flops_of("method f(%x: f32[4, 5]) -> (y) {\n  %y = reduce_sum %x {axes=[1]}\n  return %y\n}\n"), 20);
  EXPECT_EQ(flops_of("method f(%x: f32[4, 1], %z: f32[1, 5]) -> (y) {\n  %y = mul %x, %z\n  return %y\n}\n"), 20);
  EXPECT_EQ(flops_of("method f(%x: f32[4, 5]) -> (y) {\n  %y = transpose %x {perm=[1, 0]}\n  return %y\n}\n"), 0);
}

TEST(Cost, OpsWithoutAFormulaAreUnknown) {
  const Program program = parse("ingot 1\nmethod f(%x: f32[4]) -> (y, i) {\n  %y, %i = sort %x\n  return %y, %i\n}\n");
  const GraphCost cost = cost_of(program, program.graphs[0], {});
  EXPECT_EQ(cost.unknown, 1U);
  ASSERT_TRUE(cost.nodes[0]);
  EXPECT_FALSE(cost.nodes[0]->flops);
  EXPECT_EQ(cost.nodes[0]->written, 4 * 4 + 4 * 8);
}

// A chain of graphs, each of which calls the one before it twice: 2^60 runs, looked at once each.
TEST(Cost, NestedCallsAreLookedAtOnce) {
  std::string text = "ingot 1\ngraph g0(%x: f32[1]) -> (y) {\n  %y = neg %x\n  return %y\n}\n";
  for (int i = 1; i <= 60; ++i) {
    const std::string callee = std::to_string(i - 1);
    text += "graph g" + std::to_string(i) + "(%x: f32[1]) -> (y) {\n  %h = call [%x] {graph=@g" + callee +
            "}\n  %y = call [%h] {graph=@g" + callee + "}\n  return %y\n}\n";
  }
  text += "method f(%x: f32[1]) -> (y) {\n  %y = call [%x] {graph=@g60}\n  return %y\n}\n";
  const Program program = parse(text);
  EXPECT_EQ(*cost_of(program, program.graphs.back(), {}).total.flops, 0x1p60);
}

TEST(Cost, ExecutablesAnswerBeforeTheyRun) {
  const Executable executable = compiled();
  const GraphCost cost = executable.cost("scanned", {{10, 4}});
  EXPECT_EQ(*cost.total.flops, 10 * 4);
  EXPECT_EQ(executable.output_shapes("scanned", {{10, 4}}), (std::vector<Shape>{{4}, {10, 4}}));
  // The state, and behind the scan its operands and its results.
  const int64_t row = 16, all = 160;
  EXPECT_EQ(executable.memory_needed("scanned", {{10, 4}}), row + all + row + row + all);
  // Data decide N: it stays a symbol, and counts as 64.
  EXPECT_EQ(executable.output_shapes("found", {{5}})[0][1], Dim(Symbol("N", 0, 64)));
  EXPECT_EQ(executable.memory_needed("found", {{5}}), row + 5 * 4 + 64 * 8);
}

// What is said to be needed is enough, on every engine.
TEST(Cost, CallsFitIntoTheMemoryThatTheyNeed) {
  const Tensor x = Tensor::of<float>({3, 4}, std::vector<float>(12, 1));
  for (const Engine* engine : engines()) {
    CompileOptions options{.engine = std::string(engine->name()), .mode = "eager"};
    options.limits.bytes = compiled(options).memory_needed("scanned", {{3, 4}});
    Session session(compiled(options));
    EXPECT_EQ(session.run({{"x", x}}, "scanned")[0].tensor.as<float>()[0], 3) << engine->name();
    options.limits.bytes = 40;  // the results of the scan are 64
    Session narrow(compiled(options));
    EXPECT_THROW(narrow.run({{"x", x}}, "scanned"), Error) << engine->name();
  }
}

TEST(Cost, WrongSizesAreRefused) {
  const Executable executable = compiled();
  const auto refusal = [&](const std::vector<Sizes>& sizes) -> std::string {
    try {
      executable.memory_needed("scanned", sizes);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(refusal({}), "[scanned] sizes are needed: input x is f32[B, 4]");
  EXPECT_EQ(refusal({{10, 4}, {10, 4}}), "[scanned] the number of inputs is 2, expected 1");
  EXPECT_EQ(refusal({{10}}), "[scanned] input x is f32[10], expected f32[B, 4]");
  EXPECT_EQ(refusal({{10, 5}}), "[scanned] input x is f32[10, 5], expected f32[B, 4]");
  EXPECT_NE(refusal({{65, 4}}).find("B"), std::string::npos);
}

TEST(Observer, SeesEveryNodeAndChangesNothing) {
  const Tensor x = Tensor::of<float>({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  for (const Engine* engine : engines()) {
    std::vector<std::string> seen;
    CompileOptions plain{.engine = std::string(engine->name()), .mode = "eager"}, watched = plain;
    watched.observer = [&](const NodeRun& run) {
      EXPECT_LE(run.start, run.end);
      seen.push_back(mnemonic(run.node.op));
    };
    Session with(compiled(watched)), without(compiled(plain));
    for (int call = 0; call < 2; ++call) {
      const auto a = with.run({{"x", x}}, "scanned"), b = without.run({{"x", x}}, "scanned");
      for (size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(a[i].tensor.bytes().size(), b[i].tensor.bytes().size());
        EXPECT_EQ(std::memcmp(a[i].tensor.bytes().data(), b[i].tensor.bytes().data(), a[i].tensor.bytes().size()), 0);
      }
    }
    const std::vector<std::string> once = {"state_read", "add", "add", "add", "scan", "state_write"};
    std::vector<std::string> twice = once;
    twice.insert(twice.end(), once.begin(), once.end());
    EXPECT_EQ(seen, twice) << engine->name();
  }
}

}  // namespace
}  // namespace ingot
