#include "import/onnx/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "import/onnx/context.h"
#include "import/onnx/scope.h"
#include "import/onnx/unsupported.h"
#include "program/io/mapped_file.h"
#include "program/io/named_tensor.h"

namespace ingot::onnx {
namespace {

// -------------------------------------------------------------------------------------------- sizes from the options

std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && stop == text.data() + text.size();
  return whole && value >= 0 ? std::optional(value) : std::nullopt;
}

struct Bounds {
  int64_t min = 0, max = kUnbounded;
};

// `1..512`, `1..`
std::optional<Bounds> bounds_of(std::string_view text) {
  const size_t dots = text.find("..");
  if (dots == text.npos) return std::nullopt;
  const auto min = number(text.substr(0, dots));
  const auto max = dots + 2 == text.size() ? std::optional(kUnbounded) : number(text.substr(dots + 2));
  if (!min || !max || *min > *max) return std::nullopt;
  return Bounds{*min, *max};
}

// `8`, `S`, `S=1..`, `S=1..512`
Dim given_size(const std::string& text, SymbolPool& symbols) {
  if (const auto literal = number(text)) return *literal;
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const auto bounds = equals == text.npos ? Bounds{} : bounds_of(std::string_view(text).substr(equals + 1));
  if (is_identifier(name) && bounds) return symbols.named(name, bounds->min, bounds->max);
  throw Error::mismatch(Code::invalid_argument, "", "a size", quote(text),
                        "a number, a name, or a name with bounds S=1..512");
}

// ---------------------------------------------------------------------------------------------------------- inputs

std::string_view kind_name(TypeProto::Kind kind) {
  constexpr std::string_view names[] = {"of no type",  "a tensor",        "a sequence", "a map",
                                        "an optional", "a sparse tensor", "opaque"};
  return names[static_cast<size_t>(kind)];
}

class ModelImport {
 public:
  ModelImport(const ModelProto& model, TensorReader tensors, const ImportOptions& options, std::string file)
      : context_(model, std::move(tensors), options, std::move(file)),
        body_(context_.program, context_.program.method("main"), context_.meter),
        call_{opsets_of(model.opset_import), {}},
        scope_(context_, body_, call_, "") {}

  ImportResult run() {
    const GraphProto& graph = context_.model.graph;
    check_options(graph);
    context_.expansion.check_calls(graph);
    scope_.define_initializers(graph);
    for (const std::string& name : context_.options.parameters) {
      if (scope_.has_initializer(name)) continue;
      throw Error(Code::not_found, fmt::format("there is no initializer {} that could stay a weight", quote(name)));
    }
    for (const ValueInfoProto& input : graph.input) define_input(input);
    scope_.declare_types(graph.value_info);
    scope_.declare_types(graph.output);
    for (const ValueInfoProto& output : graph.output) scope_.read_later(output.name);
    scope_.run(graph.node);
    for (const ValueInfoProto& output : graph.output) define_output(output);
    ImportResult result;
    result.report = {context_.failures.take(), context_.nodes_done};
    if (result.report.failures.empty()) result.program = context_.program.build(context_.options.limits);
    return result;
  }

 private:
  void check_options(const GraphProto& graph) const {
    const auto check = [&](const std::string& name, std::string_view what) {
      const auto same = [&](const ValueInfoProto& input) { return input.name == name; };
      if (std::ranges::any_of(graph.input, same)) return;
      throw Error(Code::not_found, fmt::format("there is no input {} to give {} to", quote(name), what));
    };
    for (const auto& [name, shape] : context_.options.shapes) check(name, "a shape");
    for (const auto& [name, contents] : context_.options.constants) check(name, "contents");
  }

  void define_input(const ValueInfoProto& input) {
    if (scope_.has_initializer(input.name)) return;  // a default that older files list among the inputs
    const std::string name(input.name);
    try {
      if (const auto given = context_.options.constants.find(name); given != context_.options.constants.end()) {
        check_contents(input, given->second);
        return scope_.define(input.name, Constant{given->second, name});
      }
      if (input.type.kind == TypeProto::Kind::tensor && is_coded(input.type.elem_type)) {
        const TensorType bits{DType::u8, input_shape(input), {}};
        return scope_.define(input.name, Coded{body_.input(input.name, bits), input.type.elem_type});
      }
      scope_.define(input.name, body_.input(input.name, input_type(input)));
    } catch (const Unsupported& error) {
      context_.failures.add("input", error.message(), name);
      scope_.define(input.name, Poison{});
    }
  }

  void check_contents(const ValueInfoProto& input, const Tensor& contents) {
    const TensorType declared = input_type(input);
    const TensorType given = contents.type();
    if (given.dtype == declared.dtype && equal(given.shape, declared.shape) != Proof::no) return;
    throw Error::mismatch(Code::invalid_argument, "", fmt::format("what is given for input {}", quote(input.name)),
                          to_string(given), to_string(declared));
  }

  TensorType input_type(const ValueInfoProto& input) {
    if (input.type.kind != TypeProto::Kind::tensor) {
      throw Unsupported(fmt::format("it is {}, not a tensor", kind_name(input.type.kind)));
    }
    return {dtype_of(input.type.elem_type), input_shape(input), {}};
  }

  Shape input_shape(const ValueInfoProto& input) {
    const auto& declared = input.type.shape;
    const auto given = context_.options.shapes.find(std::string(input.name));
    if (given != context_.options.shapes.end()) return given_shape(input, given->second);
    if (!declared) throw Unsupported("the file says nothing about its shape: give one");
    Shape shape;
    for (size_t i = 0; i < declared->size(); ++i) shape.push_back(declared_size(input, i));
    return shape;
  }

  Dim declared_size(const ValueInfoProto& input, size_t axis) {
    const DimensionProto& dim = (*input.type.shape)[axis];
    if (dim.value && *dim.value >= 0) return *dim.value;
    if (!dim.param.empty()) return context_.symbols.named(dim.param);
    return context_.symbols.fresh(fmt::format("{}_{}", input.name, axis));
  }

  Shape given_shape(const ValueInfoProto& input, const std::vector<std::string>& texts) {
    const auto& declared = input.type.shape;
    if (declared && declared->size() != texts.size()) {
      throw Error::mismatch(Code::invalid_argument, "", fmt::format("the shape for input {}", quote(input.name)),
                            fmt::format("of {} axes", texts.size()), fmt::format("{} axes", declared->size()));
    }
    Shape shape;
    for (size_t i = 0; i < texts.size(); ++i) {
      const Dim size = given_size(texts[i], context_.symbols);
      const auto fixed = declared ? (*declared)[i].value : std::nullopt;
      if (fixed && *fixed >= 0 && size != Dim(*fixed)) {
        throw Error::mismatch(Code::invalid_argument, "", fmt::format("axis {} of input {}", i, quote(input.name)),
                              to_string(size), fmt::format("{} as the file declares it", *fixed));
      }
      shape.push_back(size);
    }
    return shape;
  }

  void define_output(const ValueInfoProto& output) {
    const Value value = scope_.output(output);
    if (value.is_poison()) return;
    try {
      const Var var = value.coded() ? body_.bring(value.coded()->bits) : as_var(context_, body_, value);
      body_.graph().output(std::string(output.name), var);
    } catch (const Unsupported& error) {
      context_.failures.add("output", error.message(), std::string(output.name));
    }
  }

  Context context_;
  Body body_;
  FunctionCall call_;
  Scope scope_;
};

void check_format(const ModelProto& model) {
  if (model.ir_version > kNewestIr) {
    throw Error::mismatch(Code::version, "", "the IR version", fmt::format("{}", model.ir_version),
                          fmt::format("at most {}, which this build reads", kNewestIr));
  }
  if (model.opset_import.empty()) {
    throw Error(Code::bad_file, "the model names no opset_import: no version of its ops is known");
  }
}

}  // namespace

ImportResult import_model(const Buffer& bytes, const std::filesystem::path& folder, const ImportOptions& options,
                          std::string_view file_name) {
  const ModelProto model = read_model(bytes.bytes);
  check_format(model);
  return ModelImport(model, TensorReader(bytes, folder, options.evaluation.bytes), options, std::string(file_name))
      .run();
}

ImportResult import_model(const std::filesystem::path& path, const ImportOptions& options) {
  const Buffer file = map_file(path).buffer;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  try {
    return import_model(file, folder, options, path.filename().string());
  } catch (Error& error) {
    throw error.at_place(path.string());
  }
}

std::string to_text(const ImportReport& report) {
  constexpr size_t kMostPlaces = 8;
  std::string text;
  for (const ImportFailure& failure : report.failures) {
    text += fmt::format("{} ({}x): {}\n", failure.op, failure.places.size(), failure.reason);
    const size_t shown = std::min(failure.places.size(), kMostPlaces);
    text += fmt::format("  at {}", fmt::join(failure.places.begin(),
                                             failure.places.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    if (shown < failure.places.size()) text += fmt::format(" and {} more", failure.places.size() - shown);
    text += '\n';
  }
  return text;
}

}  // namespace ingot::onnx
