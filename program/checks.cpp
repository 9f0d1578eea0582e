// The checks that inference rules share. Messages are made on failure alone: a program has many nodes.
#include <algorithm>

#include "program/infer.h"

namespace ingot {
namespace {

struct KindName {
  Kinds kinds;
  std::string_view name;
};

constexpr KindName kind_names[] = {
    {kinds::boolean, "bool"},
    {kinds::integer, "integer"},
    {kinds::real, "real"},
    {kinds::complex, "complex"},
};

// `a`, `a or b`, `a, b or c`
std::string alternatives(const std::vector<std::string_view>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::string with_reason(std::string text, std::string_view why) {
  return why.empty() ? std::move(text) : fmt::format("{} ({})", text, why);
}

// The reason to give with a size that could not be shown to be right.
std::string_view not_proven(Proof proof) { return proof == Proof::unknown ? "not provable from the bounds" : ""; }

bool is_one(const Dim& dim) { return dim.is_literal() && dim.literal() == 1; }

// The size of two that broadcast; none where they do not.
const Dim* common_size(const Dim& a, const Dim& b) {
  if (is_one(a)) return &b;
  if (is_one(b)) return &a;
  if (equal(a, b) != Proof::yes) return nullptr;
  return b.is_literal() ? &b : &a;
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------- dtypes

void require_kind(const Scope& scope, std::string_view subject, DType actual, Kinds allowed) {
  if (within(allowed, actual)) return;
  std::vector<std::string_view> names;
  for (const KindName& row : kind_names) {
    if ((allowed & row.kinds) == row.kinds) names.push_back(row.name);
  }
  std::string_view remedy;
  if (kind(actual) == Kind::storage)
    remedy = actual == DType::packed ? "packed needs dequantize" : "storage needs a cast";
  scope.refuse(subject, std::string(to_string(actual)), with_reason(alternatives(names), remedy));
}

void require_dtype(const Scope& scope, std::string_view subject, DType actual, std::span<const DType> allowed) {
  if (std::find(allowed.begin(), allowed.end(), actual) != allowed.end()) return;
  std::vector<std::string_view> names;
  for (DType dtype : allowed) names.push_back(to_string(dtype));
  scope.refuse(subject, std::string(to_string(actual)), alternatives(names));
}

DType promote_or_refuse(const Scope& scope, DType a, DType b) {
  const auto dtype = promote(a, b);
  if (!dtype) {
    scope.refuse("pair of dtypes", fmt::format("{} and {}", to_string(a), to_string(b)),
                 "two that promote to one dtype (cast one of them)");
  }
  return *dtype;
}

// ------------------------------------------------------------------------------------------------------------ axes

int64_t normalize_axis(const Scope& scope, std::string_view subject, int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) {
    scope.refuse(subject, fmt::format("{}", axis), rank == 0 ? "none (rank 0)" : fmt::format("{}..{}", -rank, rank - 1),
                 Code::out_of_range);
  }
  return axis < 0 ? axis + rank : axis;
}

std::vector<int64_t> normalize_axes(const Scope& scope, std::string_view subject, std::span<const int64_t> axes,
                                    int64_t rank) {
  std::vector<int64_t> result;
  std::vector<bool> named(static_cast<size_t>(rank));
  for (int64_t given : axes) {
    const int64_t axis = normalize_axis(scope, subject, given, rank);
    if (named[static_cast<size_t>(axis)]) {
      scope.refuse(subject, fmt::format("[{}]", fmt::join(axes, ", ")), "every axis at most once", Code::out_of_range);
    }
    named[static_cast<size_t>(axis)] = true;
    result.push_back(axis);
  }
  return result;
}

// ----------------------------------------------------------------------------------------------------------- sizes

void require_equal(const Scope& scope, std::string_view subject, const Dim& actual, const Dim& expected,
                   std::string_view why) {
  const Proof proof = equal(actual, expected);
  if (proof == Proof::yes) return;
  scope.refuse(subject, to_string(actual), with_reason(with_reason(to_string(expected), why), not_proven(proof)));
}

void require_at_most(const Scope& scope, std::string_view subject, const Dim& actual, const Dim& limit) {
  const Proof proof = less_equal(actual, limit);
  if (proof == Proof::yes) return;
  scope.refuse(subject, to_string(actual), with_reason("at most " + to_string(limit), not_proven(proof)),
               Code::out_of_range);
}

void require_at_least(const Scope& scope, std::string_view subject, const Dim& actual, const Dim& limit) {
  const Proof proof = less_equal(limit, actual);
  if (proof == Proof::yes) return;
  scope.refuse(subject, to_string(actual), with_reason("at least " + to_string(limit), not_proven(proof)),
               Code::out_of_range);
}

void require_type(const Scope& scope, std::string_view subject, const TensorType& actual, const TensorType& expected,
                  std::string_view why) {
  const Proof proof = equal(actual, expected);
  if (proof == Proof::yes) return;
  scope.refuse(subject, to_string(actual), with_reason(with_reason(to_string(expected), why), not_proven(proof)));
}

void require_same_sizes(const Scope& scope, std::string_view subject, const Shape& actual, const Shape& expected,
                        std::span<const int64_t> except, std::string_view why) {
  if (actual.size() != expected.size()) {
    require_count(scope, fmt::format("rank of {}", subject), actual.size(), expected.size(), why);
  }
  for (size_t i = 0; i < actual.size(); ++i) {
    if (std::find(except.begin(), except.end(), static_cast<int64_t>(i)) != except.end()) continue;
    if (equal(actual[i], expected[i]) == Proof::yes) continue;
    require_equal(scope, fmt::format("axis {} of {}", i, subject), actual[i], expected[i], why);
  }
}

void require_sizes(const Scope& scope, std::string_view subject, const Shape& shape) {
  for (const Dim& size : shape) require_at_least(scope, subject, size, 0);
}

void require_counts_from(const Scope& scope, const Symbol& count, int64_t least, std::string_view why) {
  if (count.min() <= least) return;
  scope.refuse(fmt::format("minimum of symbol {}", count.name()), fmt::format("{}", count.min()),
               with_reason(fmt::format("at most {}", least), why), Code::out_of_range);
}

void require_count(const Scope& scope, std::string_view subject, size_t actual, size_t expected, std::string_view why) {
  if (actual == expected) return;
  scope.refuse(subject, fmt::format("{}", actual), with_reason(fmt::format("{}", expected), why));
}

// ---------------------------------------------------------------------------------------------------- broadcasting

Shape broadcast_shapes(const Scope& scope, const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const size_t lead = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    const Dim* size = common_size(longer[lead + i], shorter[i]);
    if (!size) {
      scope.refuse("pair of shapes", fmt::format("{} and {}", to_string(a), to_string(b)),
                   fmt::format("two that broadcast ({} and {} are not provably equal)", to_string(longer[lead + i]),
                               to_string(shorter[i])));
    }
    result[lead + i] = *size;
  }
  return result;
}

void require_broadcast(const Scope& scope, std::string_view subject, const Shape& from, const Shape& to) {
  bool fits = from.size() <= to.size();
  for (size_t i = 0; fits && i < from.size(); ++i) {
    fits = is_one(from[i]) || equal(from[i], to[to.size() - from.size() + i]) == Proof::yes;
  }
  if (!fits) scope.refuse(subject, to_string(from), fmt::format("a shape that stretches to {}", to_string(to)));
}

}  // namespace ingot
