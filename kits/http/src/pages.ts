import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import send from '@fastify/send'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { chooseEncoding, encodeText } from './content-encoding.ts'
import { leaveOutContent, methodsOf } from './head-answers.ts'
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
export function servePageFiles(app: FastifyInstance, folder: string): void {
  if (!existsSync(join(folder, 'index.html'))) return
  const files = new Set([...filesIn(folder), ...filesIn(join(folder, 'assets')).map((name) => `assets/${name}`)])
  const served = [...files].filter((file) => !notServed.test(file))
  const answer = createFileAnswer(folder, files)
  for (const file of served.filter((name) => !name.includes('/')))
    app.route({ ...taking, url: `/${file}`, handler: (request, reply) => answer(file, request, reply) })
  const assets = new Set(served)
  // One route for all of them: two for each file would take longer to make than the rest of the server.
  app.route<{ Params: { file: string } }>({
    ...taking,
    url: '/assets/:file',
    async handler(request, reply) {
      const file = `assets/${request.params.file}`
      if (assets.has(file)) return answer(file, request, reply)
      reply.callNotFound()
      return reply
    },
  })
}

/** Routes of files answer GET and HEAD. */
const taking = { method: methodsOf('GET'), onSend: leaveOutContent }

const notServed = /^(?:index\.html|pages\.json|.*\.br|.*\.gz)$/

/** Names of the files right in a folder; none when it is not there. */
function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

const extensionOf = { br: '.br', gzip: '.gz' }

/** Creates the answer with a file of the folder, in the coding the client prefers where it stands beside the file. */
function createFileAnswer(folder: string, files: ReadonlySet<string>) {
  return async (file: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const coding = chooseEncoding(request.headers['accept-encoding'])
    const coded = coding === 'identity' ? file : `${file}${extensionOf[coding]}`
    const isCoded = coded !== file && files.has(coded)
    const options = { root: folder, cacheControl: false, contentType: !isCoded }
    const sent = await send(request.raw, encodeURI(isCoded ? coded : file), options)
    if (sent.type === 'error' && (sent.metadata.error as { status?: number }).status !== 404) throw sent.metadata.error
    // It was there at the start.
    if (sent.type !== 'file') {
      reply.callNotFound()
      return reply
    }
    const forEver = file.startsWith('assets/')
    reply.code(sent.statusCode).headers({ ...sent.headers, vary: 'accept-encoding' })
    if (isCoded) reply.headers({ 'content-encoding': coding, 'content-type': typeOf(file) })
    reply.header('cache-control', forEver ? 'public, max-age=31536000, immutable' : 'public, max-age=600')
    // The policy of the page applies; repeated on forty scripts and styles it would add ten kilobytes.
    if (forEver && /\.(?:js|css)$/.test(file)) reply.removeHeader('content-security-policy')
    return reply.send(sent.stream)
  }
}

function typeOf(file: string): string {
  const type = send.mime.getType(file) ?? 'application/octet-stream'
  return send.isUtf8MimeType(type) ? `${type}; charset=utf-8` : type
}
