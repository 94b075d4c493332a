// SPDX-License-Identifier: Apache-2.0
#include "http/tls_context.h"

#include <string_view>

#include "http/openssl_error.h"

namespace aliquot::http {
namespace {

// Gives this handshake the newest certificate, key and client CAs. OpenSSL takes references of its
// own, so a reload in the middle of a handshake changes nothing for it.
int ApplyMaterial(SSL* ssl, void* argument) {
  const auto& source = *static_cast<const TlsMaterialSource*>(argument);
  const std::shared_ptr<const TlsMaterial> material = source.Current();
  if (!material || SSL_use_certificate(ssl, material->certificate.get()) != 1 ||
      SSL_use_PrivateKey(ssl, material->key.get()) != 1 ||
      SSL_set1_chain(ssl, material->chain.get()) != 1) {
    return 0;
  }
  if (!material->client_ca) return 1;
  if (SSL_set1_verify_cert_store(ssl, material->client_ca.get()) != 1) return 0;
  SSL_set_client_CA_list(ssl, SSL_dup_CA_list(material->client_ca_names.get()));
  return 1;
}

// Clients of Kubernetes offer h2 first; answering keeps them from guessing.
int SelectHttp11(SSL* /*ssl*/, const unsigned char** selected, unsigned char* selected_size,
                 const unsigned char* offered, unsigned int offered_size, void* /*argument*/) {
  static constexpr unsigned char kHttp11[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* choice = nullptr;
  const int found =
      SSL_select_next_proto(&choice, selected_size, kHttp11, sizeof kHttp11, offered, offered_size);
  *selected = choice;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

Result<std::unique_ptr<TlsContext>> TlsContext::Create(const TlsMaterialSource& source) {
  std::unique_ptr<TlsContext> tls(new TlsContext());
  tls->context_.reset(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* context = tls->context_.get();
  if (context == nullptr || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) {
    return Internal("the TLS context cannot be made: " + TakeOpensslError());
  }
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  // Partial writes and a moving buffer suit a non-blocking socket; released buffers make an idle
  // connection 34 kB cheaper.
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  if (!source.options().client_ca_file.empty()) {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  SSL_CTX_set_alpn_select_cb(context, SelectHttp11, nullptr);
  // OpenSSL passes the argument back untouched; ApplyMaterial makes it const again.
  SSL_CTX_set_cert_cb(context, ApplyMaterial, const_cast<TlsMaterialSource*>(&source));
  return tls;
}

}  // namespace aliquot::http
