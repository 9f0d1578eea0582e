// What the tests of inference share: a graph to add ops to, and tables of what comes out.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

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
  GraphBuilder& g = p.method("f");

  // A new input. Without a shape: a scalar.
  Var in(DType dtype, Shape shape = {}) { return g.input(fmt::format("in{}", count_++), dtype, std::move(shape)); }
  Var f32(Shape shape) { return in(DType::f32, std::move(shape)); }
  Var i64(Shape shape) { return in(DType::i64, std::move(shape)); }
  Var packed(Shape shape) {
    return g.input(fmt::format("in{}", count_++), TensorType{DType::packed, std::move(shape), QuantScheme{}});
  }

 private:
  int count_ = 0;
};

// One call, and the type of its result, or the whole text of its refusal.
struct Case {
  std::string_view expected;
  std::function<Var(Bench&)> call;
};

inline void expect_types(std::initializer_list<Case> cases) {
  for (const Case& row : cases) {
    Bench bench;
    try {
      EXPECT_EQ(to_string(row.call(bench).type()), row.expected);
    } catch (const Error& error) {
      ADD_FAILURE() << "expected " << row.expected << ", got " << error.what();
    }
  }
}

inline void expect_refusals(std::initializer_list<Case> cases) {
  for (const Case& row : cases) {
    Bench bench;
    try {
      const Var result = row.call(bench);
      ADD_FAILURE() << "expected " << row.expected << ", got " << to_string(result.type());
    } catch (const Error& error) {
      EXPECT_EQ(std::string_view(error.what()), row.expected);
      EXPECT_TRUE(bench.g.graph().nodes.empty() || !bench.g.graph().values.empty());
    }
  }
}

}  // namespace ingot::test
