// SPDX-License-Identifier: Apache-2.0
#include "http/listen_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace aliquot::http {
namespace {

constexpr int kBacklog = 1024;

struct AddressListDeleter {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

std::string Describe(const sockaddr* address, socklen_t size) {
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  if (::getnameinfo(address, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "unknown";
  }
  // An IPv4 client of a dual-stack socket reads better as what it is.
  std::string_view name(host);
  constexpr std::string_view kMapped = "::ffff:";
  if (name.substr(0, kMapped.size()) == kMapped && name.find('.') != std::string_view::npos) {
    name.remove_prefix(kMapped.size());
  }
  return FormatHostPort(name, static_cast<std::uint16_t>(std::stoi(port)));
}

// -1 and errno on failure.
FileDescriptor BindAndListen(const addrinfo& candidate) {
  FileDescriptor socket(
      ::socket(candidate.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return socket;
  const int on = 1;
  const int off = 0;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (candidate.ai_family == AF_INET6) {
    ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  }
  if (::bind(socket.get(), candidate.ai_addr, candidate.ai_addrlen) != 0 ||
      ::listen(socket.get(), kBacklog) != 0) {
    const int error = errno;
    socket.Close();
    errno = error;
  }
  return socket;
}

Result<ListenSocket> ListenOn(const ListenAddress& address, const std::string& host) {
  const std::string wanted = FormatHostPort(address.host, address.port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failure =
      ::getaddrinfo(host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (failure != 0) {
    return InvalidArgument("listen address '" + wanted +
                           "' cannot be resolved: " + ::gai_strerror(failure));
  }
  const std::unique_ptr<addrinfo, AddressListDeleter> list(found);
  FileDescriptor socket = BindAndListen(*list);
  if (!socket.valid()) {
    return Unavailable("listen address '" + wanted +
                       "' cannot be bound: " + std::generic_category().message(errno));
  }
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  auto* generic = reinterpret_cast<sockaddr*>(&bound);
  ::getsockname(socket.get(), generic, &size);
  std::string text = Describe(generic, size);
  return ListenSocket{std::move(socket), std::move(text)};
}

}  // namespace

Result<ListenSocket> Listen(const ListenAddress& address) {
  if (!address.host.empty()) return ListenOn(address, address.host);
  Result<ListenSocket> both = ListenOn(address, "::");
  // A kernel without IPv6 says EAFNOSUPPORT; a port in use fails the same way again.
  return both.ok() ? std::move(both) : ListenOn(address, "0.0.0.0");
}

AcceptedSocket Accept(int listen_fd) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  auto* generic = reinterpret_cast<sockaddr*>(&peer);
  AcceptedSocket accepted;
  accepted.fd = FileDescriptor(::accept4(listen_fd, generic, &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!accepted.fd.valid()) {
    accepted.error = errno;
    return accepted;
  }
  // Without it a reply in two packets waits 40 ms for the client's delayed acknowledgement.
  const int on = 1;
  ::setsockopt(accepted.fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  accepted.remote_address = Describe(generic, size);
  return accepted;
}

}  // namespace aliquot::http
