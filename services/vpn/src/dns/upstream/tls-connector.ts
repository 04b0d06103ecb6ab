import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import type { Upstream } from '../resolver-files.ts'
import type { RelayOptions } from './relay.ts'
import type { Connector } from './stream-relay.ts'

/** Connects by TLS (RFC 7858). Sessions are taken up again; the certificate has to be of the upstream's name, or of its address. */
export class TlsConnector implements Connector {
  readonly #upstream: Upstream
  readonly #ca: string | undefined
  #session: Buffer | undefined

  constructor(upstream: Upstream, { ca }: RelayOptions) {
    this.#upstream = upstream
    this.#ca = ca
  }

  connect(): TLSSocket {
    const { address = '', port, name } = this.#upstream
    const socket = connect({
      host: address,
      port,
      ALPNProtocols: ['dot'],
      minVersion: 'TLSv1.2',
      ...(name !== undefined && isIP(name) === 0 ? { servername: name } : {}),
      ...(this.#session === undefined ? {} : { session: this.#session }),
      ...(this.#ca === undefined ? {} : { ca: this.#ca }),
    })
    socket.on('session', (session: Buffer) => (this.#session = session))
    return socket
  }

  failed(): void {
    this.#session = undefined
  }
}
