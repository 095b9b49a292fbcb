// A backend and a kernel as an application of its own would have them: both give the double.
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

using executorch::aten::Tensor;
using executorch::runtime::ArrayRef;
using executorch::runtime::Backend;
using executorch::runtime::BackendExecutionContext;
using executorch::runtime::BackendInitContext;
using executorch::runtime::BackendInterface;
using executorch::runtime::CompileSpec;
using executorch::runtime::DelegateHandle;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::FreeableBuffer;
using executorch::runtime::Kernel;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::Result;
using executorch::runtime::Span;

namespace {

void twice(const Tensor& in, const Tensor& out) {
  for (ssize_t i = 0; i < in.numel(); ++i) {
    out.mutable_data_ptr<float>()[i] = 2 * in.const_data_ptr<float>()[i];
  }
}

class Doubling final : public BackendInterface {
 public:
  bool is_available() const override { return true; }

  Result<DelegateHandle*> init(
      BackendInitContext&, FreeableBuffer* blob, ArrayRef<CompileSpec>) const override {
    // A blob that begins so is one that this backend refuses.
    if (blob->size() > 0 && static_cast<const char*>(blob->data())[0] == '!') {
      return Error::DelegateInvalidCompatibility;
    }
    return static_cast<DelegateHandle*>(nullptr);
  }

  Error execute(BackendExecutionContext&, DelegateHandle*, Span<EValue*> args) const override {
    twice(args[0]->toTensor(), args[1]->toTensor());
    return Error::Ok;
  }
};

void twice_kernel(KernelRuntimeContext&, Span<EValue*> args) {
  twice(args[0]->toTensor(), args[1]->toTensor());
}

Doubling doubling;
[[maybe_unused]] Error backend =
    executorch::runtime::register_backend(Backend{"DoublingBackend", &doubling});
[[maybe_unused]] Error kernel =
    executorch::runtime::register_kernel(Kernel("mine::twice.out", twice_kernel));

#ifdef TRIES
// Says how far code gets that runs as the library is loaded.
[[maybe_unused]] int tried = std::printf(
    "write %d, fork %d, socket %d, read %d\n", open(TRIES, O_CREAT | O_WRONLY, 0600), fork(),
    socket(AF_INET, SOCK_STREAM, 0), open("/proc/self/maps", O_RDONLY) >= 0);
[[maybe_unused]] int flushed = std::fflush(stdout);
#endif

}  // namespace
