// Ops of the host that look at values: those that say so, and those that fall back on their reference function.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "engines/mlx/convert.h"
#include "engines/mlx/custom.h"
#include "tests/runtime/support.h"

namespace ingot {
namespace {

namespace mx = mlx_engine::mx;
using mlx_engine::add_mlx_op;
using mlx_engine::MlxCall;
using mx::array;
using test::f32;
using test::Floats;
using test::message_of;
using test::values;

using Types = std::vector<TensorType>;
using Tensors = std::vector<Tensor>;
using Arrays = std::vector<array>;

Types same(const Types& operands, const Attributes&) { return operands; }

// ------------------------------------------------------------------------------------------------------------- the ops

// Every element becomes the largest one of x, which both functions read on the host.
class CustomValues : public test::OnTarget {
 protected:
  void add_largest_meaning() const { registry->add_meaning("acme.largest", {same}); }
  void add_largest_reference() const {
    registry->add_reference("acme.largest", [called = called](const Tensors& operands, const CustomCall&) {
      ++*called;
      const Floats x = values<float>(operands[0]);
      return Tensors{f32(operands[0].sizes(), Floats(x.size(), std::ranges::max(x)))};
    });
  }
  void add_largest_on_mlx() const {
    const auto largest = [called = called](const Arrays& operands, const MlxCall& call) {
      ++*called;
      const array& x = operands[0];
      const float* first = x.data<float>();
      return Arrays{mx::full(x.shape(), *std::max_element(first, first + x.size()), call.stream)};
    };
    add_mlx_op(*registry, "acme.largest", largest, {.reads_values = true});
  }
  void add_largest() const {
    add_largest_meaning();
    add_largest_reference();
    add_largest_on_mlx();
  }

  Executable compiled(std::string_view text) const { return OnTarget::compiled(text, {.registry = registry}); }

  const std::shared_ptr<Registry> registry = std::make_shared<Registry>();
  const std::shared_ptr<std::atomic<int>> called = std::make_shared<std::atomic<int>>(0);
};

INGOT_ON_EVERY_TARGET(CustomValues);

// x is transposed first, so the operand does not lie densely in memory.
constexpr const char* between = R"(
symbol S in 1..8
method f(%x: f32[S, 2]) -> (y) {
  %n = neg %x
  %t = transpose %n {perm=[1, 0]}
  %l = custom [%t] {name="acme.largest", results=[f32[2, S]]}
  %y = add %l, %t
  return %y
}
)";

// Calls of the same sizes with other values: a replayed result would be that of the first call.
void expect_between(const Executable& executable) {
  Session session(executable);
  const auto run = [&](Floats x) { return values<float>(session.run({{"x", f32({2, 2}, x)}})[0].tensor); };
  EXPECT_EQ(run({1, 2, 3, 4}), (Floats{-2, -4, -3, -5}));
  EXPECT_EQ(run({-1, 2, 3, 4}), (Floats{2, -2, -1, -3}));
  EXPECT_EQ(run({1, 2, 3, -4}), (Floats{3, 1, 2, 8}));
}

// Carries through a scan, a loop with its condition, a call and both branches, and reads values in each.
constexpr const char* nested = R"(
graph largest(%x: f32[2]) -> (y) {
  %y = custom [%x] {name="acme.largest", results=[f32[2]]}
  return %y
}
graph step(%x: f32[2], %by: f32[2]) -> (next, seen) {
  %l = call [%x] {graph=@largest}
  %next = add %l, %by
  return %next, %l
}
graph small(%x: f32[2], %limit: f32[]) -> (c) {
  %l = custom [%x] {name="acme.largest", results=[f32[2]]}
  %m = reduce_max %l {axes=[0]}
  %c = lt %m, %limit
  return %c
}
graph grown(%x: f32[2], %limit: f32[]) -> (y) {
  %l = custom [%x] {name="acme.largest", results=[f32[2]]}
  %y = add %l, %x
  return %y
}
graph negated(%x: f32[2]) -> (y) {
  %n = neg %x
  %y = custom [%n] {name="acme.largest", results=[f32[2]]}
  return %y
}
method f(%x: f32[2], %xs: f32[3, 2], %limit: f32[], %p: bool[]) -> (y, seen) {
  %s, %seen = scan [%x], [%xs] {body=@step, length=3}
  %w = while [%s], [%limit] {condition=@small, body=@grown}
  %y = if %p, [%w] {on_true=@largest, on_false=@negated}
  return %y, %seen
}
)";

void expect_nested(const Executable& executable) {
  Session session(executable);
  for (const bool p : {true, false, true}) {
    const auto outputs = session.run({{"x", f32({1, 0})},
                                      {"xs", f32({3, 2}, {0, 1, 1, 0, 0, 0})},
                                      {"limit", f32({}, {20})},
                                      {"p", test::boolean(p)}});
    EXPECT_EQ(values<float>(outputs[1].tensor), (Floats{1, 1, 2, 2, 3, 3}));
    EXPECT_EQ(values<float>(outputs[0].tensor), p ? Floats({24, 24}) : Floats({-24, -24}));
  }
}

// ------------------------------------------------------------------------------------------------------------- reading

TEST_P(CustomValues, AreReadInEveryMode) {
  add_largest();
  const Executable executable = compiled(between);
  expect_between(executable);
  EXPECT_EQ(*called, 3);
  if (is_reference()) return;
  const std::string rest = is_traced() ? "traced" : "lowered";
  EXPECT_EQ(executable.explain("f"), (std::vector<std::string>{rest, rest, "reads values", rest}));
}

TEST_P(CustomValues, AreReadWithinControlFlow) {
  add_largest();
  expect_nested(compiled(nested));
}

// The op would see an element that a clamped index took.
TEST_P(CustomValues, AreNotReadWhereAnOpBeforeRefuses) {
  add_largest();
  Session session(compiled(R"(
method f(%x: f32[3], %i: i64[1]) -> (y) {
  %j = add %i, %i
  %t = take %x, %j
  %y = custom [%t] {name="acme.largest", results=[f32[1]]}
  return %y
}
)"));
  const auto run = [&](int64_t i) {
    return session.run({{"x", f32({1, 2, 3})}, {"i", Tensor::of<int64_t>({1}, {i})}})[0].tensor;
  };
  EXPECT_NE(message_of([&] { run(2); }, Code::out_of_range).find("[take] "), std::string::npos);
  EXPECT_EQ(*called, 0);
  EXPECT_EQ(values<float>(run(1)), Floats{3});
}

// One that does not say that it reads cannot be traced, and the error has its name; the other modes run it.
TEST_P(CustomValues, CannotBeReadWithoutSayingSoWhereCallsAreTraced) {
  add_largest_meaning();
  add_largest_reference();
  add_mlx_op(*registry, "acme.largest", [](const Arrays& operands, const MlxCall& call) {
    const float largest = mx::max(operands[0], call.stream).item<float>();
    return Arrays{mx::full(operands[0].shape(), largest, call.stream)};
  });
  Session session(compiled(between));
  const auto run = [&] { return values<float>(session.run({{"x", f32({1, 2}, {1, 2})}})[0].tensor); };
  if (is_traced()) {
    EXPECT_EQ(message_of(run, Code::invalid_argument).find("[custom] op 'acme.largest' of the host throws: "), 0u);
  } else {
    EXPECT_EQ(run(), (Floats{-2, -3}));
  }
}

TEST_P(CustomValues, FailureWithinALoopNamesTheNodeAndTheSessionGoesOn) {
  const auto breaks = std::make_shared<std::atomic<bool>>(true);
  const auto fragile = [breaks](const auto& operands, const auto&) {
    if (*breaks) throw std::runtime_error("out of ink");
    return operands;
  };
  registry->add_meaning("acme.fragile", {same});
  registry->add_reference("acme.fragile", fragile);
  add_mlx_op(*registry, "acme.fragile", fragile, {.reads_values = true});
  Session session(compiled(R"(
graph step(%x: f32[1]) -> (y) {
  %h = add %x, %x
  %y = custom [%h] {name="acme.fragile", results=[f32[1]]}
  return %y
}
method f(%x: f32[1]) -> (y) {
  %y = scan [%x] {body=@step, length=3}
  return %y
}
)"));
  const auto run = [&] { return values<float>(session.run({{"x", f32({1})}})[0].tensor); };
  EXPECT_EQ(message_of(run, Code::invalid_argument),
            "[custom] op 'acme.fragile' of the host throws: out of ink (at step: %y)");
  *breaks = false;
  EXPECT_EQ(run(), Floats{8});
}

// ------------------------------------------------------------------------------------------------------------ fallback

TEST_P(CustomValues, FallBackOnTheReference) {
  add_largest_meaning();
  add_largest_reference();
  const Executable executable = compiled(between);
  expect_between(executable);
  EXPECT_EQ(*called, 3);
  if (is_reference()) return;
  EXPECT_EQ(executable.explain("f")[2],
            "reads values, on the host: reference fallback, since the op has no execution on mlx");
}

TEST_P(CustomValues, FallBackWithinControlFlow) {
  add_largest_meaning();
  add_largest_reference();
  expect_nested(compiled(nested));
}

// No operands, several results, nothing in them, and elements that MLX keeps as bytes.
TEST_P(CustomValues, FallBackOnTensorsOfEveryKind) {
  registry->add_meaning("acme.two", {[](const Types&, const Attributes&) {
                          return Types{{DType::f32, {2}, {}}, {DType::i64, {0, 3}, {}}};
                        }});
  registry->add_reference("acme.two", [](const Tensors&, const CustomCall&) {
    return Tensors{f32({7, 8}), Tensor::allocate(DType::i64, {0, 3})};
  });
  registry->add_meaning("acme.pass", {same});
  registry->add_reference("acme.pass", [](const Tensors& operands, const CustomCall&) { return operands; });
  Session session(compiled(R"(
method f(%x: i4[5], %w: packed<affine, bits=4, group=32, scale=f16>[2, 32], %e: f8e4m3[0, 2]) -> (two, none, x, w, e) {
  %two, %none = custom [] {name="acme.two", results=[f32[2], i64[0, 3]]}
  %p, %q, %r = custom [%x, %w, %e] {name="acme.pass", results=[i4[5], packed<affine, bits=4, group=32, scale=f16>[2, 32], f8e4m3[0, 2]]}
  return %two, %none, %p, %q, %r
}
)"));
  const Graph& method = session.executable().method("f");
  std::vector<NamedTensor> inputs;
  for (const Ref input : method.inputs) {
    const Value& value = method.values[input.id];
    Tensor tensor = Tensor::allocate(value.type.dtype, *literal_sizes(value.type.shape), value.type.scheme);
    std::ranges::fill(tensor.mutable_bytes(), std::byte{0x05});
    inputs.push_back({value.name, std::move(tensor)});
  }
  const auto outputs = session.run(inputs);
  EXPECT_EQ(values<float>(outputs[0].tensor), (Floats{7, 8}));
  EXPECT_EQ(outputs[1].tensor.sizes(), (Sizes{0, 3}));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor &in = inputs[i].tensor, &out = outputs[i + 2].tensor;
    EXPECT_EQ(to_string(out.type()), to_string(in.type()));
    EXPECT_TRUE(std::ranges::equal(out.bytes(), in.bytes())) << i;
  }
}

TEST_P(CustomValues, FallBackChecksResults) {
  const struct {
    Tensors results;
    const char* message;
  } all[] = {
      {{}, "[custom] number of results of 'acme.wrong' is 0, expected 1 (at f: %y)"},
      {{f32({1, 2}), f32({1, 2})}, "[custom] number of results of 'acme.wrong' is 2, expected 1 (at f: %y)"},
      {{f32({1})}, "[custom] result 0 of 'acme.wrong' is f32[1], expected f32[2] (at f: %y)"},
      {{Tensor::of<int32_t>({2}, {1, 2})}, "[custom] result 0 of 'acme.wrong' is i32[2], expected f32[2] (at f: %y)"},
  };
  size_t now = 0;
  registry->add_meaning("acme.wrong", {same});
  registry->add_reference("acme.wrong", [&](const Tensors&, const CustomCall&) { return all[now].results; });
  const Executable executable = compiled(R"(
symbol S in 1..8
method f(%x: f32[S]) -> (y) {
  %y = custom [%x] {name="acme.wrong", results=[f32[S]]}
  return %y
}
)");
  for (; now < std::size(all); ++now) {
    Session session(executable);
    EXPECT_EQ(message_of([&] { session.run({{"x", f32({1, 2})}}); }, Code::type_mismatch), all[now].message);
  }
}

TEST_P(CustomValues, NeedAFunctionThatCanRun) {
  add_largest_meaning();
  if (is_reference()) {
    add_largest_on_mlx();
    EXPECT_EQ(message_of([&] { compiled(between); }, Code::unsupported),
              "[custom] the host has registered no execution of op 'acme.largest' on reference (at f: %l)");
  } else {
    EXPECT_EQ(
        message_of([&] { compiled(between); }, Code::unsupported),
        "[custom] the host has registered no execution of op 'acme.largest' on mlx, and no reference to fall back "
        "on (at f: %l)");
  }
}

// --------------------------------------------------------------------------------------------------------------- types

// One size comes from the input, one from data. Each call has its own.
TEST_P(CustomValues, TypesHaveTheSizesOfTheCall) {
  for (const bool reads : {false, true}) {
    const auto own = std::make_shared<Registry>();
    const auto seen = std::make_shared<std::vector<std::string>>();
    const auto note = [seen](const CustomCall& call) {
      std::string text;
      for (const TensorType& type : call.operand_types) text += to_string(type) + " ";
      text += "->";
      for (const TensorType& type : call.result_types) text += " " + to_string(type);
      seen->push_back(text);
    };
    own->add_meaning("acme.zeros", {[](const Types& operands, const Attributes&) {
                       return Types{{DType::f16, {operands[0].shape[0], operands[1].shape[1]}, {}}};
                     }});
    own->add_reference("acme.zeros", [note](const Tensors&, const CustomCall& call) {
      note(call);
      const TensorType& type = call.result_types[0];
      return Tensors{Tensor::allocate(type.dtype, *literal_sizes(type.shape))};
    });
    const auto zeros = [note](const Arrays&, const MlxCall& call) {
      note(call);
      const TensorType& type = call.result_types[0];
      return Arrays{
          mx::zeros(mlx_engine::to_mlx(*literal_sizes(type.shape)), mlx_engine::to_mlx(type.dtype), call.stream)};
    };
    add_mlx_op(*own, "acme.zeros", zeros, {.reads_values = reads});
    Session session(OnTarget::compiled(R"(
symbol S in 1..8
symbol N in 0..8
method f(%x: f32[2 * S], %p: bool[4]) -> (y) {
  %n = nonzero %p {count=N}
  %y = custom [%x, %n] {name="acme.zeros", results=[f16[2 * S, N]]}
  return %y
}
)",
                                       {.registry = own}));
    const auto run = [&](int64_t size, const std::string& bits) {
      Tensor p = Tensor::allocate(DType::bool_, {4});
      for (size_t i = 0; i < 4; ++i) p.mutable_bytes()[i] = std::byte{bits[i] == '1'};
      session.run({{"x", f32(Floats(static_cast<size_t>(size)))}, {"p", p}});
      return seen->back();
    };
    EXPECT_EQ(run(4, "0110"), "f32[4] i64[1, 2] -> f16[4, 2]");
    EXPECT_EQ(run(6, "0111"), "f32[6] i64[1, 3] -> f16[6, 3]");
  }
}

// ------------------------------------------------------------------------------------------------------------- replace

TEST_P(CustomValues, ReplacedFunctionsAreForProgramsThatAreCompiledLater) {
  add_largest();
  const Executable before = compiled(between);
  registry->replace_reference("acme.largest", [](const Tensors& operands, const CustomCall&) { return operands; });
  mlx_engine::replace_mlx_op(*registry, "acme.largest",
                             [](const Arrays& operands, const MlxCall&) { return operands; });
  const Executable after = compiled(between);
  const auto run = [](const Executable& executable) {
    return values<float>(Session(executable).run({{"x", f32({1, 2}, {1, 2})}})[0].tensor);
  };
  EXPECT_EQ(run(before), (Floats{-2, -3}));
  EXPECT_EQ(run(after), (Floats{-2, -4}));
}

}  // namespace
}  // namespace ingot
