// cse, dce, fold, hoist, and all of them in turn: what comes out, and what must stay.
#include <gtest/gtest.h>

#include <set>

#include "passes/cse.h"
#include "passes/dce.h"
#include "passes/hoist.h"
#include "program/error.h"
#include "tests/passes/passes_support.h"
#include "tests/program/io_support.h"

namespace ingot::test {
namespace {

struct PassCase {
  std::string_view name, inputs, before, after;  // nothing in `after`: as before
};

template <class F>
void expect_each(std::span<const PassCase> cases, F pass) {
  for (const PassCase& row : cases) {
    SCOPED_TRACE(row.name);
    const std::string_view after = row.after.empty() ? row.before : row.after;
    EXPECT_EQ(text_of(pass(program_of(row.inputs, row.before))), text_of(program_of(row.inputs, after)));
  }
}

TEST(Dce, DropsWhatNothingUses) {
  constexpr PassCase cases[] = {
      {"a chain", "%x: f32[3]", "%a = neg %x; %b = exp %a; %y = abs %x; return %y", "%y = abs %x; return %y"},
      {"one of two results is used", "%x: f32[3]", "%v, %n = sort %x; return %n", ""},
      {"reads", "%x: f32[3]", "%a = state_read {state=@s}; return %x", "return %x"},
      {"what can only fail", "%x: f32[3], %i: i64[2]", "%a = take %x, %i; return %x", "return %x"},
      {"pure control flow", "%x: f32[3]", "%a = call [%x] {graph=@double}; return %x", "return %x"},
      {"weights", "%x: f32[3]", "%a = neg @w; return %x", "return %x"},
      {"writes stay, and what they need", "%x: f32[3]", "%a = neg %x; %b = state_write %a {state=@s}; return %x", ""},
      {"updates stay", "%x: f32[1], %i: i64[]", "%b = state_update %x, [%i] {state=@s, axes=[0]}; return %x", ""},
      {"calls that write stay", "%x: f32[3]", "%a = call [%x] {graph=@writes}; return %x", ""},
      {"promises stay", "%x: f32[S], %z: f32[T]", "%a = ensure_shape %x {shape=[T]}; return %x", ""},
      {"what binds a symbol stays", "%x: f32[3]", "%a = nonzero %x {count=N}; return %x", ""},
      {"custom ops stay", "%x: f32[3]", "%a = custom [%x] {name=\"log it\", results=[f32[3]]}; return %x", ""},
  };
  expect_each(cases, [](const Program& program) { return drop_unused(program); });
}

TEST(Dce, DropsGraphsThatNoMethodRuns) {
  const Program program = parse(R"(ingot 1
graph unused(%x: f32[]) -> (y) { return %x }
graph inner(%x: f32[]) -> (y) {
  %y = neg %x
  return %y
}
graph outer(%x: f32[]) -> (y) {
  %y = call [%x] {graph=@inner}
  return %y
}
method f(%x: f32[]) -> (y) {
  %y = call [%x] {graph=@outer}
  return %y
})");
  const Program after = drop_unused(program);
  ASSERT_EQ(after.graphs.size(), 3U);
  EXPECT_EQ(after.graphs[0].name, "inner");
  EXPECT_EQ(after.graphs[1].nodes[0].op.get_if<op::Call>()->graph, GraphId{0});
}

TEST(Cse, MergesWhatIsEqual) {
  constexpr PassCase cases[] = {
      {"equal chains", "%x: f32[3]", "%a = neg %x; %b = exp %a; %c = neg %x; %d = exp %c; return %b, %d",
       "%a = neg %x; %b = exp %a; return %b, %b"},
      {"all results", "%x: f32[3]", "%v, %n = sort %x; %u, %m = sort %x; return %v, %m",
       "%v, %n = sort %x; return %v, %n"},
      {"other attributes", "%x: f32[3]", "%v, %n = sort %x; %u, %m = sort %x {descending=true}; return %v, %u", ""},
      {"operands the other way round", "%x: f32[3], %z: f32[3]", "%a = sub %x, %z; %b = sub %z, %x; return %a, %b", ""},
      {"-0.0 is not 0.0", "%x: f32[3]",
       "%a = full {shape=[], value=0.0}; %b = full {shape=[], value=-0.0}; return %a, %b", ""},
      {"-0.0 is not 0.0, as an attribute", "%x: f32[3]",
       "%a = leaky_relu %x {alpha=0.0}; %b = leaky_relu %x {alpha=-0.0}; return %a, %b", ""},
      {"what can fail", "%x: f32[3], %i: i64[2]", "%a = take %x, %i; %b = take %x, %i; return %a, %b",
       "%a = take %x, %i; return %a, %a"},
      {"pure calls", "%x: f32[3]", "%a = call [%x] {graph=@double}; %b = call [%x] {graph=@double}; return %a, %b",
       "%a = call [%x] {graph=@double}; return %a, %a"},
      {"reads", "%x: f32[3]", "%a = state_read {state=@s}; %b = state_read {state=@s}; return %a, %b",
       "%a = state_read {state=@s}; return %a, %a"},
      {"reads of two states", "%x: f32[3]", "%a = state_read {state=@s}; %b = state_read {state=@t}; return %a, %b",
       ""},
      {"reads around a write", "%x: f32[3]",
       "%a = state_read {state=@s}; %w = state_write %x {state=@s}; %b = state_read {state=@s}; return %a, %b", ""},
      {"reads around a call that writes", "%x: f32[3]",
       "%a = state_read {state=@s}; %w = call [%x] {graph=@writes}; %b = state_read {state=@s}; return %a, %b", ""},
      {"writes", "%x: f32[3]", "%a = state_write %x {state=@s}; %b = state_write %x {state=@s}; return %a, %b", ""},
      {"calls that write", "%x: f32[3]",
       "%a = call [%x] {graph=@writes}; %b = call [%x] {graph=@writes}; return %a, %b", ""},
      {"custom ops", "%x: f32[3]",
       "%a = custom [%x] {name=\"c\", results=[f32[3]]}; %b = custom [%x] {name=\"c\", results=[f32[3]]}; return %a, "
       "%b",
       ""},
      {"what binds symbols", "%x: f32[3]", "%a = nonzero %x {count=N}; %b = nonzero %x {count=K}; return %a, %b", ""},
  };
  expect_each(cases, [](const Program& program) { return merge_equal(program); });
}

// What differs in attributes alone is told apart quickly.
TEST(Cse, ManyNodesWithoutOperands) {
  ProgramBuilder builder;
  GraphBuilder& f = builder.method("f");
  for (int i = 0; i < 40000; ++i) f.output(fmt::format("y{}", i), f.full({2}, i % 20000, {.dtype = DType::i32}));
  EXPECT_EQ(merge_equal(builder.build()).graphs[0].nodes.size(), 20000U);
}

// --------------------------------------------------------------------------------------------------------------- fold

Program folded(const Program& program, const FoldOptions& options = {}) {
  return drop_unused(fold_constants(program, reference::evaluate, options));
}

TEST(Fold, ComputesWhatIsConstant) {
  constexpr PassCase cases[] = {
      {"numbers", "%x: f32[S]",
       "%a = full {shape=[], value=2}; %b = full {shape=[], value=0.5}; %c = pow %b, %a; %y = mul %x, %c; return %y",
       "%c = full {shape=[], value=0.25}; %y = mul %x, %c; return %y"},
      {"what depends on an input", "%x: f32[S]", "%a = full {shape=[], value=2}; %y = mul %x, %a; return %y", ""},
      {"sizes that are not known", "%x: f32[S]", "%a = full {shape=[S], value=2}; %y = neg %a; return %y", ""},
      {"what fails", "%x: f32[3]",
       "%a = full {shape=[2], value=1}; %i = full {shape=[1], value=5, dtype=i64}; %y = take %a, %i; return %y", ""},
      {"weights, which may be replaced", "%x: f32[3]", "%y = neg @w; return %y", ""},
      {"state", "%x: f32[3]", "%a = full {shape=[3], value=1}; %y = state_write %a {state=@s}; return %y", ""},
      {"calls", "%x: f32[3]", "%a = full {shape=[3], value=1}; %y = call [%a] {graph=@double}; return %y", ""},
      {"custom ops", "%x: f32[3]",
       "%a = full {shape=[3], value=1}; %y = custom [%a] {name=\"c\", results=[f32[3]]}; return %y", ""},
  };
  expect_each(cases, [](const Program& program) { return folded(program); });
}

TEST(Fold, IntoWeightsOfTheirName) {
  const Program program = program_of("%x: f32[2, 2]",
                                     "%i = iota {length=4, dtype=f32}; %m = reshape %i {shape=[2, 2]}; "
                                     "%n = neg %m; %y = matmul %x, %n; return %y, %n");
  const Program after = folded(program);
  ASSERT_EQ(after.weights.size(), program.weights.size() + 1) << "the ones in between are no weights";
  EXPECT_EQ(after.weights.back().name, "n");
  EXPECT_EQ(print_contents(*after.weights.back().tensor), "[-0.0, -1.0, -2.0, -3.0]");
  EXPECT_EQ(after.weights.back().hash, content_hash(*after.weights.back().tensor));
  EXPECT_EQ(after.graphs.back().nodes.size(), 1U);
}

TEST(Fold, ConstantWeightsAndOneOfSeveralResults) {
  const Program program = program_of("%x: f32[3]", "%v, %i = sort @w {descending=true}; %y = take %x, %i; return %y");
  const Program after = folded(program, {.is_constant = [](const Weight&) { return true; }});
  EXPECT_EQ(text_of(after),
            "method f(%x: f32[3]) -> (f32[2, 3] y) {\n  %y = take %x, @i : f32[2, 3]\n  return %y\n}\n");
  EXPECT_EQ(print_contents(*after.weights.back().tensor), "[2, 1, 0, 2, 1, 0]");
  EXPECT_EQ(after.weights.size(), program.weights.size() + 1) << "the sorted numbers are not used";
}

// Even where the host says that all weights are constant, these have nothing to read.
TEST(Fold, LeavesWeightsWithoutStoredContentsAlone) {
  const Program program = parse(
      "ingot 1\nweight @w : f32[2]\nweight @z : f32[2] = zeros\n"
      "method f(%x: f32[2]) -> (y, z) {\n  %n = neg @w\n  %y = add %x, %n\n  %z = add %x, @z\n  return %y, %z\n}\n");
  const Program after =
      optimize(program, {.evaluate = reference::evaluate, .is_constant = [](const Weight&) { return true; }});
  EXPECT_EQ(after.weights.size(), 2U);
  EXPECT_TRUE(after.weights[0].is_missing());
  EXPECT_TRUE(after.weights[1].zeros);
}

TEST(Fold, KeepsWithinItsGrowth) {
  const std::string_view body = "%i = iota {length=600}; %y = neg %i; return %y";
  EXPECT_EQ(folded(program_of("%x: f32[3]", body), {.growth_bytes = 4800}).graphs.back().nodes.size(), 0U);
  EXPECT_EQ(folded(program_of("%x: f32[3]", body), {.growth_bytes = 4799}).graphs.back().nodes.size(), 2U);
  // 24 bytes are read: twice that is allowed in any case.
  const FoldOptions options{.is_constant = [](const Weight&) { return true; }, .growth_bytes = 0};
  const auto nodes = [&](std::string_view text) {
    return folded(program_of("%x: f32[3]", text), options).graphs.back().nodes.size();
  };
  EXPECT_EQ(nodes("%y = cast @w {dtype=f64}; return %y"), 0U);
  EXPECT_EQ(nodes("%y = concatenate [@w, @w, @w]; return %y"), 0U) << "what is read three times counts so";
  EXPECT_EQ(nodes("%y = broadcast @w {shape=[3, 2, 3]}; return %y"), 1U);
}

TEST(Fold, LeavesMasksIfAsked) {
  const auto text = [](std::string_view body, bool keep) {
    return text_of(folded(program_of("%x: f32[2, 3]", body), {.keep_masks = keep}));
  };
  const std::string_view mask =
      "%i = iota {length=2}; %r = reshape %i {shape=[2, 1]}; %j = iota {length=3}; %m = ge %r, %j; "
      "%c = full {shape=[], value=2}; %z = select %m, %x, %c; return %z";
  EXPECT_EQ(text(mask, true), text_of(program_of("%x: f32[2, 3]", mask)));
  EXPECT_EQ(text(mask, false).find("ge"), std::string::npos);
  const std::string_view sizes =
      "%i = iota {length=3}; %c = full {shape=[], value=1, dtype=i64}; %y = ge %i, %c; return %y";
  EXPECT_EQ(text(sizes, true), text(sizes, false)) << "of one axis it is no mask";
}

// -------------------------------------------------------------------------------------------------------------- hoist

// Runs `prepare`, gives its outputs to the method, and compares with the method as it was.
void expect_same_after_hoisting(const Program& program, const Hoisted& hoisted, std::vector<Tensor> inputs) {
  ASSERT_EQ(hoisted.methods.size(), 1U);
  const HoistedMethod& m = hoisted.methods[0];
  Runner before(program), after(hoisted.program);
  const std::vector<Tensor> expected = before.run(m.method, inputs);
  for (const Tensor& prepared : after.run(m.prepare, {})) inputs.push_back(prepared);
  ASSERT_EQ(hoisted.program.method(m.method)->inputs.size(), inputs.size());
  EXPECT_EQ(program.method(m.method)->inputs.size(), m.first_input);
  const std::vector<Tensor> actual = after.run(m.method, inputs);
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_EQ(print_contents(actual[i]), print_contents(expected[i]));
}

TEST(Hoist, SplitsWhatDependsOnWeightsAlone) {
  const Program program = program_of("%x: f32[S, 2]",
                                     "%two = full {shape=[], value=2}; %a = mul @w, %two; %b = exp %a; "
                                     "%t = transpose %b {perm=[1, 0]}; %y = matmul %x, %b; %z = matmul %y, %t; "
                                     "%u = add %y, %two; return %z, %u, %a");
  const Hoisted hoisted = hoist_parameter_only(program);
  EXPECT_EQ(print(hoisted.program).substr(print(hoisted.program).find("method f(")),
            R"(method f(%x: f32[S, 2], %a: f32[2, 3], %b: f32[2, 3]) -> (f32[S, 2] y, f32[S, 3] y1, f32[2, 3] y5) {
  %two = full {shape=[], value=2} : f32[]
  %t = transpose %b {perm=[1, 0]} : f32[3, 2]
  %y = matmul %x, %b : f32[S, 3]
  %z = matmul %y, %t : f32[S, 2]
  %u = add %y, %two : f32[S, 3]
  return %z, %u, %a
}

graph f.prepare() -> (f32[2, 3] a, f32[2, 3] b) {
  %two = full {shape=[], value=2} : f32[]
  %a = mul @w, %two : f32[2, 3]
  %b = exp %a : f32[2, 3]
  return %a, %b
}
)");
  ASSERT_EQ(hoisted.methods.size(), 1U);
  EXPECT_EQ(hoisted.methods[0].method, "f");
  EXPECT_EQ(hoisted.methods[0].first_input, 1U);
  EXPECT_EQ(hoisted.methods[0].weights, std::vector{WeightId{0}});
  expect_same_after_hoisting(program, hoisted, {Tensor::of<float>({2, 2}, {1, -2, 0.5, 3})});
}

TEST(Hoist, LeavesWhatIsNotWorthIt) {
  for (const std::string_view body : {
           "%y = transpose @w {perm=[1, 0]}; return %y",                      // moves elements
           "%a = full {shape=[3], value=2}; %y = neg %a; return %y",          // no weight
           "%y = add %x, @one; return %y",                                    // an input
           "%a = state_read {state=@s}; %y = mul %a, @one; return %y",        // state
           "%y = custom [@w] {name=\"c\", results=[f32[3]]}; return %y",      // the host's code
           "%a = full {shape=[600], value=1}; %y = add %a, @one; return %y",  // grows
       }) {
    const Program program = program_of("%x: f32[3]", body);
    const Hoisted hoisted = hoist_parameter_only(program, {.growth_bytes = 100});
    EXPECT_TRUE(hoisted.methods.empty()) << body;
    EXPECT_EQ(print(hoisted.program), print(program));
  }
}

// What is too large to keep is computed in both places; what is behind it can still be small.
TEST(Hoist, KeepsTheSmallResultOfALargeOne) {
  const Program program =
      program_of("%x: f32[3]",
                 "%a = full {shape=[600], value=1}; %b = add %a, @one; %c = reduce_sum %b {axes=[0]}; "
                 "%d, %i = sort %b; %y = mul %x, %c; return %y, %b");
  const Hoisted hoisted = hoist_parameter_only(program, {.growth_bytes = 100});
  expect_same_after_hoisting(program, hoisted, {Tensor::of<float>({3}, {1, 2, 3})});
  EXPECT_EQ(hoisted.program.method("f")->inputs.size(), 2U);
}

// Each sum reads what the one before it reads, twice: 2^100 times the weight.
TEST(Hoist, LongChainsOfSums) {
  std::string body = "%v0 = add @w, @w; ";
  for (int i = 1; i < 100; ++i) body += fmt::format("%v{} = add %v{}, %v{}; ", i, i - 1, i - 1);
  const Program program = program_of("%x: f32[3]", body + "%y = mul %x, %v99; return %y");
  EXPECT_EQ(hoist_parameter_only(program, {.growth_bytes = 0}).methods.size(), 1U);
  const FoldOptions options{.is_constant = [](const Weight&) { return true; }, .growth_bytes = 0};
  EXPECT_EQ(folded(program, options).graphs.back().nodes.size(), 1U);
}

TEST(Hoist, NamesWhatHasNone) {
  const Program program = program_of("%x: f32[3]", "%0 = neg @one; %y = mul %x, %0; return %y");
  const Hoisted hoisted = hoist_parameter_only(program);
  expect_same_after_hoisting(program, hoisted, {Tensor::of<float>({3}, {1, 2, 3})});
  EXPECT_EQ(hoisted.program.method("f")->values[1].name, "prepared 0");
}

TEST(Hoist, LeavesMethodsThatOthersCall) {
  const Program program = parse(R"(ingot 1
weight @w : f32[] = [1]
method inner(%x: f32[]) -> (y) {
  %a = neg @w
  %y = mul %x, %a
  return %y
}
method outer(%x: f32[]) -> (y) {
  %a = exp @w
  %b = call [%x] {graph=@inner}
  %y = mul %a, %b
  return %y
})");
  const Hoisted hoisted = hoist_parameter_only(program);
  ASSERT_EQ(hoisted.methods.size(), 1U);
  EXPECT_EQ(hoisted.methods[0].method, "outer");
  EXPECT_EQ(hoisted.methods[0].prepare, "outer.prepare");
  EXPECT_EQ(hoisted.program.graphs[2].name, "outer.prepare");
}

// ----------------------------------------------------------------------------------------------------------- pipeline

TEST(Pipeline, RunsToAFixedPoint) {
  // Only after folding is the condition a number, only then are both products equal.
  const Program program =
      program_of("%x: f32[3]",
                 "%a = full {shape=[], value=1}; %b = full {shape=[], value=2}; %c = lt %a, %b; %t = add %a, %a; "
                 "%p = mul %x, %t; %q = mul %x, %b; %s = select %c, %p, %q; %d = sub %s, %q; return %d");
  EXPECT_EQ(text_of(optimize(program, {.evaluate = reference::evaluate})),
            text_of(program_of("%x: f32[3]",
                               "%b = full {shape=[], value=2.0}; %p = mul %x, %b; %d = sub %p, %p; return %d")));
}

TEST(Pipeline, StopsWhereItIsTold) {
  const Program program = program_of("%x: f32[3]", "%a = neg %x; %b = neg %x; %n = neg %a; %u = exp %x; return %b, %n");
  const auto nodes = [&](std::string_view last) { return optimize_until(program, last).method("f")->nodes.size(); };
  EXPECT_EQ(nodes("canonicalize"), 1U) << "%n is %x, and rewriting drops what it leaves unused";
  EXPECT_EQ(message_of([&] { optimize_until(program, "cze"); }, Code::not_found).substr(0, 24),
            "there is no pass 'cze', ");
}

TEST(Pipeline, SaysWhichRulesApply) {
  std::vector<std::string> applied;
  PassOptions options;
  options.on_applied = [&](const Rule& rule, const Graph& graph, const Node& root) {
    applied.push_back(fmt::format("{} {} {}", rule.name, graph.name, root.name));
  };
  optimize(program_of("%x: f32[3]", "%a = neg %x; %b = neg %a; return %b"), options);
  EXPECT_EQ(applied, std::vector<std::string>{"undone f b"});
}

TEST(Pipeline, PassesHaveNamesAndMeanings) {
  std::set<std::string_view> names;
  for (const Pass& pass : passes()) {
    EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
    EXPECT_FALSE(pass.meaning.empty()) << pass.name;
    if (!pass.rules) continue;
    for (const Rule& rule : pass.rules()) EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
  }
}

}  // namespace
}  // namespace ingot::test
