#include "passes/step.h"

#include <cstdlib>
#include <functional>

#include "program/float_format.h"

namespace ingot {
namespace {

// ---------------------------------------------------------------------------------------------------------- positions

// An offset of positions: a size, a number small enough that sums of them do not wrap around, or a sum of such.
std::optional<Dim> offset_in(const View& view, Ref ref, int depth = 4) {
  if (const auto* reshape = view.made_by<op::Reshape>(ref)) ref = reshape->x;
  if (const auto* size = view.made_by<op::SizeOf>(ref)) return size->size;
  const auto* sum = depth > 0 && view.dtype(ref) == DType::i64 ? view.made_by<op::Binary>(ref) : nullptr;
  if (sum && (sum->fn == BinaryFn::add || sum->fn == BinaryFn::sub)) {
    const auto a = offset_in(view, sum->a, depth - 1), b = offset_in(view, sum->b, depth - 1);
    if (!a || !b) return {};
    return sum->fn == BinaryFn::add ? *a + *b : *a - *b;
  }
  const auto number = view.number(ref);
  const bool small = number && number->is_integer() && std::abs(number->as_real()) < 0x1p31;
  return small ? std::optional(Dim(number->as_int())) : std::nullopt;
}

// n, where the elements are n, n + 1, … in order. Offsets are for i64 alone: others may wrap around.
std::optional<Dim> counts_from(const View& view, Ref ref, int depth = 8) {
  if (depth == 0 || (view.dtype(ref) != DType::i64 && view.dtype(ref) != DType::i32)) return {};
  if (const auto* reshape = view.made_by<op::Reshape>(ref)) return counts_from(view, reshape->x, depth - 1);
  if (const auto* iota = view.made_by<op::Iota>(ref)) {
    const Scalar start = iota->start.value_or(0);
    if (iota->step || std::abs(start.as_real()) >= 0x1p31) return {};
    return start.as_int() == 0 || iota->dtype == DType::i64 ? std::optional(Dim(start.as_int())) : std::nullopt;
  }
  const auto* sum = view.made_by<op::Binary>(ref);
  if (!sum || (sum->fn != BinaryFn::add && sum->fn != BinaryFn::sub) || view.dtype(ref) != DType::i64) return {};
  const bool adds = sum->fn == BinaryFn::add, swapped = adds && !offset_in(view, sum->b);
  const Ref part = swapped ? sum->b : sum->a;
  const auto offset = offset_in(view, swapped ? sum->a : sum->b);
  const auto first = offset && view.shape(part) == view.shape(ref) ? counts_from(view, part, depth - 1) : std::nullopt;
  if (!first) return {};
  return adds ? *first + *offset : *first - *offset;
}

// Positions along one of the last two axes: 0, 1, … plus an offset.
struct Positions {
  bool of_rows;
  Dim offset;
};

std::optional<Positions> positions(const View& view, Ref ref, const Dim& rows, const Dim& columns) {
  const auto* broadcast = view.made_by<op::Broadcast>(ref);
  const Ref line = broadcast ? broadcast->x : ref;
  const auto first = counts_from(view, line);
  const Shape& shape = view.shape(line);
  if (!first || shape.empty()) return {};
  const bool of_rows = shape.size() >= 2 && shape.back() == Dim(1) && shape.end()[-2] == rows;
  const size_t at = shape.size() - (of_rows ? 2 : 1);
  if (shape[at] != (of_rows ? rows : columns)) return {};
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i != at && shape[i] != Dim(1)) return {};
  }
  return Positions{of_rows, *first};
}

CompareFn flipped(CompareFn fn) {
  switch (fn) {
    case CompareFn::lt: return CompareFn::gt;
    case CompareFn::le: return CompareFn::ge;
    case CompareFn::gt: return CompareFn::lt;
    case CompareFn::ge: return CompareFn::le;
    default: return fn;
  }
}

// i + distance, compared with j
std::optional<Step> step_of_comparison(CompareFn fn, const Dim& distance) {
  switch (fn) {
    case CompareFn::ge: return Step{distance, 1, 0};
    case CompareFn::gt: return Step{distance - 1, 1, 0};
    case CompareFn::lt: return Step{distance, 0, 1};
    case CompareFn::le: return Step{distance - 1, 0, 1};
    default: return {};
  }
}

// -------------------------------------------------------------------------------------------------------------- steps

// The number as it is stored; none where it is beyond what the dtype has.
std::optional<double> stored_number(const View& view, Ref ref) {
  const auto number = view.real(ref);
  const auto format = float_format(view.dtype(ref));
  if (!number || !format) return number;
  const auto bits = encode(*format, *number);
  return bits ? std::optional(decode(*format, *bits)) : std::nullopt;
}

class Steps {
 public:
  Steps(const View& view, const Dim& rows, const Dim& columns) : view_(view), rows_(rows), columns_(columns) {}

  std::optional<Step> of(Ref ref, int depth = 12) const {
    if (depth == 0) return {};
    if (const auto* op = view_.made_by<op::Triangle>(ref)) return triangle(*op, ref);
    if (const auto* op = view_.made_by<op::Compare>(ref)) return compare(*op, depth);
    if (const auto* op = view_.made_by<op::Select>(ref)) return select(*op, depth);
    if (const auto* op = view_.made_by<op::Binary>(ref)) return arithmetic(*op, depth);
    if (const auto* op = view_.made_by<op::Cast>(ref)) return cast(*op, depth);
    if (const auto* op = view_.unary(UnaryFn::logical_not, ref))
      return mapped(of(op->x, depth - 1), [](double x) { return x == 0; });
    if (const auto* op = view_.made_by<op::Reshape>(ref)) return of_same_rows(op->x, ref, depth);
    if (const auto* op = view_.made_by<op::Broadcast>(ref)) return of_same_rows(op->x, ref, depth);
    return {};
  }

 private:
  static std::optional<Step> mapped(const std::optional<Step>& step, const std::function<double(double)>& f) {
    return step ? std::optional(Step{step->up_to, f(step->within), f(step->beyond)}) : std::nullopt;
  }

  // What every dtype holds, and arithmetic with 1 or with finite numbers keeps exact.
  std::optional<Step> flag(Ref ref, int depth) const {
    const auto step = of(ref, depth - 1);
    const auto is_bit = [](double number) { return number == 0 || number == 1; };
    return step && is_bit(step->within) && is_bit(step->beyond) ? step : std::nullopt;
  }

  std::optional<Step> triangle(const op::Triangle& op, Ref ref) const {
    const auto number = stored_number(view_, op.x);
    if (!number || !has_rows(view_.shape(ref))) return {};
    const Dim k = op.k.value_or(0);
    return op.fn == TriangleFn::lower ? Step{k, *number, 0} : Step{k - 1, 0, *number};
  }

  std::optional<Step> compare(const op::Compare& op, int depth) const {
    if (op.fn == CompareFn::eq || op.fn == CompareFn::ne) {
      const auto number = stored_number(view_, op.b);
      return number ? mapped(flag(op.a, depth), [&](double x) { return (x == *number) == (op.fn == CompareFn::eq); })
                    : std::nullopt;
    }
    const auto a = positions(view_, op.a, rows_, columns_), b = positions(view_, op.b, rows_, columns_);
    if (!a || !b || a->of_rows == b->of_rows) return {};
    return a->of_rows ? step_of_comparison(op.fn, a->offset - b->offset)
                      : step_of_comparison(flipped(op.fn), b->offset - a->offset);
  }

  std::optional<Step> select(const op::Select& op, int depth) const {
    const auto a = stored_number(view_, op.a), b = stored_number(view_, op.b);
    if (!a || !b) return {};
    return mapped(of(op.condition, depth - 1), [&](double x) { return x != 0 ? *a : *b; });
  }

  // 1 - x, and x times a number.
  std::optional<Step> arithmetic(const op::Binary& op, int depth) const {
    if (op.fn == BinaryFn::sub && view_.is_number(op.a, 1))
      return mapped(flag(op.b, depth), [](double x) { return 1 - x; });
    if (op.fn != BinaryFn::mul) return {};
    const auto a = stored_number(view_, op.a), b = stored_number(view_, op.b);
    if (!a && !b) return {};
    return mapped(flag(a ? op.b : op.a, depth), [&](double x) { return x * (a ? *a : *b); });
  }

  std::optional<Step> cast(const op::Cast& op, int depth) const {
    if (op.dtype == DType::bool_) return mapped(of(op.x, depth - 1), [](double x) { return x != 0; });
    return flag(op.x, depth);
  }

  // What all rows share along the axes in front of them stays when these change.
  std::optional<Step> of_same_rows(Ref from, Ref to, int depth) const {
    return has_rows(view_.shape(from)) && has_rows(view_.shape(to)) ? of(from, depth - 1) : std::nullopt;
  }

  bool has_rows(const Shape& shape) const {
    return shape.size() >= 2 && shape.end()[-2] == rows_ && shape.back() == columns_;
  }

  const View& view_;
  const Dim &rows_, &columns_;
};

}  // namespace

std::optional<Step> step_of(const View& view, Ref ref, const Dim& rows, const Dim& columns) {
  return Steps(view, rows, columns).of(ref);
}

}  // namespace ingot
