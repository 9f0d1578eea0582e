#include "program/file/encode_pools.h"

#include <fmt/format.h>

#include <limits>

#include "program/error.h"
#include "program/io/named_tensor.h"

namespace ingot::file {

namespace {

// What a table may need beside its vectors and strings, which ask for their own room.
constexpr size_t kTableRoom = 1024;

}  // namespace

Builder::Builder(const std::vector<Symbol>& symbols) {
  for (const Symbol& symbol : symbols) symbols_.emplace(symbol.name(), static_cast<int64_t>(symbols_.size()));
}

// FlatBuffers asserts this limit, which is no way to tell a caller.
void Builder::require_room(size_t bytes) const {
  constexpr size_t kMost = FLATBUFFERS_MAX_BUFFER_SIZE - 2 * kTableRoom;
  if (builder_.GetSize() <= kMost && bytes <= kMost - builder_.GetSize()) return;
  throw Error(Code::limit, "the program without its weights needs more than 2 GiB, the most that a FlatBuffer holds");
}

flatbuffers::FlatBufferBuilder& Builder::raw() {
  require_room(kTableRoom);
  return builder_;
}

flatbuffers::Offset<flatbuffers::String> Builder::text(std::string_view text) {
  require_room(text.size());
  return builder_.CreateSharedString(text.data(), text.size());
}

flatbuffers::Offset<fbs::QuantScheme> Builder::scheme(const QuantScheme& s) {
  check(s);
  if (s.group > std::numeric_limits<uint32_t>::max()) {
    throw Error::mismatch(Code::limit, "", "group of a quantisation scheme", std::to_string(s.group), "less than 2^32");
  }
  return fbs::CreateQuantScheme(raw(), static_cast<fbs::QuantMethod>(s.method), static_cast<uint8_t>(s.bits),
                                static_cast<uint32_t>(s.group), static_cast<fbs::DType>(s.scale));
}

// ------------------------------------------------------------------------------------------------------------ dims

int64_t Builder::dim_entry(DimOp op, int64_t a, int64_t b) {
  const auto next = static_cast<int64_t>(dims_.size());
  const auto [entry, added] = dim_ids_.try_emplace(DimKey{static_cast<int64_t>(op), a, b}, next);
  if (added) dims_.emplace_back(static_cast<fbs::DimOp>(op), a, b);
  return entry->second;
}

int64_t Builder::symbol(const Symbol& symbol) {
  const auto found = symbols_.find(symbol.name());
  if (found != symbols_.end()) return dim_entry(DimOp::symbol, found->second);
  throw Error(Code::invalid_argument,
              fmt::format("a size uses the symbol {}, which the program does not declare", quote(symbol.name())));
}

int64_t Builder::atom(const DimAtom& atom) {
  if (atom.kind == DimAtom::Kind::symbol) return symbol(*atom.symbol);
  const DimOp op = atom.kind == DimAtom::Kind::floor_div ? DimOp::floor_div
                   : atom.kind == DimAtom::Kind::min     ? DimOp::min
                                                         : DimOp::max;
  const int64_t a = sum(atom.a), b = sum(atom.b);
  return dim_entry(op, a, b);
}

int64_t Builder::product(const DimTerm& term) {
  if (term.atoms.empty()) return dim_entry(DimOp::literal, term.coefficient);
  int64_t id = atom(*term.atoms[0]);
  for (size_t i = 1; i < term.atoms.size(); ++i) id = dim_entry(DimOp::mul, id, atom(*term.atoms[i]));
  return term.coefficient == 1 ? id : dim_entry(DimOp::mul, dim_entry(DimOp::literal, term.coefficient), id);
}

int64_t Builder::sum(const Dim& dim) {
  if (dim.is_literal()) return dim_entry(DimOp::literal, dim.literal());
  const auto terms = dim.terms();
  int64_t id = product(terms[0]);
  for (const DimTerm& term : terms.subspan(1)) id = dim_entry(DimOp::add, id, product(term));
  return id;
}

fbs::DimRef Builder::dim(const Dim& dim) { return fbs::DimRef(static_cast<uint32_t>(sum(dim))); }

std::vector<fbs::DimRef> Builder::dim_refs(const Shape& shape) {
  std::vector<fbs::DimRef> refs;
  for (const Dim& size : shape) refs.push_back(dim(size));
  return refs;
}

flatbuffers::Offset<flatbuffers::Vector<const fbs::DimRef*>> Builder::shape(const Shape& shape) {
  return structs(dim_refs(shape));
}

// ----------------------------------------------------------------------------------------------------------- types

fbs::TypeRef Builder::type(const TensorType& type) {
  const std::vector<fbs::DimRef> shape = dim_refs(type.shape);
  std::vector<int64_t> key = {static_cast<int64_t>(type.dtype)};
  for (const fbs::DimRef& ref : shape) key.push_back(ref.id());
  if (type.scheme) {
    // Negative, so that it is no size.
    for (int64_t part : {static_cast<int64_t>(type.scheme->method), int64_t{type.scheme->bits}, type.scheme->group,
                         static_cast<int64_t>(type.scheme->scale)}) {
      key.push_back(-1 - part);
    }
  }
  const auto [entry, added] = type_ids_.try_emplace(std::move(key), static_cast<uint32_t>(types_.size()));
  if (added) {
    const auto scheme_offset = type.scheme ? scheme(*type.scheme) : 0;
    const auto sizes = shape.empty() ? 0 : structs(shape);
    types_.push_back(fbs::CreateTensorType(raw(), static_cast<fbs::DType>(type.dtype), sizes, scheme_offset));
  }
  return fbs::TypeRef(entry->second);
}

}  // namespace ingot::file
