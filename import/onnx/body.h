// Body: a graph of the program under construction, values of enclosing graphs that it uses, and what is known of its own.
//
// ONNX sub-graphs see every name around them; Ingot's take explicit captures. `bring` makes the one from the other: a
// value of an outer graph becomes a capture, an input behind all the others, in every graph of the same op at once.
//
// Ownership  a Body refers to its GraphBuilder and to the outer Body; Bodies owns those of one op.
// Threads    one thread at a time.
// Failure    what the builder throws.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "import/onnx/names.h"
#include "program/builder.h"

namespace ingot::reference {
class Meter;
}

namespace ingot::onnx {

class Bodies;

class Body {
 public:
  // Without a group: a method.
  Body(ProgramBuilder& program, GraphBuilder& graph, reference::Meter& meter, Bodies* group = nullptr)
      : program_(program), graph_(graph), meter_(meter), group_(group) {}

  GraphBuilder& graph() const { return graph_; }

  // A declared input, before any capture.
  Var input(std::string_view name, TensorType type);
  // The value in this graph. Precondition: it is of this graph or of one around it.
  Var bring(Var var);
  // The contents of a value that depends on constants alone, computed by the reference engine; none for others, and
  // where that would take long.
  std::optional<Tensor> contents(Var var);
  // Why there are none, where evaluating them failed; else empty.
  std::string why_unknown(Var var) const;
  // Symbols that the elements of a list of integers were bound to, by the id of its value.
  std::unordered_map<uint32_t, std::vector<Dim>>& bound_sizes() { return bound_sizes_; }
  // Symbols that ops of this graph bind: nothing around it may use them.
  void add_bound(const Symbol& symbol) { bound_.insert(symbol.name()); }
  // Whether a size has one of them.
  bool binds_in(const Dim& size) const;
  // Names a result that has no name yet; a name that is taken gets a number.
  void name(Var var, std::string_view name);

 private:
  friend class Bodies;

  bool is_constant(Ref ref);
  bool judge(Ref ref);
  std::optional<Tensor> known_contents(Ref ref);
  std::string fresh_name(std::string_view name) { return names_.fresh(name.empty() ? "value" : name); }

  ProgramBuilder& program_;
  GraphBuilder& graph_;
  reference::Meter& meter_;
  Bodies* group_;
  std::vector<Var> captured_;                        // inputs, in the order of the group's captures
  std::unordered_map<uint32_t, size_t> capture_of_;  // input -> position in captured_
  Names names_;
  std::vector<bool> constant_;  // for the values looked at so far: depends on constants alone
  struct Evaluated {
    std::optional<Tensor> contents;
    std::string failure;
  };
  std::unordered_map<uint32_t, Evaluated> evaluated_;
  std::unordered_map<uint32_t, std::vector<Dim>> bound_sizes_;
  std::unordered_set<std::string> bound_;
};

// The graphs of one control-flow op, which take the same captures.
class Bodies {
 public:
  Bodies(ProgramBuilder& program, Body& outer) : program_(program), outer_(outer) {}
  Bodies(const Bodies&) = delete;

  Body& outer() const { return outer_; }
  Body& add(GraphBuilder& graph) { return bodies_.emplace_back(program_, graph, outer_.meter_, this); }
  // Values of the outer graph, in the order in which every body takes them.
  const std::vector<Var>& captures() const { return captures_; }

 private:
  friend class Body;
  size_t capture(Var outer);

  ProgramBuilder& program_;
  Body& outer_;
  std::deque<Body> bodies_;
  std::vector<Var> captures_;
  std::unordered_map<uint32_t, size_t> positions_;  // value of the outer graph -> position
};

}  // namespace ingot::onnx
