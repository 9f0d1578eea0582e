// The exception that is being handled, as a value.
//
// Threads    of the one that handles it. Failure  none.
#pragma once

#include <exception>
#include <new>

#include "program/error.h"

namespace ingot {

// Only within a handler.
inline Error current_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(Code::limit, "the system has no more memory");
  } catch (const std::exception& error) {
    return Error(Code::internal, error.what());
  } catch (...) {
    return Error(Code::internal, "the call threw something that is no std::exception");
  }
}

}  // namespace ingot
