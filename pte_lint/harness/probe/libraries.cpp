#include "libraries.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstring>

#include "channel.h"
#include "syscall_filter.h"

namespace probe {
namespace {

[[noreturn]] void give_up(const std::string& why) {
  reporter()->text("library_error", why);
  reporter()->finish();
  _exit(0);
}

}  // namespace

void load_libraries(const Options& options) {
  if (options.libraries.empty()) {
    return;
  }
  int error = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
  if (error == 0) {
    error = install_loading_filter(options.limits.real_device);
  }
  if (error != 0 && !options.limits.unfenced) {
    give_up(std::string("the system call filter: ") + std::strerror(error));
  }
  for (const std::string& path : options.libraries) {
    if (dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
      give_up(dlerror());
    }
  }
}

}  // namespace probe
