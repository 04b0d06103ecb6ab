import { readFileSync } from 'node:fs'
import { momentOf } from '@hearth/runtime'
import { z } from 'zod'
import type { Toolbox } from '../tools/toolbox.ts'
import { version } from '../version.ts'
import { isNewer } from './compare-versions.ts'
import type { ComponentName, ComponentSources } from './components.ts'
import type { LatestVersions } from './latest-versions.ts'
import type { ToolUpdate, Updates } from './schema.ts'
import type { YtDlpUpdate } from './update-yt-dlp.ts'

/** Versions, and yt-dlp's own update. */
export interface UpdateKeeper {
  /** From memory for a day, and for an hour after a failure. */
  check(): Promise<Updates>
  /** Fetches the newest yt-dlp beside the present one, tries it, and takes it only when it works. */
  updateYtDlp(): Promise<ToolUpdate>
  /** Goes back to the version before. */
  revertYtDlp(): Promise<ToolUpdate>
}

export interface UpdateKeeperParts {
  readonly sources: ComponentSources
  readonly latest: () => Promise<LatestVersions>
  readonly tools: Pick<Toolbox, 'ytDlp' | 'ffmpeg' | 'ejsVersion'>
  readonly change: YtDlpUpdate
}

export function createUpdates({ sources, latest, tools, change }: UpdateKeeperParts): UpdateKeeper {
  return {
    async check() {
      const [newest, current] = await Promise.all([latest(), currentVersions(tools)])
      const component = (name: ComponentName) =>
        describe(name, { source: sources[name], current: current[name], newest })
      return {
        checked_at: momentOf(newest.checkedAt),
        last_attempt_at: momentOf(newest.attemptedAt),
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
    updateYtDlp: () => change.update(),
    revertYtDlp: () => change.revert(),
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
    checked_at: momentOf(latest?.at ?? null),
    stale: newest.unanswered.has(name),
  }
}

async function currentVersions(tools: UpdateKeeperParts['tools']): Promise<Record<ComponentName, string | undefined>> {
  const [ytdlp, ytdlp_ejs, ffmpeg] = await Promise.all([
    tools.ytDlp.version(),
    tools.ejsVersion(),
    tools.ffmpeg.version(),
  ])
  return { app: version, ytdlp, ytdlp_ejs, js_runtime: process.versions.node, ffmpeg, wavesurfer: wavesurferVersion }
}

const Package = z.object({ dependencies: z.object({ 'wavesurfer.js': z.string() }) })

/** Pages are built with exactly the version the package names. */
const wavesurferVersion = Package.parse(
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')),
).dependencies['wavesurfer.js']
