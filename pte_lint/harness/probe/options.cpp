#include "options.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace probe {
namespace {

bool parse_loader(const std::string& value, LoaderKind* loader) {
  if (value == "file") {
    *loader = LoaderKind::kFile;
  } else if (value == "mmap") {
    *loader = LoaderKind::kMmap;
  } else if (value == "buffer") {
    *loader = LoaderKind::kBuffer;
  } else if (value == "guarded") {
    *loader = LoaderKind::kGuarded;
  } else {
    return false;
  }
  return true;
}

// `input:size,size,...`
bool parse_sizes(const std::string& value, Options* options) {
  char* end = nullptr;
  const size_t input = std::strtoul(value.c_str(), &end, 10);
  if (end == value.c_str() || *end != ':') {
    return false;
  }
  std::vector<int32_t>& sizes = options->input_sizes[input];
  while (*end != '\0' && end[1] != '\0') {
    const char* start = end + 1;
    const long size = std::strtol(start, &end, 10);
    if (end == start || size < 0 || size > INT32_MAX || (*end != ',' && *end != '\0')) {
      return false;
    }
    sizes.push_back(static_cast<int32_t>(size));
  }
  return true;
}

// "method:chain:instruction:count"
bool parse_outputs(const std::string& value, Options* options) {
  int method = 0;
  int chain = 0;
  int instruction = 0;
  int count = 0;
  if (std::sscanf(value.c_str(), "%d:%d:%d:%d", &method, &chain, &instruction, &count) != 4) {
    return false;
  }
  options->delegate_outputs[method][{chain, instruction}] = count;
  return true;
}

// `input:path`: the file's bytes are the input's contents.
bool parse_data(const std::string& value, Options* options) {
  char* end = nullptr;
  const size_t input = std::strtoul(value.c_str(), &end, 10);
  if (end == value.c_str() || *end != ':') {
    return false;
  }
  std::ifstream file(end + 1, std::ios::binary);
  options->input_data[input] = InputBytes(std::istreambuf_iterator<char>(file), {});
  return !file.bad() && file.is_open();
}

// `name:inputs:first:end`, the name with colons of its own
bool parse_kernel(const std::string& value, Options* options) {
  size_t at = value.size();
  for (int i = 0; i < 3 && at != std::string::npos; ++i) {
    at = at == 0 ? std::string::npos : value.rfind(':', at - 1);
  }
  if (at == std::string::npos) {
    return false;
  }
  KernelShape& shape = options->recording.kernels[value.substr(0, at)];
  return std::sscanf(
             value.c_str() + at, ":%d:%d:%d", &shape.inputs, &shape.first, &shape.end) == 3 &&
      shape.inputs >= 0 && shape.first >= 0;
}

bool parse_minor(const std::string& value, int* minor) {
  if (value.size() != 3 || value.rfind("1.", 0) != 0 || value[2] < '2' ||
      value[2] - '0' > kRuntimeMinor) {
    return false;
  }
  *minor = value[2] - '0';
  return true;
}

// Words of a file, each ended by a NUL; a command line has no room for many.
bool read_words(const std::string& path, std::vector<std::string>* words) {
  std::ifstream file(path, std::ios::binary);
  std::string word;
  while (std::getline(file, word, '\0')) {
    words->push_back(word);
  }
  return file.eof();
}

bool apply(const std::string& name, const std::string& value, Options* options) {
  if (name == "report-fd") {
    options->report_fd = std::atoi(value.c_str());
  } else if (name == "lifeline-fd") {
    options->lifeline_fd = std::atoi(value.c_str());
  } else if (name == "program") {
    options->program = value;
  } else if (name == "data") {
    options->data_files.push_back(value);
  } else if (name == "library") {
    options->libraries.push_back(value);
  } else if (name == "loader") {
    return parse_loader(value, &options->loader);
  } else if (name == "verification") {
    options->full_verification = value != "minimal";
    options->fall_back_to_minimal = value == "fallback";
    return value == "minimal" || value == "full" || value == "fallback";
  } else if (name == "variant") {
    Variant variant;
    if (!variant_by_name(value, &variant)) {
      return false;
    }
    options->variants.push_back(variant);
  } else if (name == "method") {
    options->methods.insert(value);
  } else if (name == "seconds") {
    options->limits.seconds = std::atof(value.c_str());
  } else if (name == "describe") {
    options->describe_methods = value == "yes";
  } else if (name == "until-bad") {
    options->until_bad = value == "yes";
  } else if (name == "total-seconds") {
    options->total_seconds = std::atof(value.c_str());
  } else if (name == "memory") {
    options->limits.memory_bytes = std::strtoull(value.c_str(), nullptr, 10);
  } else if (name == "unfenced") {
    options->limits.unfenced = value != "no";
    options->limits.bare = value == "bare";
  } else if (name == "devices") {
    options->devices = std::atoi(value.c_str());
  } else if (name == "device-memory") {
    options->cuda = value == "cuda";
    options->limits.real_device = options->cuda;
    return value == "cuda" || value == "emulated";
  } else if (name == "as-runtime") {
    return parse_minor(value, &options->as_minor);
  } else if (name == "strict") {
    options->strict.insert(value);
  } else if (name == "without-kernel") {
    options->without_kernels.insert(value);
  } else if (name == "filled-arena") {
    options->filled_arena = std::atoi(value.c_str());
  } else if (name == "first-input") {
    options->first_input = std::strtoul(value.c_str(), nullptr, 10);
  } else if (name == "input-sizes") {
    return parse_sizes(value, options);
  } else if (name == "input-data") {
    return parse_data(value, options);
  } else if (name == "record-fd") {
    options->recording.fd = std::atoi(value.c_str());
  } else if (name == "record-from") {
    options->recording.from = std::strtoll(value.c_str(), nullptr, 10);
  } else if (name == "record-kernel") {
    return parse_kernel(value, options);
  } else if (name == "delegate-outputs") {
    return parse_outputs(value, options);
  } else {
    return parse_session_word(name, value, &options->sessions);
  }
  return true;
}

}  // namespace

bool variant_by_name(const std::string& name, Variant* variant) {
  *variant = Variant{};
  variant->name = name;
  if (name == "default") {
  } else if (name == "rising") {
    variant->values = Values::kRising;
    variant->runs = 2;
  } else if (name == "falling") {
    variant->values = Values::kFalling;
    variant->runs = 2;
  } else if (name == "given") {
    variant->values = Values::kRising;
  } else if (name == "host_inputs") {
    variant->host_memory_for_device_inputs = true;
  } else if (name == "device_inputs") {
    variant->device_memory_for_planned = true;
  } else if (name == "outputs_not_given") {
    variant->give_outputs = false;
  } else if (name == "poisoned_device") {
    variant->values = Values::kRising;
    variant->runs = 2;
    variant->device_fill = 0x41;  // 12.08 as float, 65 as a byte: finite, and unlike any input
  } else if (name == "poisoned_host") {
    variant->values = Values::kRising;
    variant->runs = 2;
    variant->host_fill = 0x41;
  } else if (name == "falling_poisoned_device") {
    variant->values = Values::kFalling;
    variant->runs = 2;
    variant->device_fill = 0x41;  // 12.08 as float, 65 as a byte: finite, and unlike any input
  } else if (name == "falling_poisoned_host") {
    variant->values = Values::kFalling;
    variant->runs = 2;
    variant->host_fill = 0x41;
  } else {
    return false;
  }
  return true;
}

bool parse_options(int argc, char** argv, Options* options, std::string* error) {
  if (argc < 2) {
    *error = "a mode is needed: run, batch, list, devices or fence";
    return false;
  }
  options->mode = argv[1];
  std::vector<std::string> words(argv + 2, argv + argc);
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i];
    size_t equals = word.find('=');
    if (word.rfind("--", 0) != 0 || equals == std::string::npos) {
      *error = "not understood: " + word;
      return false;
    }
    std::string name = word.substr(2, equals - 2);
    std::string value = word.substr(equals + 1);
    if (name == "arguments" ? !read_words(value, &words) : !apply(name, value, options)) {
      *error = "not understood: " + word;
      return false;
    }
  }
  return true;
}

}  // namespace probe
