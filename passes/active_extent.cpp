#include "passes/active_extent.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "passes/effects.h"
#include "passes/operands.h"
#include "passes/rows.h"
#include "program/verify.h"

namespace ingot {
namespace {

using Cuts = std::vector<std::optional<size_t>>;  // by operand: the axis of which the first rows are taken

// The op with a size along the axis of its result that has the rows, where attributes say that size.
Op with_size(Op op, size_t axis, const Dim& size, const TensorType& result) {
  const auto set = [&](auto* each) {
    if (each) each->shape[axis] = size;
  };
  set(op.get_if<op::Reshape>());
  set(op.get_if<op::Broadcast>());
  set(op.get_if<op::EnsureShape>());
  set(op.get_if<op::MaxUnpool>());
  if (auto* slice = op.get_if<op::Slice>()) {
    for (size_t i = 0; i < slice->axes.size(); ++i) {
      const int64_t own = slice->axes[i] < 0 ? slice->axes[i] + result.rank() : slice->axes[i];
      if (own == static_cast<int64_t>(axis)) slice->stops[i] = size;
    }
  }
  return op;
}

// Elements of whole bytes: then the first rows are the first bytes.
bool has_rows(const TensorType& input, int64_t upper) {
  return !input.shape.empty() && input.shape[0] == upper && bits(input.dtype) >= 8;
}

// --------------------------------------------------------------------------------------------------------- one method

class Narrowing {
 public:
  Narrowing(const Program& program, const Graph& from, const NodeEffects& effects, const Symbol& active, int64_t upper)
      : program_(program), from_(from), effects_(effects), active_(active), upper_(upper) {
    to_.name = from.name;
    to_.exported = from.exported;
    found_.resize(from.values.size());
    places_.resize(from.values.size());
    add_inputs_and_weights();
    for (const Node& node : from.nodes) {
      if (reason_.empty()) add(node);
    }
    if (reason_.empty()) add_outputs();
  }

  // Empty where it worked.
  const std::string& reason() const { return reason_; }
  Graph take_graph() { return std::move(to_); }

  ActiveMethod description() const {
    ActiveMethod method{.method = from_.name, .reason = reason_, .inputs = {}, .outputs = {}};
    if (!reason_.empty()) return method;
    for (const Ref input : to_.inputs) method.inputs.push_back(rows_[input.id].kind == Rows::Kind::rows);
    for (const Output& output : to_.outputs) {
      const Rows& rows = rows_[output.value.id];
      const bool fewer = rows.kind == Rows::Kind::rows;
      method.outputs.push_back(fewer ? std::optional(ActiveAxis{rows.axis, rows.block}) : std::nullopt);
    }
    return method;
  }

 private:
  void add_inputs_and_weights() {
    for (const Ref input : from_.inputs) {
      Value value = from_.values[input.id];
      const bool carries = has_rows(value.type, upper_);
      if (carries) value.type.shape[0] = active_;
      put(input, add(std::move(value), carries ? Rows::on(0) : Rows{}));
      to_.inputs.push_back(places_[input.id]);
    }
    if (std::ranges::none_of(rows_, [](const Rows& rows) { return rows.kind == Rows::Kind::rows; })) {
      reason_ = fmt::format("{}: no input has {} rows", from_.name, upper_);
    }
    for (uint32_t id = 0; id < from_.values.size(); ++id) {
      if (from_.values[id].kind == ValueKind::weight) put({id}, add(from_.values[id], {}));
    }
  }

  void add_outputs() {
    for (const Output& output : from_.outputs) {
      const Rows& found = found_[output.value.id];
      if (found.kind == Rows::Kind::mixed) {
        reason_ = found.reason;
        return;
      }
      to_.outputs.push_back({output.name, places_[output.value.id]});
    }
  }

  // ------------------------------------------------------------------------------------------------------------ nodes

  void add(const Node& node) {
    const std::vector<Rows> operands = rows_of_operands(node.op, found_);
    const auto is = [](Rows::Kind kind) { return [kind](const Rows& rows) { return rows.kind == kind; }; };
    if (std::ranges::all_of(operands, is(Rows::Kind::same))) return put(node, copy(node));
    const auto mixed = std::ranges::find_if(operands, is(Rows::Kind::mixed));
    const std::string why = mixed != operands.end() ? mixed->reason : narrow(node, operands);
    if (why.empty()) return;
    const std::string reason = mixed != operands.end() ? why : fmt::format("{}: {}", place_of(from_, node), why);
    for (uint32_t i = 0; i < node.result_count; ++i) found_[node.first_result.id + i] = Rows::mixed(reason);
    if (!effects_.may_drop(node.op)) reason_ = reason;
  }

  // The reason, where it cannot be.
  std::string narrow(const Node& node, const std::vector<Rows>& operands) {
    if (effects_.state(node.op) == Effects::writes_state) {
      return fmt::format("{} writes what depends on rows to state", mnemonic(node.op));
    }
    const std::string name = mnemonic(node.op);
    std::optional<Lanes> lanes;
    try {
      lanes = lanes_of(node.op, {program_, from_, name}, old_types(node));
    } catch (const Error& error) {
      if (error.code() == Code::internal) throw;
      return error.what();  // sizes that cannot be computed with
    }
    if (!lanes && kOpFacts[node.op.index()].composite) return narrow_composite(node, operands);
    if (!lanes) return fmt::format("{} has no rule for rows", name);
    const Cut cut = cut_of(node.op, *lanes, operands);
    if (!cut.reason.empty()) return cut.reason;
    const Dim size = Dim(active_) * cut.result_block;
    const Op op = with_size(node.op, cut.results[0], size, from_.type(node.first_result));
    return tried(node, op, cut.operands, cut.operand_block).reason;
  }

  // Which operands must be cut is found by trying: each that does not depend on rows is used whole, or cut along an
  // axis that has as many slices. Whatever passes the proof is right. No composite has so many operands that `most`
  // matters.
  std::string narrow_composite(const Node& node, const std::vector<Rows>& operands) {
    constexpr size_t most = 256;
    const int64_t block = std::ranges::find(operands, Rows::Kind::rows, &Rows::kind)->block;
    std::vector<Cuts> choices;
    size_t count = 1;
    for (size_t i = 0; const Ref ref : operands_of(node.op)) {
      Cuts& choice = choices.emplace_back(1);
      if (operands[i++].kind == Rows::Kind::rows) continue;
      const Shape& shape = from_.type(ref).shape;
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == upper_ * block) choice.emplace_back(axis);
      }
      count = std::min(count * choice.size(), most);
    }
    Trial best;
    for (size_t number = 0; number < count; ++number) {
      Cuts cuts;
      for (size_t left = number; const Cuts& choice : choices) {
        cuts.push_back(choice[left % choice.size()]);
        left /= choice.size();
      }
      const Trial trial = tried(node, node.op, cuts, block);
      if (trial.reason.empty()) return {};
      // That rows meet says more than that sizes do not fit.
      if (best.reason.empty() || (trial.fits && !best.fits)) best = trial;
    }
    return best.reason;
  }

  struct Trial {
    std::string reason;  // empty: the node is there
    bool fits = false;   // the sizes of the operands did
  };

  // The node on these operands, if the proof holds for it; else the graph is as before.
  Trial tried(const Node& node, Op op, const Cuts& cuts, int64_t block) {
    const size_t nodes = to_.nodes.size(), values = to_.values.size();
    Trial trial;
    try {
      size_t i = 0;
      visit_operands(op, [&](Ref& ref) {
        ref = places_[ref.id];
        const auto& axis = cuts[i++];
        if (axis && rows_[ref.id].kind == Rows::Kind::same) ref = first_rows(ref, *axis, block, node);
      });
      const Types types = infer(op, program_, to_);
      trial.fits = true;
      const std::vector<Rows> rows = rows_of_results(op, program_, to_, types, rows_, active_);
      trial.reason = objection(node, types, rows);
      if (trial.reason.empty()) {
        put(node, add(std::move(op), node, types, rows));
        return trial;
      }
    } catch (const Error& error) {
      if (error.code() == Code::internal) throw;
      trial.reason = fmt::format("with fewer rows its sizes do not fit: {}", error.what());
    }
    to_.nodes.resize(nodes);
    to_.values.resize(values);
    rows_.resize(values);
    std::erase_if(cut_, [&](const auto& entry) { return entry.second.id >= values; });
    return trial;
  }

  // Why results are not the old ones with fewer rows.
  std::string objection(const Node& node, Types types, const std::vector<Rows>& rows) const {
    for (uint32_t i = 0; i < rows.size(); ++i) {
      const TensorType& expected = from_.type({node.first_result.id + i});
      if (rows[i].kind == Rows::Kind::mixed) return rows[i].reason;
      const std::string found = to_string(types[i]);
      if (rows[i].kind == Rows::Kind::rows) types[i].shape[rows[i].axis] = Dim(upper_) * rows[i].block;
      if (types[i] != expected) {
        return fmt::format("{} would give {}, which for {} rows is not {}", mnemonic(node.op), found, upper_,
                           to_string(expected));
      }
    }
    return {};
  }

  // What does not depend on rows, cut to as many. Made once for each axis and block.
  Ref first_rows(Ref whole, size_t axis, int64_t block, const Node& node) {
    const auto [entry, is_new] = cut_.try_emplace({whole.id, axis, block});
    if (!is_new) return entry->second;
    entry->second = {static_cast<uint32_t>(to_.values.size())};
    const Dim size = Dim(active_) * block;
    Op slice = op::Slice{.x = whole, .axes = {static_cast<int64_t>(axis)}, .starts = {0}, .stops = {size}, .steps = {}};
    const Types types = infer(slice, program_, to_);
    const std::vector<Rows> rows = rows_of_results(slice, program_, to_, types, rows_, active_);
    return add(std::move(slice), node, types, rows);
  }

  // ---------------------------------------------------------------------------------------------------- the new graph

  static std::vector<Ref> operands_of(const Op& op) {
    std::vector<Ref> refs;
    visit_operands(op, [&](Ref ref) { refs.push_back(ref); });
    return refs;
  }
  Types old_types(const Node& node) const {
    Types types;
    for (uint32_t i = 0; i < node.result_count; ++i) types.push_back(from_.type({node.first_result.id + i}));
    return types;
  }

  Ref add(Value value, Rows rows) {
    to_.values.push_back(std::move(value));
    rows_.push_back(std::move(rows));
    return {static_cast<uint32_t>(to_.values.size() - 1)};
  }
  Ref add(Op op, const Node& like, const Types& types, const std::vector<Rows>& rows) {
    const Ref first{static_cast<uint32_t>(to_.values.size())};
    const auto number = static_cast<uint32_t>(to_.nodes.size());
    for (size_t i = 0; i < types.size(); ++i) add({ValueKind::result, number, types[i], {}}, rows[i]);
    to_.nodes.push_back({std::move(op), first, static_cast<uint32_t>(types.size()), like.name, like.source});
    return first;
  }
  Ref copy(const Node& node) {
    Op op = node.op;
    visit_operands(op, [&](Ref& ref) { ref = places_[ref.id]; });
    return add(std::move(op), node, old_types(node), std::vector<Rows>(node.result_count));
  }

  // Where an old value is now.
  void put(Ref old, Ref place) {
    places_[old.id] = place;
    found_[old.id] = rows_[place.id];
  }
  void put(const Node& node, Ref first) {
    for (uint32_t i = 0; i < node.result_count; ++i) {
      put({node.first_result.id + i}, {first.id + i});
      to_.values[first.id + i].name = from_.values[node.first_result.id + i].name;
    }
  }

  const Program& program_;
  const Graph& from_;
  const NodeEffects& effects_;
  const Symbol& active_;
  const int64_t upper_;
  std::string reason_;
  std::vector<Rows> found_;  // by old value
  std::vector<Ref> places_;  // by old value, for those that are not mixed
  Graph to_;
  std::vector<Rows> rows_;                                    // by new value
  std::map<std::tuple<uint32_t, size_t, int64_t>, Ref> cut_;  // by new value, axis and block
};

// -------------------------------------------------------------------------------------------------------- all methods

Symbol new_symbol(const std::vector<Symbol>& taken, int64_t upper) {
  std::string name = "active";
  while (std::ranges::any_of(taken, [&](const Symbol& symbol) { return symbol.name() == name; })) name += "_";
  return Symbol(name, 0, upper);
}

}  // namespace

ActiveProgram with_active_extent(Program program, int64_t upper) {
  if (upper < 1) {
    throw Error::mismatch(Code::invalid_argument, "", "upper of an active extent", fmt::format("{}", upper),
                          "at least 1");
  }
  ActiveProgram result;
  const Symbol active = new_symbol(program.symbols, upper);
  const NodeEffects effects(program);
  const std::vector<std::optional<GraphId>> callers = callers_of(program);
  bool used = false;
  for (uint32_t i = 0; i < program.graphs.size(); ++i) {
    const Graph& method = program.graphs[i];
    if (!method.exported) continue;
    if (callers[i]) {
      const std::string& caller = program.graphs[callers[i]->id].name;
      result.methods.push_back({method.name, fmt::format("{}: graph '{}' calls it", method.name, caller), {}, {}});
      continue;
    }
    Narrowing narrowing(program, method, effects, active, upper);
    result.methods.push_back(narrowing.description());
    if (!narrowing.reason().empty()) continue;
    program.graphs[i] = narrowing.take_graph();
    used = true;
  }
  if (used) program.symbols.push_back(active);
  verify(program);
  result.program = std::move(program);
  return result;
}

}  // namespace ingot
