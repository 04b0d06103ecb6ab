import { box, type Environment } from '@hearth/runtime'
import { runService } from '@hearth/service'
import { setUpTokenFile } from '@hearth/accounts'
import { readCheckedConfig, type Config } from './config.ts'

/** Loads the service once its settings are known to be right: a start that is refused is refused at once. */
const loadService = () => import('./open-service.ts')

/** Runs the service in the foreground until SIGTERM or SIGINT. */
export async function serve(environment: Environment): Promise<void> {
  const config = readCheckedConfig(environment)
  await runService({
    name: 'sites',
    config,
    open: async (log) => (await loadService()).openService(config, log),
    announce({ setUpToken, caddyFailure }) {
      const token = setUpToken()
      return [...(token === undefined ? [] : [setUpBox(token, config)]), caddyLine(config, caddyFailure)]
    },
  })
}

/** Returns the box for the terminal that says how to create the first administrator. */
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

/** Returns the line about the managed Caddy for the terminal. */
function caddyLine({ caddy }: Config, failure: string | undefined): string {
  if (caddy.admin !== undefined) return `Managing the Caddy at ${caddy.admin}`
  if (failure !== undefined)
    return `There is no Caddy: ${failure}. Install caddy, or name one that runs as CADDY_ADMIN.`
  return `No CADDY_ADMIN was given: a Caddy of its own was started and is managed, sites at http://localhost:${caddy.httpPort} and https://localhost:${caddy.httpsPort}`
}
