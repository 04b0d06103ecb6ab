import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toIsoString, type Clock } from '@hearth/runtime'
import { z } from 'zod'
import type { Toolbox } from '../tools/toolbox.ts'
import { version } from '../version.ts'
import { componentSources, isNewer, type ComponentName, type ComponentSources } from './components.ts'
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
      const component = (name: ComponentName) =>
        describe(name, { source: sources[name], current: current[name], newest })
      return {
        checked_at: toIsoString(newest.checkedAt),
        last_attempt_at: toIsoString(newest.attemptedAt),
        complete: newest.unanswered.size === 0,
        components: {
          app: component('app'),
          ytdlp: component('ytdlp'),
          ytdlp_ejs: component('ytdlp_ejs'),
          js_runtime: component('js_runtime'),
          ffmpeg: component('ffmpeg'),
          wavesurfer: component('wavesurfer'),
        },
      }
    },
  }
}

interface Described {
  readonly source: ComponentSources[ComponentName]
  readonly current: string | undefined
  readonly newest: LatestVersions
}

function describe(name: ComponentName, { source, current, newest }: Described) {
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

const Package = z.object({ dependencies: z.object({ 'wavesurfer.js': z.string() }) })

/** Pages are built with exactly the version the package names. */
const wavesurferVersion = Package.parse(
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')),
).dependencies['wavesurfer.js']
