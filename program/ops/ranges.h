// Ranges of real attributes, for the rules of several families.
//
// Threads    pure functions.
// Failure    Code::out_of_range with the number and the range.
#pragma once

#include <cmath>

#include "program/infer.h"

namespace ingot {

inline void require_in_range(const Scope& s, std::string_view subject, double x, bool holds, std::string_view range) {
  if (!holds) s.refuse(subject, fmt::format("{}", x), std::string(range), Code::out_of_range);
}

inline void require_finite(const Scope& s, std::string_view subject, double x) {
  require_in_range(s, subject, x, std::isfinite(x), "finite");
}

inline void require_not_negative(const Scope& s, std::string_view subject, double x) {
  require_in_range(s, subject, x, std::isfinite(x) && x >= 0, "finite and at least 0");
}

inline void require_positive(const Scope& s, std::string_view subject, double x) {
  require_in_range(s, subject, x, std::isfinite(x) && x > 0, "finite and more than 0");
}

// low <= x <= high
inline void require_between(const Scope& s, std::string_view subject, double x, double low, double high) {
  require_in_range(s, subject, x, low <= x && x <= high, fmt::format("{}..{}", low, high));
}

}  // namespace ingot
