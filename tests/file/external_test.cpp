// Weights in safetensors files beside the program: where they may be, and what they must hold.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "program/builder.h"
#include "program/file.h"
#include "program/io/mapped_file.h"
#include "program/io/safetensors.h"
#include "tests/file/mapping.h"
#include "tests/file/programs.h"
#include "tests/program/io_support.h"

namespace ingot::test {
namespace {

namespace fs = std::filesystem;

const std::vector<float> kValues = {1, 2, 3, 4, 5, 6};

// One weight `w`, f32[2, 3], said to be the tensor `t` of `file`.
Program naming(const std::string& file) {
  ProgramBuilder p;
  const Tensor tensor = Tensor::of<float>({2, 3}, kValues);
  p.weight(Weight::of("w", tensor, content_hash(tensor), ExternalTensor{file, "t"}));
  return p.build();
}

void write_file(const fs::path& path, std::span<const std::byte> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
}

// The only safetensors file there.
std::string weights_file_in(const TemporaryFolder& folder) {
  std::string found;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    if (entry.path().extension() != ".safetensors") continue;
    EXPECT_EQ(found, "") << entry.path();
    found = entry.path().filename();
  }
  return found;
}

void write_tensor(const fs::path& path, const Tensor& tensor = Tensor::of<float>({2, 3}, kValues)) {
  write_safetensors(path, std::vector<NamedTensor>{{"t", tensor}});
}

// A folder with the program `p.ingot`, which names `file` whether or not it is there.
class Beside {
 public:
  explicit Beside(const std::string& file) { write_file(folder_ / "p.ingot", write_program(naming(file))); }

  const TemporaryFolder& folder() const { return folder_; }
  Program load() const { return load_program(folder_ / "p.ingot"); }
  // The error of loading, without the path in front.
  std::string refusal(Code code) const {
    const std::string text = message_of([&] { load(); }, code), place = (folder_ / "p.ingot").string() + ": ";
    return text.starts_with(place) ? text.substr(place.size()) : text;
  }

 private:
  TemporaryFolder folder_;
};

// --------------------------------------------------------------------------------------------------------- reading

TEST(External, ReadsFromTheFileBeside) {
  for (const std::string file : {"w.safetensors", "deep/er/w", ".hidden", "..two.dots", "sp ace"}) {
    const Beside beside(file);
    fs::create_directories((beside.folder() / file).parent_path());
    write_tensor(beside.folder() / file);
    EXPECT_EQ(difference(beside.load(), naming(file)), "") << file;
    const Buffer bytes = map_file(beside.folder() / "p.ingot").buffer;
    EXPECT_EQ(difference(read_program(bytes, beside.folder().path()), naming(file)), "");
  }
}

TEST(External, MapsTheFileBeside) {
  const Beside beside("w");
  write_tensor(beside.folder() / "w");
  const Program program = beside.load();
  const auto data = reinterpret_cast<uintptr_t>(program.weights[0].tensor->bytes().data());
  const auto [begin, end] = mapping_of(beside.folder() / "w");
  EXPECT_GE(data, begin);
  EXPECT_LE(data + 24, end);
}

TEST(External, FollowsLinksThatStayInside) {
  const Beside beside("link");
  fs::create_directory(beside.folder() / "below");
  write_tensor(beside.folder() / "below/w");
  fs::create_symlink("below/w", beside.folder() / "link");
  EXPECT_EQ(difference(beside.load(), naming("link")), "");
}

// The folder itself may be reached by a link.
TEST(External, FolderMayBeALink) {
  const Beside beside("w");
  const TemporaryFolder other;
  write_tensor(beside.folder() / "w");
  fs::create_symlink(beside.folder().path(), other / "link");
  EXPECT_EQ(difference(load_program(other / "link/p.ingot"), naming("w")), "");
  fs::create_symlink(beside.folder() / "p.ingot", other / "p.ingot");  // but then the folder is that of the link
  EXPECT_NE(message_of([&] { load_program(other / "p.ingot"); }, Code::not_found).find("No such file"),
            std::string::npos);
}

TEST(External, RefusesNamesThatAreNoPlainRelativePath) {
  const std::string names[] = {
      "../x", "/etc/passwd", "a/../../b", "a/..", "..",    ".",   "./w",  "a//b",
      "a/",   "/",           "",          "a\\b", "..\\x", "C:w", "C:/w", std::string("w\0.txt", 6),
      "w\n",  "w\x7f",       "\x01"};
  for (const std::string& name : names) {
    const Beside beside(name);
    write_tensor(beside.folder() / "w");
    EXPECT_EQ(
        beside.refusal(Code::bad_file),
        fmt::format("name of a weights file is {:?}, expected a relative path below the folder of the program (at "
                    "weights[0] \"w\")",
                    name));
  }
}

TEST(External, RefusesLinksThatLeadOut) {
  const TemporaryFolder outside;
  write_tensor(outside / "w");
  for (const std::string name : {"link", "folder/w", "chain"}) {
    const Beside beside(name);
    fs::create_symlink(outside / "w", beside.folder() / "link");
    fs::create_symlink(outside.path(), beside.folder() / "folder");
    fs::create_symlink("link", beside.folder() / "chain");
    EXPECT_EQ(beside.refusal(Code::bad_file),
              "the weights file \"" + name +
                  "\" is a link that leads out of the folder of the program (at weights[0] \"w\")");
  }
}

// A folder whose name only begins as that of the program.
TEST(External, RefusesASiblingOfTheFolder) {
  const TemporaryFolder base;
  fs::create_directory(base / "model");
  fs::create_directory(base / "model2");
  write_tensor(base / "model2/w");
  fs::create_symlink("../model2/w", base / "model/link");
  write_file(base / "model/p.ingot", write_program(naming("link")));
  EXPECT_NE(message_of([&] { load_program(base / "model/p.ingot"); }, Code::bad_file).find("leads out"),
            std::string::npos);
}

TEST(External, RefusesWhatIsNotThere) {
  EXPECT_EQ(Beside("w").refusal(Code::not_found),
            "cannot find the weights file \"w\": No such file or directory (at weights[0] \"w\")");
  const Beside dangling("link");
  fs::create_symlink("nowhere", dangling.folder() / "link");
  EXPECT_EQ(dangling.refusal(Code::not_found),
            "cannot find the weights file \"link\": No such file or directory (at weights[0] \"w\")");
  const Beside loop("loop");
  fs::create_symlink("loop", loop.folder() / "loop");
  EXPECT_EQ(loop.refusal(Code::io),
            "cannot find the weights file \"loop\": Too many levels of symbolic links (at weights[0] \"w\")");
  EXPECT_EQ(message_of([] { read_program(Buffer::copy_of(write_program(naming("w")))); }, Code::bad_file),
            "the program names the weights file \"w\", but was not read from a folder (at weights[0] \"w\")");
}

TEST(External, RefusesWhatIsNoFile) {
  const Beside beside("w");
  const std::string path = fs::canonical(beside.folder().path()) / "w";
  fs::create_directory(path);
  EXPECT_EQ(beside.refusal(Code::invalid_argument),
            path + " is a folder, expected a regular file (at weights[0] \"w\")");
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(beside.refusal(Code::invalid_argument), path + " is a pipe, expected a regular file (at weights[0] \"w\")");
  fs::remove(path);
  fs::create_symlink("/dev/zero", path);
  EXPECT_EQ(beside.refusal(Code::bad_file),
            "the weights file \"w\" is a link that leads out of the folder of the program (at weights[0] \"w\")");
}

TEST(External, RefusesTheProgramItself) {
  for (const std::string name : {"p.ingot", "link", "hard"}) {
    const Beside beside(name);
    fs::create_symlink("p.ingot", beside.folder() / "link");
    fs::create_hard_link(beside.folder() / "p.ingot", beside.folder() / "hard");
    EXPECT_EQ(beside.refusal(Code::bad_file),
              "the weights file \"" + name + "\" is the program itself (at weights[0] \"w\")");
  }
}

TEST(External, RefusesAnotherTensor) {
  const Beside beside("w");
  const fs::path path = beside.folder() / "w";
  write_safetensors(path, std::vector<NamedTensor>{{"other", Tensor::of<float>({2, 3}, kValues)}});
  EXPECT_EQ(beside.refusal(Code::not_found), "the weights file \"w\" has no tensor \"t\" (at weights[0] \"w\")");
  write_tensor(path, Tensor::of<float>({3, 2}, kValues));
  EXPECT_EQ(beside.refusal(Code::bad_file),
            "tensor \"t\" of \"w\" is f32[3, 2], expected f32[2, 3] (at weights[0] \"w\")");
  write_tensor(path, Tensor::of<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(beside.refusal(Code::bad_file),
            "tensor \"t\" of \"w\" is i32[2, 3], expected f32[2, 3] (at weights[0] \"w\")");
  write_tensor(path, Tensor::of<float>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(beside.refusal(Code::bad_file),
            "tensor \"t\" of \"w\" is f32[2, 4], expected f32[2, 3] (at weights[0] \"w\")");
  write_file(path, std::as_bytes(std::span("no safetensors")));
  EXPECT_NE(beside.refusal(Code::bad_file).find("[safetensors] header length is "), std::string::npos);
}

// Loading reads no weight, so it cannot notice; check_hashes does.
TEST(External, OtherContentsAreFoundByTheirHash) {
  const Beside beside("w");
  write_tensor(beside.folder() / "w", Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 7}));
  const Program program = beside.load();
  EXPECT_EQ(message_of([&] { check_hashes(program); }, Code::bad_file),
            "hash of weights[0] \"w\" is " + to_string(content_hash(*program.weights[0].tensor)) + ", expected " +
                to_string(naming("w").weights[0].hash));
}

// --------------------------------------------------------------------------------------------------------- writing

TEST(Placement, KeepsWhatIsBeside) {
  const TemporaryFolder folder;
  write_tensor(folder / "w");
  save_program(naming("w"), folder / "p.ingot");
  EXPECT_EQ(file_facts(folder / "p.ingot").segment_bytes, 0u);
  EXPECT_EQ(difference(load_program(folder / "p.ingot"), naming("w")), "");
}

TEST(Placement, KeepRefusesWhatAReaderWouldNotFind) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& file, Code code) {
    return message_of([&] { save_program(naming(file), folder / "p.ingot"); }, code);
  };
  EXPECT_EQ(refusal("w", Code::not_found), "cannot find the weights file \"w\": No such file or directory");
  EXPECT_EQ(refusal("../w", Code::bad_file),
            "name of a weights file is \"../w\", expected a relative path below the folder of the program");
  write_tensor(folder / "w", Tensor::of<float>({6}, kValues));
  EXPECT_EQ(refusal("w", Code::bad_file), "tensor \"t\" of \"w\" is f32[6], expected f32[2, 3]");
  EXPECT_EQ(folder.file_count(), 1u);
}

// Saving there would replace the only copy of the weights by a reference to them.
TEST(Placement, KeepRefusesToReplaceTheWeights) {
  const TemporaryFolder folder;
  write_tensor(folder / "w");
  const std::string before = contents(folder / "w");
  EXPECT_EQ(message_of([&] { save_program(naming("w"), folder / "w"); }, Code::bad_file),
            "the weights file \"w\" is the program itself");
  EXPECT_EQ(contents(folder / "w"), before);
}

TEST(Placement, InsideTakesEverythingIn) {
  const TemporaryFolder folder;
  save_program(naming("gone"), folder / "p.ingot", {.weights = WeightPlacement::inside});
  const Program program = load_program(folder / "p.ingot");
  EXPECT_FALSE(program.weights[0].external);
  EXPECT_EQ(program.weights[0].hash, naming("gone").weights[0].hash);
  EXPECT_TRUE(std::ranges::equal(program.weights[0].tensor->as<float>(), kValues));
}

TEST(Placement, BesidePutsTheLargeOnesIntoOneFile) {
  const TemporaryFolder folder;
  ProgramBuilder p;
  const Tensor large = Tensor::of<float>({2, 3}, kValues);
  p.weight("large", large);
  p.weight("small", Tensor::of<uint8_t>({23}, std::vector<uint8_t>(23, 1)));
  p.weight("large again", large);
  p.weight("other", Tensor::of<int16_t>({12}, std::vector<int16_t>(12, -1)));
  // No safetensors file holds these two: no such dtype, half a byte.
  p.weight("i4", Tensor(DType::i4, {50}, Buffer::copy_of(std::vector<std::byte>(25))));
  p.weight("f4e2m1", Tensor(DType::f4e2m1, {51}, Buffer::copy_of(std::vector<std::byte>(26))));
  Program program = p.build();
  save_program(program, folder / "p.ingot", {.weights = WeightPlacement::beside, .beside_from = 24});
  EXPECT_EQ(folder.file_count(), 2u);
  const std::string file = weights_file_in(folder);
  EXPECT_TRUE(file.starts_with("p.ingot-")) << file;
  const SafetensorsIndex index(map_file(folder / file).buffer);
  ASSERT_EQ(index.entries().size(), 2u);
  EXPECT_TRUE(index.find("large") && index.find("other"));
  program.weights[0].external = program.weights[2].external = ExternalTensor{file, "large"};
  program.weights[3].external = ExternalTensor{file, "other"};
  const Program loaded = load_program(folder / "p.ingot");
  EXPECT_EQ(difference(loaded, program), "");
  check_hashes(loaded);
  EXPECT_EQ(file_facts(folder / "p.ingot").segment_bytes, 2 * 16384 + 26u);
  save_program(loaded, folder / "p.ingot",
               {.weights = WeightPlacement::beside, .beside_from = 24});  // over its own files
  EXPECT_EQ(difference(load_program(folder / "p.ingot"), program), "");
}

TEST(Placement, BesideWritesNoFileForNothing) {
  const TemporaryFolder folder;
  save_program(small_program(), folder / "p.ingot", {.weights = WeightPlacement::beside});
  EXPECT_EQ(folder.file_count(), 1u);
  EXPECT_EQ(difference(load_program(folder / "p.ingot"), small_program()), "");
}

}  // namespace
}  // namespace ingot::test
