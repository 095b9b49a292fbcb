"""Delegates and kernels that the target does not have, or that do not fit their call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pte_lint.schema.program import CompileSpec

from pte_lint.claims.profile import Profile
from pte_lint.claims.target import Target
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.fuzz.odd.defect import ELF, OddDefect
from tests.fuzz.subject import program_document
from tests.fuzz.xnnpack_seeds import GraphBuilder, graph_program
from tests.support.cuda_libraries import cuda_program, cuda_target
from tests.support.device_programs import add_method, island
from tests.support.examples import adder, delegated, plain
from tests.support.tensorrt import engine, tensorrt_blob, tensorrt_program
from tests.support.vela import vela_program, vela_stream
from tests.support.vulkan import vulkan_program

_CLEAN = Path(__file__).resolve().parents[2] / "data" / "clean"
_FLOAT, _DOUBLE = "v1/6;0,1|6;0,1|6;0,1|6;0,1", "v1/7;0,1|7;0,1|7;0,1|7;0,1"


def _with_kernels(key: str) -> dict[str, object]:
    profile = Profile("mine", "1.5.1", {"aten::add.out": (key,)}, ())
    return {"target": Target(profile=profile, explicit_profile=True)}


def _kernel_key() -> OddDefect:
    file = build_program(adder()).bytes()
    what = "a target with kernels for float64 only"
    return OddDefect(
        what, file, file, options=_with_kernels(_DOUBLE), good_options=_with_kernels(_FLOAT)
    )


def _library() -> OddDefect:
    b = MethodBuilder()
    x, out = b.input((2, 2), "uint8"), b.tensor((2, 2), "uint8")
    scale = [b.double_value(1.0), b.int_value(0), b.int_value(0), b.int_value(255)]
    b.kernel("quantized_decomposed::add.out", x, *scale, x, *scale, *scale, out, out)
    b.output(out)
    good = build_program(adder()).bytes()
    return OddDefect("an operator of the quantized kernels", build_program(b).bytes(), good)


def _overload() -> OddDefect:
    operator = "execution_plan[0].operators[1]"
    bad = plain().replaced(f"{operator}.overload", None)
    bad = bad.replaced(f"{operator}.name", "aten::mul.out")
    return OddDefect("no overload, not even an empty one", bad.bytes(), plain().bytes())


def _backend() -> OddDefect:
    profile = Profile("mine", "1.5.1", {}, ("MyBackend",))
    options = {"target": Target(profile=profile, explicit_profile=True)}
    bad = build_program(delegated("OtherBackend")).bytes()
    good = build_program(delegated("MyBackend")).bytes()
    return OddDefect("a backend that the target lacks", bad, good, options=options)


def _null_spec() -> OddDefect:
    good = build_program(delegated("Any"))
    path = "execution_plan[0].delegates[0].compile_specs"
    bad = good.replaced(path, (CompileSpec(None, b"1"),))
    return OddDefect("a compile spec without a key", bad.bytes(), good.bytes())


def _cuda(*names: str, library: bytes = ELF) -> bytes:
    b = MethodBuilder()
    x = b.input((4,), device="cuda:0", planned=False)
    for name in names:
        blob = f"{name}_so_blob\n{name}_weights_blob".encode()
        (x,) = b.delegate("CudaBackend", [x], [(4,)], device="cuda:0", blob=blob)
    b.output(x)
    data = {f"{name}_so_blob": library for name in names}
    return build_program(b, named_data=data).bytes()


def _no_library() -> OddDefect:
    bad = _cuda("a", library=b"words, but no code")
    return OddDefect("words in place of a library", bad, _cuda("a"))


def _payload() -> OddDefect:
    key = b"k_so_blob"
    table = b"ETCUDAFQN3" + len(key).to_bytes(4, "little") + key + bytes(4)
    b = MethodBuilder()
    x = b.input((4,), device="cuda:0", planned=False)
    b.output(*b.delegate("CudaBackend", [x], [(4,)], device="cuda:0", blob=table))
    bad = build_program(b, named_data={"k_so_blob": ELF}).bytes()
    what = "a payload of 1.5 for a 1.4 target"
    return OddDefect(what, bad, _cuda("k"), options={"target": "1.4"})


def _shared_library() -> OddDefect:
    return OddDefect("two delegates with one library", _cuda("a", "a"), _cuda("a", "b"))


def _cuda_target(**machine: str) -> dict[str, object]:
    return {"target": cuda_target(**machine)}


def _gpu() -> OddDefect:
    good = cuda_program("model_sm_80_ptx.so")
    options = _cuda_target(gpu="sm_90")
    what = "a kernel for sm_80 alone on sm_90"
    return OddDefect(what, cuda_program("model_sm_80.so"), good, options=options)


def _system() -> OddDefect:
    file = cuda_program("model_sm_80.so")
    what = "a library that asks for a newer C library"
    options, good = _cuda_target(glibc="2.13"), _cuda_target(glibc="2.14")
    return OddDefect(what, file, file, options=options, good_options=good)


def _entry_points() -> OddDefect:
    bad, good = cuda_program("model_without_run.so"), cuda_program("model_sm_80.so")
    return OddDefect("a library without a model's functions", bad, good, options=_cuda_target())


def _graph_flow() -> OddDefect:
    def chain(made: int) -> bytes:
        graph = GraphBuilder()
        graph.external(1, (2, 3))
        graph.external(2, (2, 3))
        graph.value((2, 3))
        graph.node("Abs", input_id=0, output_id=made)
        return graph_program(graph)

    return OddDefect("a graph that never writes its output", chain(2), chain(1))


def _freed_constant() -> OddDefect:
    def slopes(is_constant: bool) -> bytes:
        graph = GraphBuilder()
        given = graph.external(1, (2, 3))
        slope = graph.constant((3,)) if is_constant else graph.external(1, (3,))
        made = graph.external(2, (2, 3))
        graph.node("PReLU", input1_id=given, input2_id=slope, output_id=made)
        return graph_program(graph)

    return OddDefect("slopes in a blob that is freed", slopes(True), slopes(False))


def _signature() -> OddDefect:
    options = {"target": cuda_target(backends=("EthosUBackend",))}
    bad = vela_program(vela_stream(), dtype="float32")
    good = vela_program(vela_stream())
    return OddDefect("floats for an integer accelerator", bad, good, options=options)


def _accelerator() -> OddDefect:
    options = {"target": cuda_target(backends=("EthosUBackend",), accelerator="ethos-u55-128")}
    bad = vela_program(vela_stream(), accelerator="ethos-u85-256")
    good = vela_program(vela_stream())
    return OddDefect("a delegate for another Ethos-U", bad, good, options=options)


def _engine() -> OddDefect:
    options = {"target": cuda_target(backends=("TensorRTBackend",), tensorrt="10.13")}
    bad = tensorrt_program(tensorrt_blob(engine((10, 9, 0, 34))))
    good = tensorrt_program(tensorrt_blob())
    return OddDefect("an engine of another TensorRT", bad, good, options=options)


def _textures() -> OddDefect:
    profile = Profile("mine", "1.5.1", {}, ("VulkanBackend",), vulkan={"maxImageDimension3D": 2048})
    options = {"target": Target(profile=profile, explicit_profile=True)}
    bad, good = vulkan_program(sizes=(2049, 4)), vulkan_program(sizes=(2048, 4))
    return OddDefect("a texture of more texels than the GPU takes", bad, good, options=options)


def _input_sizes() -> OddDefect:
    good = (_CLEAN / "mlp_xnnpack.pte").read_bytes()
    bad = program_document(good).with_field("execution_plan[0].values[0].val.sizes", (2, 4))
    return OddDefect("half the features for a graph", bad.written(), good)


def _islands() -> OddDefect:
    what = "a sum on the host between two delegates on a device"
    good = build_program(add_method()).bytes()
    return OddDefect(what, build_program(island()).bytes(), good)


def _heavy() -> OddDefect:
    b = MethodBuilder()
    x = b.input((4, 4))
    b.output(b.call("aten::mm.out", x, x, out=(4, 4)))
    good = build_program(adder()).bytes()
    return OddDefect("a matrix product on the host", build_program(b).bytes(), good)


DELEGATES: dict[str, Callable[[], OddDefect]] = {
    "PTE402": _kernel_key, "PTE404": _library, "PTE405": _overload, "PTE411": _backend,
    "PTE414": _null_spec, "PTE418": _no_library, "PTE419": _payload, "PTE420": _shared_library,
    "PTE421": _input_sizes, "PTE430": _gpu, "PTE431": _system, "PTE432": _entry_points,
    "PTE433": _graph_flow, "PTE434": _signature, "PTE435": _accelerator, "PTE436": _engine,
    "PTE437": _textures, "PTE439": _freed_constant,
    "PTE801": _islands, "PTE802": _heavy,
}  # fmt: skip
