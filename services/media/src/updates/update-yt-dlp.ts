import type { Kysely } from 'kysely'
import type { CookieJars } from '../cookies/jars.ts'
import type { Tables } from '../database/tables.ts'
import type { Platform } from '../platforms/schema.ts'
import { conflict, upstream } from '../problems.ts'
import type { Toolbox } from '../tools/toolbox.ts'
import { tryOut } from './canary.ts'
import type { ChosenYtDlp } from './chosen-yt-dlp.ts'
import { isNewer } from './compare-versions.ts'
import { fetchVersion, type FetchedVersion } from './fetch-version.ts'
import { askRelease } from './release.ts'
import type { ToolUpdate } from './schema.ts'
import { lastFetched } from './store.ts'
import { UpdateFailed } from './update-failed.ts'

export interface UpdateParts {
  readonly chosen: ChosenYtDlp
  readonly tools: Toolbox
  readonly db: Kysely<Tables>
  readonly jars: CookieJars
  readonly extractorsFor: (platform: Platform, url: string) => readonly string[]
  /** Where working folders may be made. */
  readonly scratch: string
}

/** Changes of the yt-dlp in use. Throw problems in the words of the API. */
export interface YtDlpUpdate {
  update(): Promise<ToolUpdate>
  revert(): Promise<ToolUpdate>
}

/** Media that are read to see whether a new version works. */
const mostTried = 2
/** For everything together: fetching, and trying with up to four runs. */
const patience = 360_000

export function createYtDlpUpdate(parts: UpdateParts): YtDlpUpdate {
  let isBusy = false

  async function alone(work: () => Promise<ToolUpdate>): Promise<ToolUpdate> {
    if (parts.chosen.isFixed)
      throw conflict('YTDLP_PATH names the yt-dlp to use; it is updated where it comes from, or the setting is removed')
    if (isBusy) throw conflict('yt-dlp is being updated already')
    isBusy = true
    try {
      return await work()
    } catch (error) {
      if (error instanceof UpdateFailed) throw upstream(`yt-dlp was not updated: ${error.message}`, error)
      throw error
    } finally {
      isBusy = false
    }
  }

  return {
    update: () => alone(() => update(parts, AbortSignal.timeout(patience))),
    revert: () =>
      alone(async () => {
        const back = await parts.chosen.goBack()
        if (back === undefined) throw conflict('There is no yt-dlp before the present one')
        const version = (await parts.tools.ytDlp.version()) ?? null
        return { ok: true, version, message: `yt-dlp ${version ?? back} is in use again` }
      }),
  }
}

async function update(parts: UpdateParts, signal: AbortSignal): Promise<ToolUpdate> {
  const { chosen, tools } = parts
  const release = await askRelease(chosen.web, 'latest', signal)
  const present = await tools.ytDlp.version()
  if (present !== undefined && !isNewer(release.version, present))
    return { ok: true, version: present, message: `yt-dlp ${present} is the newest already` }
  await using fetched = await fetchVersion(chosen, release, { runner: tools.runner, signal })
  const fault = await tryFetched(parts, release.version, { fetched, signal })
  if (fault !== undefined) {
    const stays = present === undefined ? '' : `; ${present} stays in use`
    return { ok: false, version: present ?? null, message: `yt-dlp ${release.version} was not taken: ${fault}${stays}` }
  }
  await fetched.staged.keep(release.version)
  await chosen.take({ version: release.version, sha256: fetched.sha256 })
  const checked = fetched.isSigned
    ? 'Its checksum and signature were checked.'
    : 'Only its checksum was checked: there is no key to check its signature with.'
  return { ok: true, version: release.version, message: `yt-dlp ${release.version} is in use now. ${checked}` }
}

async function tryFetched(
  { tools, db, jars, extractorsFor, scratch }: UpdateParts,
  version: string,
  { fetched, signal }: { fetched: FetchedVersion; signal: AbortSignal },
): Promise<string | undefined> {
  return tryOut(version, {
    present: tools.ytDlp,
    candidate: (policy) => tools.ytDlpAt(fetched.staged.file, policy),
    known: await lastFetched(db, mostTried),
    jars,
    extractorsFor,
    scratch,
    signal,
  })
}
