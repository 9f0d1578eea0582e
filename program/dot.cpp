#include <fmt/format.h>

#include <iterator>

#include "gen/fields.h"
#include "program/report.h"
#include "program/text.h"

namespace ingot {
namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "\"";
}

// Draws one graph as a cluster; ids carry its number so that equal names do not meet.
class GraphDot {
 public:
  GraphDot(const Program& program, uint32_t number, std::string& out)
      : program_(program), graph_(program.graphs[number]), number_(number), out_(out) {}

  void draw() {
    line("  subgraph cluster_{} {{\n    label={};\n", number_,
         quoted((graph_.exported ? "method " : "graph ") + graph_.name));
    for (uint32_t id = 0; id < graph_.values.size(); ++id) {
      if (graph_.values[id].kind != ValueKind::result)
        line("    v{}_{} [label={}, shape=ellipse];\n", number_, id, quoted(print_value(program_, graph_, Ref{id})));
    }
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) draw_node(i);
    for (uint32_t i = 0; i < graph_.outputs.size(); ++i) {
      line("    o{}_{} [label={}, shape=ellipse];\n", number_, i, quoted(graph_.outputs[i].name));
      edge(graph_.outputs[i].value, fmt::format("o{}_{}", number_, i));
    }
    out_ += "  }\n";
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void draw_node(uint32_t index) {
    const Op& op = graph_.nodes[index].op;
    const std::string id = fmt::format("n{}_{}", number_, index);
    line("    {} [label={}];\n", id, quoted(mnemonic(op)));
    visit_fields(op, [&](const FieldFacts&, const auto& field) { draw_operand(field, id); });
  }

  void draw_operand(const Ref& ref, const std::string& to) { edge(ref, to); }
  void draw_operand(const std::optional<Ref>& ref, const std::string& to) {
    if (ref) edge(*ref, to);
  }
  void draw_operand(const std::vector<Ref>& refs, const std::string& to) {
    for (Ref ref : refs) edge(ref, to);
  }
  template <class T>
  void draw_operand(const T&, const std::string&) {}

  void edge(Ref from, const std::string& to) {
    const Value& value = graph_.values[from.id];
    const bool result = value.kind == ValueKind::result;
    line("    {}{}_{} -> {} [label={}];\n", result ? "n" : "v", number_, result ? value.index : from.id, to,
         quoted(to_string(value.type)));
  }

  const Program& program_;
  const Graph& graph_;
  uint32_t number_;
  std::string& out_;
};

}  // namespace

std::string to_dot(const Program& program) {
  std::string out =
      "digraph program {\n  node [shape=box, fontname=Helvetica];\n  edge [fontname=Helvetica, fontsize=10];\n";
  for (uint32_t i = 0; i < program.graphs.size(); ++i) GraphDot(program, i, out).draw();
  return out + "}\n";
}

}  // namespace ingot
