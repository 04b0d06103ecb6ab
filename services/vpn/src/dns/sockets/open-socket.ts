import { isIPv6 } from 'node:net'
import { constants } from 'node:os'
import { fixedBytes, linux, sockaddr } from './layouts.ts'
import { check, SystemFault, type Libc } from './libc.ts'
import { encodeSocketAddress, portOf } from './socket-address.ts'

/** An address with its port. */
export interface Endpoint {
  readonly address: string
  readonly port: number
}

const bufferBytes = 4 << 20

/**
 * Opens a socket that listens for datagrams, or one that `net.Server` may listen with, and returns its descriptor. The address
 * need not be there yet (`IP_FREEBIND`). With a device, what comes in elsewhere is not seen (`SO_BINDTODEVICE`, as far as the
 * process may). Throws a `SystemFault`; `ENODEV` while the device is not there.
 */
export function openListeningSocket(
  libc: Libc,
  kind: 'udp' | 'tcp',
  at: Endpoint & { readonly device: string | null },
): number {
  const descriptor = createSocket(libc, kind, isIPv6(at.address))
  try {
    if (isIPv6(at.address)) setNumber(libc, descriptor, [linux.SOL_IPV6, linux.IPV6_V6ONLY, 1])
    if (isIPv6(at.address)) setNumber(libc, descriptor, [linux.SOL_IPV6, linux.IPV6_FREEBIND, 1])
    else setNumber(libc, descriptor, [linux.SOL_IP, linux.IP_FREEBIND, 1])
    if (kind === 'udp') growBuffers(libc, descriptor)
    else setNumber(libc, descriptor, [linux.SOL_SOCKET, linux.SO_REUSEADDR, 1])
    if (at.device !== null) bindToDevice(libc, descriptor, at.device)
    const [bytes, length] = socketAddress(at)
    check(libc, 'bind', libc.call.bind(descriptor, bytes, length))
    return descriptor
  } catch (error) {
    libc.call.close(descriptor)
    throw error
  }
}

/** Opens a UDP socket that speaks with one server alone, from a port the kernel draws. Throws a `SystemFault`. */
export function openConnectedSocket(libc: Libc, to: Endpoint): number {
  const descriptor = createSocket(libc, 'udp', isIPv6(to.address))
  try {
    growBuffers(libc, descriptor)
    const [bytes, length] = socketAddress(to)
    check(libc, 'connect', libc.call.connect(descriptor, bytes, length))
    return descriptor
  } catch (error) {
    libc.call.close(descriptor)
    throw error
  }
}

/** The port a socket has, also when the kernel drew it. */
export function localPort(libc: Libc, descriptor: number): number {
  const address = fixedBytes(sockaddr.stride)
  const length = fixedBytes(4)
  new DataView(length.buffer).setUint32(0, sockaddr.stride, true)
  const result = libc.call.getsockname(descriptor, address, length)
  check(libc, 'getsockname', result)
  return portOf(address, 0)
}

/** The number of a network interface: another one when it was made again. 0 when it is not there. */
export function deviceIndex(libc: Libc, device: string): number {
  return libc.call.if_nametoindex(device)
}

function createSocket(libc: Libc, kind: 'udp' | 'tcp', isIpv6: boolean): number {
  const family = isIpv6 ? linux.AF_INET6 : linux.AF_INET
  const type = (kind === 'udp' ? linux.SOCK_DGRAM : linux.SOCK_STREAM) | linux.SOCK_NONBLOCK | linux.SOCK_CLOEXEC
  return check(libc, 'socket', libc.call.socket(family, type, 0))
}

/** Calls outside the loops pass byte arrays instead of pointers, which pins them during the call. */
function socketAddress(at: Endpoint): readonly [Uint8Array<ArrayBuffer>, number] {
  const bytes = fixedBytes(sockaddr.stride)
  return [bytes, encodeSocketAddress(bytes, 0, at.address, at.port)]
}

/** Grows the socket's buffers, without privileges up to the system's limit (`net.core.rmem_max`). */
function growBuffers(libc: Libc, descriptor: number): void {
  if (!setNumber(libc, descriptor, [linux.SOL_SOCKET, linux.SO_RCVBUFFORCE, bufferBytes]))
    setNumber(libc, descriptor, [linux.SOL_SOCKET, linux.SO_RCVBUF, bufferBytes])
  if (!setNumber(libc, descriptor, [linux.SOL_SOCKET, linux.SO_SNDBUFFORCE, bufferBytes]))
    setNumber(libc, descriptor, [linux.SOL_SOCKET, linux.SO_SNDBUF, bufferBytes])
}

function setNumber(libc: Libc, descriptor: number, [level, option, value]: readonly [number, number, number]): boolean {
  const bytes = fixedBytes(4)
  new DataView(bytes.buffer).setInt32(0, value, true)
  return libc.call.setsockopt(descriptor, level, option, bytes, 4) === 0
}

/** A process that may not bind to a device listens without it; it answers only peers there in any case. */
function bindToDevice(libc: Libc, descriptor: number, device: string): void {
  const name = fixedBytes(device.length + 1)
  new TextEncoder().encodeInto(device, name)
  const { SOL_SOCKET, SO_BINDTODEVICE } = linux
  const result = libc.call.setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, name, device.length + 1)
  if (result === 0) return
  const errno = libc.errno()
  if (errno !== constants.errno.EPERM) throw new SystemFault('SO_BINDTODEVICE', errno)
}
