#include "inputs.hpp"

#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <glob.h>
#include <iostream>
#include <istream>

namespace hipotool::app {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (entry->path().extension() == ".hipo" && !fs::is_directory(entry->path())) {
      files.push_back(entry->path());
    }
  }
  if (failure) {
    throw UsageError(fmt::format("{}: {}", folder.string(), failure.message()));
  }
  if (files.empty()) {
    throw UsageError(fmt::format("{}: no file *.hipo in this folder", folder.string()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Without a match the pattern itself, as a shell would leave it.
std::vector<fs::path> matches_of(const std::string& pattern) {
  ::glob_t found{};
  const int failure = ::glob(pattern.c_str(), 0, nullptr, &found);
  std::vector<fs::path> files;
  if (failure == 0) {
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  if (files.empty()) {
    files.emplace_back(pattern);
  }
  return files;
}

void append_word(std::vector<fs::path>& files, const std::string& word) {
  if (word.empty()) {
    throw UsageError("a file name is empty");
  }
  refuse_stdin(word);
  std::error_code ignored;
  const fs::file_status status = fs::status(word, ignored);
  if (fs::is_directory(status)) {
    const std::vector<fs::path> inside = files_in(word);
    files.insert(files.end(), inside.begin(), inside.end());
  } else if (!fs::exists(status) && word.find_first_of("*?[") != std::string::npos) {
    const std::vector<fs::path> matches = matches_of(word);
    files.insert(files.end(), matches.begin(), matches.end());
  } else {
    files.emplace_back(word);
  }
}

void append_list(std::vector<fs::path>& files, const std::string& list) {
  std::ifstream file;
  const bool from_stdin = list == "-";
  if (!from_stdin) {
    file.open(list);
  }
  std::istream& lines = from_stdin ? std::cin : file;
  std::string line;
  while (std::getline(lines, line)) {
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    if (!line.empty() && line.front() != '#') {
      append_word(files, line);
    }
  }
  if (!lines.eof() || lines.bad()) {
    throw UsageError(fmt::format("--filelist: {} cannot be read", list));
  }
}

}  // namespace

void refuse_stdin(const std::string& word) {
  if (word == "-") {
    throw UsageError(
        "'-': this needs a file that can be read at any place; recook and tag-filter read from "
        "stdin and can write one (a file of that name: ./-)");
  }
}

void add_filelist(Verb& verb, InputOptions& options) {
  verb.repeatable_option(
      "-L,--filelist", "FILE",
      "Also the files named in FILE, one a line; - reads the names from stdin. Empty lines "
      "and lines that begin with # are passed over. May be given several times.",
      [&options](const std::string& list) { options.lists.push_back(list); });
}

std::vector<fs::path> expand_inputs(const std::vector<std::string>& words,
                                    const InputOptions& options) {
  std::vector<fs::path> files;
  for (const std::string& word : words) {
    append_word(files, word);
  }
  for (const std::string& list : options.lists) {
    append_list(files, list);
  }
  if (files.empty()) {
    throw UsageError(options.lists.empty() ? "no file given" : "the lists of files name no file");
  }
  return files;
}

Shares divide(unsigned threads, std::uint64_t memory_bytes, std::size_t files) {
  Shares shares;
  shares.files = static_cast<unsigned>(std::clamp<std::size_t>(files, 1, std::max(threads, 1U)));
  shares.threads = std::max(threads / shares.files, 1U);
  shares.memory_bytes = memory_bytes / shares.files;
  return shares;
}

}  // namespace hipotool::app
