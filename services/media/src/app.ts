import { access, constants } from 'node:fs/promises'
import { hkdfSync } from 'node:crypto'
import { createAddressSet, createServer, openApiOf } from '@hearth/http'
import { writeFileAtomic } from '@hearth/runtime'
import { about } from './about.ts'
import { createGuard, type Caller } from './access.ts'
import { createCaptcha } from './accounts/captcha.ts'
import { createCsrfTokens } from './accounts/csrf.ts'
import { Sessions } from './accounts/sessions.ts'
import type { Core } from './core.ts'
import { createMp3s } from './delivery/mp3.ts'
import { createEventStreams } from './events/streams.ts'
import { openFileFeatures } from './features.ts'
import { createMediaLookup, type MediaLookup } from './info/info.ts'
import { Jobs } from './jobs/jobs.ts'
import { createRemoveAll } from './jobs/remove-all.ts'
import { diskReserve, factsValues, freeSpace } from './jobs/run-job.ts'
import { createUrlReader, type UrlReader } from './platforms/read-url.ts'
import { toError, unavailable } from './problems.ts'
import { allRoutes, type Features } from './routes.ts'
import { createChangeSettings } from './settings/change-settings.ts'
import { shareAddress } from './shares/share-address.ts'
import { createSystemFeatures } from './system-features.ts'
import { createUpkeep } from './upkeep/upkeep.ts'

/** What the web side is built from. */
export interface AppParts {
  readonly core: Core
  /** Key of the tokens in pages and forms, 32 bytes; equal in all processes of one database. */
  readonly secret: Uint8Array
  /** Folder of the built web pages. */
  readonly pages: string
}

/** The running service. */
export interface App {
  readonly http: Awaited<ReturnType<typeof createServer>>
  readonly core: Core
  /** Stops answering; the workers give back what they have. */
  close(): Promise<void>
}

/** Beginnings of paths that are no pages. */
const apiPaths = [
  '/api',
  '/events',
  '/download',
  '/audio-source',
  '/thumbnail',
  '/share',
  '/health',
  '/docs',
  '/redoc',
  '/openapi.json',
]

/** Wires the routes to the core and begins to work. The server does not listen yet. */
export async function createApp(parts: AppParts): Promise<App> {
  const { core } = parts
  const streams = createEventStreams(core.bus)
  const { features, guard, files } = await openFeatures(parts, streams)
  let document: Record<string, unknown> = {}
  const http = await createServer({
    routes: allRoutes({ ...features, document: () => document }),
    about,
    guard: (guarded, spec) => guard.check(guarded, spec),
    checkBody: (guarded, spec, body) => guard.checkBody(guarded, spec, body),
    toError,
    trust: { proxies: createAddressSet(core.config.trustedProxies), header: core.config.forwardedHeader },
    log: core.log,
    pages: parts.pages,
    apiPaths,
    bodyLimit: 65_536,
    readdress: shareAddress,
  })
  document = openApiOf(http)
  const upkeep = createUpkeep({
    ...core,
    db: core.database.query,
    settings: () => core.settings.current(),
    others: [() => features.shares.tidy(), () => features.thumbnails.tidy()],
  })
  // On a database of its own nobody else works.
  if (core.database.kind === 'sqlite') await upkeep.clear()
  const count = core.workerCount()
  if (count > 0) await core.workers.start(count)
  upkeep.start()
  return {
    http,
    core,
    async close() {
      upkeep.close()
      streams.close()
      await Promise.all([http.close(), files.close()])
      await core.close()
    },
  }
}

/** A key for one purpose. */
const keyOf = ({ secret }: AppParts, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `hearth media ${purpose}`, 32))

/** Who may come in. */
function createAccess(parts: AppParts) {
  const { settings, database, config, timers } = parts.core
  const keyFor = (purpose: string) => keyOf(parts, purpose)
  const csrf = createCsrfTokens(keyFor('csrf'))
  const captcha = createCaptcha(keyFor('captcha'), timers)
  const sessions = new Sessions({ db: database.query, clock: timers, settings, captcha })
  const guard = createGuard({
    isSignInOn: () => sessions.isOn(),
    identify: (key) => sessions.identify(key),
    csrf,
    clock: timers,
    hostNames: () => [settings.current().public_hostname, hostOf(config.publicUrl)].filter((name) => name !== ''),
  })
  const isPublishedSecurely = config.publicUrl?.startsWith('https:') === true
  return { guard, sessions, account: { sessions, captcha, csrf, isPublishedSecurely } }
}

async function openFeatures(parts: AppParts, streams: Features['streams']) {
  const { core } = parts
  const { settings, database, timers, bus, artifacts } = core
  const { guard, sessions, account } = createAccess(parts)
  const readUrl = createUrlReader(core)
  const lookup = createMediaLookup({ ...core, ytDlp: core.tools.ytDlp, clock: timers, folder: core.scratch })
  const jobs = createJobFeature(core, { readUrl, lookup })
  const mp3s = createMp3s({ jobs, artifacts, ffmpeg: core.tools.ffmpeg, slots: core.heavy, folder: core.scratch })
  const files = await openFileFeatures(core, { jobs, mp3s, shareKey: keyOf(parts, 'share links') })
  const features: Omit<Features, 'document'> = {
    account: { ...account, hasJob: (id) => jobs.has(id) },
    jobs,
    removeAll: createRemoveAll({ ...core, db: database.query, countLinks: () => files.shares.count() }),
    readUrl,
    lookup,
    delivery: { jobs, artifacts, mp3s },
    ...files,
    ...createSystemFeatures(core, { readUrl, lookup }),
    streams,
    stillAllowed: ({ sessionKey }: Caller) => allowed(sessions, sessionKey),
    settings,
    changeSettings: createChangeSettings({ settings, sessions, bus }),
    isWritable: () => canWrite(core.scratch),
  }
  return { features, guard, files }
}

function canWrite(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )
}

function allowed(sessions: Sessions, key: string | undefined): Promise<boolean> {
  return key === undefined ? Promise.resolve(!sessions.isOn()) : sessions.isUsable(key)
}

const probeBudget = 8000

function createJobFeature(core: Core, { readUrl, lookup }: { readUrl: UrlReader; lookup: MediaLookup }): Jobs {
  const { database, queue, bus, timers, config } = core
  return new Jobs({
    database,
    queue,
    bus,
    timers,
    queueSize: config.queueSize,
    readUrl,
    async probe(media, jobId) {
      const info = await within(probeBudget, lookup.look(media))
      if (info === undefined) return undefined
      if (info.json !== '') await writeFileAtomic(core.folders.infoFile(jobId), info.json).catch(() => undefined)
      return factsValues(info)
    },
    async checkSpace() {
      if ((await freeSpace(core.scratch)) < diskReserve) throw unavailable('There is not enough space left on the disk')
    },
  })
}

/** What comes of a promise in time; undefined for a failure, or nothing yet. */
async function within<T>(limit: number, promise: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), limit)
  try {
    return await Promise.race([promise.catch(() => undefined), late])
  } finally {
    clearTimeout(timer)
  }
}

const hostOf = (url: string | undefined): string => (url === undefined ? '' : new URL(url).hostname)
