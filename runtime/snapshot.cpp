#include <fmt/format.h>

#include <utility>

#include "program/error.h"
#include "program/io/mapped_file.h"
#include "program/io/safetensors.h"
#include "runtime/arguments.h"
#include "runtime/session.h"

namespace ingot {
namespace {

// Under which a file's metadata has the type of a state that the file holds as bytes.
std::string type_key(const std::string& state) { return "type of state " + state; }

Tensor bytes_of(const Tensor& tensor) {
  return Tensor(DType::u8, {static_cast<int64_t>(tensor.bytes().size())}, tensor.buffer());
}

// A state that the file holds as bytes of the type that its metadata says.
Tensor from_bytes(const std::string& subject, const Tensor& bytes, const std::string& said, const TensorType& type) {
  if (said != to_string(type)) throw Error::mismatch(Code::type_mismatch, "", subject, said, to_string(type));
  const Sizes sizes = *literal_sizes(type.shape);
  if (fits_safetensors(type.dtype, sizes)) {
    throw Error(Code::bad_file,
                fmt::format("{} is {} as its metadata says, which is not stored as bytes", subject, said));
  }
  const int64_t count = byte_count(type.dtype, sizes, type.scheme);
  if (bytes.dtype() != DType::u8 || bytes.sizes() != Sizes{count}) {
    throw Error::mismatch(Code::bad_file, "", "the contents of " + subject, to_string(bytes.type()),
                          fmt::format("u8[{}] ({} as its metadata says)", count, said));
  }
  return Tensor(type.dtype, sizes, bytes.buffer(), type.scheme);
}

SafetensorsIndex index_of(const std::string& path) {
  try {
    return SafetensorsIndex(map_file(path).buffer);
  } catch (Error& error) {
    throw error.at_place(path);
  }
}

}  // namespace

void Snapshot::check() const {
  if (!compiled_) throw Error(Code::misuse, "the snapshot is empty, expected one that a session has taken");
}

void Snapshot::save(const std::string& path) const {
  check();
  std::vector<NamedTensor> tensors;
  SafetensorsMetadata types;
  for (size_t i = 0; i < states_.size(); ++i) {
    Tensor state = states_[i]->to_host();
    if (!fits_safetensors(state.dtype(), state.sizes())) {
      types.emplace(type_key(names_[i]), to_string(state.type()));
      state = bytes_of(state);
    }
    tensors.push_back({names_[i], std::move(state)});
  }
  write_safetensors(path, tensors, types);
}

Snapshot Snapshot::load(const std::string& path, const Executable& executable) {
  const SafetensorsIndex index = index_of(path);
  Snapshot snapshot;
  snapshot.compiled_ = executable.compiled();
  for (const State& state : executable.program().states) {
    if (!index.find(state.name)) {
      throw Error(Code::type_mismatch, fmt::format("{} has no state {}", path, state.name));
    }
    const std::string subject = fmt::format("state {} of {}", state.name, path);
    Tensor contents = index.tensor(state.name);
    const auto said = index.metadata().find(type_key(state.name));
    if (said != index.metadata().end()) contents = from_bytes(subject, contents, said->second, state.type);
    check_type(subject, contents, state.type);
    snapshot.names_.push_back(state.name);
    snapshot.states_.push_back(snapshot.compiled_->upload(contents));
  }
  if (index.entries().size() != snapshot.names_.size()) {
    throw Error(Code::type_mismatch, fmt::format("{} holds {} tensors, expected {} (one for each state)", path,
                                                 index.entries().size(), snapshot.names_.size()));
  }
  return snapshot;
}

int64_t Snapshot::bytes() const {
  check();
  int64_t bytes = 0;
  for (const Handle& state : states_) bytes += byte_count(state->dtype(), state->sizes(), state->scheme());
  return bytes;
}

}  // namespace ingot
