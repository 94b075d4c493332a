// SPDX-License-Identifier: Apache-2.0
#include "signing/ed25519_key.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <utility>

namespace aliquot::signing {
namespace {

constexpr std::size_t kPublicKeyBytes = 32;

struct BioDeleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using BioPointer = std::unique_ptr<BIO, BioDeleter>;

struct ContextDeleter {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using ContextPointer = std::unique_ptr<EVP_MD_CTX, ContextDeleter>;

// Pre: `bytes` outlives it and is smaller than 2 GiB.
BioPointer ReadOnlyBio(std::string_view bytes) {
  return BioPointer(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
}

struct InfoDeleter {
  void operator()(PKCS8_PRIV_KEY_INFO* info) const { PKCS8_PRIV_KEY_INFO_free(info); }
};
using InfoPointer = std::unique_ptr<PKCS8_PRIV_KEY_INFO, InfoDeleter>;

// One "BEGIN label ... END label" of a PEM text. Its bytes may be a private key.
class PemBlock {
 public:
  PemBlock() = default;
  ~PemBlock() {
    OPENSSL_free(label_);
    OPENSSL_free(header_);
    OPENSSL_clear_free(bytes_, static_cast<std::size_t>(size_));
  }
  PemBlock(const PemBlock&) = delete;
  PemBlock& operator=(const PemBlock&) = delete;

  enum class Next { kBlock, kEnd, kDamaged };
  // Call once.
  Next ReadFrom(BIO* bio) {
    ERR_clear_error();
    if (PEM_read_bio(bio, &label_, &header_, &bytes_, &size_) == 1) {
      return Next::kBlock;
    }
    const unsigned long error = ERR_peek_last_error();
    ERR_clear_error();
    return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE
               ? Next::kEnd
               : Next::kDamaged;
  }

  std::string_view label() const { return label_; }
  const unsigned char* begin() const { return bytes_; }
  const unsigned char* end() const { return bytes_ + size_; }
  long size() const { return size_; }

 private:
  char* label_ = nullptr;
  char* header_ = nullptr;
  unsigned char* bytes_ = nullptr;
  long size_ = 0;
};

const unsigned char* Unsigned(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// "" when the key has no raw public half.
std::string IdOf(const EVP_PKEY* key) {
  unsigned char raw[kPublicKeyBytes];
  std::size_t size = sizeof(raw);
  unsigned char hash[EVP_MAX_MD_SIZE];
  if (EVP_PKEY_get_raw_public_key(key, raw, &size) != 1 || size != sizeof(raw) ||
      EVP_Digest(raw, size, hash, nullptr, EVP_sha256(), nullptr) != 1) {
    return "";
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id;
  for (std::size_t i = 0; i < kKeyIdDigits / 2; ++i) {
    id += kDigits[hash[i] >> 4];
    id += kDigits[hash[i] & 0xf];
  }
  return id;
}

}  // namespace

void Ed25519Key::Deleter::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }

bool Ed25519Key::SamePublicKey(const Ed25519Key& other) const {
  return EVP_PKEY_eq(key_.get(), other.key_.get()) == 1;
}

Result<SignatureBytes> Ed25519Key::Sign(std::string_view bytes) const {
  const ContextPointer context(EVP_MD_CTX_new());
  SignatureBytes signature{};
  std::size_t size = signature.size();
  // Ed25519 hashes twice, so it takes the whole message in one call and names no digest.
  const bool signed_it =
      context != nullptr &&
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1 &&
      EVP_DigestSign(context.get(), signature.data(), &size, Unsigned(bytes), bytes.size()) == 1 &&
      size == signature.size();
  ERR_clear_error();
  if (!signed_it) {
    return Internal("OpenSSL cannot sign with key " + id_);
  }
  return signature;
}

bool Ed25519Key::Verify(std::string_view bytes, const SignatureBytes& signature) const {
  const ContextPointer context(EVP_MD_CTX_new());
  const bool valid =
      context != nullptr &&
      EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1 &&
      EVP_DigestVerify(context.get(), signature.data(), signature.size(), Unsigned(bytes),
                       bytes.size()) == 1;
  ERR_clear_error();
  return valid;
}

Result<Ed25519Key> Ed25519Key::Of(Pointer key) {
  const bool right = key != nullptr && EVP_PKEY_is_a(key.get(), "ED25519") == 1;
  std::string id = right ? IdOf(key.get()) : "";
  ERR_clear_error();
  if (id.empty()) {
    return InvalidArgument("its key is not an Ed25519 key");
  }
  return Ed25519Key(std::move(key), std::move(id));
}

Result<Ed25519Key> ParsePrivateKey(std::string_view pem) {
  const BioPointer bio = ReadOnlyBio(pem);
  PemBlock block;
  const PemBlock::Next next = block.ReadFrom(bio.get());
  if (next == PemBlock::Next::kDamaged) {
    return InvalidArgument("its PEM text is damaged");
  }
  if (next == PemBlock::Next::kBlock && block.label() == PEM_STRING_PKCS8) {
    return InvalidArgument("its key is encrypted with a passphrase, which nobody could give here");
  }
  if (next == PemBlock::Next::kEnd || block.label() != PEM_STRING_PKCS8INF) {
    return InvalidArgument("it does not hold a PRIVATE KEY in PEM");
  }
  if (PemBlock after; after.ReadFrom(bio.get()) != PemBlock::Next::kEnd) {
    return InvalidArgument("it holds more than one private key");
  }
  const unsigned char* at = block.begin();
  const InfoPointer info(d2i_PKCS8_PRIV_KEY_INFO(nullptr, &at, block.size()));
  if (info == nullptr || at != block.end()) {
    ERR_clear_error();
    return InvalidArgument("its private key is damaged");
  }
  return Ed25519Key::Of(Ed25519Key::Pointer(EVP_PKCS82PKEY(info.get())));
}

Result<std::vector<Ed25519Key>> ParsePublicKeys(std::string_view pem) {
  const BioPointer bio = ReadOnlyBio(pem);
  std::vector<Ed25519Key> keys;
  for (;;) {
    PemBlock block;
    const PemBlock::Next next = block.ReadFrom(bio.get());
    if (next == PemBlock::Next::kDamaged) {
      return InvalidArgument("its PEM text is damaged");
    }
    if (next == PemBlock::Next::kEnd) {
      break;
    }
    if (block.label().find("PRIVATE KEY") != std::string_view::npos) {
      return InvalidArgument("it holds a private key, which only the signer may have");
    }
    if (block.label() != PEM_STRING_PUBLIC) {
      return InvalidArgument("it holds something else than a PUBLIC KEY in PEM");
    }
    const unsigned char* at = block.begin();
    Ed25519Key::Pointer parsed(d2i_PUBKEY(nullptr, &at, block.size()));
    if (parsed == nullptr || at != block.end()) {
      ERR_clear_error();
      return InvalidArgument("a public key in it is damaged");
    }
    Result<Ed25519Key> key = Ed25519Key::Of(std::move(parsed));
    if (!key.ok()) {
      return key.status();
    }
    keys.push_back(*std::move(key));
  }
  if (keys.empty()) {
    return InvalidArgument("it does not hold a PUBLIC KEY in PEM");
  }
  return keys;
}

}  // namespace aliquot::signing
