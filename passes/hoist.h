// Hoisting: what a method computes from weights alone, as a graph that need not run with every call.
//
//   Hoisted hoisted = hoist_parameter_only(program);
//
// For each of its methods: run graph `prepare` once, and again when one of `weights` changes; its outputs are the inputs
// of the method from `first_input` on.
//
// Moved are nodes that depend on weights, are pure and stand alone (passes/effects.h): no graph, state, symbol or
// custom op. What only rearranges elements (reshape, transpose, broadcast, slice) or makes a value much larger (a
// dequantised weight) stays in the method, since keeping its result would cost memory and save little. Graphs that
// methods run keep their nodes, and so does a method that another graph calls.
//
// Threads    a pure function.
// Failure    what `verify` throws.
#pragma once

#include <string>
#include <vector>

#include "passes/growth.h"
#include "passes/view.h"

namespace ingot {

struct HoistedMethod {
  std::string method;             // its name; inputs and outputs are as before, with more inputs at the end
  std::string prepare;            // `<method>.prepare`, not exported: no inputs, and an output for each new input
  size_t first_input = 0;         // of the new ones
  std::vector<WeightId> weights;  // that `prepare` reads, ascending
};

struct Hoisted {
  Program program;                     // every GraphId and WeightId of the old one holds; new graphs are at the end
  std::vector<HoistedMethod> methods;  // those that have something to prepare
};

struct HoistOptions {
  // A value stays where it has more bytes than this and more than twice the weights that it depends on.
  int64_t growth_bytes = kGrowthBytes;
};

Hoisted hoist_parameter_only(Program program, const HoistOptions& options = {});

// Whether the value depends on weights and numbers alone, and results of its size would be hoisted where it is.
bool may_hoist(const View& view, Ref ref);

}  // namespace ingot
