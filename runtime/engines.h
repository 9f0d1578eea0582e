// The engines of this build, by name.
//
// Threads    immutable. Failure  Code::not_found for a name that is none, with those that are.
#pragma once

#include <span>
#include <string_view>

#include "engines/engine.h"

namespace ingot {

std::span<const Engine* const> engines();          // the fastest first
const Engine& find_engine(std::string_view name);  // an empty name stands for the fastest
// Of an engine; an empty name stands for its first.
DeviceFacts find_device(const Engine& engine, std::string_view name);
std::string_view find_mode(const Engine& engine, std::string_view name);

}  // namespace ingot
