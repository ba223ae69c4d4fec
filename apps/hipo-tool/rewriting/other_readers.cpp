#include "rewriting/other_readers.hpp"

#include "rewriting/rewriting_job.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace hipotool::app {

namespace {

// Every way in which records of the inputs are stored.
std::vector<Compression> stored_compressions(const FileReader& input) {
  std::set<std::pair<CodecId, LayoutId>> pairs;
  for (const RecordEntry& entry : input.records()) {
    pairs.emplace(entry.header.codec, entry.header.layout);
  }
  std::vector<Compression> stored;
  stored.reserve(pairs.size());
  for (const auto& [codec, layout] : pairs) {
    stored.push_back({.codec = codec, .layout = layout});
  }
  return stored;
}

// Whether C++ or Java can read an input and not the result.
bool loses_a_reader(const RewritingJob& job) {
  for (const FileReader* input : job.inputs) {
    const Readers now =
        readers_of(input->dictionary(), input->dictionary_events(), stored_compressions(*input));
    if ((now.cpp.empty() && !job.readable.cpp.empty()) ||
        (now.java.empty() && !job.readable.java.empty())) {
      return true;
    }
  }
  return false;
}

// "can be read by oxihipo (0.9.0 and later); not by C++ hipo4 (...), not by Java (...)"
std::string readers_line(const RewritingJob& job) {
  const std::string since = oxihipo_since(job);
  std::string able;
  std::string unable;
  const auto add = [&](const std::string& reader, const std::string& reason) {
    std::string& list = reason.empty() ? able : unable;
    list += list.empty() ? "" : ", ";
    list += reason.empty() ? reader : reader + " (" + reason + ")";
  };
  add("C++ hipo4", job.readable.cpp);
  add("Java", job.readable.java);
  add(since.empty() ? "oxihipo" : "oxihipo " + since + " and later", job.readable.oxihipo);
  if (able.empty()) {
    return "no other reader known here can read the result: " + unable;
  }
  return "the result can be read by " + able + (unable.empty() ? "" : "; not by " + unable);
}

}  // namespace

void settle_readers(RewritingJob& job) {
  job.compressions = {job.rewrite.compression};
  if (job.rewrite.keep_compression) {
    job.compressions.clear();
    for (const FileReader* input : job.inputs) {
      const std::vector<Compression> stored = stored_compressions(*input);
      job.compressions.insert(job.compressions.end(), stored.begin(), stored.end());
    }
  }
  job.readable =
      readers_of(Dictionary(job.dictionary.events), job.dictionary.events, job.compressions);
}

std::string oxihipo_since(const RewritingJob& job) {
  std::string since = "0";
  for (const Compression& compression : job.compressions) {
    std::string one(readable_by(compression).oxihipo_since);
    if (one.empty()) {
      return one;
    }
    since = std::max(since, one);
  }
  return since == "0" ? "" : since;
}

void tell_readers(const RewritingJob& job, Log& log) {
  if (loses_a_reader(job)) {
    log.line("hipo-tool: " + readers_line(job));
  } else {
    log.notice(readers_line(job));
  }
}

}  // namespace hipotool::app
