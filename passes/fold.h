// Constant folding: what depends on constants alone, computed now.
//
// Constants are `full`, `iota` and the like, and the weights that IsConstant names. Passes know no engine: the caller
// gives the evaluator, which as a rule is the reference engine within small limits (engines/reference/evaluate.h).
//
// Threads    a pure function, as far as the evaluator is one.
// Failure    an Error of the evaluator leaves the node as it is. Code::internal for results of another type than
//            inference says.
#pragma once

#include <functional>
#include <vector>

#include "passes/growth.h"
#include "passes/view.h"

namespace ingot {

// The outputs of the only method, which has no inputs. Throws where it fails or would take long.
using Evaluate = std::function<std::vector<Tensor>(const Program&)>;

struct FoldOptions {
  IsConstant is_constant;
  // Results of a node stay where they have more bytes than this and more than twice the weights that they depend on.
  int64_t growth_bytes = kGrowthBytes;
  // Triangles and comparisons of two or more axes that read no weights stay, and what is made of them: a weight would
  // not say that it is a mask, and of which keys.
  bool keep_masks = false;
};

// Results whose elements are all one number become `full`, others weights named after them. The nodes that made them
// are left to drop_unused.
Program fold_constants(const Program& program, const Evaluate& evaluate, const FoldOptions& options = {});

}  // namespace ingot
