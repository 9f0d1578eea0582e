// Params: tensors for the weights of a program, found by name and checked as a whole.
//
// Ownership  tensors share their bytes with the caller's, or with a mapped file.
// Threads    functions without shared state.
// Failure    one Error that names every tensor and weight with which something is wrong, with the code of the first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "program/io/named_tensor.h"
#include "program/program.h"

namespace ingot {

struct Param {
  WeightId weight;
  Tensor tensor;
};

// Throws Code::not_found for a tensor that no weight is named after, Code::type_mismatch for one that is not of the
// weight's type, Code::invalid_argument for one that is given twice, and Code::not_found for each of `needed` that is not
// among them.
std::vector<Param> params_of(const Program& program, const std::vector<NamedTensor>& tensors,
                             std::span<const WeightId> needed = {});

// The tensors of these safetensors files, in order. Throws what the reader of safetensors throws, with the file.
std::vector<NamedTensor> read_params(const std::vector<std::string>& files);

// Every weight that has no contents.
std::vector<WeightId> missing_weights(const Program& program);
// Makes the tensors the contents of their weights.
void fill_weights(Program& program, const std::vector<Param>& params);

}  // namespace ingot
