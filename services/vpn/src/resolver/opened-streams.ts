import type { Socket } from 'node:net'
import type { DataConfig } from '../dns/loops/data-config.ts'
import type { PrivateDnsServer } from '../dns/private/server.ts'
import type { PrivateDnsState } from '../dns/private/state.ts'
import type { ResolverPrivateDns } from '../dns/resolver-files.ts'
import type { StreamAnswersDependencies } from '../dns/tcp/stream-answers.ts'
import type { Streams } from '../dns/tcp/streams.ts'

/** What is answered over streams: TCP, and outside the tunnels TLS and HTTPS. It is loaded once UDP is answered. */
export class OpenedStreams {
  readonly #ready = Promise.withResolvers<Streams>()
  #opened: Streams | undefined
  #private: PrivateDnsServer | undefined

  /** Undefined until it is loaded. */
  get opened(): Streams | undefined {
    return this.#opened
  }

  /** Resolves when streams are answered. */
  ready(): Promise<Streams> {
    return this.#ready.promise
  }

  /** Null where nothing was ever switched on outside the tunnels. */
  privateState(): PrivateDnsState | null {
    return this.#private?.state() ?? null
  }

  async open(config: DataConfig, options: StreamAnswersDependencies): Promise<void> {
    const { Streams: Loaded } = await import('../dns/tcp/streams.ts')
    this.#opened = new Loaded(config, options)
    this.#ready.resolve(this.#opened)
  }

  /** Loads and opens what answers outside the tunnels only where that is switched on. */
  async usePrivate(wanted: ResolverPrivateDns): Promise<void> {
    if (wanted.name === null && this.#private === undefined) return
    const { PrivateDnsServer: Loaded } = await import('../dns/private/server.ts')
    this.#private ??= new Loaded(await this.#ready.promise)
    await this.#private.apply(wanted)
  }

  /** Connections that come before streams are answered wait for that. */
  take(socket: Socket, isTunnel: boolean): void {
    socket.on('error', () => undefined)
    void this.#ready.promise.then((streams) => streams.take(socket, isTunnel))
  }

  close(): void {
    this.#private?.close()
    this.#opened?.close()
  }
}
