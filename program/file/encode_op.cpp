#include "program/file/encode_op.h"

#include <variant>
#include <vector>

#include "gen/fields.h"

namespace ingot::file {

namespace {

using Void = flatbuffers::Offset<void>;
using Id32 = fbs::ValueRef;  // every reference struct is one u32

// A field that waits for its table: vectors, strings and tables must be complete before that begins.
struct Slot {
  uint16_t offset;
  std::variant<uint8_t, int64_t, double, Id32, fbs::Scalar, Void> value;
};

// One overload for each type that a field may have.
class FieldWriter {
 public:
  FieldWriter(Builder& builder, std::vector<Slot>& slots) : builder_(builder), slots_(slots) {}

  void operator()(const FieldFacts& field, bool value) { add(field, static_cast<uint8_t>(value)); }
  void operator()(const FieldFacts& field, int64_t value) { add(field, value); }
  void operator()(const FieldFacts& field, double value) { add(field, value); }
  template <SchemaEnum E>
  void operator()(const FieldFacts& field, E value) {
    add(field, static_cast<uint8_t>(value));
  }
  void operator()(const FieldFacts& field, const Scalar& value) {
    add(field, fbs::Scalar(value.bits, static_cast<fbs::ScalarKind>(value.kind)));
  }
  template <class Tag>
  void operator()(const FieldFacts& field, Id<Tag> value) {
    add(field, Id32(value.id));
  }
  void operator()(const FieldFacts& field, const Dim& value) { add(field, Id32(builder_.dim(value).id())); }
  template <class T>
  void operator()(const FieldFacts& field, const std::optional<T>& value) {
    if (value) (*this)(field, *value);
  }

  void operator()(const FieldFacts& field, const std::string& value) { add(field, builder_.text(value).Union()); }
  void operator()(const FieldFacts& field, const QuantScheme& value) { add(field, builder_.scheme(value).Union()); }
  void operator()(const FieldFacts& field, const std::vector<int64_t>& value) {
    if (wanted(field, value)) add(field, builder_.vector(value).Union());
  }
  void operator()(const FieldFacts& field, const std::vector<double>& value) {
    if (wanted(field, value)) add(field, builder_.vector(value).Union());
  }
  template <SchemaEnum E>
  void operator()(const FieldFacts& field, const std::vector<E>& value) {
    if (!wanted(field, value)) return;
    std::vector<uint8_t> raw;
    for (const E e : value) raw.push_back(static_cast<uint8_t>(e));
    add(field, builder_.vector(raw).Union());
  }
  void operator()(const FieldFacts& field, const Shape& value) {
    if (wanted(field, value)) add(field, builder_.shape(value).Union());
  }
  template <class Tag>
  void operator()(const FieldFacts& field, const std::vector<Id<Tag>>& value) {
    if (!wanted(field, value)) return;
    std::vector<Id32> ids;
    for (const Id<Tag> id : value) ids.emplace_back(id.id);
    add(field, builder_.structs(ids).Union());
  }
  void operator()(const FieldFacts& field, const std::vector<TensorType>& value) {
    if (!wanted(field, value)) return;
    std::vector<fbs::TypeRef> ids;
    for (const TensorType& type : value) ids.push_back(builder_.type(type));
    add(field, builder_.structs(ids).Union());
  }
  void operator()(const FieldFacts& field, const std::vector<NamedAttribute>& value) {
    if (!wanted(field, value)) return;
    std::vector<flatbuffers::Offset<fbs::NamedAttribute>> tables;
    for (const NamedAttribute& a : value) tables.push_back(attribute(a));
    add(field, builder_.vector(tables).Union());
  }

 private:
  // An empty vector is written only where the field must be there.
  template <class T>
  static bool wanted(const FieldFacts& field, const std::vector<T>& value) {
    return field.required || !value.empty();
  }
  template <class T>
  void add(const FieldFacts& field, T value) {
    slots_.push_back({field.offset, value});
  }
  flatbuffers::Offset<fbs::NamedAttribute> attribute(const NamedAttribute& a) {
    const auto name = builder_.text(a.name), text = builder_.text_if_any(a.text);
    const auto ints = a.ints.empty() ? 0 : builder_.vector(a.ints);
    const auto reals = a.reals.empty() ? 0 : builder_.vector(a.reals);
    return fbs::CreateNamedAttribute(builder_.raw(), name, ints, reals, text);
  }

  Builder& builder_;
  std::vector<Slot>& slots_;
};

class SlotWriter {
 public:
  SlotWriter(flatbuffers::FlatBufferBuilder& builder, uint16_t offset) : builder_(builder), offset_(offset) {}

  template <class T>
    requires std::is_arithmetic_v<T>
  void operator()(T value) const {
    builder_.AddElement(offset_, value);
  }
  void operator()(const Id32& value) const { builder_.AddStruct(offset_, &value); }
  void operator()(const fbs::Scalar& value) const { builder_.AddStruct(offset_, &value); }
  void operator()(Void value) const { builder_.AddOffset(offset_, value); }

 private:
  flatbuffers::FlatBufferBuilder& builder_;
  uint16_t offset_;
};

}  // namespace

flatbuffers::Offset<flatbuffers::Table> write_op(Builder& builder, const Op& op) {
  std::vector<Slot> slots;
  visit_fields(op, FieldWriter(builder, slots));
  flatbuffers::FlatBufferBuilder& raw = builder.raw();
  const auto start = raw.StartTable();
  for (const Slot& slot : slots) std::visit(SlotWriter(raw, slot.offset), slot.value);
  return raw.EndTable(start);
}

}  // namespace ingot::file
