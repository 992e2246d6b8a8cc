// One libcurl easy handle and the response being received on it; reused for request after request.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <curl/curl.h>

#include <optional>
#include <string>

#include "fetch/address_slots.h"
#include "fetch/curl_handles.h"
#include "fetch/gzip_decoder.h"
#include "fetch/header_reader.h"
#include "fetch/options.h"
#include "fetch/response.h"

namespace opic::fetch {

class Download {
 public:
  // All three must outlive the download.
  Download(const Options& options, curl_slist* connect_to, AddressSlots& slots);
  Download(const Download&) = delete;
  Download& operator=(const Download&) = delete;

  CURL* easy() const { return easy_.get(); }
  bool active() const { return active_; }
  static Download& Of(CURL* easy);

  // Makes easy() ready to run `request`. REQUIRES: not active.
  void Begin(const Request& request);

  // The response, after easy() ended with `code` or, in Abandon, will not be run any more.
  // REQUIRES: active.
  Response Finish(CURLcode code);
  Response Abandon(Error error, std::string_view detail);

 private:
  static curl_socket_t OnOpenSocket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int OnReady(void* self, char* address, char* local, int port, int local_port);
  static size_t OnHeader(char* bytes, size_t one, size_t size, void* self);
  static size_t OnBody(char* bytes, size_t one, size_t size, void* self);

  void InstallCallbacks();
  void SetHeaders(const Request& request);
  bool TakeSlot(const char* address);
  void GiveSlotBack();
  // Who decodes the body: libcurl, the decoder here, or nobody.
  void ChooseDecoder();
  // At the end of the head. False: the transfer ends here.
  bool JudgeType();
  bool Drain(size_t bytes);
  bool Decode(std::string_view bytes);
  bool AppendBody(std::string_view bytes);
  // The reason for which a callback makes libcurl end the download.
  void Refuse(Error error, std::string_view detail);
  void Judge(CURLcode code);
  void Measure();
  Response Release();

  const Options& options_;
  AddressSlots& slots_;
  EasyHandle easy_;
  char message_[CURL_ERROR_SIZE] = {};

  bool active_ = false;
  StringList headers_;
  size_t body_bytes_max_ = 0;
  bool any_type_ = false;
  size_t drained_ = 0;  // bytes of an unwanted body that were read
  Response response_;
  std::optional<HeaderReader> reader_;
  std::optional<GzipDecoder> gzip_;
  bool address_allowed_ = false;  // some address could be tried
  bool address_refused_ = false;
  bool no_descriptor_ = false;  // a socket could not be had
  std::string slot_;            // the address whose slot is held; empty: none
};

}  // namespace opic::fetch
