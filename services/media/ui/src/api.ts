import {
  answer,
  createApiClient,
  createSessionStore,
  createPortalConnectionApi,
  createSignInMethodsApi,
} from '@hearth/ui'
import type { components, paths } from './api.gen.ts'
import { answered, createMediaSession } from './session/media-session.ts'
import { createTokenSend } from './session/send-with-token.ts'

type Schemas = components['schemas']
export type Job = Schemas['Job']
/** State of a job. */
export type JobStatus = Job['status']
/** Platform of a download. */
export type Platform = Job['platform']
/** Type of a download. */
export type MediaType = Job['type']
/** Quality of a download. */
export type Quality = Job['quality']
export type Info = Schemas['Info']
export type StreamMessage = Schemas['StreamMessage']
export type JobEvent = Schemas['JobEvent']
export type StemEvent = Schemas['StemEvent']
export type StemStatus = Schemas['StemStatus']
export type Settings = Schemas['SettingsView']
export type SettingsChange = Schemas['SettingsChange']
export type SettingsAnswer = Schemas['SettingsAnswer']
export type CookieSnapshot = Schemas['CookieSnapshot']
export type ShareLink = Schemas['ShareLink']
export type Share = Schemas['Share']
export type ShareChange = Schemas['ShareChange']
export type Feed = Schemas['Feed']
export type MediaList = Schemas['MediaList']
export type ImportAnswer = Schemas['ImportAnswer']
export type Follow = Schemas['Follow']
export type PlatformHealth = Schemas['PlatformHealth']
export type Collection = Schemas['Collection']
export type LibraryPage = Schemas['LibraryPage']
/** Parameters of a search of the library. */
export type LibraryQuery = NonNullable<paths['/api/library']['get']['parameters']['query']>
export type Trim = Schemas['TrimList'][number]
export type Waveform = Schemas['Waveform']
export type Workbench = Schemas['Workbench']
export type WorkbenchChange = Schemas['WorkbenchChange']
export type BeatGrid = Schemas['BeatGrid']
export type Export = Schemas['Export']
export type ExportRequest = Schemas['ExportRequest']
export type ExportEvent = Schemas['ExportEvent']
export type Logo = Schemas['Logo']
export type Statistics = Schemas['Statistics']
export type TempoCluster = Schemas['TempoClusters'][number]
export type StorageUsage = Schemas['StorageUsage']
export type StoragePlan = Schemas['StoragePlan']
export type StorageForecast = Schemas['StorageForecast']
/** Files that went to make room. */
export type Eviction = Schemas['EvictionList'][number]
export type HostInfo = Schemas['HostInfo']
export type Updates = Schemas['Updates']
export type Component = Schemas['Component']
/** Permissions of an API token. */
export type TokenPermissions = Schemas['TokenCreate']['permissions']

/** The session of this page. */
export const session = createSessionStore(createMediaSession())

/** The service's API, typed by its OpenAPI document. */
export const api = createApiClient<paths>(session, createTokenSend())

/** Passkeys and recovery codes. */
export const signInMethods = createSignInMethodsApi({ session, prefix: '/api', send: createTokenSend() })

/** The connection to a Hearth portal. */
export const portalConnection = createPortalConnectionApi({ session, prefix: '/api', send: createTokenSend() })

/** Names of cached answers. */
export const keys = {
  jobs: ['jobs'],
  job: (id: string) => ['job', id],
  info: (url: string) => ['info', url],
  preview: (url: string) => ['preview', url],
  waveform: (id: string) => ['waveform', id],
  beats: (id: string, bpm: number | null) => ['beats', id, bpm],
  trims: (id: string) => ['trims', id],
  workbench: (id: string) => ['workbench', id],
  peaks: (id: string) => ['peaks', id],
  exports: (id: string) => ['exports', id],
  allShares: ['shares'],
  shareList: ['shares', 'list'],
  shares: (id: string) => ['shares', 'job', id],
  fetches: (id: string) => ['fetches', id],
  stems: (id: string, part: string) => ['stems', id, part],
  stemProgress: (id: string) => ['stem-progress', id],
  feeds: ['feeds'],
  library: ['library'],
  libraryTags: ['library-tags'],
  collections: ['collections'],
  stemStatus: ['stem-status'],
  settings: ['settings'],
  session: ['session'],
  sessions: ['sessions'],
  cookies: ['cookies'],
  platforms: ['platforms'],
  playlist: (url: string, type: string) => ['playlist', url, type],
  imports: ['imports'],
  followed: ['followed'],
  logo: ['logo'],
  statistics: ['statistics'],
  tempi: ['tempi'],
  analysis: ['analysis'],
  namePreview: (type: string, template: string) => ['name-preview', type, template],
  host: ['host'],
  updates: ['updates'],
  storage: ['storage'],
  storagePlan: (budget: number, rule: string) => ['storage', 'plan', budget, rule],
  evictions: ['storage', 'log'],
  forecast: (url: string, type: string, quality: string) => ['forecast', url, type, quality],
} as const

/** Parameters of a request about one job. */
export const ofJob = (id: string) => ({ params: { path: { job_id: id } } })

/** One job. */
export const readJob = (id: string, signal?: AbortSignal) =>
  answer(api.GET('/api/jobs/{job_id}', { ...ofJob(id), ...(signal === undefined ? {} : { signal }) }))

/** Reads the settings of the service. */
export const readSettings = () => answer(api.GET('/api/settings'))

/** Reads the session state: whether sign-in is required, and the version of the service. */
export const readSession = () => answer(api.GET('/api/session'))

/** The account at the stem service; `isForced` queries the service instead of the cache. */
export const readStemStatus = (isForced = false) =>
  answer(api.GET('/api/stemsvc/status', { params: { query: isForced ? { force_refresh: 'true' } : {} } }))

/** Reads the state of the cookies of every platform. */
export const readCookies = () => answer(api.GET('/api/cookies'))

/** Reads how many downloads of lists wait to be added. */
export const readImports = () => answer(api.GET('/api/imports'))

/** Reads the health of every platform. */
export const readPlatforms = () => answer(api.GET('/api/platforms'))

/** Fetches a path outside the typed client. Throws an `ApiError` unless the answer is a success, or of the status `also`. */
export const fetchPath = (path: string, init: RequestInit, also?: number): Promise<Response> =>
  answered(fetch(path, init), also)

/** For uploads with the typed client: its body becomes the one file of a form. */
export function asUpload(file: Blob) {
  return {
    // The description has a text where a file goes.
    body: { file: file as unknown as string },
    bodySerializer: () => {
      const form = new FormData()
      form.set('file', file, 'upload')
      return form
    },
  }
}

/** Reads the other Hearth services that answer. */
export const readNeighbours = async () => (await answer(api.GET('/api/neighbours'))).services
