#pragma once
// What concerns the process as a whole: its standard streams, limits and signals. Set up once, in
// the first lines of main().

#include "hipotool/atomic_file.hpp"

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>

namespace hipotool::app {

// Opens what is missing of stdin, stdout and stderr, so that no file of ours gets their numbers
// (what is written there still fails); lifts the soft limit of open files to the hard one, since a
// merge may have a thousand inputs; has large buffers go back to the system when they are freed, so
// that the peak does not depend on the length of the run; ignores SIGPIPE and SIGXFSZ, which then
// show as write errors.
void prepare_process();

// SIGINT, SIGTERM and SIGHUP. The first one requests a stop, and the command ends by unwinding. The
// second one does not wait for that: it removes the temporaries made by create() and ends the
// process. A signal that the caller ignores (nohup, a background job) stays ignored.
//
// The signals are blocked and a thread of its own takes them, so nothing here runs in a signal
// handler. Make it before any other thread.
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  Interrupts(Interrupts&&) = delete;
  Interrupts& operator=(Interrupts&&) = delete;
  ~Interrupts();

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  // The first signal received, or 0.
  [[nodiscard]] int received() const;

  // Makes a file whose temporary a second signal removes.
  [[nodiscard]] AtomicFile create(const std::filesystem::path& target,
                                  AtomicFile::Existing existing);

 private:
  void watch();

  std::stop_source source_;
  mutable std::mutex mutex_;  // of all below
  std::set<std::filesystem::path> temporaries_;
  int received_ = 0;
  int signals_ = -1;  // a signalfd
  int done_ = -1;     // an eventfd: the destructor ends the thread
  std::jthread thread_;
};

}  // namespace hipotool::app
