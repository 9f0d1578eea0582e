#include "passes/recognize.h"

namespace ingot {

std::span<const Rule> recognition_rules() {
  static const std::vector<Rule> all = [] {
    std::vector<Rule> rules;
    for (const auto some :
         {activation_rules(), norm_rules(), attention_rules(), rope_rules(), update_rules(), fusion_rules()}) {
      rules.insert(rules.end(), some.begin(), some.end());
    }
    return rules;
  }();
  return all;
}

}  // namespace ingot
