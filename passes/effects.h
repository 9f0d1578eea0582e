// NodeEffects: what a node does besides giving its results, and so what a pass may do with it.
//
// A node is *kept*, used or not, when it writes state, checks a promise (ensure_shape), binds a symbol (nonzero, item,
// unique, nms), or is a custom op, whose code is the host's; likewise control flow that runs such a node. Every other
// node may be dropped when nothing uses its results. That includes ops that fail for some operands: a program that does
// not use the result of a take does not ask whether its indices are in range.
//
// Equal nodes may become one, ensure_shape and ops that can fail included, since both would do the same. Not so nodes
// that write state, bind symbols or are custom. Nodes that read state may where no write stands between them.
//
// Ownership  refers to the program.
// Threads    immutable.
#pragma once

#include <vector>

#include "program/program.h"

namespace ingot {

// Whether the op needs its operands and nothing else to be computed, anywhere: no graph, state or symbol, only sizes
// that are literal, and no code of the host.
bool stands_alone(const Op& op);

class NodeEffects {
 public:
  explicit NodeEffects(const Program& program);

  Effects state(const Op& op) const { return effects(op, states_); }
  bool may_drop(const Op& op) const { return !found(op).keeps; }
  // Precondition for reading ones: no write between the two.
  bool may_merge(const Op& op) const { return !found(op).unique; }

 private:
  struct Found {
    bool keeps = false;   // must stay
    bool unique = false;  // is not the same as an equal one
  };
  Found found(const Op& op) const;

  std::vector<Effects> states_;  // by graph, as the next
  std::vector<Found> graphs_;
};

}  // namespace ingot
