import { closeSync, readSync, writeSync } from 'node:fs'
import { linux } from '../dns/sockets/layouts.ts'
import { check, type Libc, openLibc } from '../dns/sockets/libc.ts'
import { decodeMessages, encodeAccept, encodeBind, type QueuedPacket, queueLength } from './queue-messages.ts'

/** Room for a datagram of the kernel; it sends one packet in each. */
const room = 8192

/** The error number of a queue that another process owns. */
const busy = 16

/**
 * A packet queue of the kernel: the firewall puts packets into it, and each waits for its verdict. The queue ends with this
 * process, and packets that come then go on unseen.
 */
export class PacketQueue {
  /** The number by which rules of the firewall name it. */
  readonly number: number
  readonly #descriptor: number
  readonly #buffer = Buffer.alloc(room)

  private constructor(descriptor: number, number: number) {
    this.#descriptor = descriptor
    this.number = number
  }

  /** Opens the first of these queues that no other process owns. Throws an `Error` that says why none can be had. */
  static async open(numbers: readonly number[]): Promise<PacketQueue> {
    const libc = await openLibc()
    const descriptor = openNetlink(libc)
    try {
      for (const number of numbers) if (bind(descriptor, number)) return new PacketQueue(descriptor, number)
      throw new Error('other programs own all packet queues')
    } catch (error) {
      closeSync(descriptor)
      throw error
    }
  }

  /** Packets that may wait in it. */
  readonly length = queueLength

  /** The packets that came since the last call, at most `limit`; without waiting. */
  receive(limit: number): QueuedPacket[] {
    const packets: QueuedPacket[] = []
    while (packets.length < limit) {
      const datagram = readNow(this.#descriptor, this.#buffer)
      if (datagram === undefined) break
      for (const message of decodeMessages(datagram)) if ('packet' in message) packets.push(message.packet)
    }
    return packets
  }

  /** Lets a packet go on its way. */
  accept({ id }: QueuedPacket): void {
    writeSync(this.#descriptor, encodeAccept(this.number, id))
  }

  /** Gives the queue back; the kernel drops packets that wait in it. */
  close(): void {
    closeSync(this.#descriptor)
  }
}

function openNetlink(libc: Libc): number {
  const kind = linux.SOCK_RAW | linux.SOCK_NONBLOCK | linux.SOCK_CLOEXEC
  return check(libc, 'socket', libc.call.socket(linux.AF_NETLINK, kind, linux.NETLINK_NETFILTER))
}

/** True when the queue is ours now, false when it is another process's. */
function bind(descriptor: number, queue: number): boolean {
  const buffer = Buffer.alloc(room)
  for (const request of encodeBind(queue)) {
    writeSync(descriptor, request)
    // The kernel answers before `write` returns.
    const answer = readNow(descriptor, buffer)
    const errno = decodeMessages(answer ?? Buffer.alloc(0)).find((message) => 'errno' in message)?.errno
    if (errno === busy) return false
    if (errno !== 0) throw new Error(`the kernel gives no packet queue (error ${errno ?? 'unknown'})`)
  }
  return true
}

/** A datagram as a copy; undefined when none is there. */
function readNow(descriptor: number, buffer: Buffer): Buffer | undefined {
  try {
    return Buffer.from(buffer.subarray(0, readSync(descriptor, buffer)))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EAGAIN') return undefined
    // Packets that the socket had no room for go on unseen.
    if (code === 'ENOBUFS') return Buffer.alloc(0)
    throw error
  }
}
