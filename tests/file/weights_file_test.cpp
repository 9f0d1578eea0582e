// A program and its weights file are saved as one: whatever happens in between, both are old or both are new.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "program/builder.h"
#include "program/file.h"
#include "program/io/mapped_file.h"
#include "program/io/safetensors.h"
#include "tests/program/io_support.h"

namespace ingot::test {
namespace {

namespace fs = std::filesystem;

constexpr SaveOptions kBeside{.weights = WeightPlacement::beside, .beside_from = 1};

// A weight that holds this number, and another inside the file that must agree with it.
Program numbered(int32_t number) {
  ProgramBuilder p;
  p.weight("large", Tensor::of<int32_t>({65536}, std::vector<int32_t>(65536, number)));
  p.weight("inside", Tensor(DType::i4, {4}, Buffer::copy_of(std::vector<std::byte>(2, std::byte(number)))));
  return p.build();
}

// The number of the program there, whose parts must agree.
int32_t number_in(const fs::path& path) {
  const Program program = load_program(path);
  check_hashes(program);
  const int32_t number = program.weights[0].tensor->as<int32_t>()[0];
  EXPECT_EQ(program.weights[1].tensor->bytes()[0], std::byte(number));
  return number;
}

std::vector<std::string> weights_files(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    if (entry.path().extension() == ".safetensors") names.push_back(entry.path().filename());
  }
  return names;
}

TEST(WeightsFile, IsNamedByItsContents) {
  const TemporaryFolder folder;
  save_program(numbered(1), folder / "p.ingot", kBeside);
  const std::vector<std::string> first = weights_files(folder);
  ASSERT_EQ(first.size(), 1u);
  save_program(numbered(1), folder / "p.ingot", kBeside);
  EXPECT_EQ(weights_files(folder), first);
  save_program(numbered(2), folder / "p.ingot", kBeside);
  ASSERT_EQ(weights_files(folder).size(), 1u);  // the old one is gone
  EXPECT_NE(weights_files(folder), first);
  EXPECT_EQ(number_in(folder / "p.ingot"), 2);
  EXPECT_EQ(folder.file_count(), 2u);
}

TEST(WeightsFile, MovesWithItsProgram) {
  const TemporaryFolder folder, other;
  save_program(numbered(1), folder / "p.ingot", kBeside);
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    fs::rename(entry.path(), other / entry.path().filename().string());
  }
  EXPECT_EQ(number_in(other / "p.ingot"), 1);
  fs::rename(other / "p.ingot", other / "q.ingot");
  EXPECT_EQ(number_in(other / "q.ingot"), 1);
}

// The program cannot be encoded, which shows only after the weights have been written.
TEST(WeightsFile, FailureBetweenTheTwoWritesLeavesTheOldPair) {
  const TemporaryFolder folder;
  save_program(numbered(1), folder / "p.ingot", kBeside);
  Program broken = numbered(2);
  broken.states.push_back({"s", TensorType{DType::f32, {Symbol("S", 0, 1)}, {}}, {}});
  EXPECT_THROW(save_program(broken, folder / "p.ingot", kBeside), Error);
  EXPECT_EQ(weights_files(folder).size(), 2u);
  EXPECT_EQ(number_in(folder / "p.ingot"), 1);
  save_program(numbered(3), folder / "p.ingot", kBeside);
  EXPECT_EQ(number_in(folder / "p.ingot"), 3);
  EXPECT_EQ(folder.file_count(), 2u);
}

TEST(WeightsFile, KillAtAnyMomentLeavesAWholePair) {
  const TemporaryFolder folder;
  const fs::path path = folder / "p.ingot";
  std::mt19937 random(5);
  const auto start = std::chrono::steady_clock::now();
  save_program(numbered(0), path, kBeside);
  const auto one_save = std::chrono::steady_clock::now() - start;
  std::set<int32_t> found;
  for (int32_t i = 0; i < 50; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int32_t number = i;; ++number) save_program(numbered(number % 8), path, kBeside);
    }
    std::this_thread::sleep_for(one_save * (random() % 1000) / 400);
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    found.insert(number_in(path));
  }
  EXPECT_GT(found.size(), 1u);  // else no child got as far as a save
  save_program(numbered(9), path, kBeside);
  EXPECT_EQ(number_in(path), 9);
  EXPECT_EQ(folder.file_count(), 2u);  // nothing of the killed ones is left
}

TEST(WeightsFile, TwoWritersAndAReader) {
  const TemporaryFolder folder;
  const fs::path path = folder / "p.ingot";
  save_program(numbered(1), path, kBeside);
  const auto write = [&](int32_t number) {
    for (int i = 0; i < 20; ++i) save_program(numbered(number), path, kBeside);
  };
  std::thread one(write, 1), two(write, 2);
  for (int i = 0; i < 40; ++i) number_in(path);
  one.join();
  two.join();
  number_in(path);
  EXPECT_EQ(folder.file_count(), 2u);
}

TEST(WeightsFile, OfAnotherProgramIsRefused) {
  const TemporaryFolder folder, other;
  save_program(numbered(1), folder / "p.ingot", kBeside);
  save_program(numbered(2), other / "p.ingot", kBeside);
  const std::string mine = weights_files(folder)[0], theirs = weights_files(other)[0];
  const std::string digest = mine.substr(8, 32), wrong = theirs.substr(8, 32);
  fs::rename(other / theirs, folder / mine);
  EXPECT_EQ(
      message_of([&] { load_program(folder / "p.ingot"); }, Code::bad_file),
      fmt::format("{}: the digest in the weights file \"{}\" is \"{}\", expected \"{}\" as in its name: these are "
                  "not the weights of the program (at weights[0] \"large\")",
                  (folder / "p.ingot").string(), mine, wrong, digest));
  write_safetensors(folder / mine, std::vector<NamedTensor>{{"large", *numbered(1).weights[0].tensor}});
  EXPECT_NE(message_of([&] { load_program(folder / "p.ingot"); }, Code::bad_file).find("\" is missing, expected"),
            std::string::npos);
}

TEST(WeightsFile, LeavesFilesOfOtherNamesAlone) {
  const TemporaryFolder folder;
  const std::string digest(32, 'a');
  const std::vector<std::string> others = {"p.safetensors",
                                           "p-" + digest + ".safetensors",
                                           "q.ingot-" + digest + ".safetensors",
                                           "p.ingot-" + digest + "a.safetensors",
                                           "p.ingot-" + digest.substr(1) + ".safetensors",
                                           "p.ingot-" + std::string(32, 'x') + ".safetensors",
                                           "p.ingot-" + digest + ".safetensors.bak"};
  for (const std::string& name : others) std::ofstream(folder / name) << "kept";
  std::ofstream(folder / ("p.ingot-" + digest + ".safetensors")) << "left over";
  save_program(numbered(1), folder / "p.ingot", {.weights = WeightPlacement::inside});
  EXPECT_EQ(folder.file_count(), others.size() + 1);
  for (const std::string& name : others) EXPECT_TRUE(fs::exists(folder / name)) << name;
}

// A program keeps the weights file that it names, in whatever way it is saved.
TEST(WeightsFile, IsKeptWithThePlaceOfItsWeights) {
  const TemporaryFolder folder;
  save_program(numbered(1), folder / "p.ingot", kBeside);
  save_program(load_program(folder / "p.ingot"), folder / "p.ingot");
  EXPECT_EQ(number_in(folder / "p.ingot"), 1);
  EXPECT_EQ(folder.file_count(), 2u);
  save_program(load_program(folder / "p.ingot"), folder / "p.ingot", {.weights = WeightPlacement::inside});
  EXPECT_EQ(number_in(folder / "p.ingot"), 1);
  EXPECT_EQ(folder.file_count(), 1u);
}

}  // namespace
}  // namespace ingot::test
