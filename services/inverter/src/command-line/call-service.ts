import { createLog, DataInUse, OperatorError } from '@hearth/runtime'
import { readConfig, type Config } from '../config.ts'
import { callControl, type ControlAnswer } from './control-socket.ts'

/** One request of a command to the service's own API. */
export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: unknown
}

/** Time to wait for a service that is starting or stopping, and pause between two tries; milliseconds. */
const patience = 15_000
const pause = 200

/** Names of members as the options of the command line have them. */
export type OptionNames = Readonly<Record<string, string>>

/**
 * Carries out requests on the data directory: by the running service, so that they take effect at once, or by one that is
 * opened for it alone and touches no device. Throws an `OperatorError` in the words of the API, with options for members.
 */
export async function callService(requests: readonly ServiceRequest[], options: OptionNames = {}): Promise<unknown[]> {
  const config = readConfig(process.env)
  const begin = performance.now()
  for (;;) {
    const answers = (await callRunning(config, requests)) ?? (await callTemporary(config, requests))
    if (answers !== undefined) return answers.map((answer) => readAnswer(answer, options))
    // Somebody owns the data and does not listen yet, or no more: a service that starts or stops, or another command.
    if (performance.now() - begin > patience)
      throw new OperatorError(`DATA_DIR: the service in ${config.dataDirectory} does not answer`)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/** Undefined when no service listens. */
async function callRunning(config: Config, requests: readonly ServiceRequest[]): Promise<ControlAnswer[] | undefined> {
  const answers: ControlAnswer[] = []
  try {
    for (const request of requests) {
      const answer = await callControl(config.dataDirectory, request)
      answers.push(answer)
      if (answer.status >= 400) break
    }
    return answers
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ECONNREFUSED') return undefined
    // Another command's service closed while we stood in its queue; it had not begun with us.
    if (code === 'ECONNRESET' && answers.length === 0) return undefined
    throw error
  }
}

/** Opens a service for the requests alone; undefined when the data is in use. */
async function callTemporary(
  config: Config,
  requests: readonly ServiceRequest[],
): Promise<ControlAnswer[] | undefined> {
  // Loaded here: a running service answers without it.
  const { openService } = await import('../open-service.ts')
  const log = createLog({ name: 'inverter', level: 'silent' })
  const service = await openService(config, { log, isOffline: true }).catch((error: unknown) => {
    if (error instanceof DataInUse) return undefined
    throw error
  })
  if (service === undefined) return undefined
  try {
    return await callRunning(config, requests)
  } finally {
    await service.close()
  }
}

interface ProblemText {
  detail?: string
  errors?: { parameter: string; detail: string }[]
}

function readAnswer({ status, text }: ControlAnswer, options: OptionNames): unknown {
  const content: unknown = text === '' ? undefined : JSON.parse(text)
  if (status < 400) return content
  const { detail, errors } = content as ProblemText
  const [first] = errors ?? []
  const option = first === undefined ? undefined : options[first.parameter.split('.')[0] ?? '']
  throw new OperatorError(
    option === undefined ? (detail ?? `the service answered ${status}`) : `${option} ${first?.detail ?? ''}`,
  )
}
