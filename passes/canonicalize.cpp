#include "passes/canonicalize.h"

#include "passes/rules/rules.h"

namespace ingot {

std::span<const Rule> canonical_rules() {
  static const std::vector<Rule> all = [] {
    std::vector<Rule> rules;
    for (const auto some : {shape_rules(), matmul_rules(), dtype_rules(), algebra_rules(), size_rules()}) {
      rules.insert(rules.end(), some.begin(), some.end());
    }
    return rules;
  }();
  return all;
}

}  // namespace ingot
