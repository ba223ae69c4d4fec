// Grammar (docs/expressions.md):
//
//   condition  = conjunction { "||" conjunction }
//   conjunction = term { "&&" term }
//   term       = "!" term | "(" condition ")" | "has" "(" bank ")" | operand [ comparison operand ]
//   operand    = value [ "&" integer ]
//   value      = number | "tag" | "count" "(" bank [ "," condition ] ")" | bank "." column [ "["
//   integer "]" ]
//
// Inside count(BANK, ...) a name without a bank is a column of BANK, in the row that is looked at.
// An operand alone means "is not 0".

#include "hipotool/error.hpp"
#include "hipotool/names.hpp"
#include "hipotool/row_condition.hpp"

#include "model/expression_nodes.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <string>
#include <utility>

namespace hipotool {
inline namespace v0 {
namespace {

using expression::ColumnOperand;
using expression::Comparison;
using expression::CountOperand;
using expression::Number;
using expression::Operand;
using expression::TagOperand;
using Node = Expression::Node;

// Operators as they are called elsewhere, and here.
constexpr std::pair<std::string_view, std::string_view> kWords[] = {
    {"and", "&&"}, {"or", "||"}, {"not", "!"}};

// The same for signs, and for what is not to be had here.
constexpr std::pair<std::string_view, std::string_view> kOtherSigns[] = {
    {"||", ""},  // as they should be
    {"==", ""},
    {"=>", "; \"is not less\" is written >="},
    {"=<", "; \"is not greater\" is written <="},
    {"=", "; \"is equal\" is written =="},
    {"|", "; \"or\" is written ||"},
    {"+", "; there is no arithmetic"},
    {"-", "; there is no arithmetic"},
    {"*", "; there is no arithmetic"},
    {"/", "; there is no arithmetic"},
    {"%", "; there is no arithmetic"}};

constexpr std::size_t kMaxDepth = 100;  // of nested parentheses: the parser's own stack is finite

class Parser {
 public:
  // `rows_of`: the bank whose rows the condition is about; null: about events.
  Parser(std::string_view text, const Dictionary& dictionary, const Schema* rows_of = nullptr)
      : text_(text), dictionary_(dictionary), rows_of_(rows_of), row_bank_(rows_of) {}

  std::unique_ptr<Node> parse() {
    std::unique_ptr<Node> root = condition();
    skip_space();
    if (at_ != text_.size()) {
      refuse("nothing more was expected");
    }
    return root;
  }

  Projection projection;

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorCode::invalid_argument, "expression, character " + std::to_string(at_ + 1) +
                                                 " of \"" + std::string(text_) + "\": " + what +
                                                 hint());
  }

  // What other languages write here is worth a word.
  [[nodiscard]] std::string hint() const {
    const std::string_view rest = text_.substr(at_);
    for (const auto& [sign, advice] : kOtherSigns) {
      if (rest.starts_with(sign)) {
        return std::string(advice);
      }
    }
    for (const auto& [word, sign] : kWords) {
      if (is_word(rest, word)) {
        return "; \"" + std::string(word) + "\" is written " + std::string(sign);
      }
    }
    return "";
  }

  static bool is_word(std::string_view text, std::string_view word) {
    const bool begins = text.size() >= word.size() &&
                        std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) {
                          return a == std::tolower(static_cast<unsigned char>(b));
                        });
    const bool goes_on =
        text.size() > word.size() &&
        (std::isalnum(static_cast<unsigned char>(text[word.size()])) != 0 ||
         std::string_view("_:/.").find(text[word.size()]) != std::string_view::npos);
    return begins && !goes_on;
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
      ++at_;
    }
  }

  bool accept(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) {
      return false;
    }
    at_ += token.size();
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) {
      refuse("'" + std::string(token) + "' was expected");
    }
  }

  std::unique_ptr<Node> chain(Node::Kind kind, std::string_view token,
                              std::unique_ptr<Node> (Parser::*part)()) {
    std::unique_ptr<Node> first = (this->*part)();
    if (!accept(token)) {
      return first;
    }
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->children.push_back(std::move(first));
    do {
      node->children.push_back((this->*part)());
    } while (accept(token));
    return node;
  }

  std::unique_ptr<Node> condition() {
    if (++depth_ > kMaxDepth) {
      refuse("more than 100 levels of nesting");
    }
    std::unique_ptr<Node> node = chain(Node::Kind::either, "||", &Parser::conjunction);
    --depth_;
    return node;
  }

  std::unique_ptr<Node> conjunction() { return chain(Node::Kind::both, "&&", &Parser::term); }

  std::unique_ptr<Node> term() {
    skip_space();
    if (text_.substr(at_, 1) == "!" && text_.substr(at_, 2) != "!=") {
      ++at_;
      if (++depth_ > kMaxDepth) {
        refuse("more than 100 levels of nesting");
      }
      auto node = std::make_unique<Node>();
      node->kind = Node::Kind::negation;
      node->children.push_back(term());
      --depth_;
      return node;
    }
    if (accept("(")) {
      std::unique_ptr<Node> node = condition();
      expect(")");
      return node;
    }
    // has() and count() need sizes alone: an empty set of columns asks for no stream of a columnar
    // bank.
    if (accept_call("has")) {
      auto node = std::make_unique<Node>();
      node->kind = Node::Kind::has;
      node->key = bank_key(name());
      projection.add(node->key, {});
      expect(")");
      return node;
    }
    return comparison();
  }

  std::unique_ptr<Node> comparison() {
    auto node = std::make_unique<Node>();
    node->left = operand();
    if (const auto found = comparison_sign()) {
      node->comparison = *found;
      node->right = operand();
      const std::size_t end = at_;
      if (comparison_sign()) {
        at_ = end;
        refuse("one comparison ends here; others are joined to it by &&");
      }
    } else {
      node->comparison = Comparison::unequal;
      node->right.value = Number{};
    }
    return node;
  }

  std::optional<Comparison> comparison_sign() {
    constexpr std::pair<std::string_view, Comparison> kSigns[] = {
        {"==", Comparison::equal},      {"!=", Comparison::unequal},
        {"<=", Comparison::less_equal}, {">=", Comparison::greater_equal},
        {"<", Comparison::less},        {">", Comparison::greater}};
    skip_space();
    if (text_.substr(at_).starts_with("<>")) {
      refuse("\"is unequal\" is written !=");
    }
    for (const auto& [sign, comparison] : kSigns) {
      if (accept(sign)) {
        return comparison;
      }
    }
    return std::nullopt;
  }

  Operand operand() {
    Operand operand;
    operand.value = value();
    skip_space();
    if (text_.substr(at_, 1) == "&" && text_.substr(at_, 2) != "&&") {
      ++at_;
      if (!is_integer(operand)) {
        refuse("& works on integers only");
      }
      if (!number_follows()) {
        refuse("& takes the bits of an integer; \"and\" is written &&");
      }
      operand.mask = integer();
    }
    return operand;
  }

  [[nodiscard]] bool is_integer(const Operand& operand) const {
    if (const auto* number = std::get_if<Number>(&operand.value)) {
      return number->kind == Number::Kind::integer;
    }
    if (const auto* column = std::get_if<ColumnOperand>(&operand.value)) {
      const ColumnType type = dictionary_.find(column->key)->columns()[column->column].type;
      return type != ColumnType::f32 && type != ColumnType::f64;
    }
    return true;
  }

  // "count(": the name of a function and its parenthesis, not a bank that begins so.
  bool accept_call(std::string_view function) {
    skip_space();
    const std::size_t before = at_;
    if (accept(function) && accept("(")) {
      return true;
    }
    at_ = before;
    return false;
  }

  bool number_follows() {
    skip_space();
    const char first = at_ < text_.size() ? text_[at_] : '\0';
    return std::isdigit(static_cast<unsigned char>(first)) != 0 || first == '-' || first == '+' ||
           first == '.';
  }

  expression::Value value() {
    if (number_follows()) {
      return number();
    }
    if (accept_call("count")) {
      return count();
    }
    const std::size_t begin = at_;
    const std::string word = name();
    if (accept(".")) {
      return column(bank(word), name(), true);
    }
    if (word == "tag") {
      return TagOperand{};
    }
    const bool is_operator =
        std::any_of(std::begin(kWords), std::end(kWords),
                    [&](const auto& known) { return is_word(word, known.first); });
    if (row_bank_ != nullptr && (!is_operator || row_bank_->find_column(word))) {
      return column(*row_bank_, word, false);
    }
    at_ = begin;
    refuse("a column is written BANK.column" + qualified(word) +
           "; count(BANK) and has(BANK) take a bank");
  }

  // Where there is a column of that name: " (REC::Particle.px, MC::Particle.px)".
  [[nodiscard]] std::string qualified(const std::string& column_name) const {
    constexpr std::size_t kShown = 3;
    std::string columns;
    std::size_t found = 0;
    for (const Schema* schema : dictionary_.schemas()) {
      if (schema->find_column(column_name) && found++ < kShown) {
        columns += (found == 1 ? " (" : ", ") + schema->name() + "." + column_name;
      }
    }
    return columns + (found > kShown ? ", ..." : "") + (found > 0 ? ")" : "");
  }

  ColumnOperand column(const Schema& schema, const std::string& column_name, bool qualified) {
    ColumnOperand operand{schema.key(), require_column(schema, column_name)};
    operand.of_current_row = !qualified;
    projection.add(schema.key(), {operand.column});
    const bool one_row = qualified && accept("[");
    if (qualified && !one_row && rows_of_ != nullptr && rows_of_->key() == schema.key()) {
      refuse("it would look at all rows; a column of the row is written without its bank: " +
             column_name);
    }
    if (one_row) {
      const std::int64_t row = integer();
      if (row < 0) {
        refuse("rows are counted from 0");
      }
      operand.row = static_cast<std::size_t>(row);
      expect("]");
    }
    return operand;
  }

  expression::Value count() {
    auto operand = std::make_unique<CountOperand>();
    const Schema& schema = bank(name());
    operand->key = schema.key();
    projection.add(schema.key(), {});
    if (accept(",")) {
      const Schema* outer = std::exchange(row_bank_, &schema);
      operand->condition = condition();
      row_bank_ = outer;
    }
    expect(")");
    return operand;
  }

  // Whether a bank is there can be asked of one without a schema, too.
  BankKey bank_key(const std::string& bank_name) const {
    const std::optional<BankKey> key = parse_bank_key(bank_name);
    return key && dictionary_.find(bank_name) == nullptr ? *key : bank(bank_name).key();
  }

  const Schema& bank(const std::string& bank_name) const {
    return require_schema(dictionary_, bank_name);
  }

  // A bank or column: `quoted`, or letters, digits, _ and the :: and / of bank names.
  std::string name() {
    skip_space();
    if (accept("`")) {
      const std::size_t end = text_.find('`', at_);
      if (end == text_.npos) {
        refuse("the closing ` is missing");
      }
      std::string quoted(text_.substr(at_, end - at_));
      at_ = end + 1;
      return quoted;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != ':' && c != '/') {
        break;
      }
      ++at_;
    }
    if (at_ == begin) {
      refuse(at_ == text_.size() ? "it ends too early" : "a number or a name was expected");
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::int64_t integer() {
    const expression::Number parsed = number();
    if (parsed.kind != Number::Kind::integer) {
      refuse("an integer was expected");
    }
    return parsed.integer;
  }

  Number number() {
    skip_space();
    const bool negative = accept("-");
    if (!negative) {
      static_cast<void>(accept("+"));
    }
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    const bool hex = text_.substr(at_, 2) == "0x" || text_.substr(at_, 2) == "0X";
    std::uint64_t magnitude = 0;
    const auto whole = std::from_chars(begin + (hex ? 2 : 0), end, magnitude, hex ? 16 : 10);
    double real = 0.0;
    const auto broken = hex ? std::from_chars_result{begin, std::errc::invalid_argument}
                            : std::from_chars(begin, end, real);
    const bool too_large = whole.ec == std::errc::result_out_of_range;
    const bool is_whole = (whole.ec == std::errc{} || too_large) &&
                          (broken.ec != std::errc{} || broken.ptr == whole.ptr);
    if (is_whole) {
      at_ += static_cast<std::size_t>(whole.ptr - begin);
      // Hexadecimal numbers are bit patterns; decimal ones must be what they say.
      if (too_large || (!hex && magnitude > (negative ? std::uint64_t{1} << 63
                                                      : (std::uint64_t{1} << 63) - 1))) {
        refuse("the integer is out of range");
      }
      const std::uint64_t bits = negative ? 0 - magnitude : magnitude;
      return {Number::Kind::integer, static_cast<std::int64_t>(bits), 0.0};
    }
    if (broken.ec != std::errc{}) {
      refuse("a number was expected");
    }
    at_ += static_cast<std::size_t>(broken.ptr - begin);
    return {Number::Kind::decimal, 0, negative ? -real : real};
  }

  std::string_view text_;
  const Dictionary& dictionary_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  const Schema* rows_of_;
  const Schema* row_bank_;  // of the count() that is being parsed, or the same
};

}  // namespace

Expression Expression::parse(std::string_view text, const Dictionary& dictionary) {
  Parser parser(text, dictionary);
  std::unique_ptr<Node> root = parser.parse();
  return Expression(std::move(root), std::move(parser.projection));
}

RowCondition RowCondition::parse(std::string_view text, const Dictionary& dictionary,
                                 const Schema& bank) {
  Parser parser(text, dictionary, &bank);
  parser.projection.add(bank.key(), {});
  std::unique_ptr<Node> root = parser.parse();
  return RowCondition(std::move(root), std::move(parser.projection), bank.key());
}

}  // namespace v0
}  // namespace hipotool
