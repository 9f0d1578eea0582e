#include "import/onnx/order.h"

#include <unordered_set>

namespace ingot::onnx {
namespace {

using Names = std::vector<std::string_view>;

void add_reads(const NodeProto& node, Names& names);

// What a graph of an attribute takes from around it.
void add_reads(const GraphProto& graph, Names& names) {
  std::unordered_set<std::string_view> own;
  for (const ValueInfoProto& input : graph.input) own.insert(input.name);
  for (const TensorProto& tensor : graph.initializer) own.insert(tensor.name);
  for (const SparseTensorProto& tensor : graph.sparse_initializer) own.insert(tensor.values.name);
  Names all;
  for (const NodeProto& node : graph.node) {
    own.insert(node.output.begin(), node.output.end());
    add_reads(node, all);
  }
  for (const ValueInfoProto& output : graph.output) all.push_back(output.name);
  for (const std::string_view name : all) {
    if (!own.contains(name)) names.push_back(name);
  }
}

void add_reads(const NodeProto& node, Names& names) {
  for (const std::string_view name : node.input) {
    if (!name.empty()) names.push_back(name);
  }
  for (const AttributeProto& attribute : node.attribute) {
    if (attribute.g) add_reads(*attribute.g, names);
  }
}

// Depth first, with a stack of its own: chains of nodes are long.
class Sorter {
 public:
  Sorter(const std::vector<NodeProto>& nodes, const std::function<bool(std::string_view)>& known)
      : nodes_(nodes), known_(known), seen_(nodes.size()) {}

  Order sorted() {
    for (const NodeProto& node : nodes_) {
      for (const std::string_view name : node.output) {
        if (!name.empty()) order_.makers.emplace(name, &node);
      }
    }
    for (const NodeProto& node : nodes_) {
      open(node);
      while (!open_.empty()) step();
    }
    return std::move(order_);
  }

 private:
  struct Visit {
    const NodeProto* node;
    Names reads;
    size_t next = 0;
  };

  void open(const NodeProto& node) {
    const auto index = static_cast<size_t>(&node - nodes_.data());
    if (seen_[index]) return;
    seen_[index] = true;
    Visit visit{&node, {}};
    add_reads(node, visit.reads);
    for (const std::string_view name : visit.reads) order_.readers[name].push_back(&node);
    open_.push_back(std::move(visit));
  }

  void step() {
    Visit& visit = open_.back();
    if (visit.next == visit.reads.size()) {
      order_.nodes.push_back(visit.node);
      open_.pop_back();
      return;
    }
    const std::string_view name = visit.reads[visit.next++];
    const auto maker = order_.makers.find(name);
    if (maker != order_.makers.end() && !known_(name)) open(*maker->second);
  }

  const std::vector<NodeProto>& nodes_;
  const std::function<bool(std::string_view)>& known_;
  std::vector<bool> seen_;
  std::vector<Visit> open_;
  Order order_;
};

}  // namespace

Order order_of(const std::vector<NodeProto>& nodes, const std::function<bool(std::string_view)>& known) {
  return Sorter(nodes, known).sorted();
}

}  // namespace ingot::onnx
