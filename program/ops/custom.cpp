// Inference of custom ops: the declared types, once they are types at all. What the op takes is the host's business.
#include <set>

#include "program/infer.h"

namespace ingot {
namespace {

void check_attributes(const Scope& s, const std::vector<NamedAttribute>& attributes) {
  std::set<std::string_view> names;
  for (const NamedAttribute& attribute : attributes) {
    if (attribute.name.empty()) s.refuse("name of an attribute", "empty", "a name", Code::invalid_argument);
    if (!names.insert(attribute.name).second) {
      s.refuse("attribute", fmt::format("'{}' for the second time", attribute.name), "each name once",
               Code::invalid_argument);
    }
    if (!attribute.ints.empty() + !attribute.reals.empty() + !attribute.text.empty() > 1) {
      s.refuse(fmt::format("attribute '{}'", attribute.name), "of several kinds", "ints, reals or text",
               Code::invalid_argument);
    }
  }
}

void check_result(const Scope& s, const TensorType& type) {
  if (type.scheme.has_value() != (type.dtype == DType::packed)) {
    s.refuse("a result", to_string(type), "a scheme exactly for packed");
  }
  if (type.scheme) {
    check(*type.scheme);
    require_at_least(s, "rank of a packed result", type.rank(), 1);
    check_columns(*type.scheme, type.shape.back());
  }
  require_sizes(s, "size of a result", type.shape);
}

}  // namespace

static Types rule(const op::Custom& op, const Scope& s) {
  if (op.name.empty()) s.refuse("name", "empty", "the name of an op that the host registers", Code::invalid_argument);
  check_attributes(s, op.attributes);
  for (const TensorType& type : op.results) check_result(s, type);
  return op.results;
}

INGOT_RULES(custom)

}  // namespace ingot
