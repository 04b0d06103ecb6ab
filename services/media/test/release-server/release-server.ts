import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createProgramMaker, type ProgramFault } from './make-yt-dlp.ts'
import type { Signer } from './signer.ts'

/** A fault of a release as it is handed out. */
export type DeliveryFault =
  /** The list names another checksum. */
  | 'checksum'
  /** The connection breaks off in the middle. */
  | 'truncated'
  /** It never ends. */
  | 'endless'
  /** The list of checksums is missing, or says nothing of the program. */
  | 'no-list'
  | 'list-of-others'
  /** Its signature is of something else, or missing. */
  | 'wrong-signature'
  | 'no-signature'
  /** Its files lie on another server. */
  | 'elsewhere'

/** A server of releases as GitHub is one: its API, and files behind a redirect. */
export interface ReleaseServer extends AsyncDisposable {
  readonly url: string
  readonly host: string
  /** Requests so far, as `GET /path`. */
  readonly requests: string[]
  /** Makes a release the newest. */
  publish(version: string, fault?: ProgramFault | DeliveryFault): void
  /** Answers every question with this status from now on; undefined ends that. */
  refuse(status: number | undefined): void
  /** Newest releases of other projects, by repository; a repository that is missing answers 404. */
  readonly tags: Map<string, string>
}

interface Published {
  readonly version: string
  readonly fault: ProgramFault | DeliveryFault | undefined
  readonly files: ReadonlyMap<string, Buffer>
}

export async function startReleaseServer(signer?: Signer): Promise<ReleaseServer> {
  const maker = createProgramMaker()
  const releases: Published[] = []
  const requests: string[] = []
  const objects = new Map<string, { content: Buffer; fault: Published['fault'] }>()
  const tags = new Map([
    ['hearth/hearth', 'v99.1.0'],
    ['yt-dlp/ejs', '0.8.0'],
    ['nodejs/node', 'v26.10.0'],
    ['katspaugh/wavesurfer.js', '8.1.0'],
  ])
  let refusal: number | undefined
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    if (refusal !== undefined) return void response.writeHead(refusal).end('{"message":"API rate limit exceeded"}')
    // GitHub talks to nobody who does not say who they are.
    if (request.headers['user-agent'] === undefined) return void response.writeHead(403).end()
    answer({ request, response })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const url = `http://${host}`

  function answer({ request, response }: { request: IncomingMessage; response: ServerResponse }): void {
    const { pathname } = new URL(request.url ?? '/', url)
    const release = releaseAt(pathname)
    if (release !== undefined) return sendJson(response, describe(release))
    const [, version, name = ''] = /^\/yt-dlp\/yt-dlp\/releases\/download\/([^/]+)\/(.+)$/.exec(pathname) ?? []
    const published = releases.find((one) => one.version === version)
    const content = published?.files.get(name)
    if (content !== undefined) {
      const key = randomUUID()
      objects.set(key, { content, fault: name === 'yt-dlp' ? published?.fault : undefined })
      return void response.writeHead(302, { location: `/objects/${key}?signature=x` }).end()
    }
    const object = objects.get(/^\/objects\/(.+)$/.exec(pathname)?.[1] ?? '')
    if (object !== undefined) return sendObject(response, object)
    if (pathname === '/repos/FFmpeg/FFmpeg/git/matching-refs/tags/n')
      return sendJson(
        response,
        ['n0.9', 'n10.0', 'n7.1.2', 'n8.0', 'n8.1-dev'].map((tag) => ({ ref: `refs/tags/${tag}` })),
      )
    const repository = /^\/repos\/(.+)\/releases\/latest$/.exec(pathname)?.[1] ?? ''
    const tag = tags.get(repository)
    if (tag === undefined) return void response.writeHead(404).end('{"message":"Not Found"}')
    sendJson(response, { tag_name: tag, html_url: `${url}/${repository}/releases/tag/${tag}`, assets: [] })
  }

  function releaseAt(pathname: string): Published | undefined {
    const which = /^\/repos\/yt-dlp\/yt-dlp\/releases\/(latest|tags\/(.+))$/.exec(pathname)
    if (which === null) return undefined
    return which[2] === undefined ? releases.at(-1) : releases.find(({ version }) => version === which[2])
  }

  function describe({ version, fault, files }: Published) {
    const at = fault === 'elsewhere' ? 'http://127.0.0.1:9' : url
    const assets = [...files].map(([name, content]) => ({
      name,
      size: content.length,
      browser_download_url: `${at}/yt-dlp/yt-dlp/releases/download/${version}/${name}`,
    }))
    return { tag_name: version, name: `yt-dlp ${version}`, prerelease: false, draft: false, assets, body: 'Changes …' }
  }

  return {
    url,
    host,
    requests,
    tags,
    publish(version, fault) {
      const program = maker.make(version, isProgramFault(fault) ? fault : undefined)
      releases.push({ version, fault, files: filesOf(program, fault, signer) })
    },
    refuse(status) {
      refusal = status
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      maker[Symbol.dispose]()
    },
  }
}

const isProgramFault = (fault: Published['fault']): fault is ProgramFault =>
  ['reads-nothing', 'fetches-nothing', 'other-version', 'no-start'].includes(fault ?? '')

function filesOf(program: Buffer, fault: Published['fault'], signer: Signer | undefined): Map<string, Buffer> {
  const right = createHash('sha256').update(program).digest('hex')
  const named = fault === 'checksum' ? right.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) : right
  const others = `${'ab'.repeat(32)}  yt-dlp.exe\n${'cd'.repeat(32)}  yt-dlp_linux\n`
  const list = Buffer.from(fault === 'list-of-others' ? others : `${others}${named}  yt-dlp\n`)
  const files = new Map([
    ['yt-dlp', program],
    ['yt-dlp.exe', Buffer.from('MZ')],
  ])
  if (fault !== 'no-list') files.set('SHA2-256SUMS', list)
  if (signer !== undefined && fault !== 'no-signature')
    files.set('SHA2-256SUMS.sig', signer.sign(fault === 'wrong-signature' ? program : list))
  return files
}

function sendJson(response: ServerResponse, content: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(content))
}

function sendObject(
  response: ServerResponse,
  { content, fault }: { content: Buffer; fault: Published['fault'] },
): void {
  if (fault === 'endless') {
    response.writeHead(200, { 'content-type': 'application/octet-stream' })
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024)));
    }
    response.on('drain', more)
    return more()
  }
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': content.length })
  if (fault !== 'truncated') return void response.end(content)
  response.write(content.subarray(0, content.length / 2), () => response.destroy())
}
