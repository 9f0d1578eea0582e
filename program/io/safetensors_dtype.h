// The dtypes of safetensors files and the other facts that reader and writer share.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "program/type.h"

namespace ingot {

static_assert(std::endian::native == std::endian::little, "safetensors data is little-endian and used in place");

inline constexpr uint64_t kMaxSafetensorsHeader = 100'000'000;
inline constexpr std::string_view kSafetensorsMetadata = "__metadata__";

struct SafetensorsDType {
  std::string_view name;
  DType dtype;
};

// In the order in which a file holds them: by falling alignment.
inline constexpr SafetensorsDType safetensors_dtypes[] = {
    {"U64", DType::u64},        {"I64", DType::i64},        {"F64", DType::f64}, {"C64", DType::c64},
    {"F32", DType::f32},        {"U32", DType::u32},        {"I32", DType::i32}, {"BF16", DType::bf16},
    {"F16", DType::f16},        {"U16", DType::u16},        {"I16", DType::i16}, {"F8_E8M0", DType::f8e8m0},
    {"F8_E4M3", DType::f8e4m3}, {"F8_E5M2", DType::f8e5m2}, {"I8", DType::i8},   {"U8", DType::u8},
    {"F4", DType::f4e2m1},      {"BOOL", DType::bool_},
};

}  // namespace ingot
