#include "cli/restart.h"

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
#endif

#include <cstdlib>
#include <filesystem>

namespace ingot::cli {

#ifdef __linux__
void restart_within_address_space(char** argv) {
  constexpr rlim_t of_tool = rlim_t{1} << 29, of_thread = rlim_t{1} << 28;  // with its stack and its heap
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const auto cores = static_cast<rlim_t>(sysconf(_SC_NPROCESSORS_ONLN));
  if (limit.rlim_cur >= of_tool + cores * of_thread || std::getenv("OPENBLAS_NUM_THREADS")) return;
  std::error_code none;
  const std::filesystem::path tool = std::filesystem::read_symlink("/proc/self/exe", none);
  if (setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0) execv(tool.c_str(), argv);  // returns only where it fails
}
#else
void restart_within_address_space(char**) {}
#endif

}  // namespace ingot::cli
