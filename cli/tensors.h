// Tensors on the command line: read from flags and files, made at random, shown and written.
//
//   x=2x3xf32=1 2 3 4 5 6     inline, row-major; a scalar is `f32=1`
//   x=2x3xf32=random          random of that type
//   x=random                  random of the declared type; symbols from --size
//   x=@x.npy                  a file: .npy, or the tensor `x` of a .npz or .safetensors
//   @all.safetensors          every tensor of a .npz or .safetensors
//
// Failure    ingot::Error, with the flag in the message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/tensor_files.h"
#include "program/dim.h"
#include "program/io/named_tensor.h"
#include "program/io/npz.h"
#include "program/program.h"

namespace ingot::cli {

// What the specs of one command share.
struct SpecContext {
  const Graph* method = nullptr;  // for types that the spec leaves out
  Bindings sizes;                 // values of symbols, for random inputs
  uint64_t seed = 0;
  uint64_t max_bytes = NpzLimits{}.max_bytes;  // that a .npz may inflate to
};

// The tensors of one --input or --expect. What lies in a file is read when it is asked for.
std::vector<StoredTensor> open_spec(const std::string& spec, const SpecContext& context);

// `in1` and `out0` name by position where nothing has that name itself.
std::string by_position(const std::string& name, std::string_view prefix, const std::vector<std::string>& names);
std::vector<std::string> names_of(const std::vector<NamedTensor>& tensors);

// The file of `name=@file` or `@file`.
std::string output_path(const std::string& spec);
// Writes to `name=@file` or, for every output, `@file`; the ending of the file chooses the format.
void write_spec(const std::string& spec, const std::vector<NamedTensor>& outputs);

// `S=4` from --size, for a symbol of the program.
void bind_size(const std::string& flag, const Program& program, Bindings& into);

// `y: f32[2, 3]` and the values, row by row; long rows and many rows are cut with `…`.
std::string show(const NamedTensor& tensor);

// Uniform over a range that suits the dtype: reals are normal, integers 0 to 99 (or the dtype's largest), bool a coin.
// The same name, seed and type give the same values on every machine.
Tensor random_tensor(const TensorType& type, std::string_view name, uint64_t seed);

}  // namespace ingot::cli
