// Random programs give the same results with passes on and off, bit by bit: several methods and outputs, state, control
// flow and symbols. Each is also spelled out at length first, so that the rules have something to find.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "passes/hoist.h"
#include "tests/passes/detours.h"
#include "tests/passes/passes_support.h"
#include "tests/support/draw.h"
#include "tests/support/random_program.h"
#include "tests/support/sanitized.h"

namespace ingot::test {
namespace {

// --------------------------------------------------------------------------------------------------------------- runs

struct Outcome {
  std::optional<std::vector<Tensor>> outputs;  // none where the call failed
  std::vector<Tensor> states;
};

constexpr RunLimits kLimits{.bytes = 1 << 26, .steps = 3'000'000};

// Every method in turn, twice, on the same states.
std::vector<Outcome> run_all(const Program& program, uint64_t seed) {
  Runner runner(program, kLimits);
  std::vector<Outcome> outcomes;
  for (uint64_t repeat = 0; repeat < 2; ++repeat) {
    for (const std::string& name : program.method_names()) {
      Outcome& outcome = outcomes.emplace_back();
      try {
        outcome.outputs = runner.run(name, random_inputs(program, *program.method(name), seed + repeat));
      } catch (const Error&) {
      }
      outcome.states = runner.states();
    }
  }
  return outcomes;
}

bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b, [](const Tensor& x, const Tensor& y) { return test::same_bits(x, y); });
}

// How many calls could be compared.
size_t expect_same(const std::vector<Outcome>& actual, const std::vector<Outcome>& expected) {
  EXPECT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    // Where the original failed, an op whose result nothing uses may have done so; from there on states may differ.
    if (!expected[i].outputs) return i;
    if (!actual[i].outputs || !same_bits(*actual[i].outputs, *expected[i].outputs)) {
      ADD_FAILURE() << "call " << i << (actual[i].outputs ? " gives other outputs" : " fails");
      return i;
    }
    EXPECT_TRUE(same_bits(actual[i].states, expected[i].states)) << "states after call " << i;
  }
  return actual.size();
}

TEST(RandomPasses, SameResultsOnAndOff) {
  constexpr uint64_t kSeeds = is_sanitized ? 80 : 250;
  size_t compared = 0, nodes_before = 0, nodes_after = 0;
  std::set<std::string_view> applied;
  PassOptions options{.evaluate = reference::evaluate, .is_constant = [](const Weight& weight) {
                        return weight.name.size() % 2 == 0;  // some of them
                      }};
  options.on_applied = [&](const Rule& rule, const Graph&, const Node&) { applied.insert(rule.name); };
  for (uint64_t seed = 0; seed < kSeeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Program original = random_program(seed, {.nodes = 12, .custom = false});
    Draw draw(seed);
    const Program longer = spelled_out(original, draw);
    const Program optimized = optimize(longer, options);
    nodes_before += node_count(longer);
    nodes_after += node_count(optimized);
    compared += expect_same(run_all(optimized, seed), run_all(original, seed));
    if (testing::Test::HasFailure()) ADD_FAILURE() << print(longer) << "\nbecame\n" << print(optimized);
  }
  EXPECT_GT(compared, kSeeds / 2) << "calls that could be compared";
  EXPECT_LT(nodes_after * 3, nodes_before * 2) << "the detours are gone";
  for (const std::string_view rule : {"reshape_of_reshape", "transpose_of_transpose", "neutral_operand", "undone",
                                      "select_of_equals", "cast_same", "concatenate_of_one", "pad_by_nothing"}) {
    EXPECT_TRUE(applied.contains(rule)) << rule;
  }
}

TEST(RandomPasses, OptimisingTwiceChangesNothing) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Draw draw(seed);
    const Program once = optimize(spelled_out(random_program(seed), draw), {.evaluate = reference::evaluate});
    EXPECT_EQ(print(optimize(once, {.evaluate = reference::evaluate})), print(once)) << "seed " << seed;
  }
}

TEST(RandomPasses, HoistedProgramsVerify) {
  size_t hoisted = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) hoisted += hoist_parameter_only(random_program(seed)).methods.size();
  EXPECT_GT(hoisted, 20U);
}

// Numbers of every size, infinities and NaN among them where the dtype has them.
Tensor hard_numbers(const TensorType& type, Draw& draw) {
  Tensor tensor = draw.tensor(type);
  if (type.dtype == DType::bool_) return tensor;
  const std::span<std::byte> bytes = tensor.mutable_bytes();
  for (size_t i = bytes.size() / 2; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(draw.below(256));
  const DType part = type.dtype == DType::c64 ? DType::f32 : type.dtype;
  const auto format = float_format(part);
  if (!format || bits(part) < 8) return tensor;
  size_t at = 0;
  for (const double number : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN(), -0.0}) {
    const auto stored = encode(*format, number);
    if (stored)
      std::memcpy(bytes.data() + at++ * static_cast<size_t>(bits(part)) / 8, &*stored,
                  static_cast<size_t>(bits(part)) / 8);
  }
  return tensor;
}

// What the passes make of a method on numbers of x's type gives the same; whether they changed it at all.
bool expect_exact(const Program& before, const TensorType& type, Draw& draw) {
  const Program after = optimize(before, {.evaluate = reference::evaluate});
  Runner a(before), b(after);
  for (int i = 0; i < 4; ++i) {
    const Tensor numbers = hard_numbers(type, draw);
    EXPECT_TRUE(same_bits(a.run("f", {numbers}), b.run("f", {numbers}))) << print(before) << "became\n" << print(after);
  }
  return node_count(after) != node_count(before);
}

// A method of one input that has every output that `add` can make of it.
template <class Add>
bool expect_exact(DType dtype, Draw& draw, Add add) {
  ProgramBuilder builder;
  GraphBuilder& f = builder.method("f");
  const TensorType type{dtype, {64}, {}};
  const Var x = f.input("x", type);
  int outputs = 0;
  add(f, x, [&](auto make) {
    try {
      f.output(fmt::format("y{}", outputs++), make());
    } catch (const Error&) {  // not of this dtype
    }
  });
  return expect_exact(builder.build(), type, draw);
}

constexpr auto kDTypes = static_cast<size_t>(DType::packed);

// Every chain of two casts.
TEST(RandomPasses, CastChainsAreExact) {
  size_t shortened = 0;
  Draw draw(1);
  for (size_t from = 0; from < kDTypes; ++from) {
    for (size_t through = 0; through < kDTypes; ++through) {
      shortened += expect_exact(static_cast<DType>(from), draw, [&](GraphBuilder& f, Var x, auto output) {
        for (size_t to = 0; to < kDTypes; ++to) {
          for (const bool saturate : {false, true}) {
            const auto cast = [&](Var v, size_t dtype) {
              return f.cast(v, static_cast<DType>(dtype), {.saturate = saturate});
            };
            output([&] { return cast(cast(x, through), to); });
          }
        }
      });
    }
  }
  EXPECT_GT(shortened, 100U);
}

// Products of matrices, with the axes of both and of the result in any order.
TEST(RandomPasses, EinsumsAreExact) {
  const std::map<char, int64_t> sizes{{'b', 2}, {'h', 4}, {'m', 2}, {'n', 2}, {'k', 4}};
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Draw draw(seed);
    const auto shuffled = [&](std::string_view labels) {
      std::string text;
      for (const int64_t i : draw.permutation(labels.size())) text += labels[static_cast<size_t>(i)];
      return text;
    };
    const std::string a = shuffled("bhmk"), b = shuffled("bhkn"), result = shuffled("bhmn");
    expect_exact(DType::f32, draw, [&](GraphBuilder& f, Var x, auto output) {
      const auto with = [&](const std::string& labels) {
        Shape shape;
        for (const char label : labels) shape.emplace_back(sizes.at(label));
        return f.reshape(x, shape);
      };
      output([&] { return f.einsum({with(a), with(b)}, fmt::format("{},{}->{}", a, b, result)); });
    });
  }
}

// Every function of every function.
TEST(RandomPasses, UnaryChainsAreExact) {
  constexpr auto kFns = EnumNames<UnaryFn>::names.size();
  size_t shortened = 0;
  Draw draw(2);
  for (size_t dtype = 0; dtype < kDTypes; ++dtype) {
    for (size_t inner = 0; inner < kFns; ++inner) {
      shortened += expect_exact(static_cast<DType>(dtype), draw, [&](GraphBuilder& f, Var x, auto output) {
        for (size_t outer = 0; outer < kFns; ++outer) {
          output([&] {
            const Var first = f.add(op::Unary{static_cast<UnaryFn>(inner), x.ref()}).front();
            return f.add(op::Unary{static_cast<UnaryFn>(outer), first.ref()}).front();
          });
        }
      });
    }
  }
  EXPECT_GT(shortened, 100U);
}

// Every function of x and a number, either way round, of x and itself, and of x and -x in another dtype.
TEST(RandomPasses, BinaryAlgebraIsExact) {
  constexpr auto kFns = EnumNames<BinaryFn>::names.size();
  size_t shortened = 0;
  Draw draw(3);
  for (size_t dtype = 0; dtype < kDTypes; ++dtype) {
    for (size_t fn = 0; fn < kFns; ++fn) {
      shortened += expect_exact(static_cast<DType>(dtype), draw, [&](GraphBuilder& f, Var x, auto output) {
        const auto of = [&](Var a, Var b) {
          return f.add(op::Binary{static_cast<BinaryFn>(fn), a.ref(), b.ref()}).front();
        };
        for (const Scalar number :
             {Scalar(0), Scalar(1), Scalar(-1), Scalar(0.0), Scalar(-0.0), Scalar(1.0), Scalar(0.25)}) {
          for (size_t other = 0; other <= static_cast<size_t>(DType::c64); ++other) {
            const auto full = [&] { return f.full({}, number, {.dtype = static_cast<DType>(other)}); };
            output([&] { return of(x, full()); });
            output([&] { return of(full(), x); });
          }
        }
        output([&] { return of(x, x); });
        for (size_t other = 0; other <= static_cast<size_t>(DType::c64); ++other) {
          const auto negative = [&] { return f.neg(f.cast(x, static_cast<DType>(other))); };
          output([&] { return of(x, negative()); });
          output([&] { return of(negative(), x); });
        }
      });
    }
  }
  EXPECT_GT(shortened, 100U);
}

}  // namespace
}  // namespace ingot::test
