"""Every limit that reading obeys, in one place, with where it comes from.

The first group are the runtime's own figures: a program beyond them is refused under full
verification. The second group are ours: they bound what a hostile file can cost.
"""

from __future__ import annotations

# --- The runtime's figures -------------------------------------------------------------------
# flatbuffers 24.3.25 as ExecuTorch pins it, include/flatbuffers/verifier.h, Verifier::Options;
# runtime/executor/program.cpp (Program::load) takes the defaults.

# Deepest nesting of tables. No table of the formats contains itself, so programs reach 6.
VERIFIER_MAX_DEPTH = 64

# Tables visited, each counted every time something refers to it.
VERIFIER_MAX_TABLES = 1_000_000

# base.h, FLATBUFFERS_MAX_BUFFER_SIZE: bounds vector lengths (bytes / element size), and is
# asserted, so not checked in release builds, for the buffer.
VERIFIER_MAX_BYTES = 2**31 - 1

# base.h, FLATBUFFERS_MIN_BUFFER_SIZE: a root offset, a table's vtable offset, a vtable's size.
VERIFIER_MIN_BYTES = 12

# schema/extended_header.h, kNumHeadBytes: what the loader must be able to read of any file.
HEAD_BYTES = 64

# runtime/executor/program.cpp: root offset and identifier come before the extended header.
MIN_PROGRAM_BYTES = 8

# program.cpp, kMinimumAlignment: alignof(std::max_align_t) on 64-bit targets.
PROGRAM_ALIGNMENT = 16

# --- Ours ------------------------------------------------------------------------------------

# Exporters share next to nothing, and real programs have thirty bytes or more for each table. A
# document may have as many tables, each counted every time something refers to it, as if each took
# this many, and small ones that many more; beyond that shared content is decoded once, and the same
# figures bound what is distinct. One table costs some 10 microseconds.
FREE_TABLES = 16_384
TABLE_BYTES = 16

# Memory: so much for free, and ten times the file, which is what 32-bit numbers take as objects.
FREE_BYTES = 16 << 20
BYTES_FACTOR = 10

# What counts against it: a table; a place in a tuple, and the number in it. Numbers of one byte
# exist once for all. References are two places and a number: they are followed all at once.
RECORD_BYTES = 150
PLACE_BYTES = 8
NUMBER_BYTES = 32
REFERENCE_BYTES = 2 * PLACE_BYTES + NUMBER_BYTES

# What is kept of content that something else refers to as well.
SHARED_BYTES = 250

# A program whose content is shared is judged as far as what decides about it (not, say, its stack
# traces) would be this many times the file, and so much for free, with every reference counted.
UNSHARED_FACTOR = 2
FREE_UNSHARED = FREE_TABLES * TABLE_BYTES

# However large the file. A million instructions come to about 8 million tables; beyond
# VERIFIER_MAX_TABLES no runtime takes the program under full verification.
MAX_TABLES = 16_000_000
MAX_BYTES = 1 << 31

# Violations kept per document; the first of them decides, the rest are for reading.
MAX_VIOLATIONS = 200

# --- Artifacts that are far away -------------------------------------------------------------
# Defaults of what may be fetched of one artifact; --remote changes them.

# Bytes in all: the program, and what is read besides. A million instructions take about 150 MiB.
FETCH_BYTES = 256 << 20

# Requests in all, redirections counted.
FETCH_REQUESTS = 16

# Bytes besides the program: the rest of the first look, heads of delegate blobs, padding.
FETCH_BESIDES = 64 << 10

# Seconds without a byte, and the least rate (bytes a second) of an answer after that.
FETCH_SILENCE = 30.0
FETCH_LEAST_RATE = 16 << 10

# Redirections followed for one request.
FETCH_REDIRECTS = 5

# Bytes of the first look: of most programs all there is, and little of what may be fetched besides.
FETCH_FIRST = 16 << 10

# A small read fetches this much at most at once, since the next one is often near.
FETCH_AHEAD = 4 << 10

# --- Files that are here ---------------------------------------------------------------------
# Looked at before anything is read.

# A file: programs reach some hundred gigabytes with their weights, which are mapped and not read.
FILE_BYTES = 1 << 40

# A stream, whose size cannot be looked at: all of it is kept in memory.
STREAM_BYTES = 256 << 20

# A configuration file, and the JSON of a baseline or a profile: 10 to 30 times that in memory.
CONFIGURATION_BYTES = 1 << 20
RECORD_FILE_BYTES = 64 << 20

# Names that may be looked at for the globs of one configuration.
GLOB_NAMES = 100_000

# --- Archives ---------------------------------------------------------------------------------
# Entries of an archive that are looked at, and bytes that are decompressed on the way to one of
# them in a tar file, which has no table of contents.
ARCHIVE_ENTRIES = 100_000
ARCHIVE_BYTES = 4 << 30

# --- Many artifacts in one run ----------------------------------------------------------------
# Defaults of `--limit`.

# Memory and seconds for one artifact, whose process is ended beyond them. What judging takes is
# bounded by the file; this is for what nobody foresaw.
TASK_BYTES = 2 << 30
TASK_SECONDS = 600

# Artifacts that are judged, and names that are looked at: of listings of strangers, which may never
# end. One name takes a few hundred bytes.
STORE_ARTIFACTS = 1_000_000
STORE_NAMES = 10_000_000


def table_budget(size: int) -> int:
    """Returns how many table visits a document of `size` bytes may cost."""
    return min(FREE_TABLES + size // TABLE_BYTES, MAX_TABLES)


def unshared_budget(size: int) -> int:
    """Returns how many bytes a program in `size` bytes may take if nothing were shared."""
    return FREE_UNSHARED + UNSHARED_FACTOR * size


def memory_budget(size: int) -> int:
    """Returns how many bytes of memory a document of `size` bytes may take when decoded."""
    return min(FREE_BYTES + BYTES_FACTOR * size, MAX_BYTES)


def number_bytes(width: int) -> int:
    """Returns how many bytes of memory a decoded number of `width` bytes counts for."""
    return PLACE_BYTES + (NUMBER_BYTES if width > 1 else 0)
