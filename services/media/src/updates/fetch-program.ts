import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { ReleaseWeb } from './release-web.ts'
import { rethrow, type Release } from './release.ts'
import { UpdateFailed } from './update-failed.ts'

/** What checks that a list of checksums is signed by whoever makes the releases. */
export interface SignatureCheck {
  /** Whether a key is pinned and the program for it is there; without them only checksums are checked. */
  isPossible(): boolean
  /** Throws `UpdateFailed` unless the signature is good. */
  verify(content: Uint8Array, signature: Uint8Array, signal: AbortSignal): Promise<void>
}

/** How a program was fetched. */
export interface FetchedProgram {
  /** SHA-256, hex. */
  readonly sha256: string
  readonly isSigned: boolean
}

const largestProgram = 50 * 1024 * 1024
const largestList = 1024 * 1024
const patience = 180_000
/** A release's files are handed out by another server than the one that lists them. */
const redirects = 5

/**
 * Fetches the program of a release into a file and makes sure it is what the release says: its checksum stands in the list,
 * and the list is signed, when that can be checked. Throws `UpdateFailed`; what it wrote by then is of no use.
 */
export async function fetchProgram(
  parts: { web: ReleaseWeb; signatures: SignatureCheck },
  release: Release,
  { file, signal }: { file: string; signal: AbortSignal },
): Promise<FetchedProgram> {
  const { web, signatures } = parts
  const list = await fetchSmall(web, urlOf(release, 'SHA2-256SUMS'), signal)
  const isSigned = signatures.isPossible()
  if (isSigned) {
    const signature = await fetchSmall(web, urlOf(release, 'SHA2-256SUMS.sig'), signal)
    await signatures.verify(list, signature, signal)
  }
  const expected = /^([\da-f]{64}) [ *]yt-dlp$/im.exec(Buffer.from(list).toString())?.[1]?.toLowerCase()
  if (expected === undefined) throw new UpdateFailed('its list of checksums does not name the program')
  const sha256 = await fetchInto(file, urlOf(release, 'yt-dlp'), { web, signal })
  if (sha256 !== expected) throw new UpdateFailed('what was fetched does not have the checksum the release names')
  return { sha256, isSigned }
}

function urlOf(release: Release, name: string): string {
  const url = release.fileUrl(name)
  if (url === undefined) throw new UpdateFailed(`the release has no ${name}`)
  return url
}

async function fetchSmall(web: ReleaseWeb, url: string, signal: AbortSignal): Promise<Uint8Array> {
  const options = { redirects, maxBytes: largestList, timeoutMs: 20_000, signal }
  const { status, body } = await web.fetch(url, options).catch(rethrow)
  if (status !== 200) throw new UpdateFailed(`a file of the release was answered with ${status}`)
  return body
}

/** Writes what comes as it comes, and returns its SHA-256. */
async function fetchInto(
  file: string,
  url: string,
  { web, signal }: { web: ReleaseWeb; signal: AbortSignal },
): Promise<string> {
  const hash = createHash('sha256')
  const options = { redirects, maxBytes: largestProgram, timeoutMs: patience, signal }
  await using answer = await web.open(url, options).catch(rethrow)
  if (answer.status !== 200) throw new UpdateFailed(`the program was answered with ${answer.status}`)
  await using target = await open(file, 'wx', 0o600)
  try {
    for await (const chunk of answer.body) {
      hash.update(chunk)
      await target.writeFile(chunk)
    }
  } catch (error) {
    rethrow(error)
  }
  return hash.digest('hex')
}
