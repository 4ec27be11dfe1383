#include "histories/script_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace shardcheck::histories {
namespace {

std::string escaped(std::string_view bytes) {
  std::string out;
  append_script_string(bytes, out);
  return out;
}

TEST(ScriptText, what_could_begin_markup_or_end_the_script_is_escaped) {
  EXPECT_EQ(escaped("</script><!--&"), R"("\u003c/script\u003e\u003c!--\u0026")");
  EXPECT_EQ(escaped("a\"b\\c'd"), R"("a\u0022b\u005cc'd")");
}

TEST(ScriptText, line_separators_and_control_characters_are_escaped) {
  EXPECT_EQ(escaped("\xe2\x80\xa8\xe2\x80\xa9"), R"("\\u2028\\u2029")");
  EXPECT_EQ(escaped(std::string_view("\0\n\x1b\x7f", 4)), R"("\u0000\u000a\u001b\u007f")");
}

// In the page "\\u202e" is a backslash and five letters, not the character that turns the line around.
TEST(ScriptText, of_what_would_reorder_or_hide_text_the_number_is_shown) {
  EXPECT_EQ(escaped("a\xe2\x80\xae"
                    "b\xe2\x81\xa6\xe2\x80\x8b"),
            R"("a\\u202eb\\u2066\\u200b")");
}

TEST(ScriptText, characters_beyond_ascii_keep_their_meaning) {
  EXPECT_EQ(escaped("\xc3\xa9\xe2\x82\xac"), R"("\u00e9\u20ac")");
  EXPECT_EQ(escaped("\xf0\x9f\x98\x80"), R"("\ud83d\ude00")");
}

TEST(ScriptText, bytes_that_are_no_utf8_become_the_replacement_character) {
  EXPECT_EQ(escaped("a\xff"
                    "b"),
            R"("a\ufffdb")");
  EXPECT_EQ(escaped("\xc0\xbc"), R"("\ufffd\ufffd")") << "an overlong <";
  EXPECT_EQ(escaped("\xe0\x80\xbc"), R"("\ufffd\ufffd\ufffd")") << "an overlong <";
  EXPECT_EQ(escaped("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")") << "half of a surrogate pair";
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), R"("\ufffd\ufffd\ufffd\ufffd")") << "beyond the last character";
  EXPECT_EQ(escaped("\xe2\x80"), R"("\ufffd\ufffd")") << "cut";
}

TEST(ScriptText, a_long_text_is_cut_between_characters_and_says_its_length) {
  EXPECT_EQ(beginning_of("abcdef", 6), "abcdef");
  EXPECT_EQ(beginning_of("abcdefg", 6), "abcdef... (7 bytes)");
  EXPECT_EQ(beginning_of("ab\xc3\xa9z", 3), "ab... (5 bytes)");
}

TEST(ScriptText, of_a_long_value_the_end_is_shown) {
  ValueTable values;
  std::vector<ValueId> items;
  for (int i = 0; i < 1000; ++i) {
    items.push_back(values.number(i));
  }

  EXPECT_EQ(short_text(values, values.list(items), 80), "[..., 992, 993, 994, 995, 996, 997, 998, 999] (1000 items)");
  EXPECT_EQ(short_text(values, values.string(std::string(1000, 'a') + "end"), 10), "...\"aaaaaaaend\" (1003 bytes)");
  EXPECT_EQ(short_text(values, values.string("short"), 80), "\"short\"");
  EXPECT_EQ(short_text(values, values.number(-5), 80), "-5");
}

TEST(ScriptText, a_value_of_nested_lists_stays_short) {
  ValueTable values;
  ValueId value = values.string(std::string(100, 'x'));
  for (int depth = 0; depth < 12; ++depth) {
    value = values.list(std::vector<ValueId>(8, value));
  }

  EXPECT_LE(short_text(values, value, 80).size(), 200U);
}

}  // namespace
}  // namespace shardcheck::histories
