#pragma once
// What a command leaves out of the banks that it writes, or changes in them: the options for it,
// the same for all commands that rewrite files.

#include "hipotool/bank_edit.hpp"

#include "arguments.hpp"

#include <optional>
#include <string>

namespace hipotool::app {

struct BankOptions {
  BankEdit edit{};  // without its definitions, special tags and `only`
  bool drop_unused_schemas = false;
  std::optional<std::string> definitions{};  // folder or file
};

// The section "Banks". `options` must outlive the verb's run.
void add_banks(Verb& verb, BankOptions& options);

// Whether any of the options was given.
[[nodiscard]] bool is_given(const BankOptions& options);

}  // namespace hipotool::app
