// The weights file of a program: PROGRAM-DIGEST.safetensors, next to it and named by what it holds.
//
// A save writes the weights first and then the program, which names them; both writes are atomic. A save that is killed
// in between leaves the old program with its old weights, and a file that nothing names. Every later save of that program
// removes the weights files that the program does not name. The digest is also in the metadata of the weights file, so
// that a reader can compare the two without reading the weights.
//
// Threads    free functions. Failure  as write_safetensors; Code::bad_file from the check.
#pragma once

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "program/io/safetensors.h"

namespace ingot::file {

// Writes the weights of the program at this path and returns the name of their file.
std::string write_weights_file(const std::filesystem::path& program, std::span<const NamedTensor> tensors);

// Throws where a file is named by a digest and holds weights of another. Any other name says nothing about contents.
void check_digest(const std::string& name, const SafetensorsMetadata& metadata);

// The weights files of the program at this path, whether it names them or not.
std::vector<std::filesystem::path> weights_files_of(const std::filesystem::path& program);
// Removes those that are not named. Whoever calls it holds the lock of the program: nobody else is saving it.
void remove_unnamed_weights(const std::filesystem::path& program, const std::set<std::string>& named);

// What whoever saves a program together with its weights locks.
std::filesystem::path lock_path(const std::filesystem::path& program);

}  // namespace ingot::file
