import { box, type Environment } from '@hearth/runtime'
import { runService } from '@hearth/service'
import { setUpTokenFile } from '@hearth/accounts'
import { readConfig, type Config } from './config.ts'
import { openService } from './open-service.ts'

/** Runs the service in the foreground until it is told to stop. */
export async function serve(environment: Environment): Promise<void> {
  const config = readConfig(environment)
  await runService({
    name: 'sites',
    config,
    open: (log) => openService(config, log),
    announce({ setUpToken, caddyTrouble }) {
      const token = setUpToken()
      return [...(token === undefined ? [] : [setUpBox(token, config)]), caddyLine(config, caddyTrouble)]
    },
  })
}

/** The box that tells the person at the terminal how to make the first administrator. */
function setUpBox(token: string, { dataDirectory }: Config): string {
  return box([
    'Set up Hearth Sites',
    '',
    'Open the address below and make the first administrator with this token:',
    '',
    token,
    '',
    `Also in ${setUpTokenFile(dataDirectory)}`,
  ])
}

/** Which Caddy is managed, for a person at the terminal. */
function caddyLine({ caddy }: Config, trouble: string | undefined): string {
  if (caddy.admin !== undefined) return `Managing the Caddy at ${caddy.admin}`
  if (trouble !== undefined)
    return `There is no Caddy: ${trouble}. Install caddy, or name one that runs as CADDY_ADMIN.`
  return `No CADDY_ADMIN was given: a Caddy of its own was started and is managed, sites at http://localhost:${caddy.httpPort} and https://localhost:${caddy.httpsPort}`
}
