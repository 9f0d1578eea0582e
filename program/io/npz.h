// .npz: named .npy arrays in a zip archive, stored or deflated.
//
// Ownership  what is read owns its bytes; an index shares the Buffer.
// Threads    one thread for each index.
// Failure    bytes that are no such archive throw Code::bad_file, more elements than `limits` allow Code::limit, other
//            compression, encryption or dtypes Code::unsupported. Entries that are no .npy and duplicate names are
//            refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "program/io/named_tensor.h"

namespace ingot {

struct NpzLimits {
  uint64_t max_bytes = uint64_t{16} << 30;  // of all entries together, uncompressed
};

// What an archive holds: from each entry only the header of the array is inflated, and compared with the size that the
// archive claims for it.
class NpzIndex {
 public:
  struct Entry {
    std::string name;
    TensorType type;
    uint64_t number, bytes;  // its place in the archive, its size uncompressed
  };

  explicit NpzIndex(const Buffer& file, const NpzLimits& limits = {});
  ~NpzIndex();
  NpzIndex(const NpzIndex&) = delete;
  NpzIndex& operator=(const NpzIndex&) = delete;

  // In the order of the archive.
  std::span<const Entry> entries() const { return entries_; }
  // Inflates the entry, whose bytes count towards the limit. Precondition: an entry of this index.
  Tensor tensor(const Entry& entry);

 private:
  struct Archive;
  std::unique_ptr<Archive> archive_;
  std::vector<Entry> entries_;
  uint64_t bytes_left_;
};

// Every tensor, in the order of the archive.
std::vector<NamedTensor> read_npz(const Buffer& file, const NpzLimits& limits = {});

// Stored, not compressed. The same tensors give the same bytes.
void write_npz(const std::filesystem::path& path, std::span<const NamedTensor> tensors);

}  // namespace ingot
