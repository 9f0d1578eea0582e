#include "program/verify.h"

#include <fmt/format.h>

#include <unordered_set>

#include "gen/fields.h"
#include "program/infer.h"
#include "program/symbols.h"

namespace ingot {
namespace {

[[noreturn]] void refuse(Code code, std::string_view subject, std::string actual, std::string expected) {
  throw Error::mismatch(code, "", subject, std::move(actual), std::move(expected));
}

void check_count(std::string_view what, uint64_t count, uint64_t limit) {
  if (count <= limit) return;
  refuse(Code::limit, fmt::format("the number of {}", what), fmt::format("{}", count),
         fmt::format("at most {}", limit));
}

void check_length(std::string_view what, const std::string& name, const Limits& limits) {
  if (name.size() <= limits.name_bytes) return;
  refuse(Code::limit, fmt::format("the name of {}", what), fmt::format("{} bytes long", name.size()),
         fmt::format("at most {}", limits.name_bytes));
}

// Names of one kind: each unique, not empty, of bounded length.
class Names {
 public:
  Names(std::string what, const Limits& limits) : what_(std::move(what)), limits_(limits) {}

  void add(const std::string& name) {
    if (name.empty()) refuse(Code::invalid_argument, fmt::format("the name of {}", what_), "empty", "a name");
    add_optional(name);
  }
  void add_optional(const std::string& name) {
    check_length(what_, name, limits_);
    if (!name.empty() && !seen_.insert(name).second) {
      refuse(Code::invalid_argument, fmt::format("the name of {}", what_), fmt::format("'{}', which is taken", name),
             "a new name");
    }
  }

 private:
  std::string what_;
  const Limits& limits_;
  std::unordered_set<std::string_view> seen_;
};

// -------------------------------------------------------------------------------------------------------------- types

// Checks types that live as long as the program: an expression that many of them share is looked at once.
class TypeCheck {
 public:
  TypeCheck(const SymbolTable& symbols, const Limits& limits) : symbols_(symbols), limits_(limits) {}

  void operator()(const TensorType& type) {
    check_count("axes", type.shape.size(), limits_.rank);
    if ((type.dtype == DType::packed) != type.scheme.has_value()) {
      refuse(Code::type_mismatch, "the scheme", type.scheme ? "present" : "absent", "present exactly for packed");
    }
    if (type.scheme) check(*type.scheme);
    for (const Dim& dim : type.shape) check_size(dim, type);
    if (type.scheme && !type.shape.empty()) check_columns(*type.scheme, type.shape.back());
    check_bytes(type);
  }

 private:
  void check_size(const Dim& dim, const TensorType& type) {
    if (!dim.is_literal() && !seen_.insert(dim.terms().data()).second) return;
    symbols_.check_declared(dim);
    if (less_equal(0, dim) == Proof::yes) return;
    refuse(Code::out_of_range, fmt::format("a size of {}", to_string(type)), to_string(dim), "provably at least 0");
  }

  void check_bytes(const TensorType& type) const {
    const auto sizes = literal_sizes(type.shape);
    if (!sizes) return;
    const int64_t bytes = byte_count(type.dtype, *sizes, type.scheme);
    if (bytes <= limits_.tensor_bytes) return;
    refuse(Code::limit, to_string(type), fmt::format("{} bytes", bytes),
           fmt::format("at most {}", limits_.tensor_bytes));
  }

  const SymbolTable& symbols_;
  const Limits& limits_;
  std::unordered_set<const DimTerm*> seen_;
};

// --------------------------------------------------------------------------------------------------- program tables

void check_weight(const Weight& weight, TypeCheck& check_type) {
  const std::string subject = fmt::format("weight @{}", weight.name);
  check_type(weight.type);
  const auto sizes = literal_sizes(weight.type.shape);
  if (!sizes) refuse(Code::type_mismatch, subject, to_string(weight.type), "literal sizes");
  if (!weight.tensor) {
    if (weight.external) refuse(Code::invalid_argument, subject, "without contents", "contents, since it names a file");
    return;
  }
  if (weight.zeros) refuse(Code::invalid_argument, subject, "zeros with contents", "either zeros or contents");
  const TensorType type = weight.tensor->type();
  if (type != weight.type) refuse(Code::type_mismatch, subject, to_string(type), to_string(weight.type));
  const int64_t bytes = byte_count(type.dtype, *sizes, type.scheme);
  if (static_cast<uint64_t>(bytes) != weight.tensor->bytes().size()) {
    refuse(Code::type_mismatch, subject, fmt::format("{} bytes", weight.tensor->bytes().size()),
           fmt::format("{} bytes for {}", bytes, to_string(type)));
  }
}

void check_state(const State& state, const Program& program, TypeCheck& check_type) {
  const std::string subject = fmt::format("state @{}", state.name);
  check_type(state.type);
  if (!literal_sizes(state.type.shape)) refuse(Code::type_mismatch, subject, to_string(state.type), "literal sizes");
  if (!state.initial) return;
  if (state.initial->id >= program.weights.size()) {
    refuse(Code::out_of_range, subject + " initial", fmt::format("{}", state.initial->id),
           fmt::format("an id below {}", program.weights.size()));
  }
  const Weight& initial = program.weights[state.initial->id];
  if (initial.type != state.type) {
    refuse(Code::type_mismatch, subject + " initial", to_string(initial.type), to_string(state.type));
  }
  // A session begins before anyone need have filled the weight.
  if (initial.is_missing()) {
    refuse(Code::invalid_argument, subject + " initial", fmt::format("weight @{} without contents", initial.name),
           "zeros, or a weight with contents");
  }
}

void check_tables(const Program& program, TypeCheck& check_type, const Limits& limits) {
  check_count("weights", program.weights.size(), limits.weights);
  check_count("states", program.states.size(), limits.states);
  check_count("graphs", program.graphs.size(), limits.graphs);
  Names weights("a weight", limits), states("a state", limits), graphs("a graph", limits);
  for (const Symbol& symbol : program.symbols) check_length("a symbol", symbol.name(), limits);
  for (const Weight& weight : program.weights) {
    weights.add(weight.name);
    check_weight(weight, check_type);
  }
  for (const State& state : program.states) {
    states.add(state.name);
    check_state(state, program, check_type);
  }
  for (const Graph& graph : program.graphs) graphs.add(graph.name);
}

// ------------------------------------------------------------------------------------------------------------ graphs

// Checks one graph; later graphs ask it for what they call.
class GraphVerifier {
 public:
  GraphVerifier(const Program& program, uint32_t self, const SymbolTable& symbols, TypeCheck& check_type,
                const Limits& limits)
      : program_(program),
        graph_(program.graphs[self]),
        self_(self),
        symbols_(symbols),
        check_type_(check_type),
        limits_(limits) {}

  void run() {
    check_interface();
    defined_.resize(graph_.values.size());
    for (uint32_t id = 0; id < graph_.values.size(); ++id) check_given(id);
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      try {
        check_node(i);
      } catch (Error& error) {
        throw error.in_op(mnemonic(graph_.nodes[i].op)).at_node(where(i));
      }
    }
    check_outputs();
  }

 private:
  // `forward: h, nodes[17]`
  std::string where(uint32_t index) const {
    const Node& node = graph_.nodes[index];
    std::string label = node.name;
    const bool has_result = node.result_count && node.first_result.id < graph_.values.size();
    if (label.empty() && has_result) label = graph_.values[node.first_result.id].name;
    return fmt::format("{}: {}nodes[{}]", graph_.name, label.empty() ? "" : label + ", ", index);
  }

  void check_interface() {
    Names names("a value", limits_);
    for (const Value& value : graph_.values) names.add_optional(value.name);
    for (uint32_t i = 0; i < graph_.inputs.size(); ++i) {
      const uint32_t id = graph_.inputs[i].id;
      if (id >= graph_.values.size()) {
        refuse(Code::out_of_range, fmt::format("inputs[{}]", i), fmt::format("{}", id),
               fmt::format("an id below {}", graph_.values.size()));
      }
      const Value& value = graph_.values[id];
      if (value.kind != ValueKind::input || value.index != i) {
        refuse(Code::invalid_argument, fmt::format("inputs[{}]", i), fmt::format("value {}", id),
               "the value that is input number " + std::to_string(i));
      }
      if (value.name.empty()) {
        refuse(Code::invalid_argument, fmt::format("the name of inputs[{}]", i), "empty", "a name");
      }
    }
  }

  // Inputs and weights are there before the first node.
  void check_given(uint32_t id) {
    const Value& value = graph_.values[id];
    if (value.kind == ValueKind::result) return;
    const std::string subject = fmt::format("values[{}]", id);
    check_type_(value.type);
    const size_t count = value.kind == ValueKind::input ? graph_.inputs.size() : program_.weights.size();
    if (value.index >= count) {
      refuse(Code::out_of_range, subject + " index", fmt::format("{}", value.index), fmt::format("below {}", count));
    }
    if (value.kind == ValueKind::input && graph_.inputs[value.index].id != id) {
      refuse(Code::invalid_argument, subject, "an input", "listed among the inputs");
    }
    if (value.kind == ValueKind::weight) {
      const TensorType& weight = program_.weights[value.index].type;
      if (value.type != weight) {
        refuse(Code::type_mismatch, subject, to_string(value.type), to_string(weight) + " as the weight");
      }
    }
    defined_[id] = true;
  }

  void check_node(uint32_t index) {
    const Node& node = graph_.nodes[index];
    check_length("a node", node.name, limits_);
    visit_fields(node.op, [&](const FieldFacts& facts, const auto& field) { check_choice(facts, field); });
    check_ids(node.op, program_, graph_, self_);
    visit_fields(node.op, [&](const FieldFacts& facts, const auto& field) { check_field(facts, field); });
    const Types types = infer(node.op, program_, graph_);
    if (types.size() != node.result_count) {
      refuse(Code::type_mismatch, "the number of results", fmt::format("{}", node.result_count),
             fmt::format("{}", types.size()));
    }
    for (uint32_t i = 0; i < types.size(); ++i) define(index, node.first_result.id, i, types[i]);
  }

  void check_defined(std::string_view name, Ref ref) const {
    if (!defined_[ref.id]) {
      refuse(Code::invalid_argument, name, fmt::format("value {}, which is not defined yet", ref.id),
             "a value defined before its use");
    }
  }

  // First of all: messages spell the values of enums.
  template <SchemaEnum E>
  void check_choice(const FieldFacts& facts, const E& value) const {
    constexpr size_t count = EnumNames<E>::names.size();
    if (static_cast<size_t>(value) < count) return;
    refuse(Code::out_of_range, facts.name, fmt::format("{}", static_cast<size_t>(value)),
           fmt::format("a {} below {}", EnumNames<E>::type, count));
  }
  template <class T>
  void check_choice(const FieldFacts& facts, const std::optional<T>& value) const {
    if (value) check_choice(facts, *value);
  }
  template <class T>
  void check_choice(const FieldFacts& facts, const std::vector<T>& values) const {
    for (const T& value : values) check_choice(facts, value);
  }
  template <class T>
  void check_choice(const FieldFacts&, const T&) const {}

  void check_field(const FieldFacts& facts, const Ref& ref) { check_defined(facts.name, ref); }
  template <class T>
  void check_field(const FieldFacts& facts, const std::optional<T>& field) {
    if (field) check_field(facts, *field);
  }
  void check_field(const FieldFacts& facts, const std::vector<Ref>& refs) {
    for (Ref ref : refs) check_defined(facts.name, ref);
  }
  void check_field(const FieldFacts&, const Dim& dim) { symbols_.check_declared(dim); }
  void check_field(const FieldFacts&, const Shape& shape) {
    check_count("axes", shape.size(), limits_.rank);
    for (const Dim& dim : shape) symbols_.check_declared(dim);
  }
  void check_field(const FieldFacts&, const std::vector<TensorType>& types) {
    for (const TensorType& type : types) check_type_(type);
  }
  void check_field(const FieldFacts&, const std::string& name) { check_length("a custom op", name, limits_); }
  template <class T>
  void check_field(const FieldFacts&, const T&) {}  // attributes are the rules' business

  void define(uint32_t node, uint32_t first, uint32_t offset, const TensorType& type) {
    if (first >= graph_.values.size() || offset >= graph_.values.size() - first) {
      refuse(Code::out_of_range, "first_result", fmt::format("{}", first),
             fmt::format("an id below {}", graph_.values.size()));
    }
    const uint32_t id = first + offset;
    const Value& value = graph_.values[id];
    if (value.kind != ValueKind::result || value.index != node) {
      refuse(Code::invalid_argument, fmt::format("values[{}]", id), "another value",
             fmt::format("result {} of this node", offset));
    }
    if (value.type != type) {
      refuse(Code::type_mismatch, fmt::format("the stored type of result {}", offset), to_string(value.type),
             to_string(type));
    }
    check_type_(value.type);
    defined_[id] = true;
  }

  void check_outputs() const {
    Names names("an output", limits_);
    for (const Output& output : graph_.outputs) {
      names.add(output.name);
      if (output.value.id >= graph_.values.size()) {
        refuse(Code::out_of_range, fmt::format("output '{}'", output.name), fmt::format("{}", output.value.id),
               fmt::format("an id below {}", graph_.values.size()));
      }
      if (!defined_[output.value.id]) {
        refuse(Code::invalid_argument, fmt::format("output '{}'", output.name),
               fmt::format("value {}, which nothing defines", output.value.id), "a defined value");
      }
    }
    for (uint32_t id = 0; id < defined_.size(); ++id) {
      if (!defined_[id]) {
        refuse(Code::invalid_argument, fmt::format("values[{}]", id), "defined by nothing",
               "an input, a weight or a result");
      }
    }
  }

  const Program& program_;
  const Graph& graph_;
  uint32_t self_;
  const SymbolTable& symbols_;
  TypeCheck& check_type_;
  const Limits& limits_;
  std::vector<bool> defined_;
};

// Calls go to earlier graphs (check_ids), so one pass in order knows every depth.
void check_nesting(const Program& program, const Limits& limits) {
  std::vector<uint64_t> depth(program.graphs.size(), 1);
  for (size_t i = 0; i < program.graphs.size(); ++i) {
    for (const Node& node : program.graphs[i].nodes) {
      visit_fields(node.op, [&](const FieldFacts&, const auto& field) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, GraphId>)
          depth[i] = std::max(depth[i], depth[field.id] + 1);
      });
    }
    check_count("nested calls of graph " + program.graphs[i].name, depth[i], limits.nesting);
  }
}

}  // namespace

void verify(const Program& program, const Limits& limits) {
  const SymbolTable symbols(program, limits.symbols);
  TypeCheck check_type(symbols, limits);
  check_tables(program, check_type, limits);
  uint64_t nodes = 0, values = 0;
  for (uint32_t i = 0; i < program.graphs.size(); ++i) {
    check_count("nodes", nodes += program.graphs[i].nodes.size(), limits.nodes);
    check_count("values", values += program.graphs[i].values.size(), limits.values);
    try {
      GraphVerifier(program, i, symbols, check_type, limits).run();
    } catch (Error& error) {
      throw error.at_node(program.graphs[i].name);
    }
  }
  check_nesting(program, limits);
  check_symbol_scopes(program, symbols);
}

}  // namespace ingot
