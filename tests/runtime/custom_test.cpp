// Ops of the host: the registry, what compiling refuses, and runs on the reference engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "engines/registry.h"
#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

using Types = std::vector<TensorType>;
using Tensors = std::vector<Tensor>;

Types same_as_first(const Types& operands, const Attributes&) { return {operands.at(0)}; }

// y = x · by
Tensor scaled(const Tensor& x, float by) {
  std::vector<float> y = values<float>(x);
  for (float& element : y) element *= by;
  return f32(x.sizes(), y);
}

ReferenceOp scale_by(float factor) {
  return [factor](const Tensors& operands, const CustomCall&) { return Tensors{scaled(operands[0], factor)}; };
}

std::shared_ptr<Registry> with_scale(float factor) {
  auto registry = std::make_shared<Registry>();
  registry->add_meaning("acme.scale", {same_as_first});
  registry->add_reference("acme.scale", scale_by(factor));
  return registry;
}

constexpr const char* scale = R"(
method f(%x: f32[3]) -> (y) {
  %y = custom [%x] {name="acme.scale", results=[f32[3]]}
  return %y
}
)";

const Tensor x = f32({3}, {1, 2, 4});

std::vector<float> run(const Executable& executable, const Tensor& input = x) {
  return values<float>(Session(executable).run({{"x", input}})[0].tensor);
}

// ---------------------------------------------------------------------------------------------------------- registry

TEST(Registry, TakesEveryLevelOnce) {
  Registry registry;
  registry.add_reference("acme.scale", scale_by(2));  // in any order
  registry.add_meaning("acme.scale", {same_as_first});
  registry.add_execution("acme.scale", "other", std::function<int()>([] { return 7; }));
  EXPECT_EQ(message_of([&] { registry.add_meaning("acme.scale", {same_as_first}); }, Code::invalid_argument),
            "op 'acme.scale' has a meaning already");
  EXPECT_EQ(message_of([&] { registry.add_reference("acme.scale", scale_by(3)); }, Code::invalid_argument),
            "op 'acme.scale' has an execution on reference already");
  EXPECT_EQ(message_of([&] { registry.add_execution("acme.scale", "other", std::function<int()>([] { return 8; })); },
                       Code::invalid_argument),
            "op 'acme.scale' has an execution on other already");
  const CustomOp op = *registry.find("acme.scale");  // the first ones stay
  EXPECT_EQ((*op.execution<std::function<int()>>("other"))(), 7);
  const Attributes none;
  EXPECT_EQ(values<float>((*op.reference())({x}, {{x.type()}, {x.type()}, none})[0]), (std::vector<float>{2, 4, 8}));
}

TEST(Registry, FindsWithoutThrowing) {
  Registry registry;
  EXPECT_FALSE(registry.find("acme.scale"));
  EXPECT_FALSE(registry.find(""));
  registry.add_meaning("acme.scale", {same_as_first});
  const std::optional<CustomOp> op = registry.find("acme.scale");
  ASSERT_TRUE(op);
  EXPECT_EQ(op->name, "acme.scale");
  EXPECT_TRUE(op->meaning);
  EXPECT_FALSE(op->reference());
  EXPECT_FALSE(op->execution<std::function<int()>>("other"));
  registry.add_reference("acme.scale", scale_by(2));
  EXPECT_FALSE(op->reference()) << "what was found is as it was then";
  EXPECT_TRUE(registry.find("acme.scale")->reference());
}

TEST(Registry, RefusesWhatCannotBeCalled) {
  Registry registry;
  EXPECT_EQ(message_of([&] { registry.add_meaning("", {same_as_first}); }, Code::invalid_argument),
            "the name of a custom op is empty, expected a name");
  EXPECT_EQ(message_of([&] { registry.add_meaning("a", {}); }, Code::invalid_argument),
            "inference of op 'a' is empty, expected a function");
  EXPECT_EQ(message_of([&] { registry.add_reference("a", {}); }, Code::invalid_argument),
            "execution on reference of op 'a' is empty, expected a function");
  EXPECT_FALSE(registry.find("a"));
  registry.add_reference("a", scale_by(1));
  EXPECT_EQ(
      message_of([&] { registry.find("a")->execution<std::function<int()>>("reference"); }, Code::invalid_argument),
      "the execution of op 'a' on reference is not of the type that this engine calls");
}

TEST(Registry, ReplacesWhatIsThere) {
  const auto registry = std::make_shared<Registry>();
  EXPECT_EQ(message_of([&] { registry->replace_meaning("acme.scale", {same_as_first}); }, Code::not_found),
            "op 'acme.scale' does not have a meaning that could be replaced");
  EXPECT_EQ(message_of([&] { registry->replace_reference("acme.scale", scale_by(3)); }, Code::not_found),
            "op 'acme.scale' does not have an execution on reference that could be replaced");
  EXPECT_FALSE(registry->find("acme.scale"));
  registry->add_reference("acme.scale", scale_by(2));
  registry->add_meaning("acme.scale", {[](const Types&, const Attributes&) { return Types{}; }});
  EXPECT_EQ(message_of([&] { registry->replace_reference("acme.scale", {}); }, Code::invalid_argument),
            "execution on reference of op 'acme.scale' is empty, expected a function");
  registry->replace_meaning("acme.scale", {same_as_first});
  const Executable before = compiled(scale, {.registry = registry});
  registry->replace_reference("acme.scale", scale_by(3));
  EXPECT_EQ(run(before), (std::vector<float>{2, 4, 8}));
  EXPECT_EQ(run(compiled(scale, {.registry = registry})), (std::vector<float>{3, 6, 12}));
}

// In a process of its own, since INGOT_DEBUG is read once.
TEST(RegistryDeathTest, SaysWhatItReplaces) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto replace = [] {
    setenv("INGOT_DEBUG", "1", 1);
    const auto registry = with_scale(2);
    registry->replace_meaning("acme.scale", {same_as_first});
    registry->replace_reference("acme.scale", scale_by(3));
    std::exit(0);
  };
  EXPECT_EXIT(replace(), testing::ExitedWithCode(0),
              "ingot: replaces the meaning of op 'acme.scale'\ningot: replaces the execution on reference of op "
              "'acme.scale'\n");
}

TEST(Registry, KeepsGradientAndBatching) {
  Registry registry;
  const auto gradient = [](GraphBuilder& graph, const std::vector<Var>&, const std::vector<Var>&,
                           const std::vector<Var>& gradients, const Attributes&) {
    return std::vector<std::optional<Var>>{graph.mul(gradients[0], gradients[0])};
  };
  const auto batching = [](GraphBuilder& graph, const std::vector<Var>& operands, const BatchAxes& axes,
                           const Attributes&) { return Batched{{graph.neg(operands[0])}, axes}; };
  registry.add_meaning("acme.scale", {same_as_first, gradient, batching});
  registry.add_meaning("acme.plain", {same_as_first});

  ProgramBuilder program;
  GraphBuilder& graph = program.method("f");
  const Var v = graph.input("x", DType::f32, {3});
  const auto meaning = registry.find("acme.scale")->meaning;
  EXPECT_EQ(to_string(meaning->gradient(graph, {v}, {v}, {v}, {})[0]->type()), "f32[3]");
  EXPECT_EQ(meaning->batching(graph, {v}, {0}, {}).axes, BatchAxes{0});
  EXPECT_FALSE(registry.find("acme.plain")->meaning->gradient);
  EXPECT_FALSE(registry.find("acme.plain")->meaning->batching);
}

// Each name is registered by two threads, of which one is refused, while others compile with what is there.
TEST(Registry, IsSharedByThreads) {
  const auto registry = with_scale(2);
  std::atomic<int> refused = 0, wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        try {
          registry->add_meaning("op" + std::to_string(t / 2) + "." + std::to_string(i), {same_as_first});
        } catch (const Error&) {
          ++refused;
        }
      }
    });
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        wrong += run(compiled(scale, {.registry = registry})) != std::vector<float>{2, 4, 8};
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(refused, 400);
  EXPECT_EQ(wrong, 0);
}

// ----------------------------------------------------------------------------------------------------------- compile

TEST(CustomOps, MeanWhatTheirRegistrySays) {
  const Executable doubles = compiled(scale, {.registry = with_scale(2)});  // which is gone by now
  const Executable triples = compiled(scale, {.registry = with_scale(3)});
  EXPECT_EQ(run(doubles), (std::vector<float>{2, 4, 8}));
  EXPECT_EQ(run(triples), (std::vector<float>{3, 6, 12}));
  EXPECT_EQ(message_of([] { compiled(scale); }, Code::unsupported),
            "[custom] the host has registered no op 'acme.scale' (at f: %y)");
}

TEST(CustomOps, ComeFromTheDefaultRegistryWhereNoneIsNamed) {
  default_registry()->add_meaning("test.negate", {same_as_first});
  default_registry()->add_reference("test.negate", scale_by(-1));
  EXPECT_EQ(run(compiled(R"(
method f(%x: f32[3]) -> (y) {
  %y = custom [%x] {name="test.negate", results=[f32[3]]}
  return %y
}
)")),
            (std::vector<float>{-1, -2, -4}));
}

TEST(CustomOps, NeedEveryLevel) {
  const auto registry = std::make_shared<Registry>();
  const auto refusal = [&] { return message_of([&] { compiled(scale, {.registry = registry}); }, Code::unsupported); };
  EXPECT_EQ(refusal(), "[custom] the host has registered no op 'acme.scale' (at f: %y)");
  registry->add_execution("acme.scale", "other", std::function<int()>([] { return 0; }));
  EXPECT_EQ(refusal(), "[custom] the host has registered no meaning of op 'acme.scale' (at f: %y)");
  registry->add_meaning("acme.scale", {same_as_first});
  EXPECT_EQ(refusal(), "[custom] the host has registered no execution of op 'acme.scale' on reference (at f: %y)");
  registry->add_reference("acme.scale", scale_by(2));
  EXPECT_EQ(run(compiled(scale, {.registry = registry})), (std::vector<float>{2, 4, 8}));
}

struct Disagreement {
  CustomInference infer;
  Code code;
  const char* message;
};

TEST(CustomOps, DeclareWhatInferenceSays) {
  const TensorType f32_3{DType::f32, {3}, {}};
  const Disagreement disagreements[] = {
      {[=](const Types&, const Attributes&) { return Types{f32_3, f32_3}; }, Code::type_mismatch,
       "[custom] number of results of 'acme.scale' is 1, expected 2 (by inference) (at f: %y)"},
      {[=](const Types&, const Attributes&) { return Types{}; }, Code::type_mismatch,
       "[custom] number of results of 'acme.scale' is 1, expected 0 (by inference) (at f: %y)"},
      {[=](const Types&, const Attributes&) { return Types{{DType::f16, {3}, {}}}; }, Code::type_mismatch,
       "[custom] result 0 of 'acme.scale' is f32[3], expected f16[3] (by inference) (at f: %y)"},
      {[=](const Types& operands, const Attributes&) { return Types{{DType::f32, {operands[0].shape[0] + 1}, {}}}; },
       Code::type_mismatch, "[custom] result 0 of 'acme.scale' is f32[3], expected f32[4] (by inference) (at f: %y)"},
      {[](const Types&, const Attributes&) -> Types { throw std::domain_error("no such scale"); },
       Code::invalid_argument, "[custom] op 'acme.scale' of the host throws: no such scale (at f: %y)"},
      {[](const Types& operands, const Attributes&) -> Types {
         throw Error::mismatch(Code::out_of_range, "scale", "rank", std::to_string(operands[0].rank()), "2");
       },
       Code::out_of_range, "[custom] op 'acme.scale' of the host refuses: [scale] rank is 1, expected 2 (at f: %y)"},
      {[](const Types&, const Attributes&) -> Types { throw 42; }, Code::invalid_argument,
       "[custom] op 'acme.scale' of the host throws something without a text (at f: %y)"},
  };
  for (const Disagreement& each : disagreements) {
    const auto registry = std::make_shared<Registry>();
    registry->add_meaning("acme.scale", {each.infer});
    registry->add_reference("acme.scale", scale_by(2));
    EXPECT_EQ(message_of([&] { compiled(scale, {.registry = registry}); }, each.code), each.message);
  }
}

// -------------------------------------------------------------------------------------------------------------- runs

// Results that count: their memory and elements are within the limits of a call.
TEST(CustomOps, CountAsWhatACallUses) {
  const auto registry = with_scale(2);
  EXPECT_EQ(run(compiled(scale, {.limits = {.bytes = 12, .steps = 4}, .registry = registry})),
            (std::vector<float>{2, 4, 8}));
  const auto refusal = [&](RunLimits limits) {
    return message_of([&] { run(compiled(scale, {.limits = limits, .registry = registry})); }, Code::limit);
  };
  EXPECT_EQ(refusal({.bytes = 11}), "[custom] 12 bytes more than the 0 alive go beyond the limit of 11 (at f: %y)");
  EXPECT_EQ(refusal({.steps = 3}), "[custom] the call takes more than 3 steps (at f: %y)");
}

// Zeros that an op of ours refuses are none of its business; what an op of the host throws is the caller's.
TEST(CustomOps, FailWarming) {
  const auto registry = std::make_shared<Registry>();
  registry->add_meaning("acme.scale", {same_as_first});
  registry->add_reference("acme.scale",
                          [](const Tensors&, const CustomCall&) -> Tensors { throw std::domain_error("no scale"); });
  const std::string branches = R"(
graph a(%x: f32[3]) -> (y) {
  %y = custom [%x] {name="acme.scale", results=[f32[3]]}
  return %y
}
graph b(%x: f32[3]) -> (y) {
  %y = neg %x
  return %y
}
method f(%x: f32[3], %p: bool[]) -> (y) {
  %y = if %p, [%x] {on_true=@a, on_false=@b}
  return %y
}
)";
  EXPECT_EQ(message_of([&] { Session(compiled(scale, {.registry = registry})).warm({{3}}); }, Code::invalid_argument),
            "[custom] op 'acme.scale' of the host throws: no scale (at f: %y)");
  EXPECT_EQ(
      message_of([&] { Session(compiled(branches, {.registry = registry})).warm({{3}, {}}); }, Code::invalid_argument),
      "[custom] op 'acme.scale' of the host throws: no scale (at a: %y)");
}

TEST(CustomOps, MayReturnTensorsThatLieAnywhere) {
  const auto registry = std::make_shared<Registry>();
  registry->add_meaning("acme.scale", {same_as_first});
  registry->add_reference("acme.scale", [](const Tensors& operands, const CustomCall&) {
    const Buffer whole = Buffer::copy_of(std::as_bytes(std::span("?012345678901")));
    return Tensors{Tensor(DType::f32, operands[0].sizes(), Buffer{whole.owner, whole.bytes.subspan(1, 12)})};
  });
  Session session(compiled(scale, {.registry = registry}));
  EXPECT_EQ(text_of(session.run({{"x", x}})[0].tensor.bytes()), "012345678901");
}

}  // namespace
}  // namespace ingot::test
