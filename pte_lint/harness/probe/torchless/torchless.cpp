// What the runtime of a release before 1.5 takes from PyTorch's libraries and from Python, without
// either. Its wheel has it in one Python extension; beside the interpreter's own functions, which
// running a program never calls, that wants a processor's description, a thread pool, a matrix
// product, and parts of newer C++ libraries. This file becomes a library by the names of PyTorch's,
// with the symbols that `pte_lint.harness.older_wheel` lists in assembly.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <complex>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <vector>

extern "C" {

// By the listed functions' numbers: where each call goes, and the name. The last name is null.
extern void* pte_lint_slots[];
extern const char* const pte_lint_names[];
// In place of the data of that name.
extern char cpuinfo_isa[];

// A function that is not here was called. No run goes on from there, and nothing it did counts.
[[noreturn]] void pte_lint_absent(const char* name) {
  std::fprintf(stderr, "pte-lint: this release takes %s from PyTorch or Python\n", name);
  std::fflush(stderr);
  _exit(77);
}

}  // extern "C"

namespace {

// Descriptions of processors and thread pools have kept their interfaces; the installed release has
// them in a library of its own, which is kept to itself: its runtime must not answer for the older.
__attribute__((constructor)) void take_from_installed() {
  void* library = dlopen(PTE_LINT_THREADPOOL, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    _exit(77);
  }
  for (size_t i = 0; pte_lint_names[i] != nullptr; ++i) {
    const char* name = pte_lint_names[i];
    if (std::strncmp(name, "cpuinfo_", 8) != 0 && std::strncmp(name, "pthreadpool_", 12) != 0) {
      continue;
    }
    if (void* found = dlsym(library, name)) {
      pte_lint_slots[i] = found;
    }
  }
  auto* initialize = reinterpret_cast<bool (*)()>(dlsym(library, "cpuinfo_initialize"));
  void* isa = dlsym(library, "cpuinfo_isa");
  Dl_info info;
  const ElfW(Sym)* symbol = nullptr;
  if (initialize != nullptr && initialize() && isa != nullptr &&
      dladdr1(isa, &info, const_cast<void**>(reinterpret_cast<const void**>(&symbol)),
              RTLD_DL_SYMENT) != 0 && symbol != nullptr) {
    std::memcpy(cpuinfo_isa, isa, symbol->st_size);
  }
}

template <typename T>
T conjugate(T value) {
  return value;
}
template <typename T>
std::complex<T> conjugate(std::complex<T> value) {
  return std::conj(value);
}

// The product of BLAS, column by column. Sums are taken in order, which PyTorch's library does not.
template <typename T>
void multiply(
    const char* mode_a, const char* mode_b, const int* m, const int* n, const int* k,
    const T* alpha, const T* a, const int* lda, const T* b, const int* ldb, const T* beta, T* c,
    const int* ldc) {
  auto at = [](const T* matrix, const int* stride, char mode, long row, long column) {
    if (mode == 'n' || mode == 'N') {
      return matrix[row + column * *stride];
    }
    T value = matrix[column + row * *stride];
    return mode == 'c' || mode == 'C' ? conjugate(value) : value;
  };
  for (long column = 0; column < *n; ++column) {
    for (long row = 0; row < *m; ++row) {
      T sum{};
      for (long i = 0; i < *k; ++i) {
        sum += at(a, lda, *mode_a, row, i) * at(b, ldb, *mode_b, i, column);
      }
      T& result = c[row + column * *ldc];
      result = *beta == T{} ? *alpha * sum : *alpha * sum + *beta * result;
    }
  }
}

}  // namespace

#define PTE_LINT_PRODUCT(name, T)                                                             \
  extern "C" void name(                                                                       \
      const char* ma, const char* mb, const int* m, const int* n, const int* k, const T* alpha, \
      const T* a, const int* lda, const T* b, const int* ldb, const T* beta, T* c,            \
      const int* ldc) {                                                                       \
    multiply(ma, mb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                           \
  }
PTE_LINT_PRODUCT(sgemm_, float)
PTE_LINT_PRODUCT(dgemm_, double)
PTE_LINT_PRODUCT(cgemm_, std::complex<float>)
PTE_LINT_PRODUCT(zgemm_, std::complex<double>)

// std::ios_base_library_init() of GCC 13; <iostream> above has done it in older ones.
extern "C" void pte_lint_streams() __asm__("_ZSt21ios_base_library_initv");
extern "C" void pte_lint_streams() {}

// std::string::_M_replace_cold of GCC 13: replaces `old_size` bytes at `place` by `size` bytes that
// are part of the same string, whose `tail` last bytes move. There is room, and the caller sets the
// length.
extern "C" void pte_lint_replace(void*, char*, size_t, const char*, size_t, size_t) __asm__(
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE15_M_replace_coldEPcmPKcmm");
extern "C" void pte_lint_replace(
    void*, char* place, size_t old_size, const char* from, size_t size, size_t tail) {
  const std::vector<char> copy(from, from + size);
  if (tail != 0 && old_size != size) {
    std::memmove(place + size, place + old_size, tail);
  }
  if (size != 0) {
    std::memcpy(place, copy.data(), size);
  }
}
