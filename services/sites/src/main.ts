import { checkListen, listenAt } from '@hearth/http'
import { box, closeOnSignal, createLog, isEmptyDirectory, type Environment } from '@hearth/runtime'
import { readConfig, type Config } from './config.ts'
import { openService, setUpLines } from './open-service.ts'

/** Runs the service in the foreground until it is told to stop. Prints one line when it answers. */
export async function serve(environment: Environment): Promise<void> {
  const config = readConfig(environment)
  const log = createLog({ name: 'sites', level: config.logLevel })
  const place = { host: config.bindAddress, port: config.bindPort }
  // A start that is refused leaves a fresh directory as it was.
  if (isEmptyDirectory(config.dataDirectory)) await checkListen(place)
  const service = await openService(config, log)
  const url = await listenAt(service.app.http, place).catch(async (error: unknown) => {
    await service.close()
    throw error
  })
  closeOnSignal(service, log)
  const token = service.setUpToken()
  if (token !== undefined) process.stdout.write(`${box(setUpLines(token, config))}\n`)
  process.stdout.write(`${caddyLine(config, service.caddyTrouble)}\nlistening on ${url}\n`)
}

/** Which Caddy is managed, for a person at the terminal. */
function caddyLine({ caddy }: Config, trouble: string | undefined): string {
  if (caddy.admin !== undefined) return `Managing the Caddy at ${caddy.admin}`
  if (trouble !== undefined)
    return `There is no Caddy: ${trouble}. Install caddy, or name one that runs as CADDY_ADMIN.`
  return `No CADDY_ADMIN was given: a Caddy of its own was started and is managed, sites at http://localhost:${caddy.httpPort} and https://localhost:${caddy.httpsPort}`
}
