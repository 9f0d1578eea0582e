// Future: the outcome of a call that another thread makes.
//
//   Future call = session.submit({{"x", x}});
//   ...                                            // host work beside it
//   std::vector<NamedTensor> outputs = call.result();
//
// Ownership  a handle; copies share one outcome. One that is dropped leaves its call alone.
// Threads    every method from any thread.
// Failure    Code::misuse for one that was moved from. `result` throws what the call threw, as often as it is asked;
//            `error` gives it as a value. A call that was cancelled before it was done fails with Code::cancelled, and
//            leaves the Session's state as it was, unless it had begun to write that in place: then it ends as if
//            nobody had asked.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "program/error.h"
#include "program/io/named_tensor.h"

namespace ingot {

class Future {
 public:
  void wait() const;
  // Whether it was done within that time.
  bool wait_for(std::chrono::nanoseconds time) const;
  bool ready() const;
  // Waits. The outputs in the order of the method.
  std::vector<NamedTensor> result() const;
  // Waits. None where the call went well.
  std::optional<Error> error() const;
  // Asks the call to stop before its next node. What is done already stays done.
  void cancel() const;

 private:
  friend class Session;
  struct Shared;
  Shared& shared() const;
  explicit Future(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  std::shared_ptr<Shared> shared_;
};

}  // namespace ingot
