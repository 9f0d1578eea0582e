#include "cli/tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "program/error.h"
#include "program/io/npy.h"
#include "program/io/npz.h"
#include "program/io/safetensors.h"
#include "program/text.h"

namespace ingot::cli {
namespace {

[[noreturn]] void refuse(std::string_view spec, std::string message) {
  throw Error(Code::invalid_argument, fmt::format("{}: {}", spec, message));
}

std::string extension(const std::string& path) { return std::filesystem::path(path).extension().string(); }

std::vector<StoredTensor> open_archive(const std::string& path, uint64_t max_bytes) {
  std::vector<StoredTensor> tensors = open_tensors(path, max_bytes);
  if (extension(path) != ".npy") return tensors;
  refuse(path, "the file is no .npz or .safetensors, expected one with named tensors");
}

StoredTensor open_file(const std::string& path, const std::string& name, uint64_t max_bytes) {
  for (StoredTensor& tensor : open_tensors(path, max_bytes)) {
    if (tensor.name == name || extension(path) == ".npy") return {name, tensor.type, tensor.read};
  }
  throw Error(Code::not_found, fmt::format("{} has no tensor '{}'", path, name));
}

StoredTensor stored(const std::string& name, const Tensor& tensor) {
  return {name, tensor.type(), [tensor] { return tensor; }};
}

// `2x3xf32`; a scalar is the dtype alone.
TensorType parse_type(std::string_view text, std::string_view spec) {
  TensorType type;
  while (true) {
    const size_t x = text.find('x');
    int64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + std::min(x, text.size()), size);
    if (x == std::string_view::npos || error != std::errc() || end != text.data() + x) break;
    if (size < 0) refuse(spec, fmt::format("a size is {}, expected at least 0", size));
    type.shape.emplace_back(size);
    text.remove_prefix(x + 1);
  }
  const auto dtype = parse_enum<DType>(text);
  if (!dtype || *dtype == DType::packed)
    refuse(spec, fmt::format("'{}' is no dtype, expected sizes and a dtype such as 2x3xf32", text));
  type.dtype = *dtype;
  return type;
}

// Commas between numbers that blanks separate, none inside parentheses or beside one that is there.
std::string as_list(std::string_view values) {
  std::string list = "[";
  int depth = 0;
  bool gap = false;
  for (char c : values) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == ',';
    if (blank && depth == 0) {
      gap = list.size() > 1;
      continue;
    }
    if (gap) list += ", ";
    gap = false;
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    list += c;
  }
  return list + "]";
}

Tensor draw(const TensorType& type, const std::string& name, std::string_view spec, uint64_t seed) {
  try {
    return random_tensor(type, name, seed);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", spec, error.message()));
  }
}

Tensor read_inline(std::string_view text, const std::string& name, std::string_view spec, uint64_t seed) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) refuse(spec, "expected NAME=TYPE=VALUES, NAME=@FILE or NAME=random");
  const TensorType type = parse_type(text.substr(0, equals), spec);
  const std::string_view values = text.substr(equals + 1);
  if (values == "random") return draw(type, name, spec, seed);
  try {
    return parse_contents(as_list(values), type);
  } catch (const Error& error) {
    refuse(spec, error.message());
  }
}

TensorType declared_type(const std::string& name, const SpecContext& context, std::string_view spec) {
  if (!context.method) refuse(spec, "expected a type before random");
  const Graph& graph = *context.method;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const Value& value = graph.values[graph.inputs[i].id];
    if (value.name != name && name != fmt::format("in{}", i)) continue;
    TensorType type = value.type;
    for (Dim& dim : type.shape) {
      dim = substitute(dim, context.sizes);
      if (!dim.is_literal()) refuse(spec, fmt::format("the size {} is open, say --size", to_string(dim)));
    }
    return type;
  }
  refuse(spec, fmt::format("method '{}' has no input '{}'", graph.name, name));
}

constexpr int64_t kShownRows = 8, kShownColumns = 12;

// The first elements of a tensor, as text. `count` must end on a byte, or be all.
std::vector<std::string> element_texts(const Tensor& tensor, int64_t start, int64_t count) {
  const int64_t width = bits(tensor.dtype());
  const auto bytes =
      tensor.bytes().subspan(static_cast<size_t>(start * width / 8), static_cast<size_t>((count * width + 7) / 8));
  const std::string text = print_contents(Tensor(tensor.dtype(), {count}, Buffer{tensor.buffer().owner, bytes}));
  if (!text.starts_with('[')) return {text};
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : std::string_view(text).substr(1, text.size() - 2)) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else if (c != ' ' || depth > 0)
      parts.back() += c;
  }
  return parts;
}

std::string show_values(const Tensor& tensor) {
  const int64_t columns = tensor.sizes().empty() ? 1 : tensor.sizes().back();
  const int64_t rows = tensor.elements() / std::max<int64_t>(columns, 1);
  const bool aligned = columns * bits(tensor.dtype()) % 8 == 0;
  std::string out;
  for (int64_t row = 0; row < std::min(aligned ? rows : 1, kShownRows); ++row) {
    const int64_t shown = std::min(columns, kShownColumns);
    out += fmt::format("  {}{}\n", fmt::join(element_texts(tensor, row * columns, shown), " "),
                       shown < columns ? " …" : "");
  }
  if (rows > kShownRows) out += "  …\n";
  return out;
}

}  // namespace

std::vector<StoredTensor> open_spec(const std::string& spec, const SpecContext& context) {
  if (spec.starts_with('@')) return open_archive(spec.substr(1), context.max_bytes);
  const size_t equals = spec.find('=');
  if (equals == std::string::npos || equals == 0)
    refuse(spec, "expected NAME=TYPE=VALUES, NAME=@FILE, NAME=random or @FILE");
  const std::string name = spec.substr(0, equals), value = spec.substr(equals + 1);
  if (value.starts_with('@')) return {open_file(value.substr(1), name, context.max_bytes)};
  if (value == "random") return {stored(name, draw(declared_type(name, context, spec), name, spec, context.seed))};
  return {stored(name, read_inline(value, name, spec, context.seed))};
}

std::string by_position(const std::string& name, std::string_view prefix, const std::vector<std::string>& names) {
  if (std::ranges::find(names, name) != names.end()) return name;
  for (size_t i = 0; i < names.size(); ++i) {
    if (name == fmt::format("{}{}", prefix, i)) return names[i];
  }
  return name;
}

std::vector<std::string> names_of(const std::vector<NamedTensor>& tensors) {
  std::vector<std::string> names;
  for (const NamedTensor& tensor : tensors) names.push_back(tensor.name);
  return names;
}

static size_t name_end(const std::string& spec) {
  const size_t at = spec.starts_with('@') ? 0 : spec.find("=@");
  if (at == std::string::npos) refuse(spec, "expected NAME=@FILE or @FILE");
  return at;
}

std::string output_path(const std::string& spec) {
  const size_t at = name_end(spec);
  return spec.substr(at == 0 ? 1 : at + 2);
}

void write_spec(const std::string& spec, const std::vector<NamedTensor>& outputs) {
  const size_t at = name_end(spec);
  const std::string path = output_path(spec);
  const std::string name = by_position(spec.substr(0, at), "out", names_of(outputs));
  std::vector<NamedTensor> chosen = outputs;
  if (at != 0) std::erase_if(chosen, [&](const NamedTensor& tensor) { return tensor.name != name; });
  if (chosen.empty()) throw Error(Code::not_found, fmt::format("{}: there is no output '{}'", spec, name));
  if (extension(path) == ".safetensors") return write_safetensors(path, chosen);
  if (extension(path) == ".npz") return write_npz(path, chosen);
  if (extension(path) != ".npy") refuse(spec, "expected a file that ends in .npy, .npz or .safetensors");
  if (chosen.size() != 1) refuse(spec, fmt::format("a .npy holds one tensor, there are {} outputs", chosen.size()));
  write_npy(path, chosen.front().tensor);
}

void bind_size(const std::string& flag, const Program& program, Bindings& into) {
  const size_t equals = flag.find('=');
  int64_t size = 0;
  const char* end = flag.data() + flag.size();
  const char* begin = equals == std::string::npos ? end : flag.data() + equals + 1;
  const auto [stop, error] = std::from_chars(begin, end, size);
  const bool number = error == std::errc() && stop == end;
  if (!number) refuse(flag, "expected SYMBOL=NUMBER, the number of 64 bits");
  for (const Symbol& symbol : program.symbols) {
    if (symbol.name() == flag.substr(0, equals)) return into.bind(symbol, size);
  }
  refuse(flag, "the program has no such symbol");
}

std::string show(const NamedTensor& named) {
  const Tensor& tensor = named.tensor;
  const std::string head = fmt::format("{}: {}\n", named.name, to_string(tensor.type()));
  if (tensor.dtype() == DType::packed) return head + fmt::format("  {} bytes\n", tensor.bytes().size());
  return tensor.elements() == 0 ? head + "  empty\n" : head + show_values(tensor);
}

}  // namespace ingot::cli
