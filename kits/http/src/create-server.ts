import type { FastifyInstance } from 'fastify'
import type { ServerOptions } from './server.ts'

/**
 * Builds the HTTP server of a service out of its routes. Nothing listens yet; `inject` works at once. Every error, also the
 * framework's own, leaves through `toError`. The framework is loaded here: commands and tests that know routes alone need none.
 */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { buildServer } = await import('./server.ts')
  return buildServer(options)
}
