#include "program/file/decode_op.h"

#include <fmt/format.h>

#include <cstring>

#include "gen/ingot_generated.h"

namespace ingot::file {

namespace {

NamedAttribute read_attribute(const TableReader& table);

template <class T>
std::vector<T> copy(const List<T>& list) {
  std::vector<T> values(list.size());
  if (!values.empty()) std::memcpy(values.data(), list.data(), values.size() * sizeof(T));
  return values;
}

// One overload for each type that a field may have. An absent field keeps the default of the op.
class FieldReader {
 public:
  FieldReader(const TableReader& table, const Pools& pools, const Counts& counts)
      : table_(table), pools_(pools), counts_(counts) {}

  void operator()(const FieldFacts& field, bool& out) const {
    if (const auto raw = table_.value<uint8_t>(field)) out = *raw != 0;
  }
  void operator()(const FieldFacts& field, int64_t& out) const { out = table_.value<int64_t>(field).value_or(out); }
  void operator()(const FieldFacts& field, double& out) const { out = table_.value<double>(field).value_or(out); }
  template <SchemaEnum E>
  void operator()(const FieldFacts& field, E& out) const {
    out = read_enum<E>(table_, field).value_or(out);
  }
  void operator()(const FieldFacts& field, Scalar& out) const {
    const auto raw = table_.value<fbs::Scalar>(field);
    if (!raw) return;
    out.bits = raw->bits();
    out.kind = read_enum<ScalarKind>(table_.place_of(field), static_cast<uint8_t>(raw->kind()));
  }
  template <class Tag>
  void operator()(const FieldFacts& field, Id<Tag>& out) const {
    const auto id = table_.value<uint32_t>(field);
    if (!id) return;
    check_below(table_.place_of(field), *id, count(out));
    out.id = *id;
  }
  void operator()(const FieldFacts& field, Dim& out) const {
    const auto id = table_.value<uint32_t>(field);
    if (!id) return;
    check_below(table_.place_of(field), *id, pools_.dims.size());
    out = pools_.dims[*id];
  }
  template <class T>
  void operator()(const FieldFacts& field, std::optional<T>& out) const {
    if (table_.has(field)) (*this)(field, out.emplace());
  }

  void operator()(const FieldFacts& field, std::string& out) const { out = table_.text(field); }
  void operator()(const FieldFacts& field, std::vector<int64_t>& out) const { out = copy(table_.list<int64_t>(field)); }
  void operator()(const FieldFacts& field, std::vector<double>& out) const { out = copy(table_.list<double>(field)); }
  template <SchemaEnum E>
  void operator()(const FieldFacts& field, std::vector<E>& out) const {
    const auto raw = table_.list<uint8_t>(field);
    for (size_t i = 0; i < raw.size(); ++i) out.push_back(read_enum<E>(table_.place_of(field, i), raw[i]));
  }
  void operator()(const FieldFacts& field, Shape& out) const { out = read_shape(table_, field, pools_); }
  void operator()(const FieldFacts& field, QuantScheme& out) const {
    if (table_.has(field)) out = read_scheme(table_.table(field));
  }
  template <class Tag>
  void operator()(const FieldFacts& field, std::vector<Id<Tag>>& out) const {
    const auto ids = table_.list<uint32_t>(field);
    out.resize(ids.size());
    for (size_t i = 0; i < ids.size(); ++i) {
      check_below(table_.place_of(field, i), ids[i], count(Id<Tag>()));
      out[i].id = ids[i];
    }
  }
  void operator()(const FieldFacts& field, std::vector<TensorType>& out) const {
    const auto ids = table_.list<uint32_t>(field);
    for (size_t i = 0; i < ids.size(); ++i) {
      check_below(table_.place_of(field, i), ids[i], pools_.types.size());
      out.push_back(pools_.types[ids[i]]);
      table_.spend(sizeof(TensorType) + out.back().shape.size() * sizeof(Dim));
    }
  }
  void operator()(const FieldFacts& field, std::vector<NamedAttribute>& out) const {
    const auto offsets = table_.offsets(field);
    table_.spend(offsets.size() * sizeof(NamedAttribute));
    for (size_t i = 0; i < offsets.size(); ++i) out.push_back(read_attribute(table_.table_at(field, offsets, i)));
  }

 private:
  size_t count(Ref) const { return counts_.values; }
  size_t count(GraphId) const { return counts_.graphs; }
  size_t count(StateId) const { return counts_.states; }
  size_t count(SymbolId) const { return counts_.symbols; }

  const TableReader& table_;
  const Pools& pools_;
  const Counts& counts_;
};

NamedAttribute read_attribute(const TableReader& table) {
  NamedAttribute out;
  out.name = table.text({"name", fbs::NamedAttribute::VT_NAME, true});
  out.ints = copy(table.list<int64_t>({"ints", fbs::NamedAttribute::VT_INTS}));
  out.reals = copy(table.list<double>({"reals", fbs::NamedAttribute::VT_REALS}));
  out.text = table.text({"text", fbs::NamedAttribute::VT_TEXT});
  const int kinds = !out.ints.empty() + !out.reals.empty() + !out.text.empty();
  if (kinds > 1) throw wrong(table.place(), fmt::format("a value of {} kinds", kinds), "ints, reals or text");
  return out;
}

}  // namespace

Op read_op(Opcode opcode, const TableReader& table, const Pools& pools, const Counts& counts) {
  Op op = make_op(opcode);
  visit_fields(op, FieldReader(table, pools, counts));
  return op;
}

}  // namespace ingot::file
