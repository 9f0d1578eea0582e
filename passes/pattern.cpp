#include "passes/pattern.h"

#include <cmath>

namespace ingot {

// Where a slot is filled, for as long as the rest of the pattern holds.
struct Slot {
  static bool fill(Found& found, size_t slot, Ref ref, const Pattern::Next& next) {
    std::optional<Ref>& place = found.slots_.at(slot);
    if (place) return *place == ref && next();
    place = ref;
    if (next()) return true;
    place.reset();
    return false;
  }
};

namespace {

bool commutes(BinaryFn fn) {
  switch (fn) {
    case BinaryFn::add:
    case BinaryFn::mul:
    case BinaryFn::max:
    case BinaryFn::min:
    case BinaryFn::logaddexp:
    case BinaryFn::logical_and:
    case BinaryFn::logical_or:
    case BinaryFn::logical_xor:
    case BinaryFn::bitwise_and:
    case BinaryFn::bitwise_or:
    case BinaryFn::bitwise_xor: return true;
    default: return false;
  }
}

}  // namespace

std::optional<Found> match(const Pattern& pattern, const View& view, Ref ref) {
  Found found;
  return pattern(view, ref, found, [] { return true; }) ? std::optional(found) : std::nullopt;
}

Pattern any(size_t slot) {
  return Pattern([=](const View&, Ref ref, Found& found, const Pattern::Next& next) {
    return Slot::fill(found, slot, ref, next);
  });
}

Pattern bind(size_t slot, Pattern pattern) {
  return Pattern([=, pattern = std::move(pattern)](const View& view, Ref ref, Found& found, const Pattern::Next& next) {
    return Slot::fill(found, slot, ref, [&] { return pattern(view, ref, found, next); });
  });
}

Pattern number(double number, double tolerance) {
  return Pattern([=](const View& view, Ref ref, Found&, const Pattern::Next& next) {
    const std::optional<double> actual = view.real(ref);
    return actual && std::abs(*actual - number) <= tolerance * std::abs(number) && next();
  });
}

Pattern any_number(size_t slot) {
  return Pattern([=](const View& view, Ref ref, Found& found, const Pattern::Next& next) {
    return view.number(ref) && Slot::fill(found, slot, ref, next);
  });
}

Pattern either(Pattern a, Pattern b) {
  return Pattern(
      [a = std::move(a), b = std::move(b)](const View& view, Ref ref, Found& found, const Pattern::Next& next) {
        return a(view, ref, found, next) || b(view, ref, found, next);
      });
}

Pattern unary(UnaryFn fn, Pattern x) {
  return of<op::Unary>(&op::Unary::x, std::move(x), [=](const op::Unary& op, const View&) { return op.fn == fn; });
}

Pattern binary(BinaryFn fn, Pattern a, Pattern b) {
  return Pattern(
      [=, a = std::move(a), b = std::move(b)](const View& view, Ref ref, Found& found, const Pattern::Next& next) {
        const op::Binary* op = view.binary(fn, ref);
        const auto placed = [&](Ref first, Ref second) {
          return a(view, first, found, [&] { return b(view, second, found, next); });
        };
        return op && (placed(op->a, op->b) || (commutes(fn) && op->a != op->b && placed(op->b, op->a)));
      });
}

Pattern operator+(Pattern a, Pattern b) { return binary(BinaryFn::add, std::move(a), std::move(b)); }
Pattern operator-(Pattern a, Pattern b) { return binary(BinaryFn::sub, std::move(a), std::move(b)); }
Pattern operator*(Pattern a, Pattern b) { return binary(BinaryFn::mul, std::move(a), std::move(b)); }
Pattern operator/(Pattern a, Pattern b) { return binary(BinaryFn::div, std::move(a), std::move(b)); }

}  // namespace ingot
