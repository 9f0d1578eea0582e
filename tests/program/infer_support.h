// What the tests of inference share: a graph to add ops to, and tables of what comes out.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "program/builder.h"
#include "program/error.h"
#include "program/infer.h"

namespace ingot::test {

struct Bench {
  ProgramBuilder p;
  Symbol s = p.symbol("S", 1, 512), t = p.symbol("T"), n = p.symbol("N", 0, 100);
  GraphBuilder& g;

  Bench() : g(p.graph("f")) {}
  // Graphs that the op may call go in first.
  explicit Bench(const std::function<void(Bench&)>& before) : g((before(*this), p.graph("f"))) {}

  // A new input. Without a shape: a scalar.
  Var in(DType dtype, Shape shape = {}) { return g.input(fmt::format("in{}", count_++), dtype, std::move(shape)); }
  Var f32(Shape shape) { return in(DType::f32, std::move(shape)); }
  Var i64(Shape shape) { return in(DType::i64, std::move(shape)); }
  Var packed(Shape shape, QuantScheme scheme = {}) {
    return g.input(fmt::format("in{}", count_++), TensorType{DType::packed, std::move(shape), scheme});
  }

 private:
  int count_ = 0;
};

// One call, and the type of its result, or the whole text of its refusal.
struct Case {
  std::string_view expected;
  std::function<Var(Bench&)> call;
};

// What the builder inferred is what the verifier infers.
inline void expect_types(std::initializer_list<Case> cases) {
  for (const Case& row : cases) {
    Bench bench;
    try {
      EXPECT_EQ(to_string(row.call(bench).type()), row.expected);
      bench.p.build();
    } catch (const Error& error) {
      ADD_FAILURE() << "expected " << row.expected << ", got " << error.what();
    }
  }
}

// The op is not there after its refusal: what was built before it is still whole.
inline void expect_refusals(std::initializer_list<Case> cases) {
  for (const Case& row : cases) {
    Bench bench;
    try {
      const Var result = row.call(bench);
      ADD_FAILURE() << "expected " << row.expected << ", got " << to_string(result.type());
    } catch (const Error& error) {
      EXPECT_EQ(std::string_view(error.what()), row.expected);
      EXPECT_NO_THROW(bench.p.build()) << row.expected;
    }
  }
}

// Every dtype but packed, in the order of the enum.
inline std::vector<DType> single_dtypes() {
  std::vector<DType> all;
  for (int i = 0; i < static_cast<int>(DType::packed); ++i) all.push_back(static_cast<DType>(i));
  return all;
}

// The dtypes, out of all but packed, for which `call` is not refused, and their results: `f16 f32>bool`.
inline std::string accepted_dtypes(const std::function<Var(Bench&, DType)>& call) {
  std::string text;
  for (DType dtype : single_dtypes()) {
    Bench bench;
    try {
      const DType result = call(bench, dtype).dtype();
      text += fmt::format("{}{}", text.empty() ? "" : " ", to_string(dtype));
      if (result != dtype) text += fmt::format(">{}", to_string(result));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::type_mismatch) << error.what();
    }
  }
  return text;
}

inline constexpr std::string_view kIntegers = "u8 u16 u32 u64 i8 i16 i32 i64", kReals = "f16 bf16 f32 f64";
inline const std::string kNumbers = fmt::format("{} {}", kIntegers, kReals), kComputable = "bool " + kNumbers + " c64";

// Functions of one enum that accept the same dtypes.
template <SchemaEnum Fn>
struct Accepting {
  std::vector<Fn> fns;
  std::string accepted;
};

// What call(bench, dtype, fn) accepts. The groups name every function of the enum once.
template <SchemaEnum Fn, class Call>
void expect_accepted(const std::vector<Accepting<Fn>>& groups, const Call& call) {
  std::vector<Fn> named;
  for (const Accepting<Fn>& group : groups) {
    for (const Fn fn : group.fns) {
      EXPECT_EQ(accepted_dtypes([&](Bench& b, DType d) { return call(b, d, fn); }), group.accepted) << to_string(fn);
      named.push_back(fn);
    }
  }
  std::ranges::sort(named);
  ASSERT_EQ(named.size(), EnumNames<Fn>::names.size());
  for (size_t i = 0; i < named.size(); ++i) EXPECT_EQ(named[i], static_cast<Fn>(i));
}

inline const std::vector<Accepting<ScatterFn>> kScatterDtypes = {
    {{ScatterFn::set}, kComputable},
    {{ScatterFn::add, ScatterFn::mul}, kNumbers + " c64"},
    {{ScatterFn::max, ScatterFn::min}, kNumbers},
};

}  // namespace ingot::test
