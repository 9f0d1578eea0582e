// PreparedCall: a method with its inputs and outputs bound by position, to be called again and again.
//
//   PreparedCall call = session.prepare("decode");
//   call.bind_input(0, token);                      // read anew by every call
//   call.bind_output(0, logits);                    // written by every call
//   for (;;) call();
//
// Names and types are settled when something is bound, sizes when one of them is new; where MLX replays the whole
// method, a call like the one before allocates only what MLX itself does. An input that is not bound here comes from
// the Session (`bind`, `feed`). Outputs that have no buffer of the caller lie in an arena of the call, at offsets that
// stay while the sizes do, and are known as soon as those are; one whose size data decide lies elsewhere. The active
// extent is that of the Session when the call is prepared; inputs that have rows are then bound here, or with as many
// rows.
//
// Ownership  the caller keeps the memory of what it binds. Shares the Session's state, also when that has gone or moved.
// Threads    as its Session: one thread at a time for both.
// Failure    as Session::run; Code::misuse for one that was moved from. Binding throws for a position that does not
//            exist and a tensor of another type; a call for a buffer that does not hold exactly the output, and then
//            changes nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/session.h"

namespace ingot {

class PreparedCall {
 public:
  PreparedCall(PreparedCall&&) noexcept;  // outputs are views of the arena: no copies
  ~PreparedCall();

  void bind_input(size_t position, const Tensor& tensor);
  // What the output is then read from; its size is checked by every call. An empty one stands for the arena. No two may
  // overlap.
  void bind_output(size_t position, std::span<std::byte> buffer);

  void operator()();

  // After a call that went well, until the next one.
  const Tensor& output(size_t position) const;
  // Where each output lies in the arena, in bytes; 0 for those with a buffer of the caller. Like `arena` it needs the sizes of
  // all inputs: bound here, bound in the Session, or declared as literals. Code::misuse where one is open.
  const std::vector<size_t>& offsets();
  // The memory of the outputs; stays where it is while the sizes of inputs stay what they are.
  std::span<const std::byte> arena();

 private:
  friend class Session;
  PreparedCall(Session& session, const std::string& method);
  // Throws where it was moved from.
  void check() const;
  Tensor rows_of(size_t position, const Tensor& tensor) const;
  Handle from_session(size_t position) const;
  void settle_sizes(std::vector<Sizes> sizes);
  void settle_known_sizes();
  // None where it is not known yet.
  std::optional<Sizes> known_input_sizes(size_t position) const;
  void settle_feeds();
  void place_outputs();
  void resize_arena(size_t bytes);
  // An input bound here, on the device.
  Handle uploaded(size_t position, Handle instead);
  size_t output_bytes(size_t position, const Sizes& sizes) const;
  void check_buffer(size_t position, size_t bytes) const;
  // Makes an output a view of its place.
  void show(size_t position, const Sizes& sizes);
  void deliver(size_t position, const DeviceTensor& value);

  Executable executable_;
  std::shared_ptr<Session::Data> data_;
  std::shared_ptr<const ActiveExtent> active_;  // of the Session when it was prepared, where it applies
  int64_t active_rows_ = 0;
  std::unique_ptr<const Callee> callee_;
  const Graph& method_;  // the callee's
  std::unique_ptr<Invocation> call_;
  std::vector<TensorType> output_types_;  // as the caller sees them
  std::vector<std::optional<Tensor>> inputs_;
  std::vector<size_t> session_inputs_;  // where the Session has each of them
  uint64_t feed_changes_ = 0;           // of the Session, as far as these are settled:
  std::vector<Fed> fed_;
  std::vector<std::span<std::byte>> buffers_;  // of the caller; empty: the arena
  bool settled_ = false;                       // all below, for inputs of these sizes:
  std::vector<Sizes> sizes_;
  bool called_ = false;             // and nothing failed
  std::vector<Tensor> outputs_;     // views of the buffers and the arena
  std::vector<std::byte*> places_;  // where they lie; none where data decide the size
  std::vector<size_t> offsets_;
  std::vector<std::byte> arena_;
};

}  // namespace ingot
