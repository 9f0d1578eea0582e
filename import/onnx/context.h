// Context: what all graphs of one import share.
//
// Ownership  owns the program under construction; refers to the model and the options, which outlive it.
// Threads    one thread at a time.
// Failure    Error.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engines/reference/frame.h"
#include "import/onnx/body.h"
#include "import/onnx/expansion.h"
#include "import/onnx/import.h"
#include "import/onnx/model.h"
#include "import/onnx/names.h"
#include "import/onnx/tensor.h"
#include "import/onnx/value.h"

namespace ingot::onnx {

// The failures of an import, gathered by op and reason.
class Failures {
 public:
  void add(std::string op, std::string reason, std::string place);
  bool empty() const { return failures_.empty(); }
  std::vector<ImportFailure> take() { return std::move(failures_); }

 private:
  std::vector<ImportFailure> failures_;
  std::map<std::pair<std::string, std::string>, size_t> index_;
};

// The symbols of the program, by the names that the file gives to sizes. Throws TooLarge beyond the limit.
class SymbolPool {
 public:
  SymbolPool(ProgramBuilder& program, uint64_t most) : program_(program), most_(most) {}

  // The symbol that stands for a name of the file, always the same one.
  Symbol named(std::string_view name, int64_t min = 0, int64_t max = kUnbounded);
  // A symbol of its own.
  Symbol fresh(std::string_view name, int64_t min = 0, int64_t max = kUnbounded) { return declare(name, min, max); }

 private:
  Symbol declare(std::string_view name, int64_t min, int64_t max);

  ProgramBuilder& program_;
  uint64_t most_;
  std::map<std::string, Symbol, std::less<>> by_name_;
  Names names_;
};

// Weights of equal contents are one.
class WeightPool {
 public:
  explicit WeightPool(ProgramBuilder& program) : program_(program) {}
  WeightId add(const Constant& constant);

 private:
  ProgramBuilder& program_;
  std::map<ContentHash, WeightId> by_contents_;
  // Where a constant is read again its bytes are not hashed again. The program keeps the bytes, so a place stays theirs.
  std::unordered_map<const std::byte*, WeightId> by_place_;
  Names names_;
};

struct Context {
  Context(const ModelProto& model, TensorReader tensors, const ImportOptions& options, std::string file);

  const ModelProto& model;
  const ImportOptions& options;
  std::string file;  // for provenance
  TensorReader tensors;
  Functions functions;
  Expansion expansion;
  // What constants that are evaluated, or put together by the importer, have used: all together.
  reference::Meter meter;
  ProgramBuilder program;
  SymbolPool symbols;
  WeightPool weights{program};
  Failures failures;
  size_t nodes_done = 0, nodes_total = 0;
  size_t graphs = 0;  // sub-graphs made, for their names
};

// `ai.onnx` for the default domain, which files also leave empty.
std::string_view canonical_domain(std::string_view domain);

// What a node is called: its name, or that of its first output, after the prefix.
std::string label_of(const std::string& prefix, const NodeProto& node);

// The value as data of the graph. Throws Unsupported for absent ones and sequences.
Var as_var(Context& context, Body& body, const Value& value);

}  // namespace ingot::onnx
