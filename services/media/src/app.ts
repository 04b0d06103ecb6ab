import { hkdfSync } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { OpenIdConnection } from '@hearth/accounts/openid-connection'
import { SecurityLog } from '@hearth/accounts/security-log'
import type { Sealer } from '@hearth/credentials'
import type { MeasuredDatabase } from '@hearth/database'
import { createAddressSet, createServer } from '@hearth/http'
import { backupCollector, createScrapeCheck, Metrics } from '@hearth/metrics'
import { Notifications } from '@hearth/notifications'
import { createGuardedFetch, createOpenGuarded, createOutboundPolicy, type OutboundPolicy } from '@hearth/outbound'
import { type Log, type Timers } from '@hearth/runtime'
import { createNeighbours, type BackupControl } from '@hearth/service'
import { aboutFor } from './about.ts'
import { createGuard, type Caller } from './access.ts'
import { createCaptcha } from './accounts/captcha.ts'
import { createCsrfTokens } from './accounts/csrf.ts'
import { openIdPath } from './accounts/openid.ts'
import { Sessions } from './accounts/sessions.ts'
import { createAnalyser } from './analysis/analyse-audio.ts'
import { createAnalyseJob } from './analysis/analyse-job.ts'
import { analysisRate } from './analysis/audio-pieces.ts'
import { createMeasureLevels } from './analysis/sound-levels.ts'
import { ArtifactLedger } from './artifacts/ledger.ts'
import { artifactsFolder, openArtifacts } from './artifacts/open-artifacts.ts'
import { StoragePresence } from './artifacts/presence.ts'
import { StorageMark } from './artifacts/storage-mark.ts'
import { createBeats } from './beats/beats.ts'
import type { Config } from './config.ts'
import { createConvertAudio, createConvertVideo } from './conversion/convert.ts'
import { createSlots } from './conversion/slots.ts'
import { createCookieJars } from './cookies/jars.ts'
import type { MediaBus } from './events.ts'
import { createEventStreams } from './events/streams.ts'
import { ExportWorker } from './exports/export-worker.ts'
import { Exports } from './exports/exports.ts'
import { createFailureRecorder, FailureReports } from './failures/failure-reports.ts'
import { Feeds } from './feeds/feeds.ts'
import { readHealth } from './health/health.ts'
import { FollowChecks } from './follows/follow-checks.ts'
import { Follows } from './follows/follows.ts'
import { createHostReader, effectiveProcessors, sizesFor } from './host/host.ts'
import { createMediaLookup, type MediaLookup } from './info/info.ts'
import { Imports } from './intake/imports.ts'
import { MediaIntake } from './intake/intake.ts'
import { Jobs } from './jobs/jobs.ts'
import { Collections } from './collections/collections.ts'
import { Library } from './library/library.ts'
import { createRemoveJobs } from './jobs/remove-jobs.ts'
import { createRunJob } from './jobs/run-job.ts'
import { Lists } from './lists/lists.ts'
import { createMediaLists } from './lists/media-lists.ts'
import { WorkFolders } from './jobs/work-folders.ts'
import { createUseTracker } from './jobs/use-tracker.ts'
import { Workers } from './jobs/workers.ts'
import { eventClasses } from './notifications/event-classes.ts'
import { createMediaReports } from './notifications/media-reports.ts'
import { followPauses } from './notifications/platform-reports.ts'
import { PlatformPauses } from './pauses/platform-pauses.ts'
import { createPlatformHosts } from './platforms/platform-hosts.ts'
import { createUrlReader, type UrlReader } from './platforms/read-url.ts'
import { toError, unavailable } from './problems.ts'
import { openEndedJobs } from './prometheus/ended-jobs.ts'
import { mediaCollectors } from './prometheus/figures.ts'
import type { Queue } from './queue/queue.ts'
import { documentWithoutTokens, openapiDocument } from './openapi.ts'
import { allRoutes, type Features } from './routes.ts'
import { Reanalysis } from './reanalysis/reanalysis.ts'
import { createAnalysisRequests } from './reanalysis/requests.ts'
import { createRenditions } from './delivery/renditions.ts'
import { createLogos } from './settings/logo.ts'
import { createChangeSettings, openSettings, type SettingsStore } from './settings/settings.ts'
import { openWatermark } from './settings/watermark.ts'
import { createLinkBase, shareAddress } from './shares/share-address.ts'
import { createSharePasswords } from './shares/share-password.ts'
import { createShareTokens } from './shares/share-tokens.ts'
import { Shares } from './shares/shares.ts'
import { takeOutJobs } from './shares/store.ts'
import { ShareVisits } from './shares/visits.ts'
import { createSignInMethods, deleteSignInMethods } from './sign-in-methods/sign-in-methods.ts'
import { Disks } from './space/disks.ts'
import { Space } from './space/space.ts'
import { createStatistics } from './statistics/statistics.ts'
import { createStemClient } from './stems/stem-client.ts'
import { createStemFetch } from './stems/stem-fetch.ts'
import { StemAccountStore } from './stems/stem-account.ts'
import { openStems } from './stems/stems.ts'
import type { Tables } from './tables.ts'
import { PictureCache } from './thumbnails/picture-cache.ts'
import { Thumbnails } from './thumbnails/thumbnails.ts'
import { openToolbox, type Toolbox } from './tools/toolbox.ts'
import { createTokens } from './tokens/tokens.ts'
import { Trims } from './trims/trims.ts'
import { ChosenYtDlp, type ChosenYtDlpDependencies } from './updates/chosen-yt-dlp.ts'
import { fetchTaken } from './updates/fetch-version.ts'
import { createUpdates } from './updates/updates.ts'
import { acceptStorage } from './upkeep/accept-storage.ts'
import { isStorageThere } from './upkeep/find-storage.ts'
import { createUpkeep } from './upkeep/upkeep.ts'
import { version } from './version.ts'
import { createPeakFiles } from './waveform/peak-file.ts'
import { createWaveforms } from './waveform/waveform.ts'
import { createWorkbenches } from './workbench/workbench.ts'

export interface CoreDependencies {
  readonly config: Config
  readonly log: Log
  readonly timers: Timers
  readonly database: MeasuredDatabase<Tables>
  readonly sealer: Sealer
  readonly bus: MediaBus
  readonly queue: Queue
}

/** Everything a process needs to work on jobs, whether or not it answers requests. */
export type Core = Awaited<ReturnType<typeof createCore>>

/** Creates everything but the web side. No job runs until the workers are started. */
export async function createCore(dependencies: CoreDependencies) {
  const { config, log, bus, timers } = dependencies
  const base = await openBase(dependencies)
  const { db, settings, artifacts, sizes, pauses, tools } = base
  const unsubscribe = followSettings(settings, bus, log)
  const { run, reanalysis, exportWorker, analyser } = createRun(base)
  const workers = new Workers({
    ...dependencies,
    db,
    run,
    pauses,
    failures: createFailureRecorder({ clock: timers, ytDlp: tools.ytDlp }),
    discard: (id) => artifacts.removeJob(id),
    lease: config.leaseSeconds * 1000,
  })
  return {
    ...base,
    workers,
    reanalysis,
    exportWorker,
    analyser,
    /** Number of jobs this process works on at a time. */
    workerCount: (): number => config.workers ?? (settings.current().download_worker_count || sizes.workers),
    async startWorkers(count: number): Promise<void> {
      await workers.start(count)
      reanalysis.start()
      await exportWorker.start()
    },
    async close(): Promise<void> {
      unsubscribe()
      base.chosenYtDlp.close()
      await Promise.all([workers.close(), reanalysis.close(), exportWorker.close()])
      await analyser.close()
      base.tools.close()
      await artifacts.close()
    },
  }
}

/** Opens what workers and the web side share. */
async function openBase(dependencies: CoreDependencies) {
  const { config, database, timers, sealer } = dependencies
  const db = database.query
  const settings = await openSettings(db)
  const policy = createOutboundPolicy(config.outboundAllow)
  const sizes = sizesFor(effectiveProcessors())
  const artifacts = new ArtifactLedger({
    database,
    storage: await openArtifacts(config.artifacts, { dataDirectory: config.dataDirectory }),
    clock: timers,
  })
  const folders = new WorkFolders(join(config.dataDirectory, 'work'))
  const presence = new StoragePresence(() => isStorageThere(db, artifacts.storage), openStorageMark(config))
  const scratch = openScratch(config.dataDirectory)
  const disks = new Disks({ scratch, artifactsFolder: artifactsFolder(config.artifacts, config.dataDirectory) })
  return {
    ...dependencies,
    db,
    settings,
    /** Addresses that may be reached, and the two ways to reach them. */
    policy,
    fetch: createGuardedFetch(policy),
    open: createOpenGuarded(policy),
    ...openTools({ ...dependencies, db, settings, policy }),
    artifacts,
    presence,
    disks,
    /** The budget of the artifacts. */
    space: new Space({
      ...dependencies,
      artifacts,
      presence,
      disks,
      folders,
      settings: () => settings.current(),
    }),
    jars: createCookieJars({ db, sealer, clock: timers }),
    folders,
    watermark: openWatermark({ db, folder: join(config.dataDirectory, 'logo') }),
    hosts: createPlatformHosts(config.extraHosts),
    pauses: createPauses(dependencies),
    /** Numbers of workers, conversions and fragments that fit this host. */
    sizes,
    /** Slots for work that needs the processor. */
    heavy: createSlots(sizes.heavy),
    /** Folder for temporary files. */
    scratch,
  }
}

/** Creates the pauses of platforms; when one ends, workers learn of the jobs that waited. */
function createPauses({ config, database, bus, queue, timers, log }: CoreDependencies): PlatformPauses {
  const db = database.query
  const patience = config.leaseSeconds * 1000
  const onOpened = () => {
    queue.wake()
    queue
      .remind(db, { patience, now: timers.now() })
      .catch((error: unknown) => log.warn({ err: error }, 'workers did not learn that a pause is over'))
  }
  return new PlatformPauses({ db, bus, timers, onOpened })
}

export interface ToolDependencies extends Omit<ChosenYtDlpDependencies, 'config' | 'fetchMissing'> {
  readonly config: ChosenYtDlpDependencies['config'] & { readonly ffmpegPath: string | undefined }
  /** Addresses the tools may reach. */
  readonly policy: OutboundPolicy
}

/** Opens yt-dlp, in the version that was chosen, and ffmpeg. The caller closes both members. */
export function openTools({ policy, ...dependencies }: ToolDependencies) {
  const chosenYtDlp = new ChosenYtDlp({
    ...dependencies,
    fetchMissing: (chosen, wanted) => fetchTaken(chosen, wanted, tools.runner),
  })
  const tools: Toolbox = openToolbox({ ...dependencies.config, policy, ytDlpProgram: () => chosenYtDlp.program() })
  return { tools, chosenYtDlp }
}

function openScratch(dataDirectory: string): string {
  const scratch = join(dataDirectory, 'scratch')
  // Files that an earlier process was making there are of no use any more.
  rmSync(scratch, { recursive: true, force: true })
  mkdirSync(scratch, { recursive: true, mode: 0o700 })
  return scratch
}

/** Reads the settings again when another process changed them, also after events of it may have been lost. */
function followSettings(settings: SettingsStore, bus: MediaBus, log: Log): () => void {
  const refresh = () =>
    void settings.refresh().catch((error: unknown) => log.warn({ err: error }, 'the settings could not be read again'))
  return bus.subscribe((event) => {
    if ('type' in event && event.type === 'settings_changed') refresh()
  }, refresh)
}

/** Creates the steps of a job: download, conversion, storing, analysis. */
function createRun(base: Awaited<ReturnType<typeof openBase>>) {
  const { bus, timers, log, tools, sizes } = base
  const settings = () => base.settings.current()
  const analyser = createAnalyser({
    slots: sizes.heavy,
    decode: (file, stretch) => tools.ffmpeg.decode(file, { ...stretch, sampleRate: analysisRate }),
    measure: createMeasureLevels(tools.ffmpeg),
  })
  const monotonic = () => timers.monotonic()
  const encoding = { ffmpeg: tools.ffmpeg, slots: base.heavy, bus, monotonic, settings, log }
  const run = createRunJob({
    ...base,
    room: base.space,
    haveSpace: () => base.disks.haveSpace(),
    settings,
    ytDlp: tools.ytDlp,
    ffmpeg: tools.ffmpeg,
    fragments: () => settings().download_concurrent_fragments || sizes.fragments,
    convertVideo: createConvertVideo({ ...encoding, withWatermark: (work) => base.watermark.withPicture(work) }),
    convertAudio: createConvertAudio(encoding),
    analyse: createAnalyseJob({ analyser, settings, timers, log }),
  })
  const lease = base.config.leaseSeconds * 1000
  return {
    run,
    reanalysis: new Reanalysis({ ...base, analyser, settings, lease }),
    exportWorker: new ExportWorker({
      ...base,
      ffmpeg: tools.ffmpeg,
      slots: base.heavy,
      room: base.space,
      folder: base.scratch,
      settings,
      lease,
    }),
    analyser,
  }
}

export interface AppDependencies {
  readonly core: Core
  /** Key of the tokens in pages and forms, 32 bytes; equal in all processes of one database. */
  readonly secret: Uint8Array
  /** Folder of the built web pages. */
  readonly pages: string
  readonly backups: BackupControl
}

/** What is known once there is a server. */
interface ServedDependencies extends AppDependencies {
  /** The port the service listens on. */
  readonly port: () => number
}

/** The running service. */
export type App = Awaited<ReturnType<typeof createApp>>

/** Prefixes of paths that are no pages. */
const apiPaths = [
  '/api',
  '/events',
  '/download',
  '/audio-source',
  '/thumbnail',
  '/share',
  '/feed',
  '/health',
  '/docs',
  '/redoc',
  '/openapi.json',
]

/** Creates the routes on top of the core, starts workers and upkeep. The server does not listen yet. */
export async function createApp(dependencies: AppDependencies) {
  const { core } = dependencies
  const streams = createEventStreams(core.bus)
  // The system may choose another port than the settings say.
  const port = () => (http.server.address() as AddressInfo | null)?.port ?? core.config.bindPort
  const opened = await openFeatures({ ...dependencies, port }, streams)
  const { features, guard } = opened
  const http = await createServer({
    routes: allRoutes({
      ...features,
      document: core.config.hasApiTokens ? openapiDocument : documentWithoutTokens,
    }),
    about: aboutFor(core.config),
    guard: (guarded, spec) => guard.check(guarded, spec),
    checkBody: (guarded, spec, body) => guard.checkBody(guarded, spec, body),
    toError,
    onAnswered: features.metrics.onAnswered,
    trust: { proxies: createAddressSet(core.config.trustedProxies), header: core.config.forwardedHeader },
    log: core.log,
    pages: dependencies.pages,
    apiPaths,
    bodyLimit: 65_536,
    rewriteUrl: shareAddress,
  })
  const upkeep = createUpkeep({
    ...core,
    settings: () => core.settings.current(),
    others: [
      (isSettled) => core.space.tidy(isSettled),
      () => features.library.tidy(),
      (isSettled) => features.shares.tidy(isSettled),
      () => features.thumbnails.tidy(),
      (isSettled) => features.failures.tidy(isSettled),
      () => features.exports.tidy(),
    ],
  })
  // No other process works on a SQLite database.
  if (core.database.kind === 'sqlite') await upkeep.clear()
  const count = core.workerCount()
  if (count > 0) await core.startWorkers(count)
  upkeep.start()
  await opened.start()
  return {
    http,
    core,
    metrics: features.metrics,
    notifications: features.notifications,
    /** Stops answering; the workers hand their jobs back. */
    async close(): Promise<void> {
      upkeep.close()
      streams.close()
      await Promise.all([http.close(), opened.close()])
    },
  }
}

/** Creates what the routes call, feature by feature. Features are closed before the core. */
async function openFeatures(dependencies: ServedDependencies, streams: Features['streams']) {
  const { core } = dependencies
  const { config, settings: settingsStore, timers, bus, artifacts, tools } = core
  const context = {
    ...core,
    clock: timers,
    ytDlp: tools.ytDlp,
    ffmpeg: tools.ffmpeg,
    slots: core.heavy,
    folder: core.scratch,
    settings: () => settingsStore.current(),
  }
  const {
    guard,
    sessions,
    account,
    openIdConnection,
    securityLog,
    signInMethods,
    tokens: apiTokens,
  } = createAccess(dependencies, streams)
  const readUrl = createUrlReader(core)
  const lookup = createMediaLookup(context)
  const jobs = createJobs(core, { readUrl, lookup })
  const mediaLists = createMediaLists(context)
  const lists = new Lists({ ...context, mediaLists })
  const intake = new MediaIntake({ ...context, queueSize: config.queueSize, hasSpace: () => mayStore(core) })
  const checks = new FollowChecks({ ...context, mediaLists, intake })
  const renditions = createRenditions({ ...context, jobs })
  const trims = new Trims({ ...context, jobs })
  const stemFetch = createStemFetch({ baseUrl: config.stemServiceUrl, allow: config.outboundAllow })
  const client = createStemClient({ baseUrl: config.stemServiceUrl, fetch: stemFetch.fetch, timers })
  const stemAccount = new StemAccountStore({ ...context, client, settings: settingsStore })
  const stems = await openStems({ ...context, jobs, trims, client, account: stemAccount })
  const tokens = createShareTokens(keyOf(dependencies, 'share links'))
  const shares = new Shares({ ...context, jobs, renditions, tokens })
  const waveformOf = createWaveforms({ ...context, jobs })
  const pictures = new PictureCache({ folder: join(config.dataDirectory, 'thumbnails'), clock: timers })
  const notifications = new Notifications(core.database, {
    ...core,
    allow: config.outboundAllow,
    service: 'Media',
    publicUrl: config.publicUrl,
    classes: eventClasses,
  })
  const mediaReports = createMediaReports(notifications.reports)
  const ended = await openEndedJobs({ ...core, onEnded: (job) => mediaReports.jobEnded(job, timers.now()) })
  await notifications.start()
  const unfollowStorage = core.presence.follow((isMissing) => mediaReports.storageMissing(isMissing))
  const unfollow = followPauses({ ...core, reports: notifications.reports })
  const metrics = new Metrics({
    service: 'media',
    version,
    log: core.log,
    collectors: [
      ...mediaCollectors({
        ...context,
        ended,
        notifications,
        queueSize: config.queueSize,
        countLinks: () => shares.count(),
      }),
      backupCollector(dependencies.backups),
    ],
  })
  const noteUse = createUseTracker(context)
  const features: Omit<Features, 'document'> = {
    space: core.space,
    acceptStorage: () => acceptStorage(core),
    noteUse,
    metrics,
    backups: dependencies.backups,
    openIdConnection,
    neighbours: createNeighbours({ service: 'media', configured: config.hearthServices, clock: timers }),
    notifications,
    account: { ...account, hasJob: (id) => jobs.has(id) },
    signInMethods,
    tokens: apiTokens,
    securityLog,
    jobs,
    lists,
    intake,
    imports: new Imports({ ...context, readUrl, lists, mediaLists, intake }),
    follows: new Follows({ ...context, lists, wake: () => checks.wake() }),
    failures: new FailureReports({ ...context, jobs, version }),
    pauses: core.pauses,
    readHealth: () => readHealth(context),
    analysisRequests: createAnalysisRequests({ ...context, jobs }),
    library: new Library(context),
    collections: new Collections(context),
    removeJobs: createRemoveJobs({ ...context, takeOut: takeOutJobs, countLinks: () => shares.count() }),
    readUrl,
    lookup,
    artifacts,
    renditions,
    trims,
    stemAccount,
    stems,
    waveformOf,
    peakFiles: createPeakFiles({ ...context, jobs }),
    workbenches: createWorkbenches({ ...context, jobs }),
    exports: new Exports({ ...context, jobs, room: core.space, hasSpace: () => core.disks.haveSpace() }),
    beatsOf: createBeats({ ...context, jobs }),
    shares,
    visits: new ShareVisits({
      ...context,
      renditions,
      tokens,
      waveformOf,
      noteUse,
      passwords: createSharePasswords(keyOf(dependencies, 'share passwords'), timers),
    }),
    feeds: new Feeds({ ...context, jobs, renditions, noteUse }),
    linkBase: createLinkBase({
      publicHostname: () => settingsStore.current().public_hostname,
      publicUrl: config.publicUrl,
    }),
    jars: core.jars,
    thumbnails: new Thumbnails({ ...context, readUrl, lookup, pictures }),
    streams,
    async stillAllowed({ sessionKey, tokenId }: Caller) {
      return tokenId === undefined ? sessions.isUsable(sessionKey) : (await apiTokens?.isUsable(tokenId)) === true
    },
    settings: settingsStore,
    changeSettings: createChangeSettings({
      settings: settingsStore,
      account: sessions,
      forgetMethods: deleteSignInMethods,
      bus,
    }),
    logos: createLogos(context),
    statistics: createStatistics({ ...context, settings: settingsStore }),
    updates: createUpdates({ ...context, onGivenUp: (reason) => mediaReports.updateGivenUp(reason) }),
    host: createHostReader(config.dataDirectory),
    isWritable: () => canWrite(core.scratch),
  }
  return {
    features,
    guard,
    /** Begins to look at followed lists and to take in what waits. */
    async start(): Promise<void> {
      intake.start()
      await checks.start()
      core.space.start(() => mediaReports.storageExhausted(timers.now()))
    },
    async close() {
      await Promise.all([intake.close(), checks.close(), core.space.close()])
      ended.close()
      unfollow()
      unfollowStorage()
      apiTokens?.close()
      await stems.close()
      await stemFetch.close()
      await notifications.close()
    },
  }
}

/** Derives a key for one purpose. */
const keyOf = ({ secret }: AppDependencies, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `hearth media ${purpose}`, 32))

/** Creates sign-in and the guard in front of the routes. */
function createAccess(dependencies: ServedDependencies, streams: Features['streams']) {
  const { settings, db, database, config, timers, log, sealer } = dependencies.core
  const csrf = createCsrfTokens(keyOf(dependencies, 'csrf'))
  const captcha = createCaptcha(keyOf(dependencies, 'captcha'), timers)
  const sessions = new Sessions({ db, clock: timers, settings, captcha })
  const securityLog = new SecurityLog({
    query: db,
    clock: timers,
    log,
    retention: config.securityLog,
    findUser: (name) => Promise.resolve(sessions.findActor(name)),
    statusOf: (error) => toError(error).status,
  })
  const tokens = config.hasApiTokens
    ? createTokens({
        db,
        timers,
        findAccount: (id) => sessions.findAccount(id),
        onRevoked: (id) => streams.endToken(id),
      })
    : undefined
  const guard = createGuard({
    tokens,
    isSignInOn: () => sessions.isOn(),
    identify: (key) => sessions.identify(key),
    csrf,
    clock: timers,
    checkScrape: createScrapeCheck(config.metrics, timers),
    hostNames: () => [settings.current().public_hostname, hostOf(config.publicUrl)].filter((name) => name !== ''),
  })
  const isPublishedSecurely = config.publicUrl?.startsWith('https:') === true
  const openIdConnection = new OpenIdConnection({
    configured: config.openId,
    publicUrl: config.publicUrl,
    service: 'media',
    title: 'Hearth Media',
    query: db,
    clock: timers,
    log,
    sealer,
    securityLog,
    path: openIdPath,
    allow: config.outboundAllow,
  })
  const signInMethods = createSignInMethods({
    database,
    clock: timers,
    log,
    settings,
    sessions,
    securityLog,
    relyingParty: config.relyingParty,
    secret: keyOf(dependencies, 'passkeys'),
    port: dependencies.port,
  })
  return {
    guard,
    sessions,
    securityLog,
    signInMethods,
    tokens,
    openIdConnection,
    account: {
      sessions,
      hasApiTokens: config.hasApiTokens,
      captcha,
      csrf,
      isPublishedSecurely,
      securityLog,
      openId: openIdConnection.source,
    },
  }
}

function canWrite(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )
}

function createJobs(core: Core, { readUrl, lookup }: { readUrl: UrlReader; lookup: MediaLookup }): Jobs {
  return new Jobs({
    ...core,
    queueSize: core.config.queueSize,
    readUrl,
    lookup,
    checkRoom: (facts, wanted) => core.space.check(facts, wanted),
    nameTemplate: (type) => core.settings.current()[`name_template_${type}`],
    async checkSpace() {
      await core.space.checkStorage()
      if (!(await core.disks.haveSpace())) throw unavailable('There is not enough space left on the disk')
    },
  })
}

/** The mark of the folder that ARTIFACTS names. */
function openStorageMark({ artifacts, dataDirectory }: Config): StorageMark {
  const folder = artifacts.kind === 'directory' && artifacts.path !== undefined ? resolve(artifacts.path) : undefined
  return new StorageMark({ folder, dataDirectory })
}

/** Resolves to true while new files can be stored: the disks have room, and are there. */
const mayStore = async (core: Core): Promise<boolean> =>
  (await core.disks.haveSpace()) && !(await core.presence.isGone())

const hostOf = (url: string | undefined): string => (url === undefined ? '' : new URL(url).hostname)
