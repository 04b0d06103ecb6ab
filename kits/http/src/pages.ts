import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { allowNonce } from './security-headers.ts'

/** Sends the application's page for an address that is no file; the browser's router does the rest. */
export type SendPage = (reply: FastifyReply) => FastifyReply

const notBuilt =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Hearth</title><p>The web pages are not built yet. <code>npm start</code> builds them; the API works without.'

/**
 * Serves a built web application: hashed files under `/assets/` for ever, other files of the folder briefly, and
 * `index.html` with this answer's nonce in place of `__CSP_NONCE__`. Only files that were in the folder at the start exist.
 *
 * @param folder Vite's output; a missing one is answered with a page that says so
 */
export async function servePages(app: FastifyInstance, folder: string): Promise<SendPage> {
  const index = join(folder, 'index.html')
  const page = existsSync(index) ? readFileSync(index, 'utf8') : notBuilt
  if (existsSync(index)) {
    await app.register(fastifyStatic, {
      root: folder,
      wildcard: false,
      index: false,
      cacheControl: false,
      globIgnore: ['index.html'],
      setHeaders(reply, path) {
        const forEver = path.includes('/assets/')
        reply.header('cache-control', forEver ? 'public, max-age=31536000, immutable' : 'public, max-age=600')
      },
    })
  }
  return (reply) =>
    reply
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(page.replaceAll('__CSP_NONCE__', allowNonce(reply)))
}
