#include "passes/rows.h"

#include <algorithm>
#include <map>

#include "gen/fields.h"
#include "passes/operands.h"
#include "passes/rows_rule.h"
#include "program/decompose.h"

namespace ingot {
namespace {

bool is_mixed(const Rows& rows) { return rows.kind == Rows::Kind::mixed; }
bool has_rows(const Rows& rows) { return rows.kind == Rows::Kind::rows; }

// The field that each operand is in, for messages.
std::vector<std::string_view> operand_names(const Op& op) {
  std::vector<std::string_view> names;
  visit_fields(op, [&]<class F>(const FieldFacts& facts, const F& field) {
    if constexpr (std::is_same_v<F, Ref>) names.push_back(facts.name);
    if constexpr (std::is_same_v<F, std::optional<Ref>>) names.insert(names.end(), field ? 1 : 0, facts.name);
    if constexpr (std::is_same_v<F, std::vector<Ref>>) names.insert(names.end(), field.size(), facts.name);
  });
  return names;
}

// ----------------------------------------------------------------------------------------------------------- `active`

bool mentions(const Dim& dim, const Symbol& active) {
  std::vector<Symbol> symbols;
  collect_symbols(dim, symbols);
  return std::ranges::count(symbols, active) > 0;
}

bool mentions(const Shape& shape, const Symbol& active) {
  return std::ranges::any_of(shape, [&](const Dim& dim) { return mentions(dim, active); });
}

// Attributes that are sizes of the result, or where it ends in x: that `active` is among them says no more than that
// the result has as many rows.
bool is_extent(const Op& op, std::string_view field) {
  switch (op.opcode()) {
    case Opcode::reshape:
    case Opcode::broadcast:
    case Opcode::ensure_shape:
    case Opcode::full:
    case Opcode::random:
    case Opcode::max_unpool: return field == "shape";
    case Opcode::iota: return field == "length";
    case Opcode::slice: return field == "stops";
    default: return false;
  }
}

struct Mentioned {
  bool as_extent = false, otherwise = false;
};

Mentioned attributes_mention(const Op& op, const Symbol& active) {
  Mentioned found;
  visit_fields(op, [&]<class F>(const FieldFacts& facts, const F& field) {
    bool here = false;
    if constexpr (std::is_same_v<F, Dim> || std::is_same_v<F, Shape>) here = mentions(field, active);
    if constexpr (std::is_same_v<F, std::optional<Dim>>) here = field && mentions(*field, active);
    (is_extent(op, facts.name) ? found.as_extent : found.otherwise) |= here;
  });
  return found;
}

// The only axis that has `active` rows, and how many slices each; none where `active` stands anywhere else.
std::optional<Rows> rows_in(const Shape& shape, const Symbol& active) {
  std::optional<Rows> found;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (!mentions(shape[axis], active)) continue;
    const int64_t block = shape[axis].terms().front().coefficient;
    if (found || block < 1 || shape[axis] != Dim(active) * block) return std::nullopt;
    found = Rows::on(axis, block);
  }
  return found;
}

// -------------------------------------------------------------------------------------------------------------- lanes

std::optional<size_t> place_of_lane(const Lanes::OfAxes& axes, size_t lane) {
  const auto place = std::ranges::find(axes, std::optional(lane));
  return place == axes.end() ? std::nullopt : std::optional(static_cast<size_t>(place - axes.begin()));
}

Lanes::Ratio ratio_of(const Lanes& lanes, size_t lane) {
  const auto found = lanes.ratios.find(lane);
  return found == lanes.ratios.end() ? Lanes::Ratio{} : found->second;
}

Cut refused(std::string reason) {
  Cut cut;
  cut.reason = std::move(reason);
  return cut;
}

// All but the blocks.
Cut cut_along(const Op& op, const Lanes& lanes, size_t lane) {
  Cut cut;
  for (const Lanes::OfAxes& axes : lanes.operands) cut.operands.push_back(place_of_lane(axes, lane));
  for (const Lanes::OfAxes& axes : lanes.results) {
    const std::optional<size_t> place = place_of_lane(axes, lane);
    if (!place) return refused(fmt::format("{} has a result that every row takes part in", mnemonic(op)));
    cut.results.push_back(*place);
  }
  return cut;
}

// -------------------------------------------------------------------------------------------------------------- proof

class Proving {
 public:
  Proving(const Op& op, const Program& program, const Graph& graph, const Types& results,
          std::span<const Rows> of_values, const Symbol& active)
      : op_(op), program_(program), graph_(graph), results_(results), active_(active), of_values_(of_values) {}

  std::vector<Rows> run() {
    operands_ = rows_of_operands(op_, of_values_);
    if (const auto first = std::ranges::find_if(operands_, is_mixed); first != operands_.end()) return all(*first);
    const bool carried = std::ranges::any_of(operands_, has_rows);
    const Mentioned attributes = attributes_mention(op_, active_);
    if (!carried && !attributes.as_extent && !attributes.otherwise) return all({});
    const std::string name = mnemonic(op_);
    const std::optional<Lanes> lanes = lanes_of(op_, {program_, graph_, name}, results_);
    if (!lanes && kOpFacts[op_.index()].composite) return through_body();
    if (!lanes) return refuse(fmt::format("{} has no rule for rows", name));
    if (attributes.otherwise) return refuse(fmt::format("{} depends on the number of rows", name));
    return by_lanes(*lanes, carried);
  }

 private:
  std::vector<Rows> all(const Rows& rows) const { return std::vector(results_.size(), rows); }
  std::vector<Rows> refuse(std::string reason) const { return all(Rows::mixed(std::move(reason))); }

  std::vector<Rows> by_lanes(const Lanes& lanes, bool carried) const {
    const Cut cut = carried ? cut_of(op_, lanes, operands_) : made_up(lanes);
    if (!cut.reason.empty()) return refuse(cut.reason);
    std::vector<Rows> rows;
    for (size_t i = 0; i < results_.size(); ++i) {
      const std::optional<Rows> own = rows_in(results_[i].shape, active_);
      if (!own || own->axis != cut.results[i] || own->block != cut.result_block) {
        return refuse(fmt::format("{} gives {}, in which rows are no axis of their own", mnemonic(op_),
                                  to_string(results_[i].shape)));
      }
      rows.push_back(*own);
    }
    for (size_t i = 0; i < operands_.size(); ++i) {
      if (cut.operands[i] && !has_rows(operands_[i])) {
        return refuse(fmt::format("{} takes an operand that has other rows", mnemonic(op_)));
      }
    }
    return rows;
  }

  // Rows that no operand brings.
  Cut made_up(const Lanes& lanes) const {
    const std::optional<Rows> rows = rows_in(results_[0].shape, active_);
    if (!rows || !lanes.results[0][rows->axis]) {
      return refused(fmt::format("{} gives elements that depend on the number of rows", mnemonic(op_)));
    }
    Cut cut = cut_along(op_, lanes, *lanes.results[0][rows->axis]);
    cut.result_block = rows->block;
    return cut;
  }

  // The decomposition on operands of the same types.
  std::vector<Rows> through_body() const {
    ProgramBuilder builder;
    GraphBuilder& body = builder.graph("body");
    std::map<Ref, Var> inputs;
    std::vector<Rows> found;  // by value of the body: inputs, then results
    visit_operands(op_, [&](Ref ref) {
      if (inputs.contains(ref)) return;
      inputs.emplace(ref, body.input(fmt::format("{}", ref.id), graph_.type(ref)));
      found.push_back(of_values_[ref.id]);
    });
    const auto results = decompose(op_, body, Operands([&](Ref ref) { return inputs.at(ref); }));
    const Graph& graph = body.graph();
    for (const Node& node : graph.nodes) {
      Types types;
      for (uint32_t i = 0; i < node.result_count; ++i) types.push_back(graph.type({node.first_result.id + i}));
      for (Rows& rows : rows_of_results(node.op, builder.program(), graph, types, found, active_)) {
        found.push_back(std::move(rows));
      }
    }
    std::vector<Rows> rows;
    for (const Var& result : *results) rows.push_back(seen_from_outside(found[result.ref().id]));
    return rows;
  }

  Rows seen_from_outside(Rows rows) const {
    if (is_mixed(rows)) rows.reason = fmt::format("{} is not computed row by row: {}", mnemonic(op_), rows.reason);
    return rows;
  }

  const Op& op_;
  const Program& program_;
  const Graph& graph_;
  const Types& results_;
  const Symbol& active_;
  std::span<const Rows> of_values_;
  std::vector<Rows> operands_;
};

}  // namespace

std::optional<Lanes> lanes_of(const Op& op, const Scope& scope, const Types& results) {
  return visit([&](const auto& each) { return lanes_of(each, scope, results); }, op);
}

Cut cut_of(const Op& op, const Lanes& lanes, std::span<const Rows> operands) {
  const std::vector<std::string_view> names = operand_names(op);
  std::optional<size_t> lane, first;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!has_rows(operands[i])) continue;
    const std::optional<size_t> own = lanes.operands[i][operands[i].axis];
    if (!own) {
      return refused(
          fmt::format("{} works across axis {} of {}, which holds the rows", mnemonic(op), operands[i].axis, names[i]));
    }
    if (lane && lane != own) {
      return refused(fmt::format("{} brings every row of {} together with every row of {}", mnemonic(op), names[*first],
                                 names[i]));
    }
    lane = own;
    first = first.value_or(i);
    if (const int64_t block = operands[*first].block; block != operands[i].block) {
      return refused(fmt::format("{} brings rows of {} slices of {} together with rows of {} slices of {}",
                                 mnemonic(op), block, names[*first], operands[i].block, names[i]));
    }
  }
  const Rows& rows = operands[first.value()];
  const Lanes::Ratio ratio = ratio_of(lanes, *lane);
  if (rows.block % ratio.operands != 0) {
    return refused(fmt::format("{} takes {} slices of axis {} of {} together, and a row there has {}", mnemonic(op),
                               ratio.operands, rows.axis, names[*first], rows.block));
  }
  Cut cut = cut_along(op, lanes, *lane);
  cut.operand_block = rows.block;
  cut.result_block = rows.block / ratio.operands * ratio.results;
  return cut;
}

std::vector<Rows> rows_of_operands(const Op& op, std::span<const Rows> of_values) {
  std::vector<Rows> operands;
  visit_operands(op, [&](Ref ref) { operands.push_back(of_values[ref.id]); });
  return operands;
}

std::vector<Rows> rows_of_results(const Op& op, const Program& program, const Graph& graph, const Types& results,
                                  std::span<const Rows> of_values, const Symbol& active) {
  try {
    return Proving(op, program, graph, results, of_values, active).run();
  } catch (const Error& error) {
    if (error.code() == Code::internal) throw;
    return std::vector(results.size(), Rows::mixed(error.what()));  // sizes that cannot be computed with
  }
}

}  // namespace ingot
