import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ErrorBody } from '../../src/problems.ts'
import type { ToolUpdate, Updates } from '../../src/updates/schema.ts'
import { startMedia, type Media } from '../in-process.ts'
import { startReleaseServer, type ReleaseServer } from './release-server.ts'
import type { Signer } from './signer.ts'

/** The yt-dlp of this machine. */
export const installed = execFileSync('/usr/bin/yt-dlp', ['--ignore-config', '--version'], { encoding: 'utf8' }).trim()

/**
 * A version after the installed one. It must not promise what the installed one, which it really is, cannot do: from November
 * 2025 on there is an option we use.
 */
export function later(number: number): string {
  const month = installed < '2025.11.12' ? '2025.10' : `${Number(installed.slice(0, 4)) + 1}.01`
  return `${month}.${String(number).padStart(2, '0')}`
}

/** A service that updates itself from a server of releases. */
export interface Updating extends AsyncDisposable {
  readonly releases: ReleaseServer
  readonly media: Media
  readonly check: () => Promise<Updates>
  readonly update: () => Promise<{ status: number; body: ToolUpdate & ErrorBody }>
  readonly revert: () => Promise<{ status: number; body: ToolUpdate & ErrorBody }>
  /** Version of the yt-dlp in use. */
  readonly inUse: () => Promise<string | undefined>
  /** Names in the folder of versions. */
  readonly kept: () => string[]
}

export async function startUpdating(
  environment: Readonly<Record<string, string>> = {},
  options: { signer?: Signer } = {},
): Promise<Updating> {
  const releases = await startReleaseServer(options.signer)
  const media = await startMedia({ UPDATES_BASE_URL: `${releases.url}/`, ...environment })
  return {
    releases,
    media,
    check: async () => (await media.json<Updates>('GET', '/api/updates')).body,
    update: () => media.json('POST', '/api/updates/ytdlp'),
    revert: () => media.json('POST', '/api/updates/ytdlp/revert'),
    inUse: () => media.service.app.core.tools.ytDlp.version(),
    kept: () => readdirSync(join(media.folder, 'tools/yt-dlp')).sort((left, right) => left.localeCompare(right)),
    async [Symbol.asyncDispose]() {
      await media[Symbol.asyncDispose]()
      await releases[Symbol.asyncDispose]()
    },
  }
}
