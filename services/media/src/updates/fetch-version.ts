import type { ToolRunner } from '../tools/run-tool.ts'
import type { ChosenYtDlp } from './chosen-yt-dlp.ts'
import { fetchRelease, rethrow, UpdateFailed, type Release, type ReleaseWeb } from './release.ts'
import { createSignatureCheck, type SignatureCheck } from './signature-check.ts'
import type { Fetched } from './tool-pin.ts'
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'

/** Name of the operator's file with the key that signs releases, in the folder of the versions. */
const keyName = 'public.key'

/** Fetches and checks the program of a release, and stages it beside the others. Throws `UpdateFailed`. */
export function fetchVersion(
  chosen: Pick<ChosenYtDlp, 'web' | 'versions'>,
  release: Release,
  { runner, signal }: { runner: ToolRunner; signal: AbortSignal },
) {
  const signatures = createSignatureCheck({ keyFile: chosen.versions.fileOf(keyName), runner })
  return chosen.versions.stage((file) => fetchProgram({ web: chosen.web, signatures }, release, { file, signal }))
}

/** Fetches the version that another process of the installation chose, with the same checksum. */
export async function fetchTaken(chosen: ChosenYtDlp, wanted: Fetched, runner: ToolRunner): Promise<void> {
  const signal = AbortSignal.timeout(300_000)
  const release = await fetchRelease(chosen.web, wanted, signal)
  await using fetched = await fetchVersion(chosen, release, { runner, signal })
  if (fetched.facts.sha256 !== wanted.sha256) throw new UpdateFailed('it is not the program that was taken')
  await fetched.keep(wanted.version)
}

const maxProgramBytes = 50 * 1024 * 1024
const maxListBytes = 1024 * 1024
const programTimeout = 180_000
/** A release's files are handed out by another server than the one that lists them. */
const redirects = 5

/**
 * Fetches the program of a release into a file and makes sure it is what the release says: its checksum stands in the list, and
 * the list is signed, when that can be checked. Returns its SHA-256, hex, and whether the list was signed. Throws
 * `UpdateFailed`; the partial file must not be used.
 */
async function fetchProgram(
  dependencies: { web: ReleaseWeb; signatures: SignatureCheck },
  release: Release,
  { file, signal }: { file: string; signal: AbortSignal },
): Promise<{ sha256: string; isSigned: boolean }> {
  const { web, signatures } = dependencies
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
  const options = { redirects, maxBytes: maxListBytes, timeoutMs: 20_000, signal }
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
  const options = { redirects, maxBytes: maxProgramBytes, timeoutMs: programTimeout, signal }
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
