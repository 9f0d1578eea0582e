#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/terminal.h"
#include "cli/verbs.h"

namespace ingot::cli {
namespace {

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    for (const std::string& name : option->get_snames()) flags.push_back("-" + name);
  }
  return flags;
}

// From the parser's own tables, so that it cannot lag behind the flags.
std::string bash_script(const CLI::App& root) {
  std::vector<std::string> verbs;
  std::string cases;
  for (const CLI::App* verb : root.get_subcommands({})) {
    verbs.push_back(verb->get_name());
    cases += fmt::format("    {}) words=\"{}\" ;;\n", verb->get_name(), joined(flags_of(*verb)));
  }
  return fmt::format(
      "_ingot() {{\n  local current=${{COMP_WORDS[COMP_CWORD]}} words=\"\"\n  case ${{COMP_WORDS[1]}} in\n{}"
      "    *) words=\"{} {}\" ;;\n  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  [[ $current != -* && $COMP_CWORD -gt 1 ]] && COMPREPLY+=($(compgen -f -- \"$current\"))\n}}\ncomplete -o "
      "filenames -F _ingot ingot\n",
      cases, joined(verbs), joined(flags_of(root)));
}

}  // namespace

Verb add_completion(CLI::App& root) {
  auto shell = std::make_shared<std::string>("bash");
  CLI::App* app = root.add_subcommand("completion",
                                      "Print a script that completes verbs and flags: source <(ingot completion bash)");
  app->add_option("shell", *shell, "bash or zsh")->check(CLI::IsMember({"bash", "zsh"}))->capture_default_str();
  return {app, [&root, shell] {
            const std::string prefix = *shell == "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : "";
            write_text("", prefix + bash_script(root));
            return kDone;
          }};
}

}  // namespace ingot::cli
