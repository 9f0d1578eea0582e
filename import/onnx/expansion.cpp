#include "import/onnx/expansion.h"

#include <fmt/format.h>

#include <algorithm>

#include "import/onnx/context.h"
#include "program/io/named_tensor.h"

namespace ingot::onnx {
namespace {

// Numbers in attributes are copied whenever their node is imported: so many count like a node.
constexpr uint64_t kNumbersInNode = 1024;
// Labels of nodes may take so many bytes for each node that is allowed.
constexpr uint64_t kLabelBytes = 128;

uint64_t own_size(const NodeProto& node) {
  uint64_t numbers = 0;
  for (const AttributeProto& a : node.attribute) numbers += a.ints.size() + a.floats.size() + a.strings.size();
  return 1 + numbers / kNumbersInNode;
}

// As the file holds them: without what they call.
uint64_t stored_size(const std::vector<NodeProto>& nodes) {
  uint64_t size = 0;
  for (const NodeProto& node : nodes) {
    size += own_size(node);
    for (const AttributeProto& attribute : node.attribute) size += attribute.g ? stored_size(attribute.g->node) : 0;
  }
  return size;
}

uint64_t stored_size(const ModelProto& model) {
  uint64_t size = stored_size(model.graph.node);
  for (const FunctionProto& function : model.functions) size += stored_size(function.node);
  return size;
}

}  // namespace

TooLarge::TooLarge(std::string_view what, std::string actual, uint64_t most, std::string_view op, std::string_view node)
    : Error(Error::mismatch(Code::limit, op, what, std::move(actual), fmt::format("at most {}", most))) {
  at_node(node);
}

// ------------------------------------------------------------------------------------------------------- functions

Functions::Functions(const ModelProto& model) {
  for (const FunctionProto& function : model.functions) {
    const std::string_view domain = canonical_domain(function.domain);
    if (by_name_.emplace(std::tuple(domain, function.name, function.overload), &function).second) continue;
    throw Error(Code::bad_file, fmt::format("function {}::{} is defined twice", domain, function.name));
  }
}

const FunctionProto* Functions::find(const NodeProto& node) const {
  const auto found = by_name_.find(std::tuple(canonical_domain(node.domain), node.op_type, node.overload));
  return found == by_name_.end() ? nullptr : found->second;
}

// --------------------------------------------------------------------------------------------------------- counting

Expansion::Expansion(const ModelProto& model, const Functions& functions, const Limits& limits)
    : functions_(functions),
      limit_(std::min(limits.nodes, kFree + kTimes * stored_size(model))),
      nesting_(limits.nesting),
      name_bytes_(limits.name_bytes) {}

std::string Expansion::place_of(const Path& path) const {
  const std::string prefix = path.parent ? place_of(*path.parent) + "/" : "";
  return label_of(prefix, path.node).substr(0, name_bytes_);
}

void Expansion::check_depth(uint64_t depth, const Path& path) const {
  if (depth <= nesting_) return;
  throw TooLarge("the depth of functions and graphs", fmt::format("{}", depth), nesting_, path.node.op_type,
                 place_of(path));
}

// Each function is counted once. The sums stay far below 2^64: none of them adds a function above the limit.
Expansion::Size Expansion::size_of(const FunctionProto& function, const Path& path) {
  for (const Path* open = path.parent; open; open = open->parent) {
    if (open->function != &function) continue;
    throw Error(Code::bad_file, fmt::format("function {} calls itself", quote(function.name)))
        .in_op(path.node.op_type)
        .at_node(place_of(path));
  }
  const auto known = sizes_.find(&function);
  const Size size = known == sizes_.end() ? size_of(function.node, &path) : known->second;
  check_depth(path.depth + size.depth, path);
  if (size.nodes > limit_) {
    throw TooLarge(fmt::format("function {} with all that it calls", quote(function.name)),
                   fmt::format("{} nodes", size.nodes), limit_, path.node.op_type, place_of(path));
  }
  return sizes_[&function] = size;
}

Expansion::Size Expansion::size_of(const std::vector<NodeProto>& nodes, const Path* path) {
  const uint64_t depth = path ? path->depth + 1 : 1;
  Size sum;
  const auto add = [&](const Size& inside) { sum = {sum.nodes + inside.nodes, std::max(sum.depth, inside.depth + 1)}; };
  for (const NodeProto& node : nodes) {
    sum.nodes += own_size(node);
    for (const AttributeProto& attribute : node.attribute) {
      if (!attribute.g) continue;
      const Path inside{path, node, nullptr, depth};
      check_depth(depth, inside);
      add(size_of(attribute.g->node, &inside));
    }
    if (const FunctionProto* function = functions_.find(node)) {
      const Path inside{path, node, function, depth};
      check_depth(depth, inside);
      add(size_of(*function, inside));
    }
  }
  return sum;
}

void Expansion::check_calls(const GraphProto& graph) {
  const Size size = size_of(graph.node, nullptr);
  if (size.nodes > limit_) {
    throw TooLarge("the model with all that it calls", fmt::format("{} nodes", size.nodes), limit_);
  }
}

// ---------------------------------------------------------------------------------------------------------- spending

void Expansion::spend(std::string_view label, uint64_t nodes) {
  if (label.size() > name_bytes_) {
    throw TooLarge("the name of a node", fmt::format("{} bytes long", label.size()), name_bytes_);
  }
  label_bytes_ += label.size();
  if (label_bytes_ > limit_ * kLabelBytes) {
    throw TooLarge("the length of all names", fmt::format("{} bytes so far", label_bytes_), limit_ * kLabelBytes);
  }
  if (nodes > limit_ - spent_) {
    throw TooLarge("the model, written out so far,", fmt::format("{} nodes and {} more", spent_, nodes), limit_);
  }
  spent_ += nodes;
}

void Expansion::check_program(uint64_t nodes) const {
  if (nodes > limit_) throw TooLarge("the program", fmt::format("{} nodes so far", nodes), limit_);
}

Expansion::Repeat Expansion::repeat(const GraphProto& graph, uint64_t times) {
  const uint64_t nodes = std::max<uint64_t>(size_of(graph.node, nullptr).nodes, 1);
  if (times > limit_ / nodes / repeats_) {
    throw TooLarge("the graph that is repeated", fmt::format("{} nodes in {} times {} copies", nodes, repeats_, times),
                   limit_);
  }
  return Repeat(*this, std::max<uint64_t>(times, 1));
}

}  // namespace ingot::onnx
