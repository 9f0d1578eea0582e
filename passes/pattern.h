// Pattern: an expression to look for, where the operands of commutative ops may stand either way round.
//
//   enum { x };
//   static const Pattern silu = any(x) * unary(UnaryFn::sigmoid, any(x));
//   if (const auto found = match(silu, site, site.result())) return site.to().silu(site((*found)[x]));
//
// A slot that occurs twice stands for one value. Every way to place operands is tried, so the order in which a pattern
// is written does not matter.
//
// Ownership  values.
// Threads    immutable once made: a static const Pattern may be used by any number of threads.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "passes/view.h"

namespace ingot {

// What the slots of a pattern stand for.
class Found {
 public:
  static constexpr size_t kSlots = 16;
  // Precondition: the pattern has the slot, in the part that matched.
  Ref operator[](size_t slot) const { return slots_[slot].value(); }
  bool has(size_t slot) const { return slots_[slot].has_value(); }

 private:
  friend struct Slot;
  std::array<std::optional<Ref>, kSlots> slots_;
};

class Pattern {
 public:
  // Goes on with the rest of the whole pattern.
  using Next = std::function<bool()>;
  using Try = std::function<bool(const View& view, Ref ref, Found& found, const Next& next)>;

  explicit Pattern(Try attempt) : try_(std::move(attempt)) {}
  bool operator()(const View& view, Ref ref, Found& found, const Next& next) const {
    return try_(view, ref, found, next);
  }

 private:
  Try try_;
};

// What the slots stand for where the value is what the pattern says; of several ways the first.
std::optional<Found> match(const Pattern& pattern, const View& view, Ref ref);

// Any value. The same one wherever the slot occurs.
Pattern any(size_t slot);
// A value that the pattern describes, and keeps in the slot.
Pattern bind(size_t slot, Pattern pattern);
// A value every element of which is this number; |actual - number| <= tolerance·|number|.
Pattern number(double number, double tolerance = 0);
// A value every element of which is one number, kept in the slot.
Pattern any_number(size_t slot);
// One or the other.
Pattern either(Pattern a, Pattern b);

Pattern unary(UnaryFn fn, Pattern x);
Pattern binary(BinaryFn fn, Pattern a, Pattern b);
Pattern operator+(Pattern a, Pattern b);
Pattern operator-(Pattern a, Pattern b);
Pattern operator*(Pattern a, Pattern b);
Pattern operator/(Pattern a, Pattern b);

// The first result of an op of kind O whose operand is such, and that passes `where`: of(&op::Reduce::x, any(0), mean).
template <OpStruct O>
Pattern of(Ref O::* operand, Pattern x, std::function<bool(const O& op, const View& view)> where = {}) {
  return Pattern([operand, where = std::move(where), x = std::move(x)](const View& view, Ref ref, Found& found,
                                                                       const Pattern::Next& next) {
    const O* op = view.made_by<O>(ref);
    return op && (!where || where(*op, view)) && x(view, op->*operand, found, next);
  });
}

}  // namespace ingot
