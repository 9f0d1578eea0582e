// The header of a .npy file: its dict, parsed, and the dtypes that it may name.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "program/tensor.h"

namespace ingot {

static_assert(std::endian::native == std::endian::little, "elements are written as they are, declared little-endian");

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

struct NpyDType {
  std::string_view code;  // kind and bytes, behind the byte order
  DType dtype;
  size_t word;  // bytes that a change of byte order reverses
};

inline constexpr NpyDType npy_dtypes[] = {
    {"b1", DType::bool_, 1}, {"u1", DType::u8, 1},   {"u2", DType::u16, 2}, {"u4", DType::u32, 4},
    {"u8", DType::u64, 8},   {"i1", DType::i8, 1},   {"i2", DType::i16, 2}, {"i4", DType::i32, 4},
    {"i8", DType::i64, 8},   {"f2", DType::f16, 2},  {"f4", DType::f32, 4}, {"f8", DType::f64, 8},
    {"c8", DType::c64, 4},   {"?", DType::bool_, 1},
};

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  Sizes shape;
};

// Throws Code::bad_file with the position, Code::unsupported for a structured dtype.
NpyHeader parse_npy_header(std::string_view text);

}  // namespace ingot
