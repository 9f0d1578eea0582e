#include "program/params.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "program/error.h"
#include "program/io/mapped_file.h"
#include "program/io/safetensors.h"
#include "program/text/suggest.h"

namespace ingot {
namespace {

class Matching {
 public:
  explicit Matching(const Program& program) : program_(program) {
    for (uint32_t i = 0; i < program.weights.size(); ++i) {
      names_.push_back(program.weights[i].name);
      by_name_.emplace(names_.back(), WeightId{i});
    }
  }

  void add(const NamedTensor& named) {
    try {
      const WeightId id = find(named.name);
      if (!given_.insert(id).second) {
        throw Error(Code::invalid_argument, fmt::format("parameter {} is given twice", named.name));
      }
      check(named, program_.weights[id.id]);
      params_.push_back({id, named.tensor});
    } catch (const Error& error) {
      errors_.push_back(error);
    }
  }

  void require(std::span<const WeightId> needed) {
    std::vector<std::string> absent;
    for (const WeightId id : needed) {
      const Weight& weight = program_.weights[id.id];
      if (!given_.contains(id)) absent.push_back(fmt::format("{}: {}", weight.name, to_string(weight.type)));
    }
    if (absent.empty()) return;
    errors_.emplace_back(Code::not_found,
                         fmt::format("there is no tensor for the {} {}",
                                     absent.size() == 1 ? "parameter" : "parameters", fmt::join(absent, ", ")));
  }

  // All errors as one.
  std::vector<Param> result() && {
    if (errors_.empty()) return std::move(params_);
    if (errors_.size() == 1) throw errors_.front();
    std::vector<std::string> sentences;
    for (const Error& error : errors_) sentences.push_back(error.message());
    throw Error(errors_.front().code(), fmt::format("{}", fmt::join(sentences, "; ")));
  }

 private:
  WeightId find(const std::string& name) const {
    if (const auto found = by_name_.find(name); found != by_name_.end()) return found->second;
    throw Error(Code::not_found, fmt::format("there is no parameter {}{}", name, did_you_mean(name, names_)));
  }

  static void check(const NamedTensor& named, const Weight& weight) {
    const std::string subject = fmt::format("parameter {}", named.name);
    const TensorType type = named.tensor.type();
    if (type != weight.type) {
      throw Error::mismatch(Code::type_mismatch, "", subject, to_string(type), to_string(weight.type));
    }
    if (type.dtype == DType::bool_) check_bools(Code::invalid_argument, subject, named.tensor.bytes());
  }

  const Program& program_;
  std::vector<std::string_view> names_;
  std::unordered_map<std::string_view, WeightId> by_name_;
  std::set<WeightId> given_;
  std::vector<Param> params_;
  std::vector<Error> errors_;
};

}  // namespace

std::vector<Param> params_of(const Program& program, const std::vector<NamedTensor>& tensors,
                             std::span<const WeightId> needed) {
  Matching matching(program);
  for (const NamedTensor& tensor : tensors) matching.add(tensor);
  matching.require(needed);
  return std::move(matching).result();
}

std::vector<NamedTensor> read_params(const std::vector<std::string>& files) {
  std::vector<NamedTensor> tensors;
  for (const std::string& file : files) {
    try {
      std::ranges::move(read_safetensors(map_file(file).buffer), std::back_inserter(tensors));
    } catch (Error& error) {
      throw error.at_place(file);
    }
  }
  return tensors;
}

std::vector<WeightId> missing_weights(const Program& program) {
  std::vector<WeightId> missing;
  for (uint32_t i = 0; i < program.weights.size(); ++i) {
    if (program.weights[i].is_missing()) missing.push_back({i});
  }
  return missing;
}

void fill_weights(Program& program, const std::vector<Param>& params) {
  for (const auto& [id, tensor] : params) {
    std::string name = std::move(program.weights[id.id].name);
    program.weights[id.id] = Weight::of(std::move(name), tensor, content_hash(tensor));
  }
}

}  // namespace ingot
