#include "rewriting/bank_options.hpp"

#include "hipotool/names.hpp"

#include "inputs.hpp"
#include "options.hpp"

#include <string_view>

namespace hipotool::app {

namespace {

// "REC::Particle=pid,px".
ColumnChoice parse_columns(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw UsageError("'" + text + "' is not BANK=COLUMN,COLUMN");
  }
  return {text.substr(0, equals), split_list(text.substr(equals + 1))};
}

// "OLD=NEW" or "OLD=NEW:GROUP/ITEM"; names hold "::".
BankRename parse_rename(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw UsageError("'" + text + "' is neither OLD=NEW nor OLD=NEW:GROUP/ITEM");
  }
  BankRename rename{text.substr(0, equals), text.substr(equals + 1), std::nullopt};
  const std::size_t colon = rename.to.rfind(':');
  if (colon != std::string::npos) {
    rename.key = parse_bank_key(std::string_view(rename.to).substr(colon + 1));
    if (rename.key) {
      rename.to.resize(colon);
    }
  }
  if (rename.to.empty() || rename.to.find_first_of("/,{}") != std::string::npos) {
    throw UsageError("'" + rename.to +
                     "' cannot be the name of a bank: it is empty, or holds one "
                     "of / , { }");
  }
  return rename;
}

bool parse_unused(const std::string& word) {
  if (word != "drop" && word != "keep") {
    throw UsageError("'" + word + "' is none of drop, keep");
  }
  return word == "drop";
}

}  // namespace

void add_banks(Verb& verb, BankOptions& options) {
  BankEdit& edit = options.edit;
  verb.section("Banks");
  verb.option("-b,--banks", "LIST",
              "Keep these banks only: names, patterns, group/item: 'REC::*,RUN::config'. Special "
              "events come through whole, here and below, unless --only is given.",
              [&edit](const std::string& list) { edit.keep = split_list(list); });
  verb.option("--drop", "LIST", "Leave these banks out: 'RAW::*'.",
              [&edit](const std::string& list) { edit.drop = split_list(list); });
  verb.repeatable_option(
      "--columns", "BANK=LIST",
      "Keep only these columns of a bank: 'REC::Particle=pid,px,py,pz'. May be given several "
      "times. A special event that holds the bank is an error without --only.",
      [&edit](const std::string& text) { edit.columns.push_back(parse_columns(text)); });
  verb.flag("--drop-empty",
            "Leave out events that hold no bank then. A bank without rows is a bank.",
            edit.drop_empty);
  verb.option(
          "--unused-schemas", "WORD",
          "keep (default), or drop: leave out of the dictionary what describes no bank of any "
          "event; the inputs are read twice for that.",
          [&options](const std::string& word) { options.drop_unused_schemas = parse_unused(word); })
      .choices({"drop", "keep"});
  verb.option("--update-dict", "PATH",
              "Take newer bank definitions: a folder of JSON files, a JSON file, or a HIPO file. "
              "They may add banks and columns, which are zero in stored rows.",
              [&options](const std::string& path) {
                refuse_stdin(path);
                options.definitions = path;
              });
  verb.repeatable_option(
      "--rename", "OLD=NEW[:G/I]",
      "Give a bank another name, and another id. Where inputs define OLD differently, the first "
      "definition keeps the name. May be given several times.",
      [&edit](const std::string& text) { edit.renames.push_back(parse_rename(text)); });
}

bool is_given(const BankOptions& options) {
  return !options.edit.is_nothing() || options.drop_unused_schemas || options.definitions;
}

}  // namespace hipotool::app
