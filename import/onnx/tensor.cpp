#include "import/onnx/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "import/onnx/unsupported.h"
#include "import/onnx/wire.h"
#include "program/io/mapped_file.h"
#include "program/io/named_tensor.h"

namespace ingot::onnx {
namespace {

// ---------------------------------------------------------------------------------------------------------- dtypes

// The field of TensorProto that holds elements of a dtype when they are not raw.
enum class Field { float_data = 4, int32_data = 5, int64_data = 7, double_data = 10, uint64_data = 11 };

struct DTypeRow {
  std::string_view name;  // in onnx.proto
  std::optional<DType> dtype;
  Field field = Field::int32_data;
};

// By the number of onnx.proto.
constexpr DTypeRow dtype_rows[] = {
    {"UNDEFINED", {}},
    {"FLOAT", DType::f32, Field::float_data},
    {"UINT8", DType::u8},
    {"INT8", DType::i8},
    {"UINT16", DType::u16},
    {"INT16", DType::i16},
    {"INT32", DType::i32},
    {"INT64", DType::i64, Field::int64_data},
    {"STRING", {}},
    {"BOOL", DType::bool_},
    {"FLOAT16", DType::f16},
    {"DOUBLE", DType::f64, Field::double_data},
    {"UINT32", DType::u32, Field::uint64_data},
    {"UINT64", DType::u64, Field::uint64_data},
    {"COMPLEX64", DType::c64, Field::float_data},
    {"COMPLEX128", {}},
    {"BFLOAT16", DType::bf16},
    {"FLOAT8E4M3FN", DType::f8e4m3},
    {"FLOAT8E4M3FNUZ", {}},
    {"FLOAT8E5M2", DType::f8e5m2},
    {"FLOAT8E5M2FNUZ", {}},
    {"UINT4", DType::u4},
    {"INT4", DType::i4},
    {"FLOAT4E2M1", DType::f4e2m1},
    {"FLOAT8E8M0", DType::f8e8m0},
    {"UINT2", DType::u2},
    {"INT2", DType::i2},
    {"FLOAT6E2M3", {}},
    {"FLOAT6E3M2", {}},
};

const DTypeRow* find_row(int32_t data_type) {
  const bool known = data_type >= 0 && static_cast<size_t>(data_type) < std::size(dtype_rows);
  return known ? &dtype_rows[data_type] : nullptr;
}

// ---------------------------------------------------------------------------------------------------------- errors

std::string subject(const TensorProto& proto) { return fmt::format("tensor {}", quote(proto.name)); }

std::string described(DType dtype, const Sizes& sizes) {
  return to_string(TensorType{dtype, Shape(sizes.begin(), sizes.end()), {}});
}

[[noreturn]] void refuse(const TensorProto& proto, std::string_view what, std::string actual, std::string expected) {
  throw Error::mismatch(Code::bad_file, "", fmt::format("{} of {}", what, subject(proto)), std::move(actual),
                        std::move(expected));
}

Sizes sizes_of(const TensorProto& proto, std::span<const int64_t> dims) {
  for (const int64_t dim : dims) {
    if (dim < 0) refuse(proto, "a size", fmt::format("{}", dim), "0 or more");
  }
  return {dims.begin(), dims.end()};
}

// ------------------------------------------------------------------------------------------------------ typed data

// Writes elements one after the other, each as the low `width` bytes of a word.
class Filler {
 public:
  Filler(Tensor& tensor, size_t width) : bytes_(tensor.mutable_bytes()), width_(width) {}

  // Precondition: the count was checked.
  void put(uint64_t word) {
    std::memcpy(bytes_.data() + at_, &word, width_);
    at_ += width_;
  }

 private:
  std::span<std::byte> bytes_;
  size_t width_;
  size_t at_ = 0;
};

// f(bits of the element) for every element of a typed field.
template <class F>
void each_element(const TensorProto& proto, Field field, F f) {
  Budget budget(0);
  const Place place{nullptr, "the tensor", {}};
  Message m(proto.message, place, budget);
  while (m.next()) {
    if (m.tag() != static_cast<uint32_t>(field)) {
      m.skip();
    } else if (field == Field::float_data) {
      m.each_real([&](float x) { f(std::bit_cast<uint32_t>(x)); });
    } else if (field == Field::double_data) {
      m.each_wide_real([&](double x) { f(std::bit_cast<uint64_t>(x)); });
    } else {
      m.each_integer([&](int64_t x) { f(static_cast<uint64_t>(x)); });
    }
  }
}

// Bytes that one element of the typed field stands for: c64 is two of them, 4-bit elements share one.
size_t width_of(DType dtype) {
  if (dtype == DType::c64) return 4;
  return bits(dtype) < 8 ? 1 : static_cast<size_t>(bits(dtype)) / 8;
}

Tensor typed(const TensorProto& proto, DType dtype, Sizes sizes, Field field) {
  const auto wanted = static_cast<uint64_t>(byte_count(dtype, sizes)) / width_of(dtype);
  uint64_t count = 0;
  each_element(proto, field, [&](uint64_t) { ++count; });
  if (count != wanted) {
    refuse(proto, "the number of elements", fmt::format("{}", count),
           fmt::format("{} for {}", wanted, described(dtype, sizes)));
  }
  Tensor tensor = Tensor::allocate(dtype, std::move(sizes));
  Filler filler(tensor, width_of(dtype));
  const bool is_bool = dtype == DType::bool_;
  each_element(proto, field, [&](uint64_t word) { filler.put(is_bool ? word != 0 : word); });
  return tensor;
}

// ------------------------------------------------------------------------------------------------------------- raw

Tensor raw(const TensorProto& proto, DType dtype, Sizes sizes, Buffer bytes, std::string_view what) {
  const auto wanted = static_cast<uint64_t>(byte_count(dtype, sizes));
  if (bytes.bytes.size() != wanted) {
    refuse(proto, what, fmt::format("{} bytes", bytes.bytes.size()),
           fmt::format("{} bytes for {}", wanted, described(dtype, sizes)));
  }
  try {
    return view_from_file(dtype, std::move(sizes), std::move(bytes));
  } catch (Error& error) {
    throw error.at_place(subject(proto));
  }
}

// An entry of external_data that is a number.
uint64_t number(const TensorProto& proto, const StringStringEntryProto& entry) {
  uint64_t value = 0;
  const char* end = entry.value.data() + entry.value.size();
  const auto [stop, error] = std::from_chars(entry.value.data(), end, value);
  if (error == std::errc() && stop == end) return value;
  refuse(proto, fmt::format("the {} of external data", entry.key), quote(entry.value), "a number of bytes");
}

struct ExternalRange {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};

ExternalRange external_range(const TensorProto& proto) {
  ExternalRange range;
  for (const StringStringEntryProto& entry : proto.external_data) {
    if (entry.key == "location") range.location = entry.value;
    if (entry.key == "offset") range.offset = number(proto, entry);
    if (entry.key == "length") range.length = number(proto, entry);
  }
  return range;
}

// --------------------------------------------------------------------------------------------------------- sparse

// The position of value number i: a linear index, or a row of coordinates.
int64_t position(const TensorProto& proto, std::span<const int64_t> indices, size_t i, const Sizes& sizes,
                 bool linear) {
  const int64_t elements = element_count(sizes);
  int64_t at = linear ? indices[i] : 0;
  for (size_t axis = 0; !linear && axis < sizes.size(); ++axis) {
    const int64_t index = indices[i * sizes.size() + axis];
    if (index < 0 || index >= sizes[axis]) refuse(proto, "an index", fmt::format("{}", index), "a place in the tensor");
    at = at * sizes[axis] + index;
  }
  if (at < 0 || at >= elements) refuse(proto, "an index", fmt::format("{}", at), "a place in the tensor");
  return at;
}

}  // namespace

std::optional<DType> find_dtype(int32_t data_type) {
  const DTypeRow* row = find_row(data_type);
  return row ? row->dtype : std::nullopt;
}

DType dtype_of(int32_t data_type) {
  if (const auto dtype = find_dtype(data_type)) return *dtype;
  const DTypeRow* row = find_row(data_type);
  throw Unsupported(fmt::format("there is no dtype {}", row ? std::string(row->name) : fmt::format("{}", data_type)));
}

int32_t data_type_of(DType dtype) {
  const auto* row = std::ranges::find(dtype_rows, std::optional(dtype), &DTypeRow::dtype);
  return static_cast<int32_t>(row - std::begin(dtype_rows));
}

TensorReader::TensorReader(Buffer model, std::filesystem::path folder, int64_t dense_bytes)
    : model_(std::move(model)), files_(std::move(folder)), dense_bytes_(dense_bytes) {}

Tensor TensorReader::read(const TensorProto& proto) {
  const auto found = decoded_.find(proto.message.data());
  return found != decoded_.end() ? found->second : decoded_[proto.message.data()] = decode(proto);
}

Tensor TensorReader::read(const SparseTensorProto& proto) {
  const auto found = dense_.find(proto.values.message.data());
  return found != dense_.end() ? found->second : dense_[proto.values.message.data()] = decode(proto);
}

Tensor TensorReader::decode(const TensorProto& proto) {
  if (proto.segmented) throw Unsupported(fmt::format("{} is stored in segments", subject(proto)));
  const DType dtype = dtype_of(proto.data_type);
  Sizes sizes = sizes_of(proto, proto.dims);
  if (proto.data_location == 1) return external(proto, dtype, std::move(sizes));
  if (proto.raw_data) {
    const Buffer bytes{model_.owner, std::as_bytes(std::span(*proto.raw_data))};
    return raw(proto, dtype, std::move(sizes), bytes, "raw_data");
  }
  return typed(proto, dtype, std::move(sizes), find_row(proto.data_type)->field);
}

Tensor TensorReader::external(const TensorProto& proto, DType dtype, Sizes sizes) {
  const ExternalRange range = external_range(proto);
  Buffer& file = mapped_[range.location];
  if (!file.bytes.data()) {
    try {
      file = map_file(files_.path(range.location)).buffer;
    } catch (Error& error) {
      throw error.at_place(subject(proto));
    }
  }
  const auto wanted = static_cast<uint64_t>(byte_count(dtype, sizes));
  const uint64_t length = range.length.value_or(wanted);
  if (range.offset > file.bytes.size() || length > file.bytes.size() - range.offset) {
    refuse(proto, fmt::format("the external file {}", quote(range.location)),
           fmt::format("{} bytes", file.bytes.size()), fmt::format("{} bytes from byte {} on", length, range.offset));
  }
  return raw(proto, dtype, std::move(sizes), {file.owner, file.bytes.subspan(range.offset, length)}, "external data");
}

Tensor TensorReader::decode(const SparseTensorProto& proto) {
  const Tensor values = read(proto.values), indices = read(proto.indices).aligned();
  const Sizes sizes = sizes_of(proto.values, proto.dims);
  const int64_t bytes = byte_count(values.dtype(), sizes);
  if (bits(values.dtype()) < 8) throw Unsupported(fmt::format("sparse {} is packed", subject(proto.values)));
  if (bytes > dense_bytes_) {
    throw Unsupported(fmt::format("sparse {} takes {} bytes as a dense one, expected at most {}", subject(proto.values),
                                  bytes, dense_bytes_));
  }
  const bool linear = indices.sizes().size() == 1;
  const auto count = static_cast<uint64_t>(values.elements());
  const uint64_t wanted = linear ? count : count * sizes.size();
  if (static_cast<uint64_t>(indices.elements()) != wanted) {
    refuse(proto.indices, "the number of elements", fmt::format("{}", indices.elements()), fmt::format("{}", wanted));
  }
  dense_bytes_ -= bytes;
  Tensor dense = Tensor::allocate(values.dtype(), sizes);
  const std::span<std::byte> out = dense.mutable_bytes();
  std::fill(out.begin(), out.end(), std::byte{0});
  const size_t width = static_cast<size_t>(bits(values.dtype())) / 8;
  for (size_t i = 0; i < count; ++i) {
    const int64_t at = position(proto.indices, indices.as<int64_t>(), i, sizes, linear);
    std::memcpy(out.data() + static_cast<size_t>(at) * width, values.bytes().data() + i * width, width);
  }
  return dense;
}

}  // namespace ingot::onnx
