// SPDX-License-Identifier: Apache-2.0
#pragma once

// X.509 by OpenSSL: an authority of our own and what it certifies. Everything is PEM text; P-256
// keys, SHA-256. Errors are one sentence and never hold key material. Pure but for randomness,
// thread-safe. Source of the profile: RFC 5280.

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"

namespace aliquot::certificates {

struct Validity {
  SystemTime from;
  SystemTime until;
};

struct KeyedCertificate {
  std::string certificate;
  std::string key;
};

struct LeafRequest {
  std::string common_name;
  std::vector<std::string> dns_names;  // empty: a client's certificate, otherwise a server's
  Validity validity;
};

// A fresh private key.
Result<std::string> MakeKey();

// An authority with a fresh key. Its name carries a random part, so that two of them are never
// mistaken for each other.
Result<KeyedCertificate> MakeAuthority(const Validity& validity);

// The same name and key as `subject`'s authority, certified by `issuer`: whoever trusts only
// `issuer` then believes what `subject` certifies. Not valid for longer than `issuer` itself.
Result<std::string> CrossCertify(const std::string& subject, const KeyedCertificate& issuer,
                                 SystemTime from);

// A certificate for the public half of `key`. Ends with the authority at the latest.
Result<std::string> IssueLeaf(const LeafRequest& request, const std::string& key,
                              const KeyedCertificate& authority);

// When the first certificate of a PEM text is valid.
Result<Validity> ReadValidity(const std::string& certificate);
// The key is the certificate's, and the certificate is an authority's.
Status CheckAuthority(const KeyedCertificate& authority);
// The key is the certificate's, and the authority signed it.
bool IsIssuedBy(const KeyedCertificate& leaf, const std::string& authority);

}  // namespace aliquot::certificates
