// Ops of the host on every engine and in every mode: each op is written once for tensors, once for MLX's arrays.
#include "engines/mlx/custom.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>

#include "engines/mlx/convert.h"
#include "tests/runtime/support.h"

namespace ingot {
namespace {

namespace mx = mlx_engine::mx;
using mlx_engine::add_mlx_op;
using mlx_engine::MlxCall;
using mx::array;
using test::f32;
using test::message_of;
using test::values;

using Types = std::vector<TensorType>;
using Tensors = std::vector<Tensor>;
using Arrays = std::vector<array>;

const NamedAttribute& named(const Attributes& attributes, std::string_view name) {
  return *std::ranges::find(attributes, name, &NamedAttribute::name);
}

Types same(const Types& operands, const Attributes&) { return operands; }

// ------------------------------------------------------------------------------------------------------------- the ops

// Of each row of x its sum times `scale`, and how many elements are above `than`.
void add_stats(Registry& registry) {
  registry.add_meaning("acme.stats", {[](const Types& operands, const Attributes&) {
                         const Shape rows(operands[0].shape.begin(), operands[0].shape.end() - 1);
                         return Types{{operands[0].dtype, rows, {}}, {DType::i32, rows, {}}};
                       }});
  registry.add_reference("acme.stats", [](const Tensors& operands, const CustomCall& call) {
    const auto x = operands[0].as<float>();
    const auto rows = static_cast<size_t>(operands[0].sizes()[0]),
               columns = static_cast<size_t>(operands[0].sizes()[1]);
    const double scale = named(call.attributes, "scale").reals[0];
    const int64_t than = named(call.attributes, "than").ints[0];
    std::vector<float> sums(rows, 0);
    std::vector<int32_t> above(rows, 0);
    for (size_t i = 0; i < rows * columns; ++i) {
      sums[i / columns] += x[i] * static_cast<float>(scale);
      above[i / columns] += x[i] > static_cast<float>(than);
    }
    const Sizes sizes{operands[0].sizes()[0]};
    return Tensors{Tensor::of(sizes, sums), Tensor::of(sizes, above)};
  });
  add_mlx_op(registry, "acme.stats", [](const Arrays& operands, const MlxCall& call) {
    const mx::Stream s = call.stream;
    const array& x = operands[0];
    const array scale(static_cast<float>(named(call.attributes, "scale").reals[0]));
    const array than(static_cast<float>(named(call.attributes, "than").ints[0]));
    return Arrays{mx::multiply(mx::sum(x, 1, false, s), scale, s),
                  mx::sum(mx::astype(mx::greater(x, than, s), mx::int32, s), 1, false, s)};
  });
}

// x from the last element to the first, whatever they are.
void add_reverse(Registry& registry) {
  registry.add_meaning("acme.reverse", {same});
  registry.add_reference("acme.reverse", [](const Tensors& operands, const CustomCall&) {
    const Tensor& x = operands[0];
    Tensor y = Tensor::allocate(x.dtype(), x.sizes());
    const size_t size = static_cast<size_t>(bits(x.dtype())) / 8, count = x.bytes().size() / size;
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(&y.mutable_bytes()[i * size], &x.bytes()[(count - 1 - i) * size], size);
    }
    return Tensors{y};
  });
  add_mlx_op(registry, "acme.reverse", [](const Arrays& operands, const MlxCall& call) {
    const int size = operands[0].shape(0);
    return Arrays{mx::slice(operands[0], {size - 1}, {-size - 1}, {-1}, call.stream)};
  });
}

// Quotient and remainder: one primitive of MLX with two outputs.
void add_divmod(Registry& registry) {
  registry.add_meaning("acme.divmod", {same});
  registry.add_reference("acme.divmod", [](const Tensors& operands, const CustomCall&) {
    std::vector<int32_t> a = values<int32_t>(operands[0]), b = values<int32_t>(operands[1]);
    for (size_t i = 0; i < a.size(); ++i) std::tie(a[i], b[i]) = std::pair(a[i] / b[i], a[i] % b[i]);
    return Tensors{Tensor::of(operands[0].sizes(), a), Tensor::of(operands[0].sizes(), b)};
  });
  add_mlx_op(registry, "acme.divmod", [](const Arrays& operands, const MlxCall& call) {
    return mx::divmod(operands[0], operands[1], call.stream);
  });
}

// Its operand itself, after what the test does.
void add_hook(Registry& registry, const std::string& name, const std::function<void()>& hook) {
  registry.add_meaning(name, {same});
  registry.add_reference(name, [hook](const Tensors& operands, const CustomCall&) { return hook(), operands; });
  add_mlx_op(registry, name, [hook](const Arrays& operands, const MlxCall&) { return hook(), operands; });
}

class CustomOps : public test::OnTarget {
 protected:
  Executable compiled(std::string_view text) const { return OnTarget::compiled(text, {.registry = registry}); }

  const std::shared_ptr<Registry> registry = std::make_shared<Registry>();
};

INGOT_ON_EVERY_TARGET(CustomOps);

// ------------------------------------------------------------------------------------------------------------- results

TEST_P(CustomOps, SeveralResultsAttributesAndSymbolicSizes) {
  add_stats(*registry);
  Session session(compiled(R"(
symbol S in 0..8
method f(%x: f32[S, 3]) -> (twice, above) {
  %h = add %x, %x
  %s, %above = custom [%h] {name="acme.stats", attributes=[scale=[0.5], than=[2], n="text"], results=[f32[S], i32[S]]}
  %twice = add %s, %s
  return %twice, %above
}
)"));
  for (int repeats = 0; repeats < 2; ++repeats) {
    auto outputs = session.run({{"x", f32({2, 3}, {0, 1, 2, 3, 4, -5})}});
    EXPECT_EQ(values<float>(outputs[0].tensor), (std::vector<float>{6, 4}));
    EXPECT_EQ(values<int32_t>(outputs[1].tensor), (std::vector<int32_t>{1, 2}));
    outputs = session.run({{"x", f32({1, 3}, {5, 5, 5})}});
    EXPECT_EQ(values<float>(outputs[0].tensor), (std::vector<float>{30}));
    EXPECT_EQ(values<int32_t>(outputs[1].tensor), (std::vector<int32_t>{3}));
    EXPECT_EQ(session.run({{"x", f32({0, 3}, {})}})[1].tensor.sizes(), Sizes{0});
  }
}

TEST_P(CustomOps, EveryDtypeOfWholeBytes) {
  add_reverse(*registry);
  for (const char* dtype : {"bool", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64",
                            "c64", "f8e4m3", "f8e5m2", "f8e8m0"}) {
    if (std::string_view(dtype) == "f64" && !test::Target::parse(GetParam()).has_f64()) continue;
    SCOPED_TRACE(dtype);
    Session session(compiled(fmt::format(R"(
method f(%x: {0}[3]) -> (y) {{
  %y = custom [%x] {{name="acme.reverse", results=[{0}[3]]}}
  return %y
}}
)",
                                         dtype)));
    const TensorType& type = session.executable().method("f").values[0].type;
    const size_t size = static_cast<size_t>(bits(type.dtype)) / 8;
    Tensor x = Tensor::allocate(type.dtype, {3});
    for (size_t i = 0; i < 3 * size; ++i) x.mutable_bytes()[i] = static_cast<std::byte>(i % size == 0 ? i == 0 : i);
    const Tensor y = session.run({{"x", x}})[0].tensor;
    ASSERT_EQ(to_string(y.type()), to_string(x.type()));
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(std::memcmp(&y.bytes()[i * size], &x.bytes()[(2 - i) * size], size), 0) << i;
    }
  }
}

TEST_P(CustomOps, BytesOfWhatIsPacked) {
  add_hook(*registry, "acme.pass", [] {});
  Session session(compiled(R"(
method f(%x: i4[5], %w: packed<affine, bits=4, group=32, scale=f16>[2, 32]) -> (y, v) {
  %y, %v = custom [%x, %w] {name="acme.pass", results=[i4[5], packed<affine, bits=4, group=32, scale=f16>[2, 32]]}
  return %y, %v
}
)"));
  const Graph& method = session.executable().method("f");
  std::vector<NamedTensor> inputs;
  for (const auto& [name, sizes] : {std::pair("x", Sizes{5}), std::pair("w", Sizes{2, 32})}) {
    const TensorType& type = method.values[inputs.size()].type;
    inputs.push_back({name, Tensor::allocate(type.dtype, sizes, type.scheme)});
    std::ranges::fill(inputs.back().tensor.mutable_bytes(), std::byte{0x05});
  }
  const auto outputs = session.run(inputs);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(to_string(outputs[i].tensor.type()), to_string(inputs[i].tensor.type()));
    EXPECT_TRUE(std::ranges::equal(outputs[i].tensor.bytes(), inputs[i].tensor.bytes()));
  }
}

TEST_P(CustomOps, WithinControlFlowAndBesideState) {
  add_divmod(*registry);
  Session session(compiled(R"(
state @total : i32[2] = zeros
graph step(%n: i32[2], %by: i32[2]) -> (q, r) {
  %q, %r = custom [%n, %by] {name="acme.divmod", results=[i32[2], i32[2]]}
  return %q, %r
}
method digits(%n: i32[2], %by: i32[2]) -> (left, all) {
  %left, %all = scan [%n], [], [%by] {body=@step, length=3}
  %before = state_read {state=@total}
  %sum = add %before, %left
  %q, %r = custom [%sum, %by] {name="acme.divmod", results=[i32[2], i32[2]]}
  state_write %sum {state=@total}
  return %r, %all
}
)"));
  const Tensor n = Tensor::of<int32_t>({2}, {4321, 98765}), ten = Tensor::of<int32_t>({2}, {10, 10});
  for (int32_t calls = 1; calls <= 3; ++calls) {
    const auto outputs = session.run({{"n", n}, {"by", ten}});
    EXPECT_EQ(values<int32_t>(outputs[0].tensor), (std::vector<int32_t>{4 * calls % 10, 98 * calls % 10}));
    EXPECT_EQ(values<int32_t>(outputs[1].tensor), (std::vector<int32_t>{1, 5, 2, 6, 3, 7}));
    EXPECT_EQ(values<int32_t>(session.state("total")), (std::vector<int32_t>{4 * calls, 98 * calls}));
  }
}

constexpr const char* hooked = R"(
symbol S in 1..8
state @calls : i64[] = zeros
method f(%x: f32[S]) -> (y) {
  %before = state_read {state=@calls}
  %one = full {shape=[], value=1, dtype=i64}
  %now = add %before, %one
  state_write %now {state=@calls}
  %h = neg %x
  %y = custom [%h] {name="acme.hook", results=[f32[S]]}
  return %y
}
)";

// Traces call the op once for the sizes of a call, whichever session makes it.
TEST_P(CustomOps, AreCalledWhereNothingIsTraced) {
  const auto called = std::make_shared<std::atomic<int>>(0);
  add_hook(*registry, "acme.hook", [called] { ++*called; });
  const Executable executable = compiled(hooked);
  for (int i = 0; i < 4; ++i) {
    Session session(executable);
    for (int64_t size : {2, 3}) {
      const std::vector<float> ones(static_cast<size_t>(size), 1), minus(static_cast<size_t>(size), -1);
      EXPECT_EQ(values<float>(session.run({{"x", f32({size}, ones)}})[0].tensor), minus);
    }
  }
  EXPECT_EQ(*called, is_traced() ? 2 : 8);
}

// One name in two registries, which are gone when the ops run.
TEST_P(CustomOps, MeanWhatTheirRegistrySays) {
  const auto adding = [&](float summand) {
    const auto own = std::make_shared<Registry>();
    own->add_meaning("acme.hook", {same});
    own->add_reference("acme.hook", [=](const Tensors& operands, const CustomCall&) {
      return Tensors{f32({1}, {operands[0].as<float>()[0] + summand})};
    });
    add_mlx_op(*own, "acme.hook", [=](const Arrays& operands, const MlxCall& call) {
      return Arrays{mx::add(operands[0], array(summand), call.stream)};
    });
    return OnTarget::compiled(hooked, {.registry = own});
  };
  const Executable one = adding(1), two = adding(2);
  for (float x : {3.0f, 5.0f}) {
    EXPECT_EQ(values<float>(Session(one).run({{"x", f32({1}, {x})}})[0].tensor), std::vector<float>{1 - x});
    EXPECT_EQ(values<float>(Session(two).run({{"x", f32({1}, {x})}})[0].tensor), std::vector<float>{2 - x});
  }
}

TEST_P(CustomOps, MayHaveNoResults) {
  std::atomic<int> called = 0;
  registry->add_meaning("acme.note", {[](const Types&, const Attributes&) { return Types{}; }});
  registry->add_reference("acme.note", [&](const Tensors&, const CustomCall&) { return ++called, Tensors{}; });
  add_mlx_op(*registry, "acme.note", [&](const Arrays&, const MlxCall&) { return ++called, Arrays{}; });
  Session session(compiled(R"(
method f(%x: f32[1]) -> (x) {
  custom [%x] {name="acme.note", results=[]}
  return %x
}
)"));
  EXPECT_EQ(values<float>(session.run({{"x", f32({1}, {7})}})[0].tensor), std::vector<float>{7});
  EXPECT_EQ(called, 1);
}

// ------------------------------------------------------------------------------------------------------------ failures

struct Thrown {
  std::function<void()> hook;
  Code code;
  const char* message;
};

TEST_P(CustomOps, WhatTheyThrowFailsTheCallAlone) {
  const Thrown all[] = {
      {[] { throw std::runtime_error("out of ink"); }, Code::invalid_argument,
       "[custom] op 'acme.hook' of the host throws: out of ink (at f: %y)"},
      {[] { throw Error(Code::out_of_range, "row 9 is not there").in_op("hook"); }, Code::out_of_range,
       "[custom] op 'acme.hook' of the host refuses: [hook] row 9 is not there (at f: %y)"},
      {[] { throw 42; }, Code::invalid_argument,
       "[custom] op 'acme.hook' of the host throws something without a text (at f: %y)"},
      {[] { throw std::bad_alloc(); }, Code::limit,
       "[custom] op 'acme.hook' of the host has no more memory (at f: %y)"},
  };
  const auto hook = std::make_shared<std::function<void()>>([] {});
  add_hook(*registry, "acme.hook", [hook] { (*hook)(); });
  const std::vector<NamedTensor> inputs{{"x", f32({2}, {1, 2})}};
  for (const Thrown& each : all) {
    Session session(compiled(hooked));
    session.set_state("calls", test::i64(5));
    *hook = each.hook;
    EXPECT_EQ(message_of([&] { session.run(inputs); }, each.code), each.message);
    EXPECT_EQ(message_of([&] { session.submit(inputs).result(); }, each.code), each.message);
    EXPECT_EQ(values<int64_t>(session.state("calls")), std::vector<int64_t>{5});
    *hook = [] {};
    EXPECT_EQ(values<float>(session.run(inputs)[0].tensor), (std::vector<float>{-1, -2}));
    EXPECT_EQ(values<int64_t>(session.state("calls")), std::vector<int64_t>{6});
  }
}

// Results of other counts, dtypes and sizes than inference says.
TEST_P(CustomOps, ResultsThatAreNotWhatInferenceSays) {
  const struct {
    Sizes sizes;
    DType dtype;
    size_t count;
    const char* message;
  } all[] = {
      {{2}, DType::f32, 0, "[custom] number of results of 'acme.wrong' is 0, expected 1 (at f: %y)"},
      {{2}, DType::f32, 2, "[custom] number of results of 'acme.wrong' is 2, expected 1 (at f: %y)"},
      {{3}, DType::f32, 1, "[custom] result 0 of 'acme.wrong' is f32[3], expected f32[2] (at f: %y)"},
      {{2, 1}, DType::f32, 1, "[custom] result 0 of 'acme.wrong' is f32[2, 1], expected f32[2] (at f: %y)"},
      {{}, DType::f32, 1, "[custom] result 0 of 'acme.wrong' is f32[], expected f32[2] (at f: %y)"},
      {{2}, DType::i32, 1, "[custom] result 0 of 'acme.wrong' is i32[2], expected f32[2] (at f: %y)"},
  };
  size_t now = 0;
  registry->add_meaning("acme.wrong", {same});
  registry->add_reference("acme.wrong", [&](const Tensors&, const CustomCall&) {
    return Tensors(all[now].count, Tensor::allocate(all[now].dtype, all[now].sizes));
  });
  add_mlx_op(*registry, "acme.wrong", [&](const Arrays&, const MlxCall& call) {
    const mx::Shape shape(all[now].sizes.begin(), all[now].sizes.end());
    return Arrays(all[now].count, mx::zeros(shape, mlx_engine::to_mlx(all[now].dtype), call.stream));
  });
  const Executable executable = compiled(R"(
symbol S in 1..8
method f(%x: f32[S]) -> (y) {
  %y = custom [%x] {name="acme.wrong", results=[f32[S]]}
  return %y
}
)");
  for (; now < std::size(all); ++now) {
    Session session(executable);
    EXPECT_EQ(message_of([&] { session.run({{"x", f32({2}, {1, 2})}}); }, Code::type_mismatch), all[now].message);
  }
}

TEST(MlxOps, AreRegisteredOnce) {
  Registry registry;
  const auto add = [&](mlx_engine::MlxFunction op) { add_mlx_op(registry, "a", std::move(op)); };
  EXPECT_EQ(message_of([&] { add({}); }, Code::invalid_argument),
            "execution on mlx of op 'a' is empty, expected a function");
  const auto op = [](const Arrays& operands, const MlxCall&) { return operands; };
  EXPECT_EQ(message_of([&] { mlx_engine::replace_mlx_op(registry, "a", op); }, Code::not_found),
            "op 'a' does not have an execution on mlx that could be replaced");
  add(op);
  EXPECT_EQ(message_of([&] { add(op); }, Code::invalid_argument), "op 'a' has an execution on mlx already");
}

}  // namespace
}  // namespace ingot
