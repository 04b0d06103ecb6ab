import { fixedBytes, iovec, linux, mmsghdr, sockaddr } from './layouts.ts'
import type { Libc } from './libc.ts'

/** Shape of a batch: number of datagrams, length of each, and whether they come with addresses. */
export interface BatchShape {
  readonly count: number
  readonly slot: number
  /** False for connected sockets. */
  readonly withAddresses: boolean
}

const headWords = mmsghdr.size / 4
const lengthWord = mmsghdr.length / 4
const flagsWord = mmsghdr.flags / 4
const nameLengthWord = mmsghdr.nameLength / 4
const vectorWords = iovec.size / 4

/**
 * Datagrams that one system call receives or sends. All memory is given to the kernel once, when the batch is made; after that
 * a call converts and allocates nothing.
 */
export class Batch {
  readonly shape: BatchShape
  /** Datagram n stands at `n * shape.slot`. */
  readonly bytes: Uint8Array
  /** Its address stands at `n * 32`, as `struct sockaddr_in` or `sockaddr_in6`. */
  readonly addresses: Uint8Array
  readonly #libc: Libc
  readonly #heads: Uint32Array
  readonly #vectors: Uint32Array
  /** Positions of the heads of datagrams, so that a part of a batch can be sent. */
  readonly #pointers: readonly bigint[]
  /** Address of `bytes` in memory, in two halves. */
  readonly #low: number
  readonly #high: number
  #received = 0

  constructor(libc: Libc, shape: BatchShape) {
    this.shape = shape
    this.#libc = libc
    this.bytes = fixedBytes(shape.count * shape.slot)
    this.addresses = fixedBytes(shape.count * sockaddr.stride)
    const heads = fixedBytes(shape.count * mmsghdr.size)
    const vectors = fixedBytes(shape.count * iovec.size)
    this.#heads = new Uint32Array(heads.buffer)
    this.#vectors = new Uint32Array(vectors.buffer)
    const bytesAt = libc.pointerTo(this.bytes)
    this.#low = Number(bytesAt & 0xffff_ffffn)
    this.#high = Number(bytesAt >> 32n)
    this.#point(new DataView(heads.buffer), new DataView(vectors.buffer), libc.pointerTo(vectors))
    const first = libc.pointerTo(heads)
    this.#pointers = Array.from({ length: shape.count }, (_, n) => first + BigInt(n * mmsghdr.size))
  }

  #point(heads: DataView, vectors: DataView, vectorsAt: bigint): void {
    const { count, slot, withAddresses } = this.shape
    const bytesAt = this.#libc.pointerTo(this.bytes)
    const addressesAt = this.#libc.pointerTo(this.addresses)
    for (let n = 0; n < count; n++) {
      vectors.setBigUint64(n * iovec.size + iovec.base, bytesAt + BigInt(n * slot), true)
      vectors.setBigUint64(n * iovec.size + iovec.length, BigInt(slot), true)
      const at = n * mmsghdr.size
      if (withAddresses) {
        heads.setBigUint64(at + mmsghdr.name, addressesAt + BigInt(n * sockaddr.stride), true)
        heads.setUint32(at + mmsghdr.nameLength, sockaddr.ipv6Size, true)
      }
      heads.setBigUint64(at + mmsghdr.vectors, vectorsAt + BigInt(n * iovec.size), true)
      heads.setBigUint64(at + mmsghdr.vectorCount, 1n, true)
    }
  }

  /** Receives what is there, without waiting. How many datagrams; -1 when there is none or an error came instead. */
  receive(descriptor: number): number {
    const { count, withAddresses } = this.shape
    // The kernel wrote each address's length over the room it had.
    if (withAddresses) {
      for (let n = 0; n < this.#received; n++) this.#heads[n * headWords + nameLengthWord] = sockaddr.ipv6Size
    }
    const received = this.#libc.call.recvmmsg(descriptor, this.#pointers[0]!, count, linux.MSG_DONTWAIT, 0n)
    this.#received = received > 0 ? received : 0
    return received
  }

  /** Length of received datagram n; 0 when it was longer than its slot and is cut off. */
  length(n: number): number {
    const at = n * headWords
    return (this.#heads[at + flagsWord]! & linux.MSG_TRUNC) === 0 ? this.#heads[at + lengthWord]! : 0
  }

  /** Sets the length of datagram n, before it is sent. */
  setLength(n: number, length: number): void {
    this.#vectors[n * vectorWords + 2] = length
  }

  /** Makes datagram n bytes[at .. at + length) instead of the content of its slot, before it is sent. */
  setRange(n: number, at: number, length: number): void {
    const low = this.#low + at
    const word = n * vectorWords
    this.#vectors[word] = low
    this.#vectors[word + 1] = low > 0xffff_ffff ? this.#high + 1 : this.#high
    this.#vectors[word + 2] = length
  }

  /**
   * Sends the datagrams `from` to `to` (not included). What the kernel refuses is left out, as the network might: a datagram
   * whose receiver is out of reach does not keep back those behind it.
   */
  send(descriptor: number, from: number, to: number): void {
    for (let at = from; at < to;) {
      const sent = this.#libc.call.sendmmsg(descriptor, this.#pointers[at]!, to - at, linux.MSG_DONTWAIT)
      at += sent > 0 ? sent : 1
    }
  }
}
