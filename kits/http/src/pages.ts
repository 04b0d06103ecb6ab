import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { chooseEncoding, encodeText } from './content-encoding.ts'
import { allowNonce } from './security-headers.ts'

/** The application's page for an address that is no file, encoded as the request accepts it; the browser's router does the rest. */
export type RenderPage = (reply: FastifyReply, fragment?: string) => string | Buffer

const notBuilt =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Hearth</title><p>The web pages are not built yet. <code>npm start</code> builds them; the API works without.'

/** Reads the page of a built web application; each answer gets a nonce in place of `__CSP_NONCE__`. */
export function readPage(folder: string): RenderPage {
  const index = join(folder, 'index.html')
  const page = existsSync(index) ? readFileSync(index, 'utf8') : notBuilt
  return (reply, fragment = '') => {
    const whole = fragment === '' ? page : page.replace(/<\/body>|$/, (end) => `${fragment}${end}`)
    return encodeText(reply, whole.replaceAll('__CSP_NONCE__', allowNonce(reply)))
  }
}

/**
 * Serves the files of a built web application: hashed ones under `/assets/` for ever, others briefly. Only files that were in
 * the folder at the start exist. Where `NAME.br` or `NAME.gz` stands beside a file, it is sent in its place to clients that
 * accept that coding.
 *
 * @param folder Vite's output; a missing one has no files
 */
export async function servePageFiles(app: FastifyInstance, folder: string): Promise<void> {
  if (!existsSync(join(folder, 'index.html'))) return
  await app.register(async (scope) => {
    // The plugin's own choice takes `*` for an encoding that is excluded beside it, and knows no `identity`.
    scope.addHook('onRequest', (request, _reply, done) => {
      request.raw.headers['accept-encoding'] = chooseEncoding(request.raw.headers['accept-encoding'])
      done()
    })
    await scope.register(fastifyStatic, {
      root: folder,
      wildcard: false,
      index: false,
      cacheControl: false,
      preCompressed: true,
      globIgnore: ['index.html', 'pages.json', '**/*.br', '**/*.gz'],
      setHeaders(reply, path) {
        const forEver = path.includes('/assets/')
        reply.header('cache-control', forEver ? 'public, max-age=31536000, immutable' : 'public, max-age=600')
        // What a page may load, its own policy says; on forty scripts and styles it would be ten kilobytes.
        if (forEver && /\.(?:js|css)(?:\.\w+)?$/.test(path)) reply.removeHeader('content-security-policy')
      },
    })
  })
}
