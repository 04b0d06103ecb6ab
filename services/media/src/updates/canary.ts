import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutboundPolicy } from '@hearth/outbound'
import type { CookieJars } from '../cookies/jars.ts'
import { extractorsFor } from '../platforms/extractors.ts'
import type { Platform } from '../platforms/schema.ts'
import { MediaFailure, type MediaFailureCode } from '../tools/media-failure.ts'
import type { YtDlp } from '../tools/yt-dlp.ts'
import { serveCanaryPage } from './canary-page.ts'

/** A media that was fetched lately. */
export interface KnownMedia {
  readonly url: string
  readonly platform: Platform
}

export interface CanaryParts {
  /** The version in use, for what the new one cannot read. */
  readonly present: YtDlp
  readonly candidate: (policy?: OutboundPolicy) => YtDlp
  /** What was fetched last; it should still be there. */
  readonly known: readonly KnownMedia[]
  readonly jars: CookieJars
  readonly extractorsFor: (platform: Platform, url: string) => readonly string[]
  /** Where working folders may be made. */
  readonly scratch: string
  readonly signal: AbortSignal
}

const patience = 30_000

/** Failures that are the program's own; the others are the platform's, and say nothing of it. */
const ownFaults: ReadonlySet<MediaFailureCode> = new Set([
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
export async function tryOut(version: string, parts: CanaryParts): Promise<string | undefined> {
  const said = await parts.candidate().version()
  if (said !== version) return said === undefined ? 'it cannot be run here' : `it says it is ${said}`
  let hasRead = false
  for (const media of parts.known) {
    const failure = await probe(parts.candidate(), media, parts)
    if (failure === undefined) hasRead = true
    else if (ownFaults.has(failure.code)) {
      const before = await probe(parts.present, media, parts)
      if (before === undefined) return `it cannot read ${media.url}, which the present one can: ${failure.message}`
    }
  }
  return hasRead ? undefined : readOwnPage(parts)
}

async function readOwnPage(parts: CanaryParts): Promise<string | undefined> {
  await using page = await serveCanaryPage()
  const extractors = extractorsFor({ platform: 'youtube', isExtra: true })
  const failure = await inFolder(parts, (directory) =>
    attempt(parts.candidate(page.policy), { url: page.url, extractors, directory, signal: parts.signal }),
  )
  return failure === undefined ? undefined : `it cannot read a plain page: ${failure.message}`
}

function probe(program: YtDlp, { url, platform }: KnownMedia, parts: CanaryParts): Promise<MediaFailure | undefined> {
  const extractors = parts.extractorsFor(platform, url)
  return inFolder(parts, (directory) =>
    parts.jars.withPrivateCopy(platform, directory, (cookies) =>
      attempt(program, { url, extractors, cookies, directory, signal: parts.signal }),
    ),
  )
}

async function inFolder<T>({ scratch }: CanaryParts, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(scratch, 'canary-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function attempt(
  program: YtDlp,
  request: Omit<Parameters<YtDlp['probe']>[0], 'timeoutMs'>,
): Promise<MediaFailure | undefined> {
  try {
    await program.probe({ ...request, timeoutMs: patience })
    return undefined
  } catch (error) {
    if (error instanceof MediaFailure) return error
    throw error
  }
}
