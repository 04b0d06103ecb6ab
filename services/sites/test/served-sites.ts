import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { newestCapabilities, oldestCapabilities } from '../src/caddy/capabilities.ts'
import { compileConfig, type CompiledConfig } from '../src/caddy/compile.ts'
import type { CompiledSite, ConfigOptions, NodeProfile } from '../src/caddy/desired-state.ts'
import { caddyObstacle, newCaddy, newCaddyObstacle, startCaddy, type RealCaddy } from './real-caddy.ts'

/** A Caddy with sites that were compiled for it. */
export interface ServedSites extends AsyncDisposable {
  readonly caddy: RealCaddy
  compile(sites: readonly CompiledSite[], options?: Partial<ConfigOptions>, node?: Partial<NodeProfile>): CompiledConfig
  /** Compiles and loads; fails unless Caddy takes it. */
  serve(
    sites: readonly CompiledSite[],
    options?: Partial<ConfigOptions>,
    node?: Partial<NodeProfile>,
  ): Promise<CompiledConfig>
}

/** A Caddy tests run on, and why they may not. */
export interface CaddyAge {
  readonly name: string
  readonly binary?: string
  readonly capabilities: NodeProfile['capabilities']
  readonly skip: string | undefined
}

/** The Caddy of the machine, and a newer one where there is one. */
export const caddyAges: readonly CaddyAge[] = [
  { name: '2.6.2', capabilities: oldestCapabilities, skip: caddyObstacle() },
  { name: '2.11', binary: newCaddy(), capabilities: newestCapabilities, skip: newCaddyObstacle() },
]

/** Starts a Caddy to serve sites with, an old one unless told otherwise. */
export async function startServedSites(
  age: Partial<Pick<CaddyAge, 'binary' | 'capabilities'>> = {},
): Promise<ServedSites> {
  const caddy = await startCaddy(age.binary)
  const place: NodeProfile = {
    admin: { listen: caddy.adminListen },
    httpPort: caddy.httpPort,
    httpsPort: caddy.httpsPort,
    bind: ['127.0.0.1'],
    capabilities: age.capabilities ?? oldestCapabilities,
  }
  const compile: ServedSites['compile'] = (sites, options = {}, node = {}) =>
    compileConfig({ sites, options: { catchAll: 'not_found', ...options } }, { ...place, ...node })
  return {
    caddy,
    compile,
    serve: async (...what) => {
      const compiled = compile(...what)
      assert.deepEqual(await caddy.load(compiled.config), { status: 200, error: '' })
      return compiled
    },
    [Symbol.asyncDispose]: () => caddy.stop(),
  }
}

/** A local server behind sites. */
export interface Origin extends AsyncDisposable {
  readonly port: number
  /** As an upstream is written. */
  readonly url: string
  /** Requests that came in, oldest first. */
  readonly requests: {
    readonly method: string
    readonly url: string
    readonly headers: IncomingMessage['headers']
    readonly body: string
  }[]
}

/** Starts a server that answers as told, or with its name. */
export async function startOrigin(
  name: string,
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) =>
    void response.end(name),
): Promise<Origin> {
  const requests: Origin['requests'] = []
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = []
    const { method = '', url = '', headers } = request
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('error', () => response.destroy())
    request.on('end', () => {
      requests.push({ method, url, headers, body: Buffer.concat(parts).toString() })
      answer(request, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
