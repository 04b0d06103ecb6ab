import { join } from 'node:path'
import { box, closeOnSignal, createLog, isEmptyDirectory, type Log } from '@hearth/runtime'
import { checkListen, listenAt, type HttpServer } from './listen.ts'
import { notifySystemd } from './notify.ts'

/** A running service: its server does not listen yet. */
export interface RunnableService {
  readonly app: { readonly http: HttpServer }
  close(): Promise<void>
}

/** Settings that the frame uses itself. */
export interface FrameConfig {
  readonly bindAddress: string
  readonly bindPort: number
  readonly dataDirectory: string
  readonly logLevel: string
}

/** The parts of a service that the frame runs. */
export interface ServiceFrame<Service extends RunnableService> {
  readonly name: string
  readonly config: FrameConfig
  /** The log goes to stdout instead of stderr. */
  readonly logOutput?: 'stdout'
  /** Claims the data directory, opens the database and wires the service; leaves nothing running when it throws. */
  open(log: Log): Promise<Service>
  /** Returns the text printed on the terminal before the address. */
  announce(service: Service, log: Log): string[] | Promise<string[]>
}

/**
 * Runs a service in the foreground until SIGTERM or SIGINT. Prints one line with the address when it answers. A start that is
 * refused throws an `OperatorError` and leaves a fresh data directory as it was.
 */
export async function runService<Service extends RunnableService>(frame: ServiceFrame<Service>): Promise<void> {
  const { name, config, logOutput } = frame
  const log = createLog({ name, level: config.logLevel, ...(logOutput === undefined ? {} : { output: logOutput }) })
  const address = { host: config.bindAddress, port: config.bindPort }
  if (isEmptyDirectory(config.dataDirectory)) await checkListen(address)
  const service = await frame.open(log)
  const url = await listenAt(service.app.http, address).catch(async (error: unknown) => {
    await service.close()
    throw error
  })
  closeOnSignal(service, log)
  for (const text of await frame.announce(service, log)) process.stdout.write(`${text}\n`)
  process.stdout.write(`listening on ${url}\n`)
  notifySystemd(process.env, (error) => log.warn({ err: error }, 'systemd could not be told that the service runs'))
}

/** Returns the box with the generated password of the first administrator, for the terminal. */
export function firstSignInBox(service: string, password: string, dataDirectory: string): string {
  return box([
    `First sign-in to Hearth ${service}`,
    '',
    'User      admin',
    `Password  ${password}`,
    '',
    `Also in ${join(dataDirectory, 'initial-admin-password')}`,
    'It must be changed at the first sign-in.',
  ])
}
