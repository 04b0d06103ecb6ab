import {
  allowAddresses,
  createGuardedFetch,
  createOpenGuarded,
  createOutboundPolicy,
  OutboundFailed,
  OutboundRefused,
  type OutboundAllow,
} from '@hearth/outbound'
import { z } from 'zod'
import { ytDlpVersion } from './tool-pin.ts'

/** A release that cannot be fetched or must not be used; `message` says why, for a person. Nothing was changed. */
export class UpdateFailed extends Error {
  override readonly name = 'UpdateFailed'
}

const defaultApi = 'https://api.github.com'
const defaultFiles = 'https://github.com'

/** Access to the release server. */
export type ReleaseWeb = ReturnType<typeof createReleaseWeb>

/** @param base the operator's own server, which is exempt from the guard because the operator named it */
export function createReleaseWeb(base: string | undefined, allow: OutboundAllow) {
  const api = (base ?? defaultApi).replace(/\/+$/, '')
  const origins = new Set([new URL(api).origin, defaultFiles])
  const policy = createOutboundPolicy(allowAddresses(allow, [base]))
  const fetch = createGuardedFetch(policy)
  /** Returns the address of a path of its API. */
  const apiUrl = (path: string): string => `${api}${path}`
  return {
    fetch,
    open: createOpenGuarded(policy),
    apiUrl,
    /** Reads a path of its API. Throws `UpdateFailed`. */
    async read<T>(path: string, { parse, signal }: { parse: (answer: unknown) => T; signal: AbortSignal }): Promise<T> {
      const headers = { accept: 'application/vnd.github+json' }
      const options = { headers, redirects: 3, maxBytes: 1024 * 1024, timeoutMs: 20_000, signal }
      const { status, body } = await fetch(apiUrl(path), options).catch(rethrow)
      if (status !== 200) throw new UpdateFailed(`the server of releases answered ${status}`)
      try {
        return parse(JSON.parse(Buffer.from(body).toString()))
      } catch (cause) {
        throw new UpdateFailed('the answer of the server of releases cannot be read', { cause })
      }
    },
    /** Returns true if a URL of a release's file is at the server itself, or at the one the default server names. */
    isFileUrl: (text: string): boolean => URL.canParse(text) && origins.has(new URL(text).origin),
  }
}

/** A release of yt-dlp: its version, and where its files are. */
export interface Release {
  readonly version: string
  /** Address of a file by its name; undefined when the release has none of that name. */
  fileUrl(name: string): string | undefined
}

const Answer = z.object({
  tag_name: z.string().regex(ytDlpVersion),
  assets: z.array(z.object({ name: z.string(), browser_download_url: z.string() })),
})

/** Fetches a release: the newest, or that of a version. Throws `UpdateFailed`. */
export async function fetchRelease(
  web: ReleaseWeb,
  wanted: 'latest' | { version: string },
  signal: AbortSignal,
): Promise<Release> {
  const which = wanted === 'latest' ? 'latest' : `tags/${wanted.version}`
  const path = `/repos/yt-dlp/yt-dlp/releases/${which}`
  const { tag_name: version, assets } = await web.read(path, { parse: (answer) => Answer.parse(answer), signal })
  return {
    version,
    fileUrl: (name) =>
      assets.find((asset) => asset.name === name && web.isFileUrl(asset.browser_download_url))?.browser_download_url,
  }
}

/** Throws an outbound error as `UpdateFailed`; anything else unchanged. */
export function rethrow(cause: unknown): never {
  if (cause instanceof OutboundFailed || cause instanceof OutboundRefused)
    throw new UpdateFailed(cause.message, { cause })
  throw cause
}
