// Expansion: how much larger than its file a model may become while it is imported.
//
// Functions are written out at every call, and graphs once for every trip or item that the importer unrolls. Both multiply
// when they nest, so that a kilobyte can stand for any number of nodes. What functions come to is counted before anything
// is imported; what unrolling comes to, before its first trip; and everything that is written out is counted again on the
// way, as nodes of the model and of the program.
//
// Ownership  refers to the model, which outlives it.
// Threads    one thread at a time.
// Failure    TooLarge, which ends the import; Code::bad_file for a function that calls itself.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "import/onnx/model.h"
#include "program/error.h"
#include "program/verify.h"

namespace ingot::onnx {

// Unlike other errors of a node it is not gathered in the report: those that follow would fail as well.
class TooLarge : public Error {
 public:
  // `what` is `actual`, expected at most `most`.
  TooLarge(std::string_view what, std::string actual, uint64_t most, std::string_view op = {},
           std::string_view node = {});
};

// The functions of a model by domain, name and overload.
class Functions {
 public:
  // Throws Code::bad_file where one is defined twice.
  explicit Functions(const ModelProto& model);
  // What a node calls; none where it is an op.
  const FunctionProto* find(const NodeProto& node) const;

 private:
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, const FunctionProto*> by_name_;
};

class Expansion {
 public:
  // A model may be written out to kFree nodes, and kTimes as many as its file holds.
  static constexpr uint64_t kFree = 100'000, kTimes = 64;

  Expansion(const ModelProto& model, const Functions& functions, const Limits& limits);

  // The nodes of the main graph with those of every call. Throws where there are too many, or calls nest too deep.
  void check_calls(const GraphProto& graph);

  // Counts a node that is imported, or items of a sequence that is made.
  void spend(std::string_view label, uint64_t nodes = 1);
  // Throws where the program has become too large.
  void check_program(uint64_t nodes) const;

  // While it lives, everything that is imported belongs to a graph that is written out several times.
  class Repeat {
   public:
    Repeat(Expansion& expansion, uint64_t times) : expansion_(expansion), before_(expansion.repeats_) {
      expansion.repeats_ *= times;
    }
    ~Repeat() { expansion_.repeats_ = before_; }
    Repeat(const Repeat&) = delete;

   private:
    Expansion& expansion_;
    uint64_t before_;
  };
  // Throws where the graph is too large for that, enclosing repeats included.
  [[nodiscard]] Repeat repeat(const GraphProto& graph, uint64_t times);

 private:
  // How a node is reached: through calls and graphs of attributes.
  struct Path {
    const Path* parent;
    const NodeProto& node;
    const FunctionProto* function;  // none: a graph of an attribute
    uint64_t depth;
  };
  struct Size {
    uint64_t nodes = 0, depth = 0;
  };

  Size size_of(const std::vector<NodeProto>& nodes, const Path* path);
  Size size_of(const FunctionProto& function, const Path& path);
  void check_depth(uint64_t depth, const Path& path) const;
  std::string place_of(const Path& path) const;

  const Functions& functions_;
  uint64_t limit_, nesting_, name_bytes_;
  std::unordered_map<const FunctionProto*, Size> sizes_;
  uint64_t repeats_ = 1;
  uint64_t spent_ = 0, label_bytes_ = 0;
};

}  // namespace ingot::onnx
