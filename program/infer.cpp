#include "program/infer.h"

#include "gen/fields.h"

namespace ingot {
namespace {

// Called with every field of an op; fields that are no ids pass.
struct IdCheck {
  const Op& op;
  const Program& program;
  const Graph& graph;
  uint32_t self;

  void operator()(const FieldFacts& field, Ref ref) const {
    require_below(field, "value", ref.id, graph.values.size());
  }
  void operator()(const FieldFacts& field, const std::optional<Ref>& ref) const {
    if (ref) (*this)(field, *ref);
  }
  void operator()(const FieldFacts& field, const std::vector<Ref>& refs) const {
    for (Ref ref : refs) (*this)(field, ref);
  }
  void operator()(const FieldFacts& field, StateId id) const {
    require_below(field, "state", id.id, program.states.size());
  }
  void operator()(const FieldFacts& field, SymbolId id) const {
    require_below(field, "symbol", id.id, program.symbols.size());
  }
  // Calls go to earlier graphs alone, so they cannot recurse.
  void operator()(const FieldFacts& field, GraphId id) const { require_below(field, "graph", id.id, self); }
  template <class T>
  void operator()(const FieldFacts&, const T&) const {}

  void require_below(const FieldFacts& field, std::string_view what, uint32_t id, size_t limit) const {
    if (id < limit) return;
    throw Error::mismatch(Code::out_of_range, mnemonic(op), field.name, fmt::format("{} {}", what, id),
                          fmt::format("a {} with an id below {}", what, limit));
  }
};

}  // namespace

Types infer(const Op& op, const Program& program, const Graph& graph) {
  const std::string name = mnemonic(op);
  const Scope scope{program, graph, name};
  try {
    return visit([&](const auto& each) { return infer(each, scope); }, op);
  } catch (Error& error) {  // from arithmetic on sizes and checks of schemes, which do not know the op
    error.in_op(name);
    throw;
  }
}

void check_ids(const Op& op, const Program& program, const Graph& graph, uint32_t self) {
  visit_fields(op, IdCheck{op, program, graph, self});
}

}  // namespace ingot
