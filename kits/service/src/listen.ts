import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { OperatorError } from '@hearth/runtime'

/** The part of an HTTP server that listening needs. */
export interface HttpServer {
  listen(address: { host: string; port: number }): Promise<unknown>
  readonly server: { address(): AddressInfo | string | null }
}

/**
 * Makes a server listen where the settings say, and returns its address as `http://HOST:PORT`. Throws an `OperatorError` that
 * names `BIND_ADDRESS` or `BIND_PORT` when that cannot be.
 */
export async function listenAt(http: HttpServer, { host, port }: { host: string; port: number }): Promise<string> {
  try {
    await http.listen({ host, port })
  } catch (error) {
    throw new OperatorError(reasonOf(error as NodeJS.ErrnoException, { host, port }), { cause: error })
  }
  const { address, port: actual } = http.server.address() as AddressInfo
  return `http://${address.includes(':') ? `[${address}]` : address}:${actual}`
}

/**
 * Checks that a server can listen there, before anything else is done. Throws an `OperatorError` that names `BIND_ADDRESS` or
 * `BIND_PORT`.
 */
export async function checkListen({ host, port }: { host: string; port: number }): Promise<void> {
  const server = createServer()
  try {
    server.listen({ host, port, exclusive: true })
    await once(server, 'listening')
  } catch (error) {
    throw new OperatorError(reasonOf(error as NodeJS.ErrnoException, { host, port }), { cause: error })
  }
  server.close()
  await once(server, 'close')
}

function reasonOf({ code, message }: NodeJS.ErrnoException, { host, port }: { host: string; port: number }): string {
  if (code === 'EADDRINUSE') return `BIND_PORT: ${port} is in use by another program`
  if (code === 'EADDRNOTAVAIL') return `BIND_ADDRESS: this host has no address ${host}`
  if (code === 'EACCES') return `BIND_PORT: not allowed to use ${port}: ${message}`
  return `BIND_ADDRESS: cannot listen on ${host}, port ${port}: ${message}`
}
