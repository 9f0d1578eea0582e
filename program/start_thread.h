// A thread that starts, or an Error that says which one does not.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "program/error.h"

namespace ingot {

// What start(), which starts `what`, returns. The system alone would say `Resource temporarily unavailable`.
template <class F>
auto starting(std::string_view what, F start) {
  try {
    return start();
  } catch (const std::system_error& error) {
    throw Error(Code::limit, fmt::format("{} cannot be started: {}", what, error.code().message()));
  }
}

template <class F>
std::thread start_thread(std::string_view what, F body) {
  return starting(what, [&] { return std::thread(std::move(body)); });
}

}  // namespace ingot
