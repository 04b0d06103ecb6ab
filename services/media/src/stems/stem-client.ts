import { systemTimers, type Timers } from '@hearth/runtime'
import { downloadResult, type Download } from './download-result.ts'
import { resultHosts } from './result-address.ts'
import { callService, type ServiceCall, type ServiceLink, type StemLimits } from './service-call.ts'
import { CheckAnswer, DoneAnswer, MinutesAnswer, TaskAnswer, taskStatesOf, type TaskState } from './stem-answers.ts'
import { startTimeLimit } from './time-limit.ts'
import { uploadSource, type Upload, type UploadedSource } from './upload-source.ts'

/** Options of `createStemClient`. */
export interface StemClientOptions {
  /** As `stemBaseUrlSetting` gives it. */
  readonly baseUrl: string
  /** A guarded one; the global `fetch` by default. */
  readonly fetch?: typeof fetch
  readonly timers?: Timers
  readonly limits?: Partial<StemLimits>
}

/** A split to start, with the key under which it is paid for once. */
export interface Split {
  readonly sourceId: string
  /** A random UUID; the service begins one task for it, however often it is requested. */
  readonly idempotencyKey: string
  readonly signal?: AbortSignal | undefined
}

/**
 * The stem separation service (LALAL.AI API v1). Every call takes the activation key and rejects with a `StemServiceError`
 * that does not repeat it, or with the reason of its signal.
 */
export interface StemClient {
  /** Minutes of audio that can still be paid for, with a fraction. Fails when the key is not accepted. */
  minutesLeft(key: string, signal?: AbortSignal): Promise<number>
  upload(key: string, upload: Upload): Promise<UploadedSource>
  /** Begins the split into vocals and the rest, as MP3, and returns the task's id. This is what costs. */
  split(key: string, split: Split): Promise<string>
  /** The states of at most 200 tasks; one that the service does not know is not among them. */
  check(key: string, taskIds: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, TaskState>>
  /** Ends tasks; one that has ended is not an error. */
  cancel(key: string, taskIds: readonly string[], signal?: AbortSignal): Promise<void>
  /** Removes an uploaded file there, ends its tasks and removes their results. */
  deleteSource(key: string, sourceId: string, signal?: AbortSignal): Promise<void>
  /** Fetches a result, whose address is checked first, into a file; returns its size. */
  download(url: string, download: Download): Promise<number>
}

/** 20 s a call; a file may stand still for a minute; an answer has at most 4 MiB. */
const defaultLimits: StemLimits = { callMs: 20_000, stallMs: 60_000, answerBytes: 4 * 1024 * 1024 }

type SmallCall<T> = Pick<ServiceCall<T>, 'path' | 'key' | 'answer'> & { readonly json?: object }

/** Nothing stays open in it; it needs no closing. */
export function createStemClient(options: StemClientOptions): StemClient {
  const hosts = resultHosts(options.baseUrl)
  const link: ServiceLink = {
    baseUrl: options.baseUrl,
    fetch: options.fetch ?? fetch,
    timers: options.timers ?? systemTimers,
    limits: { ...defaultLimits, ...options.limits },
  }

  async function post<T>(call: SmallCall<T>, signal: AbortSignal | undefined): Promise<T> {
    using limit = startTimeLimit(link.timers, link.limits.callMs, signal)
    const body = call.json === undefined ? undefined : JSON.stringify(call.json)
    return await callService(link, { path: call.path, key: call.key, answer: call.answer, body, limit })
  }

  return {
    async minutesLeft(key, signal) {
      return (await post({ path: '/api/v1/limits/minutes_left/', key, answer: MinutesAnswer }, signal)).minutes_left
    },
    upload: (key, upload) => uploadSource(link, key, upload),
    async split(key, { sourceId, idempotencyKey, signal }) {
      const presets = { stem: 'vocals', encoder_format: 'mp3' }
      const json = { source_id: sourceId, presets, idempotency_key: idempotencyKey }
      return (await post({ path: '/api/v1/split/stem_separator/', key, json, answer: TaskAnswer }, signal)).task_id
    },
    async check(key, taskIds, signal) {
      if (taskIds.length > 200) throw new RangeError('at most 200 tasks can be checked together')
      const json = { task_ids: taskIds }
      return taskStatesOf(await post({ path: '/api/v1/check/', key, json, answer: CheckAnswer }, signal), key)
    },
    async cancel(key, taskIds, signal) {
      await post({ path: '/api/v1/cancel/', key, json: { task_ids: taskIds }, answer: DoneAnswer }, signal)
    },
    async deleteSource(key, sourceId, signal) {
      await post({ path: '/api/v1/delete/', key, json: { source_id: sourceId }, answer: DoneAnswer }, signal)
    },
    download: (url, download) => downloadResult(link, { url, hosts }, download),
  }
}
