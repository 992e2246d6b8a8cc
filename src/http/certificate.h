// What a server shows to prove who it is. Thread safety: a plain value.
#pragma once

#include <string>

namespace opic::http {

// PEM texts.
struct Certificate {
  std::string certificate, key;
};

}  // namespace opic::http
