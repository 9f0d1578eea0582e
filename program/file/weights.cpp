#include "program/file/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "program/file/header.h"
#include "program/io/named_tensor.h"

namespace ingot::file {

// --------------------------------------------------------------------------------------------------------- reading

namespace {

Sizes checked_sizes(const TensorType& type, const Place& place) {
  if (auto sizes = literal_sizes(type.shape)) return *std::move(sizes);
  throw wrong({&place, "type"}, to_string(type), "a type of literal sizes");
}

// Within the segments, compared by subtraction so that nothing wraps.
void check_extent(const StoredWeight& stored, uint64_t segment_bytes, const Place& place) {
  if (stored.offset % kSegmentAlignment != 0) {
    throw wrong({&place, "offset"}, std::to_string(stored.offset), fmt::format("a multiple of {}", kSegmentAlignment));
  }
  if (stored.offset > segment_bytes || stored.bytes > segment_bytes - stored.offset) {
    throw wrong(place, fmt::format("{} bytes at offset {}", stored.bytes, stored.offset),
                fmt::format("a range within the {} bytes of segments", segment_bytes));
  }
}

void check_nowhere(const StoredWeight& stored, const Place& place) {
  const bool nowhere = stored.offset == 0 && stored.bytes == 0 && stored.hash == ContentHash{} && !stored.external;
  if (!nowhere) throw wrong(place, "contents that are stored", fmt::format("{} contents", to_string(stored.contents)));
}

}  // namespace

Weight WeightReader::read(StoredWeight stored, const Place& place) try {
  const Sizes sizes = checked_sizes(stored.type, place);
  if (stored.contents != WeightContents::stored) {
    check_nowhere(stored, place);
    ++count_;
    const bool zeros = stored.contents == WeightContents::zeros;
    return {.name = std::move(stored.name), .type = std::move(stored.type), .zeros = zeros};
  }
  const auto bytes = static_cast<uint64_t>(byte_count(stored.type.dtype, sizes, stored.type.scheme));
  if (stored.bytes != bytes) {
    throw wrong({&place, "bytes"}, std::to_string(stored.bytes),
                fmt::format("{} for {}", bytes, to_string(stored.type)));
  }
  Tensor tensor = stored.external ? files_.tensor(*stored.external, stored.type) : segment(stored, sizes, place);
  ++count_;
  return Weight::of(std::move(stored.name), std::move(tensor), stored.hash, std::move(stored.external));
} catch (Error& error) {
  error.at_node(fmt::format("{} {}", to_string(place), quote(stored.name)));
  throw;
}

Tensor WeightReader::segment(const StoredWeight& stored, const Sizes& sizes, const Place& place) {
  check_extent(stored, segments_.bytes.size(), place);
  if (stored.bytes > 0) ranges_.push_back({stored.offset, stored.bytes, stored.hash, count_});
  Buffer bytes{segments_.owner, segments_.bytes.subspan(stored.offset, stored.bytes)};
  if (stored.type.scheme) return Tensor(DType::packed, sizes, std::move(bytes), stored.type.scheme);
  return tensor_from_file(stored.type.dtype, sizes, std::move(bytes));
}

void WeightReader::check_disjoint() {
  std::ranges::sort(ranges_, {}, [](const Range& r) { return std::tie(r.offset, r.weight); });
  for (size_t i = 1; i < ranges_.size(); ++i) {
    const Range &a = ranges_[i - 1], &b = ranges_[i];
    const bool same = a.offset == b.offset && a.bytes == b.bytes && a.hash == b.hash;
    if (same || b.offset - a.offset >= a.bytes) continue;
    throw Error(Code::bad_file, fmt::format("weights[{}] has {} bytes at offset {} and overlaps weights[{}], which has "
                                            "{} bytes at offset {}",
                                            b.weight, b.bytes, b.offset, a.weight, a.bytes, a.offset));
  }
}

// --------------------------------------------------------------------------------------------------------- writing

namespace {

bool equal_contents(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() && (a.bytes().data() == b.bytes().data() || std::ranges::equal(a.bytes(), b.bytes()));
}

}  // namespace

std::vector<size_t> equal_weights(const Program& program) {
  std::vector<size_t> firsts;
  std::map<ContentHash, std::vector<size_t>> by_hash;
  for (const Weight& weight : program.weights) {
    if (!weight.tensor) {
      firsts.push_back(firsts.size());
      continue;
    }
    auto& candidates = by_hash[weight.hash];
    const auto found = std::ranges::find_if(
        candidates, [&](size_t i) { return equal_contents(*program.weights[i].tensor, *weight.tensor); });
    firsts.push_back(found == candidates.end() ? firsts.size() : *found);
    if (found == candidates.end()) candidates.push_back(firsts.back());
  }
  return firsts;
}

SegmentPlan plan_segments(const Program& program, std::vector<std::optional<ExternalTensor>> external) {
  const std::vector<size_t> firsts = equal_weights(program);
  std::map<size_t, uint64_t> offsets;
  SegmentPlan plan;
  for (size_t i = 0; i < firsts.size(); ++i) {
    const std::optional<Tensor>& tensor = program.weights[i].tensor;
    plan.places.push_back({0, std::move(external[i])});
    if (!tensor || plan.places[i].external || tensor->bytes().empty()) continue;
    const auto [entry, added] = offsets.try_emplace(firsts[i], align_segment(plan.bytes));
    plan.places[i].offset = entry->second;
    if (!added) continue;
    plan.segments.push_back(&*tensor);
    plan.bytes = entry->second + tensor->bytes().size();
  }
  return plan;
}

}  // namespace ingot::file
