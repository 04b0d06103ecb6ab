/**
 * Layout of the structures of `recvmmsg`, `sendmmsg` and `epoll_wait` on Linux, in bytes, on 64-bit little-endian machines (x86-64
 * and arm64), the same with glibc and musl: musl pads where the kernel has wider fields. From `man 2 recvmmsg`, `man 2 readv`,
 * `man 7 ip`, `man 7 ipv6`, `man 2 epoll_ctl`; the layouts' test compares them with the kernel.
 */
export const mmsghdr = {
  size: 64,
  name: 0,
  nameLength: 8,
  vectors: 16,
  vectorCount: 24,
  flags: 48,
  length: 56,
} as const

/** `struct iovec`: where the bytes of a datagram are. */
export const iovec = { size: 16, base: 0, length: 8 } as const

/** `struct sockaddr_in` (16 bytes) and `struct sockaddr_in6` (28); `stride` is the room each has in a table of them. */
export const sockaddr = { ipv4Size: 16, ipv6Size: 28, stride: 32, port: 2, ipv4: 4, ipv6: 8, scope: 24 } as const

/** `struct epoll_event`: packed on x86-64, and only there. */
export function epollEvent(architecture: string): { readonly size: number; readonly data: number } {
  return architecture === 'x64' ? { size: 12, data: 4 } : { size: 16, data: 8 }
}

/** `struct pollfd`: the socket, what is waited for, what came. */
export const pollfd = { size: 8, descriptor: 0, events: 4, happened: 6 } as const

/** `struct sched_attr` of `man 2 sched_setattr`, first version; policy 0 is the usual one, `SCHED_OTHER`. */
export const schedAttr = { size: 48, policy: 4, runtime: 24 } as const

/** Numbers of the calls `sched_setattr` and `sched_getattr`, for which older C libraries have no function. */
export function schedCalls(architecture: string): { readonly set: bigint; readonly get: bigint } {
  return architecture === 'x64' ? { set: 314n, get: 315n } : { set: 274n, get: 275n }
}

/** Numbers of Linux's interfaces that are the same on x86-64 and arm64. */
export const linux = {
  AF_INET: 2,
  AF_INET6: 10,
  AF_NETLINK: 16,
  NETLINK_NETFILTER: 12,
  SOCK_STREAM: 1,
  SOCK_DGRAM: 2,
  SOCK_RAW: 3,
  SOCK_NONBLOCK: 0o4000,
  SOCK_CLOEXEC: 0o2_000_000,
  SOL_IP: 0,
  SOL_SOCKET: 1,
  SOL_IPV6: 41,
  SO_REUSEADDR: 2,
  SO_RCVBUF: 8,
  SO_SNDBUF: 7,
  SO_BINDTODEVICE: 25,
  SO_SNDBUFFORCE: 32,
  SO_RCVBUFFORCE: 33,
  IP_FREEBIND: 15,
  IPV6_V6ONLY: 26,
  IPV6_FREEBIND: 78,
  MSG_DONTWAIT: 0x40,
  MSG_TRUNC: 0x20,
  EPOLL_CTL_ADD: 1,
  EPOLLIN: 1,
  POLLIN: 1,
  EPOLL_CLOEXEC: 0o2_000_000,
  MADV_COLLAPSE: 25,
} as const

/**
 * Bytes whose place in memory never changes, as the kernel needs them: small typed arrays live on the heap, where the collector
 * moves them, buffers of their own do not.
 */
export function fixedBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(Math.max(128, length)))
}
