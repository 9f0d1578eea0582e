// PreparedCall: a method with its inputs and outputs bound by position, to be called again and again.
//
//   PreparedCall call = session.prepare("decode");
//   call.bind_input(0, token);                      // read anew by every call
//   call.bind_output(0, logits);                    // written by every call
//   for (;;) call();
//
// Names, types and sizes are settled when something is bound, not when it is called. Outputs that have no buffer of the
// caller lie in an arena of the call, at offsets that stay.
//
// Ownership  the caller keeps the memory of what it binds. A PreparedCall must not outlive its Session.
// Threads    as its Session: one thread at a time.
// Failure    as Session::run. Binding throws for a position that does not exist, a tensor of another type, and a buffer
//            that does not hold exactly the output.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "runtime/session.h"

namespace ingot {

class PreparedCall {
 public:
  void bind_input(size_t position, const Tensor& tensor);
  // What the output is then read from. Its size is checked by the first call that knows it.
  void bind_output(size_t position, std::span<std::byte> buffer);

  void operator()();

  // After a call, until the next one.
  const Tensor& output(size_t position) const;
  // Where each output lies in the arena; 0 for those with a buffer of the caller.
  const std::vector<size_t>& offsets() const { return offsets_; }

 private:
  friend class Session;
  PreparedCall(Session& session, const Graph& method);
  void settle_sizes();
  void place_outputs();
  const TensorType& output_type(size_t position) const { return method_.type(method_.outputs[position].value); }
  size_t output_bytes(size_t position, const Sizes& sizes) const;
  void check_buffer(size_t position, size_t bytes) const;
  void deliver(size_t position, const DeviceTensor& value);

  Session& session_;
  const Graph& method_;
  GraphId id_;
  std::vector<std::optional<Tensor>> inputs_;
  std::vector<std::span<std::byte>> buffers_;  // of the caller; empty: the arena
  bool sizes_known_ = false;
  Bindings bindings_;
  std::vector<Tensor> outputs_;  // views of the buffers and the arena
  std::vector<size_t> offsets_;
  std::vector<std::byte> arena_;
};

}  // namespace ingot
