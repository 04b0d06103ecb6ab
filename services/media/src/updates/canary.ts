import { createOutboundAllow, createOutboundPolicy, type OutboundPolicy } from '@hearth/outbound'
import { withTemporaryFolder } from '@hearth/runtime'
import { extractorsOf } from '../platforms/platform-hosts.ts'
import type { JobRow } from '../tables.ts'
import { MediaFailure, type MediaFailureCode } from '../tools/media-failure.ts'
import type { YtDlp } from '../tools/yt-dlp.ts'
import type { YtDlpUpdateDependencies } from './update-yt-dlp.ts'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A media that was fetched lately. */
type KnownMedia = Pick<JobRow, 'url' | 'platform'>

interface CanaryDependencies extends Pick<YtDlpUpdateDependencies, 'jars' | 'hosts' | 'scratch'> {
  /** The version in use, for what the new one cannot read. */
  readonly present: YtDlp
  readonly candidate: (policy?: OutboundPolicy) => YtDlp
  /** Media that were fetched last and should still exist. */
  readonly known: readonly KnownMedia[]
  readonly signal: AbortSignal
}

const probeTimeout = 30_000

/** Failures that are the program's own; the others are the platform's, and say nothing of it. */
const toolFailures: ReadonlySet<MediaFailureCode> = new Set([
  'failed',
  'unsupported',
  'tool_outdated',
  'tool_too_old',
  'tool_missing',
  'blocked_address',
  'memory',
  'timeout',
])

/**
 * Tries a version before it is taken: it must say that it is what it should be, and read what was read last. What the present
 * one cannot read either counts for nothing; when nothing counts, a page of our own must do. The answer is what is wrong,
 * or undefined.
 */
export async function tryOut(version: string, dependencies: CanaryDependencies): Promise<string | undefined> {
  const said = await dependencies.candidate().version()
  if (said !== version) return said === undefined ? 'it cannot be run here' : `it says it is ${said}`
  let hasRead = false
  for (const media of dependencies.known) {
    const failure = await probe(dependencies.candidate(), media, dependencies)
    if (failure === undefined) hasRead = true
    else if (toolFailures.has(failure.code)) {
      const before = await probe(dependencies.present, media, dependencies)
      if (before === undefined) return `it cannot read ${media.url}, which the present one can: ${failure.message}`
    }
  }
  return hasRead ? undefined : readOwnPage(dependencies)
}

async function readOwnPage(dependencies: CanaryDependencies): Promise<string | undefined> {
  await using page = await serveCanaryPage()
  const failure = await withTemporaryFolder(dependencies.scratch, (directory) =>
    attempt(dependencies.candidate(page.policy), {
      url: page.url,
      extractors: extractorsOf.extra,
      directory,
      signal: dependencies.signal,
    }),
  )
  return failure === undefined ? undefined : `it cannot read a plain page: ${failure.message}`
}

function probe(
  program: YtDlp,
  { url, platform }: KnownMedia,
  dependencies: CanaryDependencies,
): Promise<MediaFailure | undefined> {
  const extractors = dependencies.hosts.extractorsFor(platform, url)
  return withTemporaryFolder(dependencies.scratch, (directory) =>
    dependencies.jars.withPrivateCopy(platform, directory, (cookies) =>
      attempt(program, { url, extractors, cookies, directory, signal: dependencies.signal }),
    ),
  )
}

async function attempt(
  program: YtDlp,
  request: Omit<Parameters<YtDlp['probe']>[0], 'timeoutMs'>,
): Promise<MediaFailure | undefined> {
  try {
    await program.probe({ ...request, timeoutMs: probeTimeout })
    return undefined
  } catch (error) {
    if (error instanceof MediaFailure) return error
    throw error
  }
}

const page = `<!doctype html><html><head><title>A page of our own</title></head>
<body><video><source src="/video.mp4" type="video/mp4"></video></body></html>`

/** Serves a page with a video, on loopback, to try a program without the network. */
async function serveCanaryPage() {
  const server = createServer((request, response) => {
    const isPage = request.url === '/'
    response.setHeader('content-type', isPage ? 'text/html; charset=utf-8' : 'video/mp4')
    response.end(isPage ? page : '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${host}/`,
    /** Lets a program connect to the page and to no other address that is not public. */
    policy: createOutboundPolicy(createOutboundAllow([host])),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
