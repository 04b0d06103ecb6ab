import { createLog, DataInUse, OperatorError } from '@hearth/runtime'
import { readConfig, type Config } from '../config.ts'
import { callControl, type ControlAnswer, type ControlRequest } from './control-socket.ts'

/** Time to wait for a service that is starting or stopping, and pause between two tries; milliseconds. */
const patience = 30_000
const pause = 200

/**
 * Carries out a request on the data directory: by the running service, so that it takes effect at once, or by one that is
 * opened for it alone and touches no device. Throws an `OperatorError` with the message of the API; `options` names the
 * options of the command line by the members they fill.
 */
export async function callService(
  request: ControlRequest,
  options: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const config = readConfig(process.env)
  const begin = performance.now()
  for (;;) {
    const answer = (await callRunning(config, request)) ?? (await callTemporary(config, request))
    if (answer !== undefined) return readAnswer(answer, options)
    // Another process owns the data and does not listen: a service that is starting or stopping, or another command.
    if (performance.now() - begin > patience)
      throw new OperatorError(`DATA_DIR: the service in ${config.dataDirectory} does not answer`)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/** Errors of a call when no service listens; the last one when another command's service closed before it began with us. */
const absent = new Set(['ENOENT', 'ENOTDIR', 'ECONNREFUSED', 'ECONNRESET'])

/** Undefined when no service listens. */
async function callRunning(config: Config, request: ControlRequest): Promise<ControlAnswer | undefined> {
  try {
    return await callControl(config.dataDirectory, request)
  } catch (error) {
    if (absent.has((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

/** Opens a service for the request alone; undefined when the data is in use. */
async function callTemporary(config: Config, request: ControlRequest): Promise<ControlAnswer | undefined> {
  // Loaded here: a running service answers without it.
  const { openService } = await import('../open-service.ts')
  const log = createLog({ name: 'inverter', level: 'silent' })
  const service = await openService(config, { log, isOffline: true }).catch((error: unknown) => {
    if (error instanceof DataInUse) return undefined
    throw error
  })
  if (service === undefined) return undefined
  try {
    return await callRunning(config, request)
  } finally {
    await service.close()
  }
}

interface ProblemText {
  detail?: string
  errors?: { parameter: string; detail: string }[]
}

function readAnswer({ status, text }: ControlAnswer, options: Readonly<Record<string, string>>): unknown {
  const content: unknown = text === '' ? undefined : JSON.parse(text)
  if (status < 400) return content
  const { detail, errors } = content as ProblemText
  const [first] = errors ?? []
  const option = first && optionOf(first.parameter, options)
  throw new OperatorError(
    option === undefined ? (detail ?? `the service answered ${status}`) : `${option} ${first?.detail ?? ''}`,
  )
}

/** The option that fills a member, or the member that it lies in. */
function optionOf(parameter: string, options: Readonly<Record<string, string>>): string | undefined {
  for (let path = parameter; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('.'))))
    if (options[path] !== undefined) return options[path]
  return undefined
}
