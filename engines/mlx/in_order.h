// InOrder: the arrays that others are computed from, each behind its own inputs, and once.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engines/mlx/mlx.h"

namespace ingot::mlx_engine {

class InOrder {
 public:
  // Nothing behind a leaf is visited, nor the leaf itself.
  explicit InOrder(const std::vector<array>& leaves) {
    for (const array& leaf : leaves) seen_.insert(leaf.id());
  }

  void visit(const array& root) {
    std::vector<std::pair<array, size_t>> path;  // with how many of its inputs are done
    const auto enter = [&](const array& a) {
      if (!seen_.insert(a.id()).second) return;
      for (const array& sibling : a.siblings()) seen_.insert(sibling.id());
      path.emplace_back(a, 0);
    };
    enter(root);
    while (!path.empty()) {
      auto& [a, done] = path.back();
      if (a.has_primitive() && done < a.inputs().size()) {
        const array input = a.inputs()[done++];
        enter(input);
      } else {
        order.push_back(a);
        path.pop_back();
      }
    }
  }

  std::vector<array> order;

 private:
  std::unordered_set<std::uintptr_t> seen_;
};

}  // namespace ingot::mlx_engine
