import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { OperatorError, type Log, type Timers } from '@hearth/runtime'
import type { Config } from '../../config.ts'
import { findEarlierCaddy, startCaddyProcess, type CaddyProcess } from './caddy-process.ts'

/** The service's own Caddy, or why there is none. */
export interface OwnCaddy {
  readonly caddy: CaddyProcess | undefined
  readonly failure: string | undefined
}

/**
 * Starts a Caddy of the service's own when the settings name none. A machine without Caddy is no reason not to start: one may
 * be given later.
 */
export async function openOwnCaddy({ caddy, dataDirectory }: Config, log: Log, timers: Timers): Promise<OwnCaddy> {
  if (caddy.admin !== undefined) return { caddy: undefined, failure: undefined }
  const folder = join(dataDirectory, 'caddy')
  try {
    return {
      caddy: await startCaddyProcess({ folder, program: caddy.path ?? 'caddy', log, timers }),
      failure: undefined,
    }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    log.error({ err: error }, 'Caddy could not be started')
    return { caddy: undefined, failure: error.message }
  }
}

/** Checks that the ports of the service's own Caddy are free. Throws an `OperatorError` that names the one that is taken. */
export async function checkOwnPorts({ caddy, dataDirectory }: Config): Promise<void> {
  if (caddy.admin !== undefined || (await findEarlierCaddy(join(dataDirectory, 'caddy'))) !== undefined) return
  await assertFree('CADDY_HTTP_PORT', caddy.httpPort, caddy.bind)
  await assertFree('CADDY_HTTPS_PORT', caddy.httpsPort, caddy.bind)
}

/** Two Caddy servers can share a port without an error, and each answers half of the requests. */
async function assertFree(setting: string, port: number, bind: readonly string[]): Promise<void> {
  const server = createServer()
  try {
    server.listen({ port, host: bind[0] ?? '0.0.0.0', exclusive: true })
    await once(server, 'listening')
  } catch (error) {
    throw new OperatorError(`${setting}: port ${port} cannot be used: ${(error as Error).message}`, { cause: error })
  }
  server.close()
  await once(server, 'close')
}

/**
 * Returns a function that reads the version of the service's own Caddy, whose program is undefined when there is none. The
 * program is asked until it answers once, and not before somebody looks: it would delay the start.
 */
export function createOwnVersion(program: string | undefined): () => Promise<string | undefined> {
  let reading: Promise<string | undefined> | undefined
  return async () => {
    if (program === undefined) return undefined
    const version = await (reading ??= readCaddyVersion(program))
    if (version === undefined) reading = undefined
    return version
  }
}

/** Returns the version that the program `caddy` reports, such as `v2.11.1`; undefined when it cannot be run. */
export async function readCaddyVersion(program: string): Promise<string | undefined> {
  // Loaded here: the version of a Caddy that somebody else runs is not read this way.
  const { execa } = await import('execa')
  const { exitCode, stdout } = await execa(program, ['version'], {
    reject: false,
    timeout: 5000,
    stdin: 'ignore',
    maxBuffer: 10_000,
  })
  return exitCode === 0 ? (stdout.trim().split(/\s/)[0] ?? '') : undefined
}
