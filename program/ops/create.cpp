// Inference of ops that make values from attributes.
#include <array>
#include <cmath>
#include <limits>

#include "program/infer.h"

namespace ingot {
namespace {

// Raw words are not scaled.
void check_bits(const op::Random& op, const Scope& s) {
  require_dtype(s, "dtype", op.dtype, std::array{DType::u32, DType::u64});
  if (op.offset != 0) s.refuse("offset", fmt::format("{}", op.offset), "0", Code::out_of_range);
  if (op.scale != 1) s.refuse("scale", fmt::format("{}", op.scale), "1", Code::out_of_range);
}

void check_samples(const op::Random& op, const Scope& s) {
  require_kind(s, "dtype", op.dtype, kinds::real);
  if (!std::isfinite(op.offset)) s.refuse("offset", fmt::format("{}", op.offset), "finite", Code::out_of_range);
  if (!std::isfinite(op.scale)) s.refuse("scale", fmt::format("{}", op.scale), "finite", Code::out_of_range);
}

}  // namespace

static Types rule(const op::Iota& op, const Scope& s) {
  require_kind(s, "dtype", op.dtype, kinds::number);
  require_at_least(s, "length", op.length, 0);
  if (op.start) check_fits(*op.start, op.dtype, s.op, "start");
  if (op.step) check_fits(*op.step, op.dtype, s.op, "step");
  return {{op.dtype, {op.length}, {}}};
}

static Types rule(const op::Full& op, const Scope& s) {
  require_kind(s, "dtype", op.dtype, kinds::computable);
  require_sizes(s, "size in shape", op.shape);
  check_fits(op.value, op.dtype, s.op, "value");
  return {{op.dtype, op.shape, {}}};
}

static Types rule(const op::Random& op, const Scope& s) {
  require_type(s, "key", s.type(op.key), {DType::u32, {2}, {}});
  require_sizes(s, "size in shape", op.shape);
  op.fn == RandomFn::bits ? check_bits(op, s) : check_samples(op, s);
  return {{op.dtype, op.shape, {}}};
}

static Types rule(const op::SizeOf& op, const Scope& s) {
  require_dtype(s, "dtype", op.dtype, std::array{DType::i32, DType::i64});
  require_at_least(s, "size", op.size, 0);
  if (op.dtype == DType::i32) require_at_most(s, "size (as i32)", op.size, std::numeric_limits<int32_t>::max());
  return {{op.dtype, {}, {}}};
}

INGOT_RULES(create)

}  // namespace ingot
