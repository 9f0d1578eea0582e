#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <set>

#include "program/error.h"
#include "program/file.h"
#include "program/file/encode.h"
#include "program/file/external.h"
#include "program/file/header.h"
#include "program/file/weights.h"
#include "program/file/weights_file.h"
#include "program/io/atomic_write.h"
#include "program/io/file_lock.h"
#include "program/io/safetensors.h"
#include "program/io/safetensors_dtype.h"

namespace ingot {

namespace {

namespace fs = std::filesystem;
using Externals = std::vector<std::optional<ExternalTensor>>;

constexpr std::array<std::byte, file::kSegmentAlignment> kZeros{};

// The first version whose readers understand the program. Version 1 knows no weights without stored contents.
uint32_t version_for(const Program& program) {
  return std::ranges::all_of(program.weights, [](const Weight& w) { return w.tensor.has_value(); }) ? 1 : 2;
}

// Sends the file piece by piece, so that no copy of the weights is ever made.
template <std::invocable<std::span<const std::byte>> Sink>
class Writer {
 public:
  explicit Writer(Sink sink) : sink_(sink) {}

  void write(const Program& program, Externals externals) {
    const file::SegmentPlan plan = file::plan_segments(program, std::move(externals));
    const flatbuffers::DetachedBuffer buffer = file::encode(program, plan.places);
    const auto metadata = std::as_bytes(std::span(buffer.data(), buffer.size()));
    append(header(version_for(program), metadata, plan));
    append(metadata);
    for (const Tensor* segment : plan.segments) {
      append(std::span(kZeros).first(file::align_segment(size_) - size_));
      append(segment->bytes());
    }
  }

 private:
  static std::array<std::byte, file::kHeaderBytes> header(uint32_t version, std::span<const std::byte> metadata,
                                                          const file::SegmentPlan& plan) {
    file::Header header;
    header.format_version = header.minimum_reader = version;
    header.metadata_bytes = metadata.size();
    header.segment_bytes = plan.bytes;
    header.segments_offset = plan.bytes == 0 ? 0 : file::align_segment(file::kHeaderBytes + metadata.size());
    header.checksum = file::checksum(file::header_bytes(header), metadata);
    return file::header_bytes(header);
  }
  void append(std::span<const std::byte> bytes) {
    sink_(bytes);
    size_ += bytes.size();
  }

  Sink sink_;
  uint64_t size_ = 0;
};

// -------------------------------------------------------------------------------------------------------- placement

Externals declared(const Program& program) {
  Externals out;
  for (const Weight& weight : program.weights) out.push_back(weight.external);
  return out;
}

bool safetensors_holds(const Tensor& tensor) {
  return std::ranges::find(safetensors_dtypes, tensor.dtype(), &SafetensorsDType::dtype) !=
             std::end(safetensors_dtypes) &&
         tensor.elements() % std::max(8 / bits(tensor.dtype()), 1) == 0;
}

// Writes the weights file. Equal weights become one tensor, named after the first.
Externals move_beside(const Program& program, const fs::path& path, uint64_t from_bytes) {
  Externals out(program.weights.size());
  std::vector<NamedTensor> tensors;
  const std::vector<size_t> firsts = file::equal_weights(program);
  for (size_t i = 0; i < out.size(); ++i) {
    const Weight& weight = program.weights[i];
    if (!weight.tensor || weight.tensor->bytes().size() < from_bytes || !safetensors_holds(*weight.tensor)) continue;
    if (firsts[i] == i) tensors.push_back({weight.name, *weight.tensor});
    out[i] = {.file = {}, .tensor = program.weights[firsts[i]].name};
  }
  if (tensors.empty()) return out;
  const std::string name = file::write_weights_file(path, tensors);
  for (std::optional<ExternalTensor>& external : out) {
    if (external) external->file = name;
  }
  return out;
}

// The file that will be replaced, where there is one.
std::optional<FileIdentity> identity_of(const fs::path& path) {
  std::error_code ignored;  // whatever else is there, writing refuses it
  if (!fs::is_regular_file(path, ignored)) return {};
  return map_file(path).identity;
}

// References are kept only where a reader will find what they promise, and where saving does not replace it.
void check_declared(const Program& program, const fs::path& path) {
  if (std::ranges::none_of(program.weights, [](const Weight& w) { return w.external.has_value(); })) return;
  file::ExternalFiles files(path.has_parent_path() ? path.parent_path() : ".", identity_of(path));
  for (const Weight& weight : program.weights) {
    if (weight.external) files.tensor(*weight.external, weight.type);
  }
}

Externals place_weights(const Program& program, const fs::path& path, const SaveOptions& options) {
  switch (options.weights) {
    case WeightPlacement::keep: check_declared(program, path); return declared(program);
    case WeightPlacement::beside: return move_beside(program, path, options.beside_from);
    case WeightPlacement::inside: break;
  }
  return Externals(program.weights.size());
}

std::set<std::string> files_named(const Externals& externals) {
  std::set<std::string> names;
  for (const std::optional<ExternalTensor>& external : externals) {
    if (external) names.insert(external->file);
  }
  return names;
}

}  // namespace

void save_program(const Program& program, const fs::path& path, const SaveOptions& options) {
  // One save at a time writes or removes weights files of this program. A save without such files needs no lock.
  std::optional<FileLock> lock;
  if (options.weights == WeightPlacement::beside || !file::weights_files_of(path).empty()) {
    lock.emplace(file::lock_path(path));
  }
  Externals externals = place_weights(program, path, options);
  const std::set<std::string> named = files_named(externals);
  AtomicFile out(path, options.durable);
  Writer([&](std::span<const std::byte> bytes) { out.append(bytes); }).write(program, std::move(externals));
  out.commit();
  if (lock && lock->held()) file::remove_unnamed_weights(path, named);
}

std::vector<std::byte> write_program(const Program& program) {
  std::vector<std::byte> out;
  Writer([&](std::span<const std::byte> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
  }).write(program, declared(program));
  return out;
}

}  // namespace ingot
