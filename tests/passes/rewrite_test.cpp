// The matcher and the rewriter: what counts as a use, what patterns find, and what a rule may not do.
#include "passes/rewrite.h"

#include <gtest/gtest.h>

#include "passes/pattern.h"
#include "tests/passes/passes_support.h"
#include "tests/program/io_support.h"

namespace ingot::test {
namespace {

const Graph& method(const Program& program) { return *program.method("f"); }

Ref named(const Graph& graph, std::string_view name) {
  for (uint32_t id = 0; id < graph.values.size(); ++id) {
    if (graph.values[id].name == name) return {id};
  }
  ADD_FAILURE() << name;
  return {};
}

// --------------------------------------------------------------------------------------------------------------- View

TEST(View, CountsEveryUse) {
  const Program program =
      program_of("%x: f32[3], %c: bool[]",
                 "%a = neg %x; %b = mul %a, %a; %i = if %c, [%a] {on_true=@double, on_false=@double}; "
                 "%w = state_write %a {state=@s}; %v, %n = sort %x; return %a, %v, %a, %i");
  const Graph& graph = method(program);
  const View view(program, graph);
  const auto uses = [&](std::string_view name) { return view.uses(named(graph, name)); };
  EXPECT_EQ(uses("a"), 6U) << "twice in mul, captured, written, twice an output";
  EXPECT_EQ(uses("b"), 0U);
  EXPECT_EQ(uses("x"), 2U);
  EXPECT_EQ(uses("c"), 1U);
  EXPECT_EQ(uses("v"), 1U);
  EXPECT_EQ(uses("n"), 0U) << "results count each for itself";
  EXPECT_TRUE(view.used_once(named(graph, "i")));
}

TEST(View, FindsMakersByResult) {
  const Program program = program_of("%x: f32[3]", "%v, %n = sort %x; %a = neg %v; return %a, %n");
  const Graph& graph = method(program);
  const View view(program, graph);
  EXPECT_EQ(view.maker(named(graph, "x")), nullptr);
  EXPECT_NE(view.made_by<op::Sort>(named(graph, "v")), nullptr);
  EXPECT_EQ(view.made_by<op::Sort>(named(graph, "n")), nullptr) << "the second result";
  EXPECT_NE(view.made_by<op::Sort>(named(graph, "n"), 1), nullptr);
  EXPECT_NE(view.unary(UnaryFn::neg, named(graph, "a")), nullptr);
  EXPECT_EQ(view.unary(UnaryFn::abs, named(graph, "a")), nullptr);
}

TEST(View, NumbersOfFullsAndConstantWeights) {
  const Program program = program_of("%x: f32[3]",
                                     "%a = full {shape=[2], value=2.5}; %b = reshape %a {shape=[1, 2]}; "
                                     "%c = broadcast @one {shape=[3]}; %d = iota {length=3}; return %b, %c, %d");
  const Graph& graph = method(program);
  const View view(program, graph), constant(program, graph, [](const Weight& weight) { return weight.name == "one"; });
  EXPECT_EQ(view.real(named(graph, "b")), 2.5);
  EXPECT_EQ(view.number(named(graph, "c")), std::nullopt) << "a weight may be replaced";
  EXPECT_TRUE(constant.is_number(named(graph, "c"), 1));
  EXPECT_FALSE(constant.is_number(named(graph, "c"), 2));
  EXPECT_EQ(constant.number(named(graph, "d")), std::nullopt);
}

TEST(View, NumbersOfEveryDtype) {
  const auto number = [](std::string_view type, std::string_view contents) {
    const Program program = parse(fmt::format("ingot 1\nweight @w : {} = {}", type, contents));
    const auto found = uniform_number(*program.weights[0].tensor);
    return found ? to_string(*found) : "none";
  };
  EXPECT_EQ(number("bool[2]", "[true, true]"), "1");
  EXPECT_EQ(number("i8[2]", "[-3, -3]"), "-3");
  EXPECT_EQ(number("u8[1]", "[253]"), "253");
  EXPECT_EQ(number("i64[1]", "[-9223372036854775808]"), "-9223372036854775808");
  EXPECT_EQ(number("u64[1]", "[18446744073709551615]"), "18446744073709551615");
  EXPECT_EQ(number("f16[3]", "[0.5, 0.5, 0.5]"), "0.5");
  EXPECT_EQ(number("bf16[1]", "[-2]"), "-2.0");
  EXPECT_EQ(number("f64[1]", "[0.1]"), "0.1");
  EXPECT_EQ(number("c64[1]", "[complex(1.0, -2.0)]"), "complex(1.0, -2.0)");
  EXPECT_EQ(number("f32[2]", "[0.0, -0.0]"), "none");
  EXPECT_EQ(number("f32[0]", "[]"), "none");
  EXPECT_EQ(number("f8e4m3[1]", "[1]"), "none");
}

TEST(View, KnowsWhenStateIsWrittenInBetween) {
  const Program program = program_of("%x: f32[3]",
                                     "%a = state_read {state=@s}; %b = state_write %x {state=@t}; "
                                     "%c = call [%x] {graph=@writes}; %d = state_read {state=@s}; return %a, %d");
  const Graph& graph = method(program);
  const View view(program, graph);
  const StateId s{0}, t{1};
  EXPECT_TRUE(view.unchanged_between(s, graph.nodes[0], graph.nodes[2]));
  EXPECT_FALSE(view.unchanged_between(s, graph.nodes[0], graph.nodes[3])) << "by the call";
  EXPECT_FALSE(view.unchanged_between(t, graph.nodes[0], graph.nodes[2]));
  EXPECT_TRUE(view.unchanged_between(t, graph.nodes[1], graph.nodes[3]));
}

// ------------------------------------------------------------------------------------------------------------ Pattern

std::optional<Found> found_in(const Pattern& pattern, const Program& program) {
  return match(pattern, View(program, method(program)), named(method(program), "y"));
}

TEST(Pattern, TriesEveryOrderOfCommutativeOperands) {
  enum { x, c };
  // (x·c)·x: which of the inner operands is x is known only at the outer one.
  const Pattern pattern = (any(x) * any(c)) * any(x);
  for (const std::string_view body :
       {"%a = mul %p, %q; %y = mul %a, %p", "%a = mul %q, %p; %y = mul %a, %p", "%a = mul %p, %q; %y = mul %p, %a"}) {
    const Program program = program_of("%p: f32[3], %q: f32[3]", std::string(body) + "; return %y");
    const auto found = found_in(pattern, program);
    ASSERT_TRUE(found) << body;
    EXPECT_EQ((*found)[x], named(method(program), "p")) << body;
    EXPECT_EQ((*found)[c], named(method(program), "q")) << body;
  }
  EXPECT_FALSE(found_in(
      pattern, program_of("%p: f32[3], %q: f32[3], %r: f32[3]", "%a = mul %p, %q; %y = mul %a, %r; return %y")));
  EXPECT_FALSE(found_in(any(x) - number(1), program_of("%p: f32[3]",
                                                       "%c = full {shape=[], value=1}; "
                                                       "%y = sub %c, %p; return %y")))
      << "a difference does not commute";
}

TEST(Pattern, NumbersAlternativesAndAttributes) {
  enum { x, mean };
  const Program program =
      program_of("%p: f32[2, 3]",
                 "%m = reduce_mean %p {axes=[1], keepdims=true}; %c = full {shape=[], value=0.7071}; "
                 "%d = mul %m, %c; %y = tanh %d; return %y");
  const auto is_mean = [](const op::Reduce& op, const View&) { return op.fn == ReduceFn::mean && op.keepdims; };
  const Pattern reduced = bind(mean, of<op::Reduce>(&op::Reduce::x, any(x), is_mean));
  const auto wanted = [&](double value, double tolerance) {
    return either(unary(UnaryFn::erf, any(x)), unary(UnaryFn::tanh, number(value, tolerance) * reduced));
  };
  EXPECT_FALSE(found_in(wanted(0.70710678, 0), program));
  const auto found = found_in(wanted(0.70710678, 1e-4), program);
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)[x], named(method(program), "p"));
  EXPECT_EQ((*found)[mean], named(method(program), "m"));
  EXPECT_FALSE(found_in(unary(UnaryFn::tanh, any_number(x)), program));
}

// ------------------------------------------------------------------------------------------------------------ rewrite

std::optional<Var> silu(const op::Binary&, const Site& site) {
  enum { x };
  static const Pattern pattern = any(x) * unary(UnaryFn::sigmoid, any(x));
  const auto found = match(pattern, site, site.result());
  return found ? std::optional(site.to().silu(site((*found)[x]))) : std::nullopt;
}
const Rule kSilu[] = {rule<silu>("silu", "x·sigmoid(x) → silu(x)")};

TEST(Rewrite, KeepsNamesAndSources) {
  const Program program = program_of(
      "%x: f32[3]",
      "%g = sigmoid %x; %y = mul %g, %x loc(name=\"act\", op=\"Mul\", file=\"m.py\"); %z = neg %y; return %z, %y");
  EXPECT_EQ(text_of(rewrite(program, kSilu)),
            text_of(program_of("%x: f32[3]",
                               "%y = silu %x loc(name=\"act\", op=\"Mul\", file=\"m.py\"); %z = neg %y; "
                               "return %z, %y")));
}

TEST(Rewrite, InnerNodesStayWhileOthersUseThem) {
  const std::string_view inputs = "%x: f32[3], %c: bool[]";
  for (const std::string_view use :
       {"%o = exp %g; return %y, %o", "%o = state_write %g {state=@s}; return %y",
        "%o = if %c, [%g] {on_true=@double, on_false=@double}; return %y, %o", "return %y, %g"}) {
    const auto body = [&](std::string_view product) {
      return fmt::format("%g = sigmoid %x; %y = {}; {}", product, use);
    };
    EXPECT_EQ(text_of(rewrite(program_of(inputs, body("mul %x, %g")), kSilu)),
              text_of(program_of(inputs, body("silu %x"))));
  }
}

TEST(Rewrite, EveryGraphAndMethod) {
  const Program program = parse(R"(ingot 1
graph body(%x: f32[]) -> (y) {
  %g = sigmoid %x
  %y = mul %x, %g
  return %y
}
method a(%x: f32[]) -> (y) {
  %y = call [%x] {graph=@body}
  return %y
}
method b(%x: f32[]) -> (y) {
  %g = sigmoid %x
  %y = mul %x, %g
  return %y
})");
  const Program after = rewrite(program, kSilu);
  EXPECT_EQ(after.graphs[0].nodes.size(), 1U);
  EXPECT_EQ(after.graphs[2].nodes.size(), 1U);
}

std::optional<Var> wrong_dtype(const op::Unary& op, const Site& site) { return site.to().cast(site(op.x), DType::f16); }
std::optional<Var> new_write(const op::Unary& op, const Site& site) { return site.to().state_write({0}, site(op.x)); }
std::optional<Var> other_sizes(const op::Unary& op, const Site& site) {
  return site.to().slice(site(op.x), {0}, {0}, {1});
}
std::optional<Var> not_provable(const op::Unary& op, const Site& site) {
  return site.to().reshape(site(op.x), {Dim(Symbol("S", 1, 8))});
}

TEST(Rewrite, ARuleMayNotChangeTypesOrAddEffects) {
  const Program program = program_of("%x: f32[3]", "%y = neg %x; return %y");
  const auto refused = [&](const Rule& rule) {
    return message_of([&] { rewrite(program, std::span(&rule, 1)); }, Code::internal);
  };
  EXPECT_EQ(refused(rule<wrong_dtype>("wrong", "")), "result 0 of rule wrong is f16[3], expected f32[3]");
  EXPECT_EQ(refused(rule<new_write>("write", "")),
            "a new node of rule write is state_write, expected one without effects that neg has not");
  for (const Rule& rule : {rule<other_sizes>("sizes", ""), rule<not_provable>("unproven", "")}) {
    EXPECT_EQ(text_of(rewrite(program, std::span(&rule, 1))), text_of(program)) << rule.name << " is given up";
  }
}

std::optional<Var> back_and_forth(const op::Unary& op, const Site& site) {
  return op.fn == UnaryFn::sin ? site.to().cos(site(op.x)) : site.to().sin(site(op.x));
}

TEST(Rewrite, EndsThoughRulesDoNot) {
  const Program program = program_of("%x: f32[3]", "%y = sin %x; return %y");
  const Rule rule = ingot::rule<back_and_forth>("back_and_forth", "");
  EXPECT_EQ(text_of(rewrite(program, std::span(&rule, 1), {.sweeps = 3})),
            text_of(program_of("%x: f32[3]", "%y = cos %x; return %y")));
}

// Chains of many thousand nodes neither overflow the stack nor take a sweep for each node.
TEST(Rewrite, LongChains) {
  std::string body;
  for (int i = 0; i < 5000; ++i)
    body += fmt::format("%v{} = reshape %{} {{shape=[{}]}}; ", i, i == 0 ? "x" : fmt::format("v{}", i - 1),
                        i % 2 == 0 ? "6" : "3, 2");
  const Program after = optimize(program_of("%x: f32[2, 3]", body + "return %v4999"));
  EXPECT_EQ(method(after).nodes.size(), 1U);
}

}  // namespace
}  // namespace ingot::test
