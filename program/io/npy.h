// .npy: one NumPy array in a file. Reads versions 1.0, 2.0 and 3.0; writes 1.0, or 2.0 where the header is long.
//
// Layout     1. "\x93NUMPY", major, minor
//            2. the length of the header: u16 in version 1, u32 from 2 on, little-endian
//            3. the header, a Python dict: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
//            4. the elements
// Ownership  what is read views the Buffer and shares it where the elements are little-endian, row-major and aligned;
//            else it is a copy.
// Threads    none involved.
// Failure    bytes that are no such file throw Code::bad_file, a dtype that one side does not have Code::unsupported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "program/tensor.h"

namespace ingot {

// Refuses bytes behind the elements.
Tensor read_npy(const Buffer& file);

// What a file holds, from its beginning: no element is read. `start` reaches to the end of the header or beyond.
TensorType npy_type(std::span<const std::byte> start, uint64_t file_bytes);
// Where the header ends. `start` holds kNpyStart bytes or the whole file.
size_t npy_header_end(std::span<const std::byte> start);
inline constexpr size_t kNpyStart = 12;

void write_npy(const std::filesystem::path& path, const Tensor& tensor);

// Everything in front of the elements; a multiple of 64 bytes.
std::string npy_prefix(const Tensor& tensor);

}  // namespace ingot
