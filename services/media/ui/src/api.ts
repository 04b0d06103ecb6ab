import { answer, createApiClient, createSessionStore } from '@hearth/ui'
import type { components, paths } from './api.gen.ts'
import { createMediaSession } from './session/media-session.ts'
import { createTokenSend } from './session/send-with-token.ts'

type Schemas = components['schemas']
export type Job = Schemas['Job']
export type JobStatus = Job['status']
export type Platform = Job['platform']
export type MediaType = Job['type']
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
export type Trim = Schemas['TrimList'][number]
export type Waveform = Schemas['Waveform']
export type Logo = Schemas['Logo']
export type Statistics = Schemas['Statistics']
export type TempoCluster = Schemas['TempoClusters'][number]
export type HostInfo = Schemas['HostInfo']
export type Updates = Schemas['Updates']
export type Component = Schemas['Component']

/** The session of this page. */
export const session = createSessionStore(createMediaSession())

/** The service's API, typed by its OpenAPI document. */
export const api = createApiClient<paths>(session, createTokenSend())

/** Names of cached answers. */
export const keys = {
  jobs: ['jobs'],
  job: (id: string) => ['job', id],
  info: (url: string) => ['info', url],
  preview: (url: string) => ['preview', url],
  waveform: (id: string) => ['waveform', id],
  trims: (id: string) => ['trims', id],
  shares: (id: string) => ['shares', id],
  stems: (id: string, part: string) => ['stems', id, part],
  stemProgress: (id: string) => ['stem-progress', id],
  stemStatus: ['stem-status'],
  settings: ['settings'],
  session: ['session'],
  cookies: ['cookies'],
  logo: ['logo'],
  statistics: ['statistics'],
  tempi: ['tempi'],
  host: ['host'],
  updates: ['updates'],
} as const

const ofJob = (id: string) => ({ params: { path: { job_id: id } } })

/** One job. */
export const readJob = (id: string, signal?: AbortSignal) =>
  answer(api.GET('/api/jobs/{job_id}', { ...ofJob(id), ...(signal === undefined ? {} : { signal }) }))

/** What holds for the whole service. */
export const readSettings = () => answer(api.GET('/api/settings'))

/** Whether sign-in is asked for, and which version runs. */
export const readSession = () => answer(api.GET('/api/session'))

/** The account at the stem service; `isForced` asks the service instead of what was kept. */
export const readStemStatus = (isForced = false) =>
  answer(api.GET('/api/stemsvc/status', { params: { query: isForced ? { force_refresh: 'true' } : {} } }))

/** How the cookies of every platform stand. */
export const readCookies = () => answer(api.GET('/api/cookies'))
