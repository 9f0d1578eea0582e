// A network on Ingot beside the same by hand in MLX, turn by turn in one run, so that both meet the same noise; each
// goes first in every other turn.
#pragma once

#include <string>
#include <string_view>

#include "bench/mlx/networks.h"

namespace ingot::bench {

struct CompareOptions {
  std::string device;  // of Ingot; empty: the engine's first
  int calls = 50;
  int in_a_row = 1;  // of one side, before those of the other
  bool compile_by_hand = true;
};

// Prints the head of the table that `compare` adds rows to.
void print_head();
// Totals go from inputs on the host to the output on the host; the host's share ends when the call has been handed to
// the device (on a CPU that includes waiting: MLX's queue holds some hundred steps).
void compare(std::string_view name, Network network, const CompareOptions& options);

// Prints what one small weight of a large program costs to change.
void change_parameter(const Network& network, const CompareOptions& options);

}  // namespace ingot::bench
