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

// Of the opcode and of what tells most ops of one kind apart; == decides.
class Hash {
 public:
  explicit Hash(const Op& op) : value_(op.index()) {
    visit_fields(op, [this](const FieldFacts&, const auto& field) { add(field); });
  }
  size_t value() const { return value_; }

 private:
  void mix(uint64_t bits) {
    value_ = (value_ ^ (bits + 0x9e3779b97f4a7c15 + (value_ << 6) + (value_ >> 2))) * 1'000'003;
  }
  template <class Tag>
  void add(const Id<Tag>& id) {
    mix(id.id);
  }
  void add(const Scalar& scalar) { mix(scalar.bits); }
  void add(const Dim& dim) { mix(dim.is_literal() ? static_cast<uint64_t>(dim.literal()) : dim.terms().size()); }
  void add(double value) { mix(std::bit_cast<uint64_t>(value)); }
  template <class T>
  void add(const std::optional<T>& field) {
    if (field) add(*field);
  }
  template <class T>
  void add(const std::vector<T>& list) {
    for (const T& item : list) add(item);
  }
  template <class T>
  void add(const T& field) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) mix(static_cast<uint64_t>(field));
  }

  size_t value_;
};

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
    auto& alike = seen_[Hash(op).value()];
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
