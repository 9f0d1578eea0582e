#include <fmt/format.h>

#include <algorithm>

#include "program/error.h"
#include "program/io/mapped_file.h"
#include "program/io/safetensors.h"
#include "runtime/arguments.h"
#include "runtime/session.h"

namespace ingot {

void Snapshot::save(const std::string& path) const {
  std::vector<NamedTensor> tensors;
  for (size_t i = 0; i < states_.size(); ++i) tensors.push_back({names_[i], states_[i]->to_host()});
  write_safetensors(path, tensors);
}

Snapshot Snapshot::load(const std::string& path, const Executable& executable) {
  const std::vector<NamedTensor> tensors = read_safetensors(map_file(path).buffer);
  Snapshot snapshot;
  snapshot.compiled_ = executable.compiled();
  for (const State& state : executable.program().states) {
    const auto found = std::ranges::find(tensors, state.name, &NamedTensor::name);
    if (found == tensors.end()) throw Error(Code::type_mismatch, fmt::format("{} has no state {}", path, state.name));
    check_type(fmt::format("state {} of {}", state.name, path), found->tensor, state.type);
    snapshot.names_.push_back(state.name);
    snapshot.states_.push_back(snapshot.compiled_->upload(found->tensor));
  }
  if (tensors.size() != snapshot.names_.size()) {
    throw Error(Code::type_mismatch, fmt::format("{} holds {} tensors, expected {} (one for each state)", path,
                                                 tensors.size(), snapshot.names_.size()));
  }
  return snapshot;
}

int64_t Snapshot::bytes() const {
  int64_t bytes = 0;
  for (const Handle& state : states_) bytes += byte_count(state->dtype(), state->sizes(), state->scheme());
  return bytes;
}

}  // namespace ingot
