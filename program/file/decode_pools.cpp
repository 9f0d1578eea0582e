#include "program/file/decode_pools.h"

#include <fmt/format.h>

#include <unordered_set>

#include "gen/ingot_generated.h"
#include "program/io/named_tensor.h"

namespace ingot::file {

namespace {

// --------------------------------------------------------------------------------------------------------- symbols

Symbol read_symbol(const TableReader& table) try {
  const int64_t min = table.value<int64_t>({"min", fbs::Symbol::VT_MIN}).value_or(0);
  const int64_t max = table.value<int64_t>({"max", fbs::Symbol::VT_MAX}).value_or(kUnbounded);
  return Symbol(table.text({"name", fbs::Symbol::VT_NAME, true}), min, max);
} catch (Error& error) {
  locate(error, table.place());
  throw;
}

std::vector<Symbol> read_symbols(const TableReader& program, const Limits& limits) {
  const FieldFacts field{"symbols", fbs::Program::VT_SYMBOLS};
  const auto offsets = program.offsets(field);
  check_count(program.place_of(field), offsets.size(), limits.symbols);
  program.spend(offsets.size() * sizeof(Symbol));
  std::vector<Symbol> symbols;
  symbols.reserve(offsets.size());
  std::unordered_set<std::string> names;
  for (size_t i = 0; i < offsets.size(); ++i) {
    symbols.push_back(read_symbol(program.table_at(field, offsets, i)));
    // Two symbols of one name would be one, with two ranges.
    if (names.insert(symbols.back().name()).second) continue;
    throw wrong(program.place_of(field, i), quote(symbols.back().name()), "a name that no earlier symbol has");
  }
  return symbols;
}

// ------------------------------------------------------------------------------------------------------------ dims

class DimReader {
 public:
  DimReader(const Pools& pools, const fbs::DimNode& node, const Place& place)
      : pools_(pools), node_(node), place_(place) {}

  Dim read() const {
    const DimOp op = read_enum<DimOp>({&place_, "op"}, static_cast<uint8_t>(node_.op()));
    if (op == DimOp::literal) return node_.a();
    if (op == DimOp::symbol) return pools_.symbols[index("a", node_.a(), pools_.symbols.size())];
    const Dim &a = operand("a", node_.a()), &b = operand("b", node_.b());
    switch (op) {
      case DimOp::add: check_term("b", b); return a + b;
      case DimOp::mul: check_term("a", a), check_term("b", b); return a * b;
      case DimOp::floor_div: return floor_div(a, b);
      case DimOp::min: return min(a, b);
      case DimOp::max: return max(a, b);
      case DimOp::literal:
      case DimOp::symbol: break;
    }
    return 0;
  }

 private:
  size_t index(std::string_view field, int64_t id, size_t end) const {
    if (id < 0) throw wrong({&place_, field}, std::to_string(id), fmt::format("an id below {}", end));
    check_below({&place_, field}, static_cast<uint64_t>(id), end);
    return static_cast<size_t>(id);
  }
  // Only entries before this one exist yet.
  const Dim& operand(std::string_view field, int64_t id) const {
    return pools_.dims[index(field, id, pools_.dims.size())];
  }
  // Sums are built term by term, so that reading an entry costs no more than the size that it describes.
  void check_term(std::string_view field, const Dim& dim) const {
    if (dim.terms().size() <= 1) return;
    throw wrong({&place_, field}, fmt::format("a sum of {} terms", dim.terms().size()), "a single term");
  }

  const Pools& pools_;
  const fbs::DimNode& node_;
  const Place& place_;
};

Dim read_dim(const Pools& pools, const fbs::DimNode& node, const Place& place) try {
  return DimReader(pools, node, place).read();
} catch (Error& error) {
  locate(error, place);
  throw;
}

// What an entry takes in memory beside the Dim itself.
uint64_t cost(const Dim& dim) {
  constexpr uint64_t kOverhead = 16;  // of an allocation
  uint64_t bytes = 0;
  for (const DimTerm& term : dim.terms()) {
    bytes += sizeof(DimTerm) + term.atoms.size() * sizeof(term.atoms[0]) + kOverhead;
  }
  return bytes;
}

void read_dims(const TableReader& program, Pools& pools) {
  const FieldFacts field{"dims", fbs::Program::VT_DIMS};
  const auto nodes = program.list<fbs::DimNode>(field);
  pools.dims.reserve(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    pools.dims.push_back(read_dim(pools, nodes[i], program.place_of(field, i)));
    program.spend(cost(pools.dims.back()));
  }
}

// ----------------------------------------------------------------------------------------------------------- types

std::optional<QuantScheme> read_optional_scheme(const TableReader& table, const FieldFacts& field) {
  if (!table.has(field)) return {};
  return read_scheme(table.table(field));
}

TensorType read_type(const TableReader& table, const Pools& pools, const Limits& limits) {
  TensorType type;
  type.dtype = read_enum<DType>(table, {"dtype", fbs::TensorType::VT_DTYPE}).value_or(type.dtype);
  type.shape = read_shape(table, {"shape", fbs::TensorType::VT_SHAPE}, pools);
  type.scheme = read_optional_scheme(table, {"scheme", fbs::TensorType::VT_SCHEME});
  check_count({&table.place(), "shape"}, type.shape.size(), limits.rank);
  if ((type.dtype == DType::packed) != type.scheme.has_value()) {
    throw wrong({&table.place(), "scheme"}, type.scheme ? "present" : "missing",
                fmt::format("{} for {}", type.scheme ? "none" : "one", to_string(type.dtype)));
  }
  return type;
}

void read_types(const TableReader& program, Pools& pools, const Limits& limits) {
  const FieldFacts field{"types", fbs::Program::VT_TYPES};
  const auto offsets = program.offsets(field);
  program.spend(offsets.size() * sizeof(TensorType));
  pools.types.reserve(offsets.size());
  for (size_t i = 0; i < offsets.size(); ++i) {
    pools.types.push_back(read_type(program.table_at(field, offsets, i), pools, limits));
  }
}

}  // namespace

QuantScheme read_scheme(const TableReader& table) try {
  QuantScheme scheme;
  scheme.method = read_enum<QuantMethod>(table, {"method", fbs::QuantScheme::VT_METHOD}).value_or(scheme.method);
  scheme.bits = table.value<uint8_t>({"bits", fbs::QuantScheme::VT_BITS}).value_or(scheme.bits);
  scheme.group = table.value<uint32_t>({"group", fbs::QuantScheme::VT_GROUP}).value_or(scheme.group);
  scheme.scale = read_enum<DType>(table, {"scale", fbs::QuantScheme::VT_SCALE}).value_or(scheme.scale);
  check(scheme);
  return scheme;
} catch (Error& error) {
  locate(error, table.place());
  throw;
}

Shape read_shape(const TableReader& table, const FieldFacts& field, const Pools& pools) {
  const auto ids = table.list<uint32_t>(field);
  table.spend(ids.size() * sizeof(Dim));
  Shape shape;
  shape.reserve(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    check_below(table.place_of(field, i), ids[i], pools.dims.size());
    shape.push_back(pools.dims[ids[i]]);
  }
  return shape;
}

Pools read_pools(const TableReader& program, const Limits& limits) {
  Pools pools;
  pools.symbols = read_symbols(program, limits);
  read_dims(program, pools);
  read_types(program, pools, limits);
  return pools;
}

}  // namespace ingot::file
