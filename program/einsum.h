// Equation: what einsum does with the axes of its operands.
//
// A label names an axis. Axes of one label have one size and run together; labels that the result lacks are summed.
//
// Ownership  values. Threads  pure functions.
// Failure    Code::invalid_argument for text that is no equation, Code::type_mismatch where it does not fit the operands.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ingot {

// A letter; or below 0 an axis that `...` stands for, -1 the last of them: so those of several operands align at the end.
using Label = int;
using Labels = std::vector<Label>;

struct Equation {
  std::vector<Labels> operands;  // a label for every axis
  Labels result;                 // each once

  // All that are in an operand and not in the result, in the order of the labels.
  Labels summed() const;
};

// `ij,jk->ik`. Blanks are skipped. Without `->` the result has what `...` stands for, then the letters that occur once,
// A to Z before a to z. `ranks` are those of the operands.
Equation parse_equation(std::string_view text, std::span<const size_t> ranks);

// The size of every label: the first that is not 1. Size is Dim or int64_t.
template <class Size>
std::map<Label, Size> label_sizes(const Equation& equation, std::span<const std::vector<Size>> shapes) {
  std::map<Label, Size> sizes;
  for (size_t i = 0; i < shapes.size(); ++i) {
    for (size_t axis = 0; axis < shapes[i].size(); ++axis) {
      const auto [entry, added] = sizes.emplace(equation.operands[i][axis], shapes[i][axis]);
      if (entry->second == Size(1)) entry->second = shapes[i][axis];
    }
  }
  return sizes;
}

}  // namespace ingot
