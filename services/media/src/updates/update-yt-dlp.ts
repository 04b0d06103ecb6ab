import type { Kysely } from 'kysely'
import type { CookieJars } from '../cookies/jars.ts'
import type { Tables } from '../tables.ts'
import type { PlatformHosts } from '../platforms/platform-hosts.ts'
import { conflict, upstream } from '../problems.ts'
import type { Toolbox } from '../tools/toolbox.ts'
import { tryOut } from './canary.ts'
import type { ChosenYtDlp } from './chosen-yt-dlp.ts'
import { isNewer } from './components.ts'
import { fetchVersion } from './fetch-version.ts'
import { fetchRelease, UpdateFailed } from './release.ts'
import type { ToolUpdate } from './schema.ts'
import { lastFetched } from './store.ts'

export interface YtDlpUpdateDependencies {
  readonly chosen: ChosenYtDlp
  readonly tools: Toolbox
  readonly db: Kysely<Tables>
  readonly jars: CookieJars
  readonly hosts: PlatformHosts
  /** Folder in which temporary folders are made. */
  readonly scratch: string
  /** Called with the reason why a newer version was not taken. */
  readonly onGivenUp?: (reason: string) => void
}

/** Number of media that a new version must read. */
const maxTried = 2
/** Timeout for fetching, and trying with up to four runs, milliseconds. */
const updateTimeout = 360_000

/** Creates update and rollback of yt-dlp. They throw problems of the API. */
export function createYtDlpUpdate(dependencies: YtDlpUpdateDependencies) {
  let isBusy = false

  async function alone(work: () => Promise<ToolUpdate>): Promise<ToolUpdate> {
    if (dependencies.chosen.isFixed)
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
    /** Fetches the newest yt-dlp beside the present one, tries it, and uses it only when it works. */
    async updateYtDlp(): Promise<ToolUpdate> {
      try {
        const outcome = await alone(() => update(dependencies, AbortSignal.timeout(updateTimeout)))
        if (!outcome.ok) dependencies.onGivenUp?.(outcome.message)
        return outcome
      } catch (error) {
        if (error instanceof Error && error.cause instanceof UpdateFailed) dependencies.onGivenUp?.(error.message)
        throw error
      }
    },
    /** Goes back to the version before. */
    revertYtDlp: () =>
      alone(async () => {
        const back = await dependencies.chosen.goBack()
        if (back === undefined) throw conflict('There is no yt-dlp before the present one')
        const version = (await dependencies.tools.ytDlp.version()) ?? null
        return { ok: true, version, message: `yt-dlp ${version ?? back} is in use again` }
      }),
  }
}

async function update(dependencies: YtDlpUpdateDependencies, signal: AbortSignal): Promise<ToolUpdate> {
  const { chosen, tools } = dependencies
  const release = await fetchRelease(chosen.web, 'latest', signal)
  const present = await tools.ytDlp.version()
  if (present !== undefined && !isNewer(release.version, present))
    return { ok: true, version: present, message: `yt-dlp ${present} is the newest already` }
  await using fetched = await fetchVersion(chosen, release, { runner: tools.runner, signal })
  const fault = await tryOut(release.version, {
    ...dependencies,
    present: tools.ytDlp,
    candidate: (policy) => tools.ytDlpAt(fetched.file, policy),
    known: await lastFetched(dependencies.db, maxTried),
    signal,
  })
  if (fault !== undefined) {
    const stays = present === undefined ? '' : `; ${present} stays in use`
    return { ok: false, version: present ?? null, message: `yt-dlp ${release.version} was not taken: ${fault}${stays}` }
  }
  await fetched.keep(release.version)
  await chosen.take({ version: release.version, sha256: fetched.facts.sha256 })
  const checked = fetched.facts.isSigned
    ? 'Its checksum and signature were checked.'
    : 'Only its checksum was checked: there is no key to check its signature with.'
  return { ok: true, version: release.version, message: `yt-dlp ${release.version} is in use now. ${checked}` }
}
