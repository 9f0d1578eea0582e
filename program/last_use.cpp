#include "program/last_use.h"

#include <optional>

#include "gen/fields.h"

namespace ingot {
namespace {

// For every value of a graph the last node that reads or makes it; `kept` where an output does.
class LastUses {
 public:
  explicit LastUses(const Graph& graph) : last_(graph.values.size(), 0) {
    for (uint32_t i = 0; i < graph.nodes.size(); ++i) visit(graph.nodes[i], i);
    for (const Output& output : graph.outputs) last_[output.value.id] = kept;
  }

  std::vector<std::vector<Ref>> by_node(const Graph& graph) const {
    std::vector<std::vector<Ref>> dead(graph.nodes.size());
    for (uint32_t id = 0; id < last_.size(); ++id) {
      if (last_[id] < dead.size()) dead[last_[id]].push_back({id});
    }
    return dead;
  }

 private:
  static constexpr uint32_t kept = ~uint32_t{0};

  void visit(const Node& node, uint32_t index) {
    visit_fields(node.op, [&](const FieldFacts&, const auto& field) { use(field, index); });
    for (uint32_t i = 0; i < node.result_count; ++i) last_[node.first_result.id + i] = index;
  }
  void use(Ref ref, uint32_t index) { last_[ref.id] = index; }
  void use(const std::optional<Ref>& ref, uint32_t index) {
    if (ref) use(*ref, index);
  }
  void use(const std::vector<Ref>& refs, uint32_t index) {
    for (Ref ref : refs) use(ref, index);
  }
  template <class Attribute>
  void use(const Attribute&, uint32_t) {}

  std::vector<uint32_t> last_;
};

}  // namespace

std::vector<std::vector<Ref>> dead_after(const Graph& graph) { return LastUses(graph).by_node(graph); }

}  // namespace ingot
