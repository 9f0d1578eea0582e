#include "program/io/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "program/error.h"
#include "program/io/atomic_write.h"
#include "program/io/named_tensor.h"
#include "program/io/npy_header.h"

namespace ingot {

namespace {

Error wrong(std::string_view subject, std::string actual, std::string expected) {
  return Error::mismatch(Code::bad_file, "npy", subject, std::move(actual), std::move(expected));
}

// ---------------------------------------------------------------------------------------------------------- dtypes

struct RefusedKind {
  char kind;
  std::string_view name;
};

constexpr RefusedKind refused_kinds[] = {{'O', "object"}, {'S', "byte string"}, {'a', "byte string"}, {'U', "string"},
                                         {'V', "void"},   {'M', "datetime"},    {'m', "timedelta"}};

std::string_view name_of_refused(std::string_view code) {
  for (const RefusedKind& refused : refused_kinds) {
    if (code.starts_with(refused.kind)) return refused.name;
  }
  if (code == "c16") return "complex128";
  if (code == "f16") return "float128";
  return "unknown";
}

struct FileDType {
  const NpyDType* row;
  bool big_endian;
};

FileDType read_descr(const std::string& descr) {
  const bool has_order = !descr.empty() && std::string_view("<>|").find(descr[0]) != std::string_view::npos;
  const std::string_view code = std::string_view(descr).substr(has_order ? 1 : 0);
  const auto row = std::ranges::find(npy_dtypes, code, &NpyDType::code);
  if (row == std::end(npy_dtypes)) {
    throw Error::mismatch(Code::unsupported, "npy", "dtype",
                          fmt::format("{} ({})", quote(descr), name_of_refused(code)),
                          "a number of at most 64 bits or bool");
  }
  if (row->word > 1 && (!has_order || descr[0] == '|')) {
    throw wrong("dtype", quote(descr), "one with its byte order, '<' or '>'");
  }
  return {row, has_order && descr[0] == '>'};
}

// ---------------------------------------------------------------------------------------------------------- reading

struct Parts {
  std::string_view header;
  std::span<const std::byte> data;
};

// Where the header lies, from the first bytes of a file. Its length has 2 bytes in version 1 and 4 from version 2 on.
struct HeaderExtent {
  size_t at, bytes;
};

HeaderExtent header_extent(std::span<const std::byte> start) {
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  const size_t magic = kNpyMagic.size();
  if (!text.starts_with(kNpyMagic)) throw wrong("magic", quote(text.substr(0, magic)), quote(kNpyMagic));
  const size_t length_at = magic + 2;
  if (text.size() < length_at) throw wrong("file size", std::to_string(text.size()), "at least 10 bytes");
  const int major = std::to_integer<int>(start[magic]), minor = std::to_integer<int>(start[magic + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    throw Error::mismatch(Code::version, "npy", "version", fmt::format("{}.{}", major, minor), "1.0, 2.0 or 3.0");
  }
  const size_t width = major == 1 ? 2 : 4;
  if (text.size() - length_at < width) {
    throw wrong("file size", std::to_string(text.size()), fmt::format("at least {} bytes", length_at + width));
  }
  uint32_t length = 0;
  std::memcpy(&length, start.data() + length_at, width);
  return {length_at + width, length};
}

Parts split(std::span<const std::byte> file) {
  const auto [at, bytes] = header_extent(file);
  if (bytes > file.size() - at) {
    throw wrong("header length", std::to_string(bytes), fmt::format("at most {} (rest of the file)", file.size() - at));
  }
  return {{reinterpret_cast<const char*>(file.data()) + at, bytes}, file.subspan(at + bytes)};
}

void reverse_words(std::span<std::byte> bytes, size_t word) {
  for (size_t i = 0; i < bytes.size(); i += word) std::ranges::reverse(bytes.subspan(i, word));
}

// Copies column-major elements into row-major order.
void transpose(std::span<const std::byte> from, std::span<std::byte> to, Sizes sizes, size_t element) {
  std::erase(sizes, 1);  // a header may name a million of them, at a cost for every element
  std::vector<int64_t> index(sizes.size(), 0);
  for (size_t at = 0; at < to.size(); at += element) {
    int64_t offset = 0;
    for (size_t axis = sizes.size(); axis-- > 0;) offset = offset * sizes[axis] + index[axis];
    std::memcpy(&to[at], &from[static_cast<size_t>(offset) * element], element);
    for (size_t axis = sizes.size(); axis-- > 0 && ++index[axis] == sizes[axis];) index[axis] = 0;
  }
}

void check_length(const NpyHeader& header, DType dtype, size_t actual) {
  const auto wanted = static_cast<size_t>(byte_count(dtype, header.shape));
  if (actual == wanted) return;
  throw wrong("byte length of the elements", std::to_string(actual),
              fmt::format("{} ({}[{}])", wanted, to_string(dtype), fmt::join(header.shape, ", ")));
}

// The elements little-endian and row-major: as they are in the file, or a copy.
Buffer normalised(const NpyHeader& header, const FileDType& dtype, Buffer data) {
  const size_t element = static_cast<size_t>(bits(dtype.row->dtype)) / 8;
  if (header.fortran_order && header.shape.size() > 1) {
    Tensor copy = Tensor::allocate(dtype.row->dtype, header.shape);
    transpose(data.bytes, copy.mutable_bytes(), header.shape, element);
    data = copy.buffer();
  }
  if (dtype.big_endian && dtype.row->word > 1) {
    Tensor copy(dtype.row->dtype, header.shape, Buffer::copy_of(data.bytes));
    reverse_words(copy.mutable_bytes(), dtype.row->word);
    data = copy.buffer();
  }
  return data;
}

}  // namespace

size_t npy_header_end(std::span<const std::byte> start) {
  const auto [at, bytes] = header_extent(start);
  return at + bytes;
}

TensorType npy_type(std::span<const std::byte> start, uint64_t file_bytes) try {
  const Parts parts = split(start);
  const NpyHeader header = parse_npy_header(parts.header);
  const DType dtype = read_descr(header.descr).row->dtype;
  check_length(header, dtype, file_bytes - (start.size() - parts.data.size()));
  return {dtype, Shape(header.shape.begin(), header.shape.end()), {}};
} catch (Error& error) {
  error.in_op("npy");
  throw;
}

Tensor read_npy(const Buffer& file) try {
  const Parts parts = split(file.bytes);
  const NpyHeader header = parse_npy_header(parts.header);
  const FileDType dtype = read_descr(header.descr);
  check_length(header, dtype.row->dtype, parts.data.size());
  return tensor_from_file(dtype.row->dtype, header.shape, normalised(header, dtype, {file.owner, parts.data}));
} catch (Error& error) {
  error.in_op("npy");
  throw;
}

// ---------------------------------------------------------------------------------------------------------- writing

namespace {

const NpyDType& npy_dtype(DType dtype) {
  const auto row = std::ranges::find(npy_dtypes, dtype, &NpyDType::dtype);
  if (row != std::end(npy_dtypes)) return *row;
  throw Error(Code::unsupported,
              fmt::format("{} has no .npy dtype; write a .safetensors file instead", to_string(dtype)))
      .in_op("npy");
}

std::string dict_of(const Tensor& tensor) {
  const NpyDType& dtype = npy_dtype(tensor.dtype());
  return fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}", dtype.word == 1 ? '|' : '<',
                     dtype.code, fmt::join(tensor.sizes(), ", "), tensor.sizes().size() == 1 ? "," : "");
}

}  // namespace

std::string npy_prefix(const Tensor& tensor) {
  constexpr size_t kAlignment = 64;
  std::string dict = dict_of(tensor);
  for (const char major : {1, 2}) {
    const size_t width = major == 1 ? 2 : 4;
    const size_t fixed = kNpyMagic.size() + 2 + width;
    const size_t total = (fixed + dict.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
    const uint64_t length = total - fixed;
    if (length >> (8 * width) != 0) continue;
    std::string prefix(kNpyMagic);
    prefix += major;
    prefix += '\0';
    prefix.append(reinterpret_cast<const char*>(&length), width);
    prefix += dict;
    prefix.append(total - prefix.size() - 1, ' ');
    return prefix + '\n';
  }
  throw Error(Code::limit, fmt::format("a header of {} bytes does not fit into a .npy file", dict.size())).in_op("npy");
}

void write_npy(const std::filesystem::path& path, const Tensor& tensor) {
  const std::string prefix = npy_prefix(tensor);
  AtomicFile file(path);
  file.append(prefix);
  file.append(tensor.bytes());
  file.commit();
}

}  // namespace ingot
