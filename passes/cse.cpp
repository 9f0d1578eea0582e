#include "passes/cse.h"

#include <bit>
#include <memory>
#include <unordered_map>

#include "passes/operands.h"
#include "passes/rewrite.h"

namespace ingot {
namespace {

// Real attributes bit by bit: == takes -0.0 for 0.0, and a NaN for no number at all.
std::vector<uint64_t> reals_of(const Op& op) {
  std::vector<uint64_t> bits;
  const auto add = [&](double value) { bits.push_back(std::bit_cast<uint64_t>(value)); };
  visit_fields(op, [&](const FieldFacts&, const auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, double>) {
      add(field);
    } else if constexpr (std::is_same_v<Field, std::optional<double>>) {
      if (field) add(*field);
    } else if constexpr (std::is_same_v<Field, std::vector<double>>) {
      for (const double value : field) add(value);
    }
  });
  return bits;
}

// Of opcode and operands; ops that differ in attributes alone are few.
size_t hash_of(const Op& op) {
  size_t hash = op.index();
  visit_operands(op, [&](const Ref& ref) { hash = hash * 1'000'003 + ref.id; });
  return hash;
}

// The nodes of one graph so far, in the new graph.
class Seen {
 public:
  explicit Seen(const NodeEffects& effects) : effects_(effects) {}

  Replacement operator()(const Site& site) {
    const Op op = site.moved(site.node().op);
    const Effects state = effects_.state(op);
    if (state == Effects::writes_state) ++writes_;
    if (!effects_.may_merge(op) || state == Effects::writes_state) return std::nullopt;
    const size_t epoch = state == Effects::reads_state ? writes_ : 0;
    auto& alike = seen_[hash_of(op)];
    for (const Entry& entry : alike) {
      if (entry.epoch == epoch && entry.op == op && reals_of(entry.op) == reals_of(op)) return entry.results;
    }
    std::vector<Var> results = site.to().add(op);
    alike.push_back({op, epoch, results});
    return results;
  }

 private:
  struct Entry {
    Op op;
    size_t epoch;  // writes before it, where it reads state
    std::vector<Var> results;
  };
  const NodeEffects& effects_;
  std::unordered_map<size_t, std::vector<Entry>> seen_;
  size_t writes_ = 0;
};

}  // namespace

Program merge_equal(const Program& program) {
  const NodeEffects effects(program);
  return rebuild(program, [&](const Site&) -> Replace {
    return [seen = std::make_shared<Seen>(effects)](const Site& site) { return (*seen)(site); };
  });
}

}  // namespace ingot
