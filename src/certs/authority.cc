#include "certs/authority.h"

#include <arpa/inet.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "certs/openssl.h"

namespace opic::certs {
namespace {

using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;
using Number = std::unique_ptr<BIGNUM, Freed<BN_free>>;

constexpr long kDay = 24 * 60 * 60;  // seconds
constexpr long kAuthorityDays = 3650;

absl::Status Failed(std::string_view what) {
  char why[256] = "no reason given";
  if (const unsigned long code = ERR_get_error(); code != 0)
    ERR_error_string_n(code, why, sizeof(why));
  ERR_clear_error();
  return absl::InternalError(absl::StrCat("OpenSSL cannot ", std::string(what), ": ", why));
}

std::string TextOf(BIO* memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  return std::string(data, static_cast<size_t>(size));
}

absl::StatusOr<Pair> ToPem(X509* certificate, EVP_PKEY* key) {
  const Memory certificate_text(BIO_new(BIO_s_mem())), key_text(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(certificate_text.get(), certificate) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr) !=
          1)
    return Failed("write PEM");
  return Pair{TextOf(certificate_text.get()), TextOf(key_text.get())};
}

struct Parsed {
  Certificate certificate;
  Key key;
};

absl::StatusOr<Parsed> Parse(const Pair& pair) {
  Parsed parsed{
      Certificate(
          PEM_read_bio_X509(Reading(pair.certificate).get(), nullptr, NoPassphrase, nullptr)),
      Key(PEM_read_bio_PrivateKey(Reading(pair.key).get(), nullptr, NoPassphrase, nullptr))};
  const bool good = parsed.certificate && parsed.key &&
                    X509_check_private_key(parsed.certificate.get(), parsed.key.get()) == 1;
  ERR_clear_error();
  if (!good) return absl::InvalidArgumentError("no certificate and key that belong together");
  return parsed;
}

bool SetRandomSerial(X509* certificate) {
  const Number number(BN_new());
  // 127 bits: positive, and never twice (RFC 5280 section 4.1.2.2).
  return BN_rand(number.get(), 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

// Everything but issuer, extensions and signature. Valid since yesterday, for clocks that are slow.
bool Prepare(X509* certificate, EVP_PKEY* key, const std::string& name, long days) {
  return X509_set_version(certificate, X509_VERSION_3) == 1 && SetRandomSerial(certificate) &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -kDay) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), days * kDay) != nullptr &&
         X509_set_pubkey(certificate, key) == 1 &&
         X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(name.data()),
                                    static_cast<int>(name.size()), -1, 0) == 1;
}

bool Extend(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool IsAddress(const std::string& host) {
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

// What may stand in an extension's value, where commas and colons have a meaning of their own.
bool IsDnsName(const std::string& name) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
  return !name.empty() && name.size() <= 64 &&
         name.find_first_not_of(kAllowed) == std::string::npos;
}

// "DNS:node0,IP:10.0.0.5"
absl::StatusOr<std::string> NamesOf(const Holder& holder) {
  if (!IsDnsName(holder.name) || IsAddress(holder.name))
    return absl::InvalidArgumentError("\"" + holder.name + "\" is no name for a certificate");
  std::string names = "DNS:" + holder.name;
  for (const std::string& host : holder.hosts) {
    if (!IsAddress(host) && !IsDnsName(host))
      return absl::InvalidArgumentError("\"" + host + "\" is no host for a certificate");
    absl::StrAppend(&names, IsAddress(host) ? ",IP:" : ",DNS:", host);
  }
  return names;
}

}  // namespace

absl::StatusOr<Authority> Authority::New(const std::string& name) {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  X509* own = certificate.get();
  if (!key || !own || !Prepare(own, key.get(), name, kAuthorityDays) ||
      X509_set_issuer_name(own, X509_get_subject_name(own)) != 1 ||
      !Extend(own, own, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") ||
      !Extend(own, own, NID_key_usage, "critical,keyCertSign,cRLSign") ||
      !Extend(own, own, NID_subject_key_identifier, "hash") ||
      X509_sign(own, key.get(), EVP_sha256()) == 0)
    return Failed("make an authority");
  ASSIGN_OR_RETURN(Pair pair, ToPem(own, key.get()));
  return Authority(std::move(pair));
}

absl::StatusOr<Authority> Authority::From(const Pair& pair) {
  RETURN_IF_ERROR(Parse(pair).status());
  return Authority(pair);
}

absl::StatusOr<Pair> Authority::Issue(const Holder& holder, int days) const {
  if (days < 1 || days > kDaysMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("a certificate lasts 1 to ", kDaysMax, " days, not ", days));
  }
  ASSIGN_OR_RETURN(const std::string names, NamesOf(holder));
  ASSIGN_OR_RETURN(const Parsed authority, Parse(pair_));
  X509* issuer = authority.certificate.get();
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  X509* issued = certificate.get();
  if (!key || !issued || !Prepare(issued, key.get(), holder.name, days) ||
      X509_set_issuer_name(issued, X509_get_subject_name(issuer)) != 1 ||
      !Extend(issued, issuer, NID_basic_constraints, "critical,CA:FALSE") ||
      !Extend(issued, issuer, NID_key_usage, "critical,digitalSignature") ||
      !Extend(issued, issuer, NID_ext_key_usage,
              holder.server ? "serverAuth,clientAuth" : "clientAuth") ||
      !Extend(issued, issuer, NID_subject_key_identifier, "hash") ||
      !Extend(issued, issuer, NID_authority_key_identifier, "keyid:always") ||
      !Extend(issued, issuer, NID_subject_alt_name, names) ||
      X509_sign(issued, authority.key.get(), EVP_sha256()) == 0)
    return Failed("issue a certificate for " + holder.name);
  return ToPem(issued, key.get());
}

}  // namespace opic::certs
