// What the attention ops of several domains share: heads, masks, rotary tables.
//
// Sizes by their usual letters: B batch, H heads, S queries, T keys, D the size of a head.
//
// Threads    none involved. Failure  what the builder throws; Code::bad_file from `split_heads`.
#pragma once

#include <optional>

#include "import/onnx/node.h"

namespace ingot::onnx {

// [B, S, H·D] as [B, H, S, D].
Var split_heads(const Node& node, Var x, int64_t heads);
// [B, H, S, D] as [B, S, H·D].
Var merge_heads(Var x);

// Which keys the queries see by their place: those from p - left to p + right, where p = query + offset.
struct Reach {
  std::optional<Var> offset;  // i64, a scalar or [B]; absent: 0
  std::optional<int64_t> left, right;
};
// bool [S, T] or [B, 1, S, T]. Precondition: one side is bounded.
Var reachable(GraphBuilder& graph, const Reach& reach, const Dim& queries, const Dim& keys);

// Two masks as one: bools say what is seen, reals are added to the scores.
Var joined(Var mask, Var other);
Var joined(const std::optional<Var>& mask, Var other);
// The mask as reals of the dtype: -inf where it says unseen.
Var additive(Var mask, DType dtype);

struct Rotation {
  Var cos, sin;                  // tables [positions, dims/2], or rows of them [B, S, dims/2]
  std::optional<Var> positions;  // integers [B, S]: rows of the tables
  bool interleaved = false;
};
// x [B, H, S, D] with the first `dims` of every head turned.
Var rotated(Var x, const Rotation& rotation);

}  // namespace ingot::onnx
