import type { Environment } from '@hearth/runtime'
import { firstSignInBox, runService } from '@hearth/service'
import { readCheckedConfig } from './config.ts'
import type { PrestartResolver } from './prestart-resolver.ts'

/** Loads the service once its settings are known to be right: a start that is refused is refused at once. */
const loadService = () => import('./open-service.ts')

/**
 * Runs the service in the foreground until SIGTERM or SIGINT. `early` is the resolver that answers already; it ends with this
 * process.
 */
export async function serve(environment: Environment, early?: PrestartResolver): Promise<void> {
  const config = readCheckedConfig(environment)
  await runService({
    name: 'vpn',
    config,
    open: async (log) => (await loadService()).openService(config, log, early),
    announce({ dataPlane: { backend, reason, advice }, firstPassword }, log) {
      log.info({ backend }, `data plane ${backend}: ${reason}`)
      const toDo = advice === null ? '' : ` What to do: ${advice}.`
      return [
        ...(firstPassword === undefined ? [] : [firstSignInBox('VPN', firstPassword, config.dataDirectory)]),
        ...(backend === 'simulated' ? [`WireGuard is simulated, no packets flow (${reason}).${toDo}`] : []),
      ]
    },
  })
}
