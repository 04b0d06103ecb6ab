import { z } from 'zod'
import { cleanText } from './stem-service-error.ts'

// Answers of the service as its document (API v1.1.0) has them. Other members are passed through unchecked.

/** `POST /api/v1/limits/minutes_left/` */
export const MinutesAnswer = z.object({ minutes_left: z.number() })

const id = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\w.-]+$/)

/** `POST /api/v1/upload/`; `duration` in whole seconds, `expires` in Unix seconds. */
export const UploadAnswer = z.object({
  id,
  size: z.number().int().nonnegative(),
  duration: z.number().nonnegative(),
  expires: z.number().nonnegative(),
})

/** `POST /api/v1/split/stem_separator/` */
export const TaskAnswer = z.object({ task_id: id })

/** `POST /api/v1/cancel/` and `/api/v1/delete/`: their content is ignored. */
export const DoneAnswer = z.object({})

/** One separated track: `stem` is the requested stem, `back` is everything else. Its `url` is valid for 24 hours. */
const TrackAnswer = z.object({ type: z.string(), label: z.string(), url: z.string().max(4096) })

const StateAnswer = z.discriminatedUnion('status', [
  z.object({ status: z.literal('progress'), progress: z.number().min(0).max(100) }),
  z.object({
    status: z.literal('success'),
    result: z.object({ duration: z.number().nonnegative(), tracks: z.array(TrackAnswer).max(64) }),
  }),
  z.object({ status: z.literal('error'), error: z.object({ detail: z.string(), code: z.string().nullish() }) }),
  z.object({ status: z.literal('cancelled') }),
  z.object({ status: z.literal('server_error'), error: z.string() }),
])

/** `POST /api/v1/check/`: a state for each task that the service knows. */
export const CheckAnswer = z.object({ result: z.record(z.string(), StateAnswer) })

/** State of a task; `unknown` when the service could not tell, which may change. A progress of 0 means that it waits. */
export type TaskState = ReturnType<typeof taskStateOf>

export function taskStateOf(answer: z.infer<typeof StateAnswer>, key: string) {
  switch (answer.status) {
    case 'progress':
      return { state: 'progress', percent: Math.round(answer.progress) } as const
    case 'success':
      return { state: 'success', durationSeconds: answer.result.duration, tracks: answer.result.tracks } as const
    case 'error': {
      const { code, detail } = answer.error
      return { state: 'error', code: code ? cleanText(code, key) : undefined, detail: cleanText(detail, key) } as const
    }
    case 'cancelled':
      return { state: 'cancelled' } as const
    case 'server_error':
      return { state: 'unknown', detail: cleanText(answer.error, key) } as const
  }
}
