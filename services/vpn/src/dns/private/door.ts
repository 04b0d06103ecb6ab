import type { Socket } from 'node:net'
import type { Streams } from '../tcp/streams.ts'
import { addressGroup } from './address-group.ts'
import { DeviceSecrets } from './device-secrets.ts'
import { FailureThrottle } from './failure-throttle.ts'
import { padAnswer } from './pad-answer.ts'
import { Tally } from './tally.ts'

/** Open connections, and those that have not proved yet that a device is behind them. */
const maxConnections = { all: 1024, each: 64 }
const maxUnproved = { all: 64, each: 16 }
/** Connections of one device. */
const maxOfDevice = { all: maxConnections.all, each: 16 }

/** An answer; or why there is none: nobody may query so, too many queries, or bytes that are no query. */
export type Answer = Uint8Array | 'unknown' | 'limited' | 'malformed'

/** Both ends of a connection, also as the TLS socket around it knows them. */
type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localPort'>

/** A connection that was let in, until a device proves that it is its own. */
export class Entry {
  readonly #throttle: FailureThrottle
  readonly #group: string
  readonly #settle: () => void
  readonly #ofDevice: Tally<number>
  #hasFailed = false
  #client = 0
  #leave: (() => void) | undefined
  #isClosed = false

  constructor(throttle: FailureThrottle, group: string, settle: () => void, ofDevice: Tally<number>) {
    this.#throttle = throttle
    this.#group = group
    this.#settle = settle
    this.#ofDevice = ofDevice
  }

  /** This device is behind it. Returns false when the device has too many connections, or this one is over. */
  isOf(client: number): boolean {
    if (this.#isClosed) return false
    if (client === this.#client) return true
    const leave = this.#ofDevice.take(client)
    if (leave === undefined) return false
    this.#leave?.()
    this.#leave = leave
    this.#client = client
    this.#throttle.succeeded(this.#group)
    this.#settle()
    return true
  }

  /** Somebody without a right secret is behind it. */
  failed(): void {
    this.#hasFailed = true
    this.#throttle.failed(this.#group)
  }

  /** It is over. One that was nobody's counts as a failure. */
  closed(): void {
    this.#isClosed = true
    if (this.#client === 0 && !this.#hasFailed) this.failed()
    this.#settle()
    this.#leave?.()
  }
}

/** Decides who gets in from outside the tunnels, and hands their queries on as those of their peer. */
export class Door {
  readonly secrets: DeviceSecrets
  readonly #throttle = new FailureThrottle()
  readonly #streams: Streams
  readonly #entries = new Map<string, Entry>()
  readonly #open = new Tally<string>(maxConnections)
  readonly #unproved = new Tally<string>(maxUnproved)
  readonly #ofDevice = new Tally<number>(maxOfDevice)

  constructor(streams: Streams) {
    this.#streams = streams
    this.secrets = new DeviceSecrets((client) => streams.isClient(client))
  }

  /** Lets a connection in; false when it is to be closed at once. It is counted until its socket closes. */
  enter(socket: Socket): boolean {
    const group = addressGroup(socket.remoteAddress ?? '')
    if (socket.remoteAddress === undefined || this.#throttle.isShut(group)) return false
    const leave = this.#open.take(group)
    const settle = leave && this.#unproved.take(group)
    if (leave === undefined || settle === undefined) {
      leave?.()
      return false
    }
    const entry = new Entry(this.#throttle, group, settle, this.#ofDevice)
    const key = keyOf(socket)
    this.#entries.set(key, entry)
    socket.on('close', () => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
      entry.closed()
      leave()
    })
    return true
  }

  /** How the connection with these ends came in; undefined when it is over. */
  entryOf(ends: Ends): Entry | undefined {
    return this.#entries.get(keyOf(ends))
  }

  /** Answers a query of the device with this secret. Devices come and go, so each query is checked. */
  async answer(hashed: string, query: Uint8Array): Promise<Answer> {
    const client = this.secrets.clientOf(hashed)
    if (client === 0) return 'unknown'
    if (!this.#streams.mayQueryNow(client)) return 'limited'
    const answer = await this.#streams.answer(query, client)
    return answer === undefined ? 'malformed' : padAnswer(query, answer)
  }
}

const keyOf = ({ remoteAddress, remotePort, localPort }: Ends): string =>
  `${remoteAddress ?? ''} ${remotePort ?? 0} ${localPort ?? 0}`
