// Reports: a Program for people and other tools, beside the text form (program/text.h).
//
// Threads    pure functions of an unchanging Program.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace ingot {

struct MethodSummary {
  std::string name;
  std::vector<std::string> inputs, outputs;  // `x: f32[S, 64]`
  uint64_t nodes = 0;                        // of this graph alone
};

struct Summary {
  std::vector<MethodSummary> methods;
  std::map<std::string, uint64_t> op_counts;  // by mnemonic, over all graphs
  uint64_t nodes = 0, graphs = 0;
  uint64_t parameters = 0;    // elements of distinct weights, those to be filled included
  uint64_t weight_bytes = 0;  // likewise
  uint64_t weights = 0, distinct_weights = 0;
  std::vector<std::string> missing;  // weights without contents: `w: f32[2, 128]`
  std::vector<std::string> states;   // `kv: f32[2, 128]`
  uint64_t state_bytes = 0;
  std::vector<std::string> symbols;  // `S in 1..4096`
};

Summary summarize(const Program& program);

// For a terminal.
std::string to_text(const Summary& summary);
// One object: symbols, weights, states, graphs with nodes, operands by name, attributes that are not at their default.
std::string to_json(const Program& program);
// Graphviz: a cluster per graph, edges labelled with types.
std::string to_dot(const Program& program);

// `1 node`, `2 nodes`
std::string counted(uint64_t count, std::string_view noun);
// `12.3 MiB`
std::string human_bytes(uint64_t bytes);
// `S in 1..4096`, `S in 1..` when unbounded.
std::string describe(const Symbol& symbol);

}  // namespace ingot
