// Builder: a FlatBufferBuilder that pools what many tables refer to, and refuses to outgrow its 2 GiB.
//
// Threads  one thread at a time.  Failure  as in encode.h.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gen/ingot_generated.h"
#include "program/program.h"

namespace ingot::file {

class Builder {
 public:
  template <class T>
  using Offset = flatbuffers::Offset<T>;
  template <class T>
  using VectorOffset = Offset<flatbuffers::Vector<T>>;

  explicit Builder(const std::vector<Symbol>& symbols);

  // For tables. Every call below must come before the table that uses its result is begun.
  flatbuffers::FlatBufferBuilder& raw();

  Offset<flatbuffers::String> text(std::string_view text);
  // None for an empty one.
  Offset<flatbuffers::String> text_if_any(std::string_view text) { return text.empty() ? 0 : this->text(text); }
  template <class T>
  VectorOffset<T> vector(const std::vector<T>& values) {
    require_room(values.size() * sizeof(T));
    return builder_.CreateVector(values);
  }
  template <class T>
  VectorOffset<const T*> structs(const std::vector<T>& values) {
    require_room(values.size() * sizeof(T));
    return builder_.CreateVectorOfStructs(values);
  }
  Offset<fbs::QuantScheme> scheme(const QuantScheme& scheme);

  fbs::DimRef dim(const Dim& dim);
  VectorOffset<const fbs::DimRef*> shape(const Shape& shape);
  fbs::TypeRef type(const TensorType& type);

  // The pools, once nothing is added to them any more.
  VectorOffset<const fbs::DimNode*> dims() { return structs(dims_); }
  VectorOffset<Offset<fbs::TensorType>> types() { return vector(types_); }

 private:
  using DimKey = std::array<int64_t, 3>;

  void require_room(size_t bytes) const;
  int64_t dim_entry(DimOp op, int64_t a, int64_t b = 0);
  int64_t sum(const Dim& dim);
  int64_t product(const DimTerm& term);
  int64_t atom(const DimAtom& atom);
  int64_t symbol(const Symbol& symbol);
  std::vector<fbs::DimRef> dim_refs(const Shape& shape);

  flatbuffers::FlatBufferBuilder builder_;
  std::unordered_map<std::string, int64_t> symbols_;
  std::vector<fbs::DimNode> dims_;
  std::map<DimKey, int64_t> dim_ids_;
  std::vector<Offset<fbs::TensorType>> types_;
  std::map<std::vector<int64_t>, uint32_t> type_ids_;
};

}  // namespace ingot::file
