// Runs ONNX's node tests on an engine: every case of a folder, in one process.
//
//   onnx_node_tests FOLDER ENGINE[:MODE] [FIRST]
//
// FOLDER/cases.tsv has a line `name <tab> rtol <tab> atol` for each case, and FOLDER/name holds what ONNX's own test data
// do: model.onnx, test_data_set_0/input_0.pb, output_0.pb, … Prints a line `status <tab> name <tab> reason` for each from
// number FIRST on: passed, failed, or unsupported. Where an op needs to know an input before the model runs, the case is
// tried again with short inputs as constants: `fixed` says that it passed so, and why it needs them. `random` is a case
// that draws numbers, which ONNX leaves to the backend: its outputs have the right types.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "import/onnx/import.h"
#include "import/onnx/model.h"
#include "import/onnx/tensor.h"
#include "program/error.h"
#include "program/io/mapped_file.h"
#include "runtime/compare.h"
#include "runtime/session.h"
#include "tests/support/target.h"

using namespace ingot;
namespace fs = std::filesystem;

namespace {

struct Case {
  std::string name;
  Tolerance tolerance;
};

struct Outcome {
  std::string_view status = "passed";
  std::string reason;
};

std::vector<Case> read_cases(const fs::path& folder) {
  std::ifstream file(folder / "cases.tsv");
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    Case& next = cases.emplace_back();
    std::getline(fields, next.name, '\t');
    fields >> next.tolerance.rtol >> next.tolerance.atol;
  }
  return cases;
}

Tensor read_tensor(const fs::path& path) {
  const Buffer file = map_file(path).buffer;
  onnx::TensorProto proto = onnx::read_tensor(file.bytes);
  if (onnx::is_coded(proto.data_type)) proto.data_type = onnx::data_type_of(DType::u8);
  return onnx::TensorReader(file, {}).read(proto);
}

using Tensors = std::map<std::string, Tensor>;

// input_0.pb, input_1.pb, … by the names of the model; what is no tensor is left out.
Tensors read_tensors(const fs::path& folder, std::string_view kind, const std::vector<onnx::ValueInfoProto>& infos) {
  Tensors tensors;
  for (size_t i = 0; i < infos.size(); ++i) {
    const fs::path path = folder / fmt::format("{}_{}.pb", kind, i);
    if (infos[i].type.kind != onnx::TypeProto::Kind::tensor || !fs::exists(path)) continue;
    tensors.emplace(infos[i].name, read_tensor(path));
  }
  return tensors;
}

// Half precision is compared to two steps.
Tolerance for_dtype(Tolerance tolerance, DType dtype) {
  if (dtype == DType::bf16) tolerance.rtol = std::max(tolerance.rtol, 0x1p-6);
  if (dtype == DType::f16) tolerance.rtol = std::max(tolerance.rtol, 0x1p-9);
  return tolerance;
}

// What is known of a case besides its tensors.
struct Rules {
  CompileOptions options;
  Tolerance tolerance;
  bool draws = false;  // has a node that draws numbers
};

bool draws_numbers(const onnx::ModelProto& model) {
  return std::ranges::any_of(model.graph.node, [](const onnx::NodeProto& node) {
    return node.op_type == "Bernoulli" || node.op_type == "Dropout" || node.op_type == "Multinomial" ||
           node.op_type.starts_with("Random");
  });
}

Outcome check(const std::vector<NamedTensor>& outputs, const Tensors& expected, const Rules& rules) {
  Outcome outcome;
  for (const auto& [name, actual] : outputs) {
    const Tensor& wanted = expected.at(name);
    const Comparison comparison = compare(actual, wanted, for_dtype(rules.tolerance, wanted.dtype()));
    if (comparison.equal) continue;
    const bool same_type = actual.dtype() == wanted.dtype() && actual.sizes() == wanted.sizes();
    if (!rules.draws || !same_type) return {"failed", fmt::format("{}: {}", name, comparison.difference)};
    outcome = {"random", ""};
  }
  return outcome;
}

Outcome run(const Program& program, const Tensors& given, const Tensors& expected, const Rules& rules) {
  Session session(compile(program, rules.options));
  const Graph& method = session.executable().method("main");
  std::vector<NamedTensor> inputs;
  for (const Ref input : method.inputs) {
    const std::string& name = method.values[input.id].name;
    inputs.push_back({name, given.at(name)});
  }
  return check(session.run(std::move(inputs), "main"), expected, rules);
}

// Short inputs, which say axes and sizes: first the integers behind the first input, then all of them.
Tensors short_inputs(const Tensors& inputs, const onnx::ModelProto& model, bool all) {
  Tensors chosen;
  for (const auto& [name, tensor] : inputs) {
    const bool first = name == model.graph.input[0].name, integers = is_integer(tensor.dtype());
    if (tensor.sizes().size() <= 1 && tensor.elements() <= 64 && (all || (!first && integers))) {
      chosen.emplace(name, tensor);
    }
  }
  return chosen;
}

Outcome run_with(const fs::path& folder, const Tensors& given, const Tensors& expected, Tensors constants,
                 const Rules& rules) {
  const bool fixed = !constants.empty();
  const onnx::ImportResult result =
      onnx::import_model(folder / "model.onnx", onnx::ImportOptions{.constants = std::move(constants)});
  if (!result.program) {
    const onnx::ImportFailure& failure = result.report.failures.front();
    return {"unsupported", fmt::format("{}: {}", failure.op, failure.reason)};
  }
  const Outcome outcome = run(*result.program, given, expected, rules);
  return fixed && outcome.status == "passed" ? Outcome{"fixed", ""} : outcome;
}

Outcome run_case(const fs::path& folder, const CompileOptions& options, const Tolerance& tolerance) {
  const Buffer file = map_file(folder / "model.onnx").buffer;
  const onnx::ModelProto model = onnx::read_model(file.bytes);
  const Rules rules{options, tolerance, draws_numbers(model)};
  Outcome outcome;
  for (size_t i = 0; fs::exists(folder / fmt::format("test_data_set_{}", i)); ++i) {
    const fs::path data = folder / fmt::format("test_data_set_{}", i);
    const Tensors given = read_tensors(data, "input", model.graph.input);
    const Tensors expected = read_tensors(data, "output", model.graph.output);
    const Outcome plain = outcome = run_with(folder, given, expected, {}, rules);
    for (const bool all : {false, true}) {
      if (outcome.status != "unsupported") break;
      outcome = run_with(folder, given, expected, short_inputs(given, model, all), rules);
    }
    if (outcome.status == "unsupported") return plain;
    if (outcome.status == "fixed") outcome.reason = plain.reason;
    if (outcome.status == "failed") return outcome;
  }
  return outcome;
}

Outcome run_safely(const fs::path& folder, const CompileOptions& options, const Tolerance& tolerance) {
  try {
    return run_case(folder, options, tolerance);
  } catch (const Error& error) {
    return {error.code() == Code::unsupported ? "unsupported" : "failed", error.what()};
  } catch (const std::exception& error) {
    return {"failed", error.what()};
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: onnx_node_tests FOLDER ENGINE[:MODE] [FIRST]\n";
    return 2;
  }
  const fs::path folder = argv[1];
  const CompileOptions options = test::Target::parse(argv[2]).options({});
  const std::vector<Case> cases = read_cases(folder);
  for (size_t i = argc > 3 ? std::stoul(argv[3]) : 0; i < cases.size(); ++i) {
    Outcome outcome = run_safely(folder / cases[i].name, options, cases[i].tolerance);
    std::ranges::replace(outcome.reason, '\n', ' ');
    std::cout << outcome.status << '\t' << cases[i].name << '\t' << outcome.reason << std::endl;
  }
}
