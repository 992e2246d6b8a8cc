// One libcurl easy handle and the response being received on it; reused for request after request.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <optional>
#include <string>

#include "fetch/address_slots.h"
#include "fetch/body_decoder.h"
#include "fetch/body_room.h"
#include "fetch/curl_handles.h"
#include "fetch/filtering_relay.h"
#include "fetch/header_reader.h"
#include "fetch/open_connections.h"
#include "fetch/options.h"
#include "fetch/response.h"

namespace opic::fetch {

class Routes;

class Download {
 public:
  // All must outlive the download.
  Download(const Options& options, const Routes& routes, AddressSlots& slots,
           OpenConnections& connections, BodyRoom& room);
  Download(const Download&) = delete;
  Download& operator=(const Download&) = delete;

  CURL* easy() const { return easy_.get(); }
  bool active() const { return active_; }
  const std::string& url() const { return url_; }  // of the request that is active
  bool sent() const { return response_.sent; }
  static Download& Of(CURL* easy);

  // Bytes have come for which there was no room (BodyRoom). They wait, and so does the connection.
  bool held_back() const { return held_back_since_.has_value(); }
  // Whether there is room for more of it (BodyRoom::MayRead).
  bool MayRead() const { return room_.MayRead(this, response_.held.bytes()); }
  absl::Time started() const { return response_.started; }
  // Takes them, and reads on. Not ok: the download has ended by that; Finish it. REQUIRES:
  // held_back(), and not in a callback of libcurl.
  CURLcode GoOn();

  // Bytes a second that have come since `since` was noted, for one that holds memory and is not
  // held back; `since` is noted anew by every answer, and by NotePace. Nothing: it is another one,
  // or less than `least` has passed.
  std::optional<double> Pace(absl::Time now, absl::Duration least);
  void NotePace(absl::Time now);

  // Makes easy() ready to run `request`; it may be another handle than before. REQUIRES: not
  // active, and easy() is in no multi handle.
  //
  // With `filter_head` header lines without a colon are passed over. Then easy() makes the
  // connection only, and SpeakThroughFilter sends the request.
  void Begin(const Request& request, bool filter_head);
  // easy() makes the connection only.
  bool connecting_only() const { return filter_head_ && !relay_; }
  // Takes over the connection that easy() has made, and makes another easy() ready to be run.
  // REQUIRES: connecting_only(), and easy() has ended well in `loop`, and is still in it.
  void SpeakThroughFilter(MultiLoop& loop);

  // The response, after easy() ended with `code` or, in Abandon, will not be run any more.
  // REQUIRES: active.
  Response Finish(CURLcode code);
  Response Abandon(Error error, std::string_view detail);

 private:
  static curl_socket_t OnOpenSocket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int OnCloseSocket(void* connections, curl_socket_t socket);
  static int OnReady(void* self, char* address, char* local, int port, int local_port);
  static size_t OnHeader(char* bytes, size_t one, size_t size, void* self);
  static size_t OnBody(char* bytes, size_t one, size_t size, void* self);

  void MakeEasy();
  // Whether a second request, through the filter, would be of use.
  bool MayFilter() const;
  // The connection ended badly, and the answer is not whole for it.
  bool IsBrokenBehindFilter(CURLcode code) const;
  void InstallCallbacks();
  void SetHeaders(const Request& request, const HostAccess& access);
  void ShowCookies(const Request& request);
  void KeepCookies();
  void NoteHeldBack();
  void NoteGoesOn();
  // So much of a body has room as soon as some of it has come.
  size_t PromisedBytes() const;
  // What the response takes of the memory, with its decoder.
  size_t Cost() const;
  bool MaySend();
  bool TakeSlot(const char* address);
  // Decides whether the connection is kept for the next request to its host.
  void KeepOrNot(const char* address);
  void GiveSlotBack();
  void JoinConnection(std::string connection);
  void LeaveConnection();
  // At the end of a head. False: the transfer ends here.
  bool ChooseDecoder();
  bool JudgeType();
  bool Drain(size_t bytes);
  bool Decode(std::string_view bytes);
  bool AppendBody(std::string_view bytes);
  // The reason for which a callback makes libcurl end the download.
  void Refuse(Error error, std::string_view detail);
  void Judge(CURLcode code);
  bool SpeaksHttpToProxy() const;
  void Measure();
  Response Release();

  const Options& options_;
  const Routes& routes_;
  AddressSlots& slots_;
  OpenConnections& connections_;
  BodyRoom& room_;
  EasyHandle easy_;
  char message_[CURL_ERROR_SIZE] = {};

  bool active_ = false;
  std::string url_;
  bool filter_head_ = false;
  std::optional<FilteringRelay> relay_;        // once it is connected, with filter_head_
  absl::Duration total_timeout_;               // of easy(), without the time held back
  std::optional<absl::Time> held_back_since_;  // by the monotonic clock
  absl::Duration held_back_;                   // in all, before that
  absl::Time begun_;                           // by the monotonic clock
  absl::Time paced_at_;                        // likewise; NotePace
  int64_t paced_bytes_ = 0;
  StringList headers_;
  size_t body_bytes_max_ = 0;
  bool any_type_ = false;
  std::string cookies_of_;  // the host whose cookies are kept; empty: none
  size_t drained_ = 0;      // bytes of an unwanted body that were read
  size_t encoded_ = 0;      // of a body with a coding, as they were sent
  Response response_;
  std::optional<HeaderReader> reader_;
  std::unique_ptr<BodyDecoder> decoder_;
  std::string coding_;            // that of the body; empty: none
  bool address_allowed_ = false;  // some address could be tried
  bool address_refused_ = false;
  bool no_descriptor_ = false;  // a socket could not be had
  std::string slot_;            // the address whose slot is held; empty: none
  std::string connection_;      // OpenConnections::Join; empty: none
};

}  // namespace opic::fetch
