import { systemTimers, type Timers } from '@hearth/runtime'
import { downloadResult, type Download } from './download-result.ts'
import {
  callService,
  defaultLimits,
  startTimeLimit,
  type ServiceCall,
  type ServiceLink,
  type StemLimits,
} from './service-call.ts'
import { CheckAnswer, DoneAnswer, MinutesAnswer, TaskAnswer, taskStateOf, type TaskState } from './stem-answers.ts'
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
export type StemClient = ReturnType<typeof createStemClient>

type SmallCall<T> = Pick<ServiceCall<T>, 'path' | 'key' | 'answer'> & { readonly json?: object }

/** Creates the client; it keeps nothing open. */
export function createStemClient(options: StemClientOptions) {
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
    /** Minutes of audio that can still be paid for, with a fraction. Fails when the key is not accepted. */
    async minutesLeft(key: string, signal?: AbortSignal): Promise<number> {
      return (await post({ path: '/api/v1/limits/minutes_left/', key, answer: MinutesAnswer }, signal)).minutes_left
    },
    upload: (key: string, upload: Upload): Promise<UploadedSource> => uploadSource(link, key, upload),
    /** Begins the split into vocals and the rest, as MP3, and returns the task's id. This is what costs. */
    async split(key: string, { sourceId, idempotencyKey, signal }: Split): Promise<string> {
      const presets = { stem: 'vocals', encoder_format: 'mp3' }
      const json = { source_id: sourceId, presets, idempotency_key: idempotencyKey }
      return (await post({ path: '/api/v1/split/stem_separator/', key, json, answer: TaskAnswer }, signal)).task_id
    },
    /** Returns the state of a task; undefined when the service does not know it. Texts in it are cleaned of the key. */
    async check(key: string, taskId: string, signal?: AbortSignal): Promise<TaskState | undefined> {
      const json = { task_ids: [taskId] }
      const { result } = await post({ path: '/api/v1/check/', key, json, answer: CheckAnswer }, signal)
      return result[taskId] === undefined ? undefined : taskStateOf(result[taskId], key)
    },
    /** Ends a task; one that has ended is not an error. */
    async cancel(key: string, taskId: string, signal?: AbortSignal): Promise<void> {
      await post({ path: '/api/v1/cancel/', key, json: { task_ids: [taskId] }, answer: DoneAnswer }, signal)
    },
    /** Removes an uploaded file there, ends its tasks and removes their results. */
    async deleteSource(key: string, sourceId: string, signal?: AbortSignal): Promise<void> {
      await post({ path: '/api/v1/delete/', key, json: { source_id: sourceId }, answer: DoneAnswer }, signal)
    },
    /** Fetches a result, whose address is checked first, into a file; returns its size. */
    download: (url: string, download: Download): Promise<number> => downloadResult(link, url, download),
  }
}
