// Where the content of <script>, <style>, <title> and their like ends, and where a comment does.
#pragma once

#include <cstddef>
#include <string_view>

namespace opic::links {

// The offset of the end tag that ends the raw text beginning at `begin` of `text`, for an element
// called `name` (any case); text.size() where it never ends, and always for "plaintext". In
// scripts,
// "<!--" and "<script" hide end tags as the HTML Standard says (13.2.5.15 to 13.2.5.31). Linear.
size_t RawTextEnd(std::string_view text, size_t begin, std::string_view name);

// The offset behind the comment whose "<!--" ends at `begin` of `text`; text.size() where it never
// ends. It ends at "-->" or "--!>", and at once with "<!-->" or "<!--->" (13.2.5.43 to 13.2.5.52).
// Linear.
size_t CommentEnd(std::string_view text, size_t begin);

}  // namespace opic::links
