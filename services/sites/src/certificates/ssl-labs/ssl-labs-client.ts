import { type GuardedAnswer, type GuardedFetch, OutboundFailed, OutboundRefused } from '@hearth/outbound'
import { z } from 'zod'
import type { Settings } from '../../settings/schema.ts'

/** Kind of a failure of SSL Labs. */
export type SslLabsFailure =
  /** 441: the e-mail address is not registered. */
  | 'not-registered'
  /** 429: more requests than allowed. */
  | 'rate-limited'
  /** 503: not available for a while. */
  | 'unavailable'
  /** 529: overloaded. */
  | 'overloaded'
  /** 400, or a refused registration; the message comes from SSL Labs. */
  | 'refused'
  /** Anything else, and answers that cannot be read. */
  | 'failed'
  /** SSL Labs is unreachable, or the outbound policy forbids the connection. */
  | 'unreachable'

/** A request that SSL Labs refused or failed. */
export class SslLabsError extends Error {
  override readonly name = 'SslLabsError'
  readonly failure: SslLabsFailure

  constructor(failure: SslLabsFailure, message: string, options?: ErrorOptions) {
    super(message.slice(0, 500), options)
    this.failure = failure
  }
}

/** Identity for a registration; SSL Labs requires the e-mail address of an organisation. */
export type SslLabsIdentity = NonNullable<Settings['ssllabs']>

/** SSL Labs' API, version 4. Every call throws `SslLabsError`. */
export type SslLabsClient = ReturnType<typeof createSslLabsClient>

export interface SslLabsClientDependencies {
  readonly fetch: GuardedFetch
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** Maximum age of a stored result, hours; 24. */
  readonly cacheHours?: number
}

const timeoutMs = 20_000

const Registered = z.object({ message: z.string().default(''), status: z.string() })
/** Limits that SSL Labs states; the pause between new assessments in milliseconds. */
const Info = z.object({
  maxAssessments: z.number(),
  currentAssessments: z.number(),
  newAssessmentCoolOff: z.number().default(1000),
})
/** Progress of an assessment: one endpoint per address of the host; its grade is absent until it is known. */
const Analysis = z.object({
  status: z.enum(['DNS', 'IN_PROGRESS', 'READY', 'ERROR']),
  statusMessage: z.string().optional(),
  endpoints: z
    .array(
      z.object({
        grade: z.string().optional(),
        gradeTrustIgnored: z.string().optional(),
        statusMessage: z.string().optional(),
      }),
    )
    .max(100)
    .default([]),
})
export type Assessment = z.infer<typeof Analysis>
const Refusal = z.object({
  errors: z.array(z.object({ field: z.string().optional(), message: z.string() })).optional(),
  message: z.string().optional(),
})

/** Creates the client. Its requests go through the guarded `fetch`, each with a timeout. */
export function createSslLabsClient({ fetch, baseUrl, cacheHours = 24 }: SslLabsClientDependencies) {
  const modes = {
    new: { startNew: 'on' },
    cached: { fromCache: 'on', maxAge: String(cacheHours) },
    poll: {},
  } as const
  const get = (path: string, email: string) =>
    answerOf(() => fetch(`${baseUrl}/${path}`, { headers: { email, accept: 'application/json' }, timeoutMs }))
  return {
    /** Registers an identity and returns the success message, which may be empty. */
    async register({ first_name, last_name, email, organization }: SslLabsIdentity): Promise<string> {
      const body = JSON.stringify({ firstName: first_name, lastName: last_name, email, organization })
      const headers = { 'content-type': 'application/json', accept: 'application/json' }
      const send = () => fetch(`${baseUrl}/register`, { method: 'POST', headers, body, timeoutMs })
      const { message, status } = read(Registered, await answerOf(send))
      if (status !== 'success') throw new SslLabsError('refused', message)
      return message
    },
    info: async (email: string) => read(Info, await get('info', email)),
    /** Starts an assessment, or returns the progress of the running or last one. Results are never published. */
    async analyze(email: string, host: string, mode: keyof typeof modes): Promise<Assessment> {
      const query = new URLSearchParams({ host, publish: 'off', all: 'done', ...modes[mode] })
      return read(Analysis, await get(`analyze?${query.toString()}`, email))
    },
  }
}

async function answerOf(send: () => Promise<GuardedAnswer>): Promise<GuardedAnswer> {
  let answer: GuardedAnswer
  try {
    answer = await send()
  } catch (error) {
    if (!(error instanceof OutboundFailed || error instanceof OutboundRefused)) throw error
    throw new SslLabsError('unreachable', `SSL Labs cannot be asked: ${error.message}`, { cause: error })
  }
  if (answer.status !== 200) throw refusalOf(answer)
  return answer
}

const failuresByStatus: Readonly<Record<number, readonly [SslLabsFailure, string]>> = {
  400: ['refused', 'SSL Labs refused the request'],
  429: ['rate-limited', 'SSL Labs was asked too often'],
  441: ['not-registered', 'The e-mail address is not registered with SSL Labs'],
  503: ['unavailable', 'SSL Labs is not available'],
  529: ['overloaded', 'SSL Labs is overloaded'],
}

function refusalOf(answer: GuardedAnswer): SslLabsError {
  const [failure, text] = failuresByStatus[answer.status] ?? [
    'failed',
    `SSL Labs answered with status ${answer.status}`,
  ]
  const refusal = Refusal.safeParse(jsonOf(answer))
  const words = refusal.data?.errors?.map(({ field, message }) => [field, message].filter(Boolean).join(': '))
  const more = failure === 'refused' ? (words?.join('; ') ?? refusal.data?.message) : undefined
  return new SslLabsError(failure, more === undefined ? text : `${text}: ${more}`)
}

function read<T>(schema: z.ZodType<T>, answer: GuardedAnswer): T {
  const parsed = schema.safeParse(jsonOf(answer))
  if (!parsed.success) throw new SslLabsError('failed', 'SSL Labs gave an answer that cannot be read')
  return parsed.data
}

function jsonOf({ body }: GuardedAnswer): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8')) as unknown
  } catch {
    return undefined
  }
}
