// Rows: what happens to the slices of one axis on their way through a program.
//
// A *lane* of an op is an axis that all of its results have, and some of its operands: slice i of every result is made
// of slice i of these operands and of the other operands as wholes, by a rule that does not ask how many slices there
// are. The rows of a batch are one lane of a product, the columns of its right factor another; the axis that it sums is
// none. Lanes are facts about ops (passes/rows_*.cpp), drawn from attributes and sizes. An op that the schema gains
// does not compile until it says which it has, if any.
//
// A reshape has lanes of which several slices go together: from [6, 4] to [3, 8], slices 2i and 2i + 1 of the operand
// are slice i of the result, since both are elements 8i to 8i + 7 in row-major order. The ratio of that lane is 2 to 1.
//
// The proof runs over a graph in which the size of some axes is a symbol, `active`. It says of each value that it is
//   same    the same whatever `active` is
//   rows    of size `active`·block along one axis, and slice i there is the same whatever `active` is: a row is `block`
//           slices, 1 until a reshape merges rows with what is behind them, [active, 3, 2] to [active·3, 2]
//   mixed   neither, as far as this proof goes; the reason is a sentence
// So for two sizes the first slices are equal, as many as the smaller has; rows that meet in an op have one block.
// Equal means: the same function of the same slices. An engine may compute fewer rows by another kernel, and round a
// product differently.
//
// A composite without facts of its own is looked at through its decomposition.
//
// Ownership  values.
// Threads    pure functions.
// Failure    the proof has none but Code::internal: what inference refuses is mixed. lanes_of throws Code::limit where
//            sizes cannot be multiplied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "program/infer.h"

namespace ingot {

struct Lanes {
  // For each axis of a value the number of its lane, each at most once; none where slices depend on one another.
  using OfAxes = std::vector<std::optional<size_t>>;
  std::vector<OfAxes> operands;  // in the order of visit_operands
  std::vector<OfAxes> results;   // a lane that no operand has: the slices are made of nothing but wholes

  // So many slices of the operands make so many of the results, in lowest terms.
  struct Ratio {
    int64_t operands = 1, results = 1;
  };
  std::map<size_t, Ratio> ratios;  // of lanes for which it is not 1 to 1
};

// Absent for an op that nothing is known of, and for a composite that its decomposition explains.
std::optional<Lanes> lanes_of(const Op& op, const Scope& scope, const Types& results);

struct Rows {
  enum class Kind { same, rows, mixed };
  Kind kind = Kind::same;
  size_t axis = 0;     // rows
  int64_t block = 1;   // rows
  std::string reason;  // mixed

  static Rows on(size_t axis, int64_t block = 1) { return {Kind::rows, axis, block, {}}; }
  static Rows mixed(std::string reason) { return {Kind::mixed, 0, 1, std::move(reason)}; }
};

// How an op would be cut so that it works on fewer rows: the axis of each operand (none: the whole) and of each result.
struct Cut {
  std::vector<std::optional<size_t>> operands;
  std::vector<size_t> results;
  int64_t operand_block = 1, result_block = 1;  // slices of a row along these axes
  std::string reason;                           // why it cannot be; empty where it can
};

// The lane that the rows of the operands take. Precondition: none of them is mixed, and one at least has rows.
Cut cut_of(const Op& op, const Lanes& lanes, std::span<const Rows> operands);

// The proof, one op at a time. `of_values` has what was found of each value of the graph before.
std::vector<Rows> rows_of_results(const Op& op, const Program& program, const Graph& graph, const Types& results,
                                  std::span<const Rows> of_values, const Symbol& active);

// What was found of the operands of an op, in order.
std::vector<Rows> rows_of_operands(const Op& op, std::span<const Rows> of_values);

}  // namespace ingot
