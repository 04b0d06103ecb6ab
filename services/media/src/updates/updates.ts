import { join } from 'node:path'
import { toIsoString, type Clock } from '@hearth/runtime'
import type { Toolbox } from '../tools/toolbox.ts'
import { version, wavesurferVersion } from '../version.ts'
import { componentNames, componentSources, isNewer, type ComponentName, type ComponentSource } from './components.ts'
import { createLatestVersions, type LatestVersions } from './latest-versions.ts'
import type { Updates } from './schema.ts'
import { createYtDlpUpdate, type YtDlpUpdateDependencies } from './update-yt-dlp.ts'
import type { ChosenYtDlp } from './chosen-yt-dlp.ts'

export interface UpdateDependencies extends Omit<YtDlpUpdateDependencies, 'chosen'> {
  readonly config: { readonly dataDirectory: string; readonly updatesRepository: string | undefined }
  readonly clock: Clock
  readonly chosenYtDlp: ChosenYtDlp
}

/** The versions of the service and its tools, and the update of yt-dlp. */
export type Updater = ReturnType<typeof createUpdates>

/** Creates the check for new versions and the update of yt-dlp, for the web side and the command line. */
export function createUpdates(dependencies: UpdateDependencies) {
  const { config, tools, clock, chosenYtDlp: chosen } = dependencies
  const sources = componentSources(config.updatesRepository)
  const file = join(config.dataDirectory, 'updates.json')
  const latest = createLatestVersions({ sources, web: chosen.web, file, clock })
  return {
    ...createYtDlpUpdate({ ...dependencies, chosen }),
    /** Returns versions from memory: for a day, and for an hour after a failure. */
    async check(): Promise<Updates> {
      const [newest, current] = await Promise.all([latest(), currentVersions(tools)])
      return {
        checked_at: toIsoString(newest.checkedAt),
        last_attempt_at: toIsoString(newest.attemptedAt),
        complete: newest.unanswered.size === 0,
        components: Object.fromEntries(
          componentNames.map((name) => [
            name,
            describe(name, { source: sources[name], current: current[name], newest }),
          ]),
        ) as Updates['components'],
      }
    },
  }
}

function describe(
  name: ComponentName,
  { source, current, newest }: { source: ComponentSource; current: string | undefined; newest: LatestVersions },
) {
  const { label, url } = source
  const latest = newest.versions.get(name)
  return {
    label,
    current: current ?? null,
    latest: latest?.version ?? null,
    update_available: current !== undefined && latest !== undefined && isNewer(latest.version, current),
    url,
    checked_at: toIsoString(latest?.at ?? null),
    stale: newest.unanswered.has(name),
  }
}

async function currentVersions(tools: Toolbox): Promise<Record<ComponentName, string | undefined>> {
  const [ytdlp, ytdlp_ejs, ffmpeg] = await Promise.all([
    tools.ytDlp.version(),
    tools.ytDlp.ejsVersion(),
    tools.ffmpeg.version(),
  ])
  return { app: version, ytdlp, ytdlp_ejs, js_runtime: process.versions.node, ffmpeg, wavesurfer: wavesurferVersion }
}
