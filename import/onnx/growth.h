// Growth: a value that a Loop carries and makes longer by a piece on every trip, `s = Concat(s, piece)`.
//
// Its type changes from trip to trip, which no loop of Ingot can carry. Where nothing else in the body reads it, the
// pieces are a scanned output instead, and are joined behind the loop: so PyTorch's `for … : s = torch.cat((s, piece))`,
// with or without a Cast of s, which keeps its dtype as everything that a Loop carries does.
//
// Ownership  values that view the file, as all protos do.
// Threads    none involved. Failure  what the builder throws.
#pragma once

#include <string_view>
#include <vector>

#include "import/onnx/node.h"

namespace ingot::onnx {

struct Growth {
  size_t carried;  // which of the carried values
  std::string_view piece;
  int64_t axis;
  bool in_front;  // Concat(piece, s)
};

// In the order of the carried values. Precondition: an output of the body for the condition and each of them.
std::vector<Growth> growths_of(const GraphProto& body, size_t carried);

// A piece with the sizes that Concat wants of it.
Var as_piece(Var piece, const Shape& start, const Growth& growth);

// The body that scans the pieces, behind its other outputs.
GraphProto scanning_pieces(GraphProto body, const std::vector<Growth>& growths);

// The value behind the loop. pieces: [trips, …]
Var grown(const Node& node, Var start, Var pieces, const Growth& growth);

}  // namespace ingot::onnx
