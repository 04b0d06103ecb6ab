import { cleanText } from './clean-text.ts'
import { RefusalAnswer } from './stem-answers.ts'
import { StemServiceError, type StemFailure } from './stem-service-error.ts'

const codes: Readonly<Record<string, StemFailure>> = {
  idempotency_key_used: 'already-started',
  exceeded_duration: 'out-of-minutes',
  max_duration: 'exceeded-duration',
  exceeded_size: 'exceeded-size',
  // The spelling is the service's.
  batch_not_avaliable: 'plan',
  batch_not_available: 'plan',
}

/** Returns the failure of a business code of the service; undefined when it names none of the causes a user can act on. */
export const failureOfCode = (code: string | undefined): StemFailure | undefined =>
  code === undefined || !Object.hasOwn(codes, code) ? undefined : codes[code]

/** Returns true if a text of the service, which has no code for it, says that the uploaded file is gone. */
export const speaksOfMissingFile = (text: string): boolean =>
  /deleted|expired|not found|not exist|not been uploaded|upload it again/i.test(text)

const speaksOfPlan = (text: string): boolean => /\bplans?\b|subscription|licen[cs]e|package/i.test(text)

/** An answer with a status other than 200. */
export interface Refusal {
  readonly status: number
  readonly path: string
  readonly text: string
  readonly requestId: string | undefined
  /** Taken out of every text. */
  readonly key: string
}

/** The error that an answer other than 200 stands for. */
export function errorOfRefusal(refusal: Refusal): StemServiceError {
  const { code, detail } = readRefusal(refusal.text)
  return new StemServiceError(kindOf(refusal, code, detail), {
    status: refusal.status,
    code: code === undefined ? undefined : cleanText(code, refusal.key),
    detail: cleanText(detail, refusal.key),
    requestId: refusal.requestId,
  })
}

function kindOf({ status, path }: Refusal, code: string | undefined, detail: string): StemFailure {
  if (status === 401 || status === 403) return 'invalid-key'
  if (status === 402) return 'plan'
  if (status === 413) return 'exceeded-size'
  if (status === 429) return 'rate-limited'
  if (status !== 400) return 'upstream'
  if (code !== undefined) return failureOfCode(code) ?? 'upstream'
  // Without a code only the words are left. Where nothing but the account can be wrong, they do not matter.
  if (path.includes('/limits/') || speaksOfPlan(detail)) return 'plan'
  return speaksOfMissingFile(detail) ? 'expired' : 'upstream'
}

function readRefusal(text: string): { code: string | undefined; detail: string } {
  try {
    const parsed = RefusalAnswer.safeParse(JSON.parse(text))
    if (!parsed.success) return { code: undefined, detail: '' }
    const { detail, code } = parsed.data
    return {
      code: code ?? undefined,
      detail: typeof detail === 'string' ? detail : detail === undefined ? '' : JSON.stringify(detail),
    }
  } catch {
    return { code: undefined, detail: '' }
  }
}
