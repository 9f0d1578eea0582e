// The text form of a Program: complete, pleasant to write by hand, and read back to the same program.
//
//   ingot 1
//   symbol S in 1..4096
//   weight @w : f32[2, 64] = ref "0123456789abcdef0123456789abcdef"
//   method forward(%x: f32[S, 64]) -> (y) {
//     %h = matmul %x, @w {transpose_b=true} : f32[S, 2]
//     return %h
//   }
//
// docs/text.md has the grammar. Text that was printed, parsed and printed again is the same.
//
// Ownership  values. A weight that was parsed owns its bytes; one that was resolved shares the resolver's.
// Threads    pure functions; the callbacks run on the caller's thread.
// Failure    Code::bad_text for what does not parse; a mistake that inference or the verifier finds keeps its code.
//            Either way the message begins with `file:line:column: `. Text may be hostile: time and memory stay linear
//            in it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "program/verify.h"

namespace ingot {

// ----------------------------------------------------------------------------------------------------------- printing

struct TextOptions {
  int64_t inline_bytes = 1024;  // weights up to this print with their contents, larger ones by hash
  bool types = true;            // print the types of results and outputs
  std::string weights_from;     // the file that holds the weights printed by hash; empty: not said
};

// Precondition, here and below: the program has passed `verify`.
std::string print(const Program& program, const TextOptions& options = {});

// `%c, %ys = scan [%c0], [%xs], [] {body=@body, length=S} : f32[], f32[S]`, without the end of the line.
std::string print_node(const Program& program, const Graph& graph, const Node& node, bool types = true);
// `%h`, `@fc.w` for a weight; without a name `%12`, the result of node 12, or `%12.1`, the second of several.
std::string print_value(const Program& program, const Graph& graph, Ref value);

struct AttributeText {
  std::string_view name;
  std::string text;
};
// What stands between the braces: mandatory attributes, and the others where they differ from their default.
std::vector<AttributeText> print_attributes(const Program& program, const Op& op);

// `[1.0, -inf]` as in a weight declaration; `hex"…"` where a list would lose bits.
std::string print_contents(const Tensor& tensor);

// ------------------------------------------------------------------------------------------------------------ parsing

// Finds the weight of a `ref`; `files` are the names that `weights_from` gave, in order. None: not there.
using WeightResolver =
    std::function<std::optional<Tensor>(const ContentHash& hash, const std::vector<std::string>& files)>;
// Reads a tensor of a file beside the program, declared with that type. Throws where it cannot.
using ExternalLoader = std::function<Tensor(const ExternalTensor& external, const TensorType& type)>;

struct ParseOptions {
  std::string file = "<text>";  // for messages
  WeightResolver resolve_ref;
  ExternalLoader load_external;
  Limits limits;
};

Program parse(std::string_view text, const ParseOptions& options = {});

// What print_contents makes. Precondition: every size of the type is a literal.
Tensor parse_contents(std::string_view text, const TensorType& type);

}  // namespace ingot
