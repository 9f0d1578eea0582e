// The bytes of weights: where they go in a file, and how they are found again.
//
// Threads  one thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "program/file/external.h"
#include "program/file/reader.h"
#include "program/program.h"

namespace ingot::file {

// --------------------------------------------------------------------------------------------------------- reading

// What a FlatBuffer says of a weight.
struct StoredWeight {
  std::string name;
  TensorType type;
  WeightContents contents = WeightContents::stored;
  uint64_t offset = 0, bytes = 0;
  ContentHash hash;
  std::optional<ExternalTensor> external;
};

// A weight whose contents are not stored has neither place nor hash.
//
// Ownership  tensors view the segments or a mapped file beside; neither is read, apart from bools, whose bytes must be
//            0 or 1.
// Failure    Code::bad_file with the place of the weight; not_found and io for files beside.
class WeightReader {
 public:
  WeightReader(Buffer segments, ExternalFiles files) : segments_(std::move(segments)), files_(std::move(files)) {}

  Weight read(StoredWeight stored, const Place& place);
  // After the last read: no two weights share bytes, unless they are the same in place, size and hash.
  void check_disjoint();

 private:
  struct Range {
    uint64_t offset, bytes;
    ContentHash hash;
    size_t weight;
  };
  Tensor segment(const StoredWeight& stored, const Sizes& sizes, const Place& place);

  Buffer segments_;
  ExternalFiles files_;
  size_t count_ = 0;
  std::vector<Range> ranges_;
};

// --------------------------------------------------------------------------------------------------------- writing

// Where a weight goes: an offset into the segments, or a file beside.
struct WeightPlace {
  uint64_t offset = 0;
  std::optional<ExternalTensor> external;
};

struct SegmentPlan {
  std::vector<WeightPlace> places;      // one for each weight
  std::vector<const Tensor*> segments;  // in order, each aligned
  uint64_t bytes = 0;                   // up to the end of the last one
};

// For each weight, the first of the same type and contents, or itself where it has no tensor. A hash is a hint only: a
// Program put together by hand may hold any.
std::vector<size_t> equal_weights(const Program& program);

// `external` has an entry for each weight. Equal weights share a segment.
SegmentPlan plan_segments(const Program& program, std::vector<std::optional<ExternalTensor>> external);

}  // namespace ingot::file
