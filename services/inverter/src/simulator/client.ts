import type { Socket } from 'node:net'
import type { Frame } from '../protocol/frame.ts'
import { createFrameParser, type FrameParser } from '../protocol/parser.ts'
import type { Faults } from './faults.ts'

/** Events of a client. */
interface ClientEvents {
  onFrame(client: Client, frame: Frame): void
  onBytes(client: Client, bytes: Buffer): void
  onClose(client: Client): void
}

/** Maximum number of objects that a connection registers, as on a real inverter. */
const maxRegistrations = 64

/** One connection to the inverter. */
export class Client {
  readonly number: number
  /** Registered objects by plant address. */
  readonly registered = new Map<number | undefined, Set<number>>()
  /** Reads that were not answered yet; a real inverter handles only one at a time. */
  openReads = 0
  registrations = 0
  readonly #socket: Socket
  readonly #parser: FrameParser
  #received = 0

  constructor(
    socket: Socket,
    { number, faults, events }: { number: number; faults: () => Faults; events: ClientEvents },
  ) {
    this.number = number
    this.#socket = socket
    this.#parser = createFrameParser({ onFrame: (frame) => events.onFrame(this, frame) })
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => {
      this.#received += bytes.length
      const { resetAfterBytes } = faults()
      if (resetAfterBytes > 0 && this.#received >= resetAfterBytes) {
        this.reset()
        return
      }
      events.onBytes(this, bytes)
      this.#parser.push(bytes)
      this.#parser.idle()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => events.onClose(this))
  }

  send(bytes: Uint8Array): void {
    if (this.#socket.writable) this.#socket.write(bytes)
  }

  register(address: number | undefined, objectId: number): void {
    const known = this.registered.get(address) ?? new Set()
    this.registered.set(address, known)
    this.registrations += 1
    if (known.size < maxRegistrations) known.add(objectId)
  }

  setReading(isReading: boolean): void {
    if (isReading) this.#socket.resume()
    else this.#socket.pause()
  }

  reset(): void {
    this.#socket.resetAndDestroy()
  }

  close(): void {
    this.#socket.destroy()
  }
}
