// .npz: named .npy arrays in a zip archive, stored or deflated.
//
// Ownership  what is read owns its bytes. Threads  none involved.
// Failure    bytes that are no such archive throw Code::bad_file, more elements than `limits` allow Code::limit, other
//            compression, encryption or dtypes Code::unsupported. Entries that are no .npy and duplicate names are
//            refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "program/io/named_tensor.h"

namespace ingot {

struct NpzLimits {
  uint64_t max_bytes = uint64_t{16} << 30;  // of all entries together, uncompressed
};

// In the order of the archive. Nothing is allocated for an entry that claims more than the limit leaves, or more than
// its compressed bytes can hold.
std::vector<NamedTensor> read_npz(const Buffer& file, const NpzLimits& limits = {});

// Stored, not compressed. The same tensors give the same bytes.
void write_npz(const std::filesystem::path& path, std::span<const NamedTensor> tensors);

}  // namespace ingot
