import { checkListen, listenAt } from '@hearth/http'
import { box, closeOnSignal, createLog, isEmptyDirectory, type Environment } from '@hearth/runtime'
import { readConfig } from './config.ts'
import type { EarlyResolver } from './early-resolver.ts'
import { firstSignInLines, openService } from './open-service.ts'

/**
 * Runs the service in the foreground until it is told to stop. Prints one line when it answers. `early` is the resolver that
 * answers already; it ends with this process.
 */
export async function serve(environment: Environment, early?: EarlyResolver): Promise<void> {
  const config = readConfig(environment)
  const log = createLog({ name: 'vpn', level: config.logLevel })
  const place = { host: config.bindAddress, port: config.bindPort }
  // A start that is refused leaves a fresh directory as it was.
  if (isEmptyDirectory(config.dataDirectory)) await checkListen(place)
  const service = await openService(config, log, early)
  const url = await listenAt(service.app.http, place).catch(async (error: unknown) => {
    await service.close()
    throw error
  })
  closeOnSignal(service, log)
  const { backend, reason, advice } = service.dataPlane
  log.info({ backend }, `data plane ${backend}: ${reason}`)
  if (service.firstPassword !== undefined)
    process.stdout.write(`${box(firstSignInLines(service.firstPassword, config))}\n`)
  if (backend === 'simulated') {
    process.stdout.write(
      `WireGuard is simulated, no packets flow (${reason}).${advice === null ? '' : ` What to do: ${advice}.`}\n`,
    )
  }
  process.stdout.write(`listening on ${url}\n`)
}
