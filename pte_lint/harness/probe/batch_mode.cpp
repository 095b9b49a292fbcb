#include <iostream>
#include <string>
#include <vector>

#include "modes.h"

namespace probe {
namespace {

// One program: its path and its data files, each ended by a NUL, and one NUL more at the end.
bool read_program(std::vector<std::string>* files) {
  files->clear();
  std::string path;
  while (std::getline(std::cin, path, '\0')) {
    if (path.empty()) {
      return !files->empty();
    }
    files->push_back(path);
  }
  return false;
}

}  // namespace

// Programs on standard input, one JSON object a line back, in the same order. Kernels and
// backends were registered when this process started; a program costs its forks and no more.
int batch_mode(const Options& options) {
  std::vector<std::string> files;
  while (read_program(&files)) {
    Options one = options;
    one.program = files[0];
    one.data_files.assign(files.begin() + 1, files.end());
    if (!deliver(options, examine(one) + "\n")) {
      return 3;
    }
  }
  return 0;
}

}  // namespace probe
