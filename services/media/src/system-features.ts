import { join } from 'node:path'
import { createCookieShelf } from './cookies/shelf.ts'
import type { Core } from './core.ts'
import { createHostReader } from './host/host.ts'
import type { MediaLookup } from './info/info.ts'
import type { UrlReader } from './platforms/read-url.ts'
import type { Features } from './routes.ts'
import { createLogos } from './settings/logo.ts'
import { createPictureShelf } from './thumbnails/picture-shelf.ts'
import { componentSources } from './updates/components.ts'
import { createLatestVersions } from './updates/latest-versions.ts'
import { createUpdates, type UpdateKeeper } from './updates/updates.ts'
import { createYtDlpUpdate } from './updates/update-yt-dlp.ts'
import { Thumbnails } from './thumbnails/thumbnails.ts'

/** What these features share with the rest of the web side. */
export interface SystemParts {
  readonly readUrl: UrlReader
  readonly lookup: MediaLookup
}

/** What versions are found out and changed with. */
export type UpdateSurroundings = Pick<
  Core,
  'config' | 'database' | 'timers' | 'tools' | 'chosenYtDlp' | 'jars' | 'extractorsFor' | 'scratch'
>

/** The features beside the jobs: cookies, pictures, and how the host stands. */
export function createSystemFeatures(
  core: Core,
  parts: SystemParts,
): Pick<Features, 'cookies' | 'thumbnails' | 'logos' | 'updates' | 'host'> {
  const { dataDirectory } = core.config
  const shelf = createPictureShelf({ folder: join(dataDirectory, 'thumbnails'), clock: core.timers })
  return {
    cookies: createCookieShelf(core.jars),
    thumbnails: new Thumbnails({ ...parts, hosts: core.hosts, jars: core.jars, fetch: core.fetch, shelf }),
    logos: createLogos({ db: core.database.query, ffmpeg: core.tools.ffmpeg, scratch: core.scratch }),
    updates: createUpdateKeeper(core),
    host: createHostReader(dataDirectory),
  }
}

/** Versions and the update of yt-dlp, for the web side and the command line. */
export function createUpdateKeeper(core: UpdateSurroundings): UpdateKeeper {
  const { config, database, timers, chosenYtDlp: chosen } = core
  const file = join(config.dataDirectory, 'updates.json')
  const sources = componentSources(config.updatesRepository)
  return createUpdates({
    sources,
    latest: createLatestVersions({ sources, web: chosen.web, file, clock: timers }),
    tools: core.tools,
    change: createYtDlpUpdate({ ...core, chosen, db: database.query }),
  })
}
