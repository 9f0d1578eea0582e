// What a program with an active extent must give: the first rows of what the old one gives, bit by bit, and whatever
// the rows hold that are left out.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string_view>

#include "passes/active_extent.h"
#include "tests/passes/passes_support.h"
#include "tests/support/draw.h"

namespace ingot::test {

// Elements that are whole bytes can be cut along any axis here.
inline bool can_cut(DType dtype) { return dtype != DType::packed && bits(dtype) >= 8; }

// The first `count` slices along an axis. Precondition: can_cut.
inline Tensor first_slices(const Tensor& tensor, size_t axis, int64_t count) {
  Sizes sizes = tensor.sizes();
  int64_t before = 1, row = bits(tensor.dtype()) / 8;
  for (size_t i = 0; i < axis; ++i) before *= sizes[i];
  for (size_t i = axis + 1; i < sizes.size(); ++i) row *= sizes[i];
  const int64_t all = sizes[axis];
  sizes[axis] = count;
  Tensor cut = Tensor::allocate(tensor.dtype(), sizes);
  for (int64_t i = 0; i < before; ++i) {
    std::ranges::copy(tensor.bytes().subspan(static_cast<size_t>(i * all * row), static_cast<size_t>(count * row)),
                      cut.mutable_bytes().begin() + i * count * row);
  }
  return cut;
}

// The rows from `actual` on replaced: by NaN, and where there is none by what the first row holds, so that indices stay
// within their axis.
inline Tensor with_other_rows(const Tensor& tensor, int64_t actual) {
  Tensor other = Tensor::allocate(tensor.dtype(), tensor.sizes());
  std::ranges::copy(tensor.bytes(), other.mutable_bytes().begin());
  const size_t rows = static_cast<size_t>(tensor.sizes()[0]), row = tensor.bytes().size() / rows;
  const DType part = tensor.dtype() == DType::c64 ? DType::f32 : tensor.dtype();
  const auto format = float_format(part);
  const size_t size = static_cast<size_t>(bits(part)) / 8;
  for (size_t at = static_cast<size_t>(actual) * row; at < rows * row; ++at) {
    other.mutable_bytes()[at] = tensor.bytes()[at % row];
  }
  if (!format) return other;
  const uint64_t nan = encode(*format, std::numeric_limits<double>::quiet_NaN()).value();
  for (size_t at = static_cast<size_t>(actual) * row; at < rows * row; at += size) {
    std::memcpy(other.mutable_bytes().data() + at, &nan, size);
  }
  return other;
}

struct Outcome {
  std::vector<Tensor> outputs, states;
};

// None where the call fails.
inline std::optional<Outcome> outcome_of(const Program& program, std::string_view method, std::vector<Tensor> inputs) {
  constexpr RunLimits limits{.bytes = 1 << 26, .steps = 3'000'000};
  Runner runner(program, limits);
  try {
    std::vector<Tensor> outputs = runner.run(method, std::move(inputs));
    return Outcome{std::move(outputs), runner.states()};
  } catch (const Error&) {
    return std::nullopt;
  }
}

// One call of a method that was changed, with so many of its rows. False where the call with all rows fails.
inline bool expect_first_rows(const Program& before, const ActiveProgram& after, const ActiveMethod& method,
                              const std::vector<Tensor>& inputs, int64_t actual) {
  std::vector<Tensor> fewer = inputs, other = inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!method.inputs[i]) continue;
    fewer[i] = first_slices(inputs[i], 0, actual);
    if (can_cut(inputs[i].dtype())) other[i] = with_other_rows(inputs[i], actual);
  }
  const auto all = outcome_of(before, method.method, inputs);
  if (!all) return false;
  const auto few = outcome_of(after.program, method.method, fewer), rest = outcome_of(before, method.method, other);
  EXPECT_TRUE(few) << "the call with " << actual << " rows fails";
  if (!few) return false;
  for (size_t i = 0; i < all->outputs.size(); ++i) {
    const auto rows = method.outputs[i];
    const auto first = [&](const Tensor& whole) {
      return rows ? first_slices(whole, rows->axis, actual * rows->block) : whole;
    };
    if (rows && !can_cut(all->outputs[i].dtype())) continue;
    EXPECT_TRUE(same_bits(few->outputs[i], first(all->outputs[i]))) << "output " << i << " of " << actual << " rows";
    // What fails for such rows alone does not fail without them.
    if (rest) {
      EXPECT_TRUE(same_bits(first(rest->outputs[i]), few->outputs[i]))
          << "output " << i << " depends on rows from " << actual << " on";
    }
  }
  EXPECT_TRUE(std::ranges::equal(few->states, all->states, [](const Tensor& a, const Tensor& b) {
    return same_bits(a, b);
  })) << "states";
  return true;
}

// Numbers that most ops take: small, different, and in order where there is one axis.
inline Tensor plain_numbers(const TensorType& type) {
  Tensor tensor = Tensor::allocate(type.dtype, *literal_sizes(type.shape));
  const size_t size = static_cast<size_t>(bits(type.dtype)) / 8;
  const auto format = float_format(type.dtype == DType::c64 ? DType::f32 : type.dtype);
  for (size_t at = 0, i = 0; at < tensor.bytes().size(); ++i) {
    const uint64_t bits = format ? *encode(*format, 0.25 * static_cast<double>(i * 7 % 23) - 1) : i * 5 % 3;
    const size_t step = type.dtype == DType::c64 ? size / 2 : size;
    std::memcpy(tensor.mutable_bytes().data() + at, &bits, type.dtype == DType::bool_ ? 1 : step);
    if (type.dtype == DType::bool_) tensor.mutable_bytes()[at] = static_cast<std::byte>(i % 3 == 0);
    at += step;
  }
  return tensor;
}

// Calls of a method f that was changed, with plain numbers.
inline void expect_first_rows(const Program& program, const ActiveProgram& active, int64_t upper) {
  const Graph& method = *program.method("f");
  std::vector<Tensor> inputs;
  for (const Ref input : method.inputs) inputs.push_back(plain_numbers(method.type(input)));
  for (int64_t actual = 0; actual <= upper; ++actual) {
    EXPECT_TRUE(expect_first_rows(program, active, active.methods[0], inputs, actual));
  }
}

// A method f that is changed, and whose first rows stay as they are.
struct ChangedCase {
  std::string_view name, inputs, body;
};

// A method f that is left alone.
struct RefusedCase {
  std::string_view name, inputs, body, reason;  // behind `f: `
};

inline void expect_changed(std::span<const ChangedCase> cases, int64_t upper) {
  for (const ChangedCase& row : cases) {
    SCOPED_TRACE(row.name);
    const Program program = program_of(row.inputs, row.body);
    const ActiveProgram active = with_active_extent(program, upper);
    ASSERT_EQ(active.methods[0].reason, "");
    if (row.inputs.find('S') == row.inputs.npos) expect_first_rows(program, active, upper);
  }
}

inline void expect_refused(std::span<const RefusedCase> cases, int64_t upper) {
  for (const RefusedCase& row : cases) {
    SCOPED_TRACE(row.name);
    const Program program = program_of(row.inputs, row.body);
    const ActiveProgram active = with_active_extent(program, upper);
    EXPECT_EQ(active.methods[0].reason, "f: " + std::string(row.reason));
    EXPECT_EQ(print(active.program), print(program));
  }
}

}  // namespace ingot::test
