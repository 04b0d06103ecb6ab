import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { chooseEncoding, encodeText } from './content-encoding.ts'
import { allowNonce } from './security-headers.ts'

/**
 * The application's page for a path that is not a file, encoded as the request accepts it; the browser's router shows the right
 * page.
 */
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
        // The policy of the page applies; repeated on forty scripts and styles it would add ten kilobytes.
        if (forEver && /\.(?:js|css)(?:\.\w+)?$/.test(path)) reply.removeHeader('content-security-policy')
      },
    })
  })
}

/** True when the web application has a page at a path; the path is without its query. */
export type PageExists = (path: string) => boolean

/**
 * Reads which pages a built web application has from the patterns in its `pages.json`, such as `/job/:id` or `/peers/:id?`.
 * They match as the browser's router matches them: whatever the case, with or without a slash at the end. Without the file
 * every path counts as a page.
 */
export function readPageAddresses(folder: string): PageExists {
  const file = join(folder, 'pages.json')
  if (!existsSync(file)) return () => true
  const patterns = (JSON.parse(readFileSync(file, 'utf8')) as string[]).map(expressionOf)
  return (path) => patterns.some((pattern) => pattern.test(path))
}

function expressionOf(pattern: string): RegExp {
  const parts = pattern.split('/').filter((part) => part !== '')
  const expressions = parts.map((part) => {
    if (!part.startsWith(':')) return `/${RegExp.escape(part)}`
    return part.endsWith('?') ? '(?:/[^/]+)?' : '/[^/]+'
  })
  return new RegExp(`^${expressions.join('')}/?$`, 'i')
}
