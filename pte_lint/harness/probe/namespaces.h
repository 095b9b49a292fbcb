// Namespaces of the probe's own, as many as the kernel gives.
#pragma once

#include <string>
#include <vector>

namespace probe {

struct Namespaces {
  bool own_user = false;  // threads of the user elsewhere do not count against its limit
  bool own_processes = false;             // this process is the first of its namespace
  std::vector<std::string> missing;       // what the kernel did not give, and why
};

// Moves the process into namespaces for processes, mounts, the network, System V objects and the
// host name; without the privilege for that, into a user namespace that has it. The caller goes on
// in a child, the first process of the new namespace, with whose end all others end; the calling
// process only waits for it and ends as it does. What the kernel refuses is told and left out.
Namespaces enter_namespaces();

}  // namespace probe
