// import_model: an ONNX file as a Program.
//
// The whole model converts, or the report lists every op that does not: op, reason, how often and where. The method is
// called `main`; inputs and outputs keep their names. Sizes that the file names are symbols of that name, from 0 on;
// those that it leaves open are called after input and axis. Inputs and outputs of FLOAT8E4M3FNUZ and FLOAT8E5M2FNUZ,
// which Ingot has not, are their bits: u8.
//
//   const ImportResult result = import_model("bert.onnx");
//   if (!result.program) std::cerr << to_text(result.report);
//
// Ownership  weights view the mapped file or its external data, and keep them alive: nothing is copied that lies aligned.
// Threads    a free function without shared state.
// Failure    Code::bad_file for a file that is no ONNX model or contradicts itself, with the node; Code::version for one
//            that needs a newer reader; Code::not_found and io for missing files; Code::limit past the limits, and for a
//            model that would grow many times larger than its file (import/onnx/expansion.h). What Ingot cannot express is
//            no failure: the result then has a report and no program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engines/run_limits.h"
#include "program/program.h"
#include "program/verify.h"

namespace ingot::onnx {

// What this build reads: the versions of the opset ai.onnx, and of the file format.
inline constexpr int64_t kOldestOpset = 1;
inline constexpr int64_t kNewestOpset = 28;
inline constexpr int64_t kNewestIr = 14;

struct ImportOptions {
  // Sizes of inputs by name, in place of those in the file: `8`, a symbol `S`, or one with bounds `S=1..512`.
  std::map<std::string, std::vector<std::string>> shapes;
  // Contents of inputs that never change: they are constants of the program, and no inputs of its method.
  std::map<std::string, Tensor> constants;
  // Initializers of one element that stay weights. The others are numbers of the computation, which passes can read.
  std::set<std::string> parameters;
  Limits limits;
  // What all constants together may take that are evaluated while importing: the memory of their contents, and steps. What
  // takes more stays an op of the program; where the importer must know it, the op is unsupported.
  RunLimits evaluation{.bytes = int64_t{256} << 20, .steps = 100'000'000};
  // Called now and then with the number of nodes done, of how many.
  std::function<void(size_t done, size_t total)> progress;
};

// One kind of op that could not be imported, for one reason.
struct ImportFailure {
  std::string op;  // `ai.onnx::Einsum-12`
  std::string reason;
  std::vector<std::string> places;  // names of nodes, one for each time
};

struct ImportReport {
  std::vector<ImportFailure> failures;  // in the order of the file
  size_t nodes = 0;                     // looked at
};

// For a terminal.
std::string to_text(const ImportReport& report);

struct ImportResult {
  std::optional<Program> program;  // absent where the report has failures
  ImportReport report;
};

ImportResult import_model(const std::filesystem::path& path, const ImportOptions& options = {});
// From memory. External data is looked for in `folder`; when that is empty, there may be none.
ImportResult import_model(const Buffer& bytes, const std::filesystem::path& folder = {},
                          const ImportOptions& options = {}, std::string_view file_name = "model.onnx");

}  // namespace ingot::onnx
