// What the tests of the runtime share: tests that run on every engine in each of its modes, tensors and programs.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/text.h"
#include "runtime/engines.h"
#include "runtime/session.h"
#include "tests/program/io_support.h"
#include "tests/support/target.h"

namespace ingot::test {

// For the reference engine, unless the options name another.
inline Executable compiled(std::string_view text, CompileOptions options = {}) {
  if (options.engine.empty()) options.engine = "reference";
  return compile(parse("ingot 1\n" + std::string(text)), options);
}

// ----------------------------------------------------------------------------------------------------------- targets

// `reference:eager`, `mlx:compiled`, …
inline std::vector<std::string> every_target() {
  std::vector<std::string> names;
  for (const Engine* engine : engines()) {
    for (std::string_view mode : engine->modes())
      names.push_back(std::string(engine->name()) + ":" + std::string(mode));
  }
  return names;
}

inline std::string target_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  name[name.find(':')] = '_';
  return name;
}

class OnTarget : public testing::TestWithParam<std::string> {
 protected:
  static CompileOptions on_target(CompileOptions options = {}) {
    const Target target = Target::parse(GetParam());
    options.engine = target.engine;
    options.mode = target.mode;
    return options;
  }
  static Executable compiled(std::string_view text, const CompileOptions& options = {}) {
    return test::compiled(text, on_target(options));
  }
  static bool is_traced() { return GetParam() == "mlx:compiled" || GetParam() == "mlx:async"; }
  static bool is_reference() { return GetParam().starts_with("reference"); }
};

#define INGOT_ON_EVERY_TARGET(suite) \
  INSTANTIATE_TEST_SUITE_P(Targets, suite, testing::ValuesIn(test::every_target()), test::target_name)

// ----------------------------------------------------------------------------------------------------------- tensors

template <class T>
std::vector<T> values(const Tensor& tensor) {
  const auto elements = tensor.as<T>();
  return {elements.begin(), elements.end()};
}

using Floats = std::vector<float>;
using Integers = std::vector<int64_t>;

inline Tensor f32(Sizes sizes, const std::vector<float>& elements) { return Tensor::of(std::move(sizes), elements); }
inline Tensor f32(const std::vector<float>& elements) { return f32({static_cast<int64_t>(elements.size())}, elements); }
inline Tensor i64(int64_t value) { return Tensor::of<int64_t>({}, {value}); }
inline Tensor boolean(bool value) {
  Tensor tensor = Tensor::allocate(DType::bool_, {});
  tensor.mutable_bytes()[0] = std::byte{value};
  return tensor;
}

// 1, 2, … n, each times a factor.
inline Tensor ramp(int64_t n, float factor = 1) {
  Floats elements;
  for (int64_t i = 1; i <= n; ++i) elements.push_back(static_cast<float>(i) * factor);
  return f32(elements);
}

// ---------------------------------------------------------------------------------------------------------- programs

// Adds x to a total and counts; picks x[i], which fails after the writes for an i that is not there.
inline constexpr const char* totals = R"(
weight @start : f32[2] = [10.0, 20.0]
state @total : f32[2] = @start
state @calls : i64[] = zeros
method add(%x: f32[2], %i: i64[]) -> (picked, total) {
  %t = state_read {state=@total}
  %u = add %t, %x
  %v = state_write %u {state=@total}
  %n = state_read {state=@calls}
  %one = full {shape=[], value=1, dtype=i64}
  %m = add %n, %one
  %w = state_write %m {state=@calls}
  %picked = take %v, %i
  return %picked, %v
}
method total() -> (total, calls) {
  %t = state_read {state=@total}
  %n = state_read {state=@calls}
  return %t, %n
}
)";

inline std::vector<NamedTensor> totals_inputs(float a, float b, int64_t pick = 0) {
  return {{"x", f32({a, b})}, {"i", i64(pick)}};
}
inline Floats add(Session& session, float a, float b, int64_t pick = 0) {
  return values<float>(session.run(totals_inputs(a, b, pick), "add")[1].tensor);
}
inline Floats total(const Session& session) { return values<float>(session.state("total")); }
inline int64_t calls(const Session& session) { return session.state("calls").as<int64_t>()[0]; }

// Counts in a state, for ever: ends when it is cancelled or a limit does.
inline constexpr const char* forever = R"(
state @n : i64[] = zeros
graph always(%n: i64[]) -> (c) {
  %c = full {shape=[], value=1, dtype=bool}
  return %c
}
graph next(%n: i64[]) -> (m) {
  %one = full {shape=[], value=1, dtype=i64}
  %a = add %n, %one
  %m = state_write %a {state=@n}
  return %m
}
method forever() -> (n) {
  %zero = state_read {state=@n}
  %n = while [%zero] {condition=@always, body=@next}
  return %n
}
method count() -> (n) {
  %n = state_read {state=@n}
  %m = call [%n] {graph=@next}
  return %m
}
)";

}  // namespace ingot::test
