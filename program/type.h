// TensorType: dtype and symbolic shape of a value, and the facts about dtypes and quantisation schemes.
//
// Ownership  values. Threads  immutable. Failure  `promote` and the checks throw Code::type_mismatch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gen/enums.h"
#include "program/dim.h"

namespace ingot {

// ---------------------------------------------------------------------------------------------------------- dtypes

enum class Kind { boolean, unsigned_int, signed_int, real, complex, storage };

struct DTypeFacts {
  DType dtype;
  Kind kind;  // storage: not computed with
  int bits;   // of one element; 0 for packed
};

const DTypeFacts& facts(DType dtype);
inline Kind kind(DType dtype) { return facts(dtype).kind; }
inline int bits(DType dtype) { return facts(dtype).bits; }
inline bool is_integer(DType d) { return kind(d) == Kind::signed_int || kind(d) == Kind::unsigned_int; }
inline bool is_real(DType d) { return kind(d) == Kind::real; }
inline bool is_number(DType d) { return kind(d) != Kind::boolean && kind(d) != Kind::storage; }

// The dtype that two operands are converted to: docs/semantics.md has the table. None where no dtype holds both.
std::optional<DType> promote(DType a, DType b);

template <class T>
constexpr DType dtype_of() = delete;
template <> constexpr DType dtype_of<bool>() { return DType::bool_; }
template <> constexpr DType dtype_of<uint8_t>() { return DType::u8; }
template <> constexpr DType dtype_of<uint16_t>() { return DType::u16; }
template <> constexpr DType dtype_of<uint32_t>() { return DType::u32; }
template <> constexpr DType dtype_of<uint64_t>() { return DType::u64; }
template <> constexpr DType dtype_of<int8_t>() { return DType::i8; }
template <> constexpr DType dtype_of<int16_t>() { return DType::i16; }
template <> constexpr DType dtype_of<int32_t>() { return DType::i32; }
template <> constexpr DType dtype_of<int64_t>() { return DType::i64; }
template <> constexpr DType dtype_of<float>() { return DType::f32; }
template <> constexpr DType dtype_of<double>() { return DType::f64; }

// --------------------------------------------------------------------------------------------------------- scheme

struct QuantScheme {
  QuantMethod method = QuantMethod::affine;
  int bits = 4;
  int64_t group = 64;
  DType scale = DType::f16;

  bool operator==(const QuantScheme&) const = default;
};

// What a method fixes of its schemes.
struct MethodFacts {
  QuantMethod method;
  std::optional<int> bits;       // none: 2 to 8
  std::optional<int64_t> group;  // none: 1 or more
  std::optional<DType> scale;    // none: f16, bf16 or f32
  int64_t block_bytes = 0;       // GGUF: a row is blocks of `group` elements and so many bytes; else 0
  bool searched = false;         // the codes are found by search: quantize makes none
};

const MethodFacts& facts(QuantMethod method);
inline bool has_blocks(QuantMethod method) { return facts(method).block_bytes != 0; }

// Throws Code::out_of_range when a field is outside what its method allows.
void check(const QuantScheme& scheme);
// Throws Code::out_of_range unless a last axis of this size is provably whole blocks, where the method has blocks.
void check_columns(const QuantScheme& scheme, const Dim& columns);
// Bytes of `rows` rows of `columns` elements: codes, then scales, then biases (affine), or blocks row by row. Each row's
// codes start on a byte. Precondition: check(scheme) passed. Throws as check_columns, and Code::limit on overflow.
int64_t packed_bytes(const QuantScheme& scheme, int64_t rows, int64_t columns);
// `affine, bits=4, group=64, scale=f16`
std::string to_string(const QuantScheme& scheme);

// ----------------------------------------------------------------------------------------------------------- type

using Shape = std::vector<Dim>;

struct TensorType {
  DType dtype = DType::f32;
  Shape shape;
  std::optional<QuantScheme> scheme;  // present exactly when dtype is packed

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  bool operator==(const TensorType&) const = default;
};

// `f32[2, S + 1]`, `packed<affine, bits=4, group=64, scale=f16>[N, 4096]`
std::string to_string(const TensorType& type);
std::string to_string(const Shape& shape);  // `[2, S + 1]`

// Product of the sizes, as a Dim.
Dim element_count(const Shape& shape);
// yes when dtype and scheme agree, the ranks are equal and every axis is provably the same size.
Proof equal(const TensorType& a, const TensorType& b);
Proof equal(const Shape& a, const Shape& b);
// Sizes where every dim is a literal; none otherwise.
std::optional<std::vector<int64_t>> literal_sizes(const Shape& shape);

}  // namespace ingot
