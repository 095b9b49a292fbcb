// Starts the probe on a kernel that lacks something: calls named at compile time answer as if they
// were not there. PROBE is the path of the probe, LACKS a list of (call, error) pairs.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

struct Lack {
  unsigned call;
  unsigned error;
};

int main(int, char** argv) {
  std::vector<sock_filter> code;
  code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
  for (const Lack& lack : std::vector<Lack> LACKS) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, lack.call, 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | lack.error));
  }
  code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  sock_fprog filter = {static_cast<unsigned short>(code.size()), code.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) {
    return 9;
  }
  execv(PROBE, argv);
  return 8;
}
