// Product: a value as a number times other values, whichever way its factors were multiplied.
//
//   product_of(view, ref)   // 0.5·x·(x·y): number 0.5, factors [x, x, y]
//
// Ownership  values.
// Threads    pure functions.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "passes/view.h"

namespace ingot {

struct Product {
  double number = 1;
  std::vector<Ref> factors;  // one that occurs twice stands here twice

  // number·x, number·x·x, …
  bool is(double wanted, std::initializer_list<Ref> of, DType dtype) const;
};

// Through mul, division by numbers, neg, square and small powers, as long as the type stays that of the value. What it
// does not look through is a factor, and so is `whole`, which may itself be a product; numbers so large or small that
// their order would matter are factors too.
Product product_of(const View& view, Ref ref, std::optional<Ref> whole = {});

struct Multiple {
  double number = 1;
  Ref of;
};

// The value as number·y for one y after the other, each with one number less in front: first 1·value, last what is no
// such multiple itself.
std::vector<Multiple> multiples_of(const View& view, Ref ref);

// Whether the number is what a dtype makes of the one that is wanted.
bool is_rounded(double actual, double wanted, DType dtype);

// The other operand, where the value is a sum with this number.
std::optional<Ref> added_to(const View& view, double number, Ref ref);

// The operand and the number, where the value is a sum with any number.
std::optional<std::pair<Ref, double>> added_to_number(const View& view, Ref ref);

}  // namespace ingot
