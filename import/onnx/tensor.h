// TensorReader: tensors of an ONNX file as Ingot's.
//
// Ownership  tensors view the file, or the mapped file of external data, wherever the bytes are aligned for their dtype,
//            and keep it alive; typed fields and misaligned bytes are copied.
// Threads    one thread at a time.
// Failure    Code::bad_file with the name of the tensor: lengths that contradict the sizes, names of external files that
//            lead out of the folder; Code::not_found for a missing file; Unsupported for dtypes that Ingot has not.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "import/onnx/model.h"
#include "program/file/external.h"

namespace ingot::onnx {

// onnx.proto's TensorProto.DataType. Throws Unsupported with the name of a dtype that Ingot has not.
DType dtype_of(int32_t data_type);
// None where Ingot has no such dtype.
std::optional<DType> find_dtype(int32_t data_type);
// The other way. Precondition: not packed.
int32_t data_type_of(DType dtype);

// Dtypes that Ingot has not and Cast knows: tensors of them are their bits, u8.
enum : int32_t { kFloat8E4M3FnUz = 18, kFloat8E5M2FnUz = 20 };
inline bool is_coded(int32_t data_type) { return data_type == kFloat8E4M3FnUz || data_type == kFloat8E5M2FnUz; }

class TensorReader {
 public:
  // `model` holds the bytes that the protos view. An empty folder: no external data. All sparse tensors together may
  // take so many bytes.
  TensorReader(Buffer model, std::filesystem::path folder, int64_t dense_bytes = int64_t{256} << 20);

  // Each tensor is decoded once, however often it is read.
  Tensor read(const TensorProto& proto);
  // As a dense tensor.
  Tensor read(const SparseTensorProto& proto);

 private:
  Tensor decode(const TensorProto& proto);
  Tensor decode(const SparseTensorProto& proto);
  Tensor external(const TensorProto& proto, DType dtype, Sizes sizes);

  Buffer model_;
  file::ExternalFiles files_;
  int64_t dense_bytes_;
  std::map<std::string, Buffer> mapped_;
  std::unordered_map<const char*, Tensor> decoded_, dense_;  // by where the message lies in the file
};

}  // namespace ingot::onnx
