import type { AddressInfo } from 'node:net'
import { box, closeOnSignal, createLog, OperatorError, type Environment } from '@hearth/runtime'
import { readConfig, type Config } from './config.ts'
import { firstSignInLines, openService, type Service } from './open-service.ts'

/** Runs the service in the foreground until it is told to stop. Prints one line when it answers. */
export async function serve(environment: Environment): Promise<void> {
  const config = readConfig(environment)
  const log = createLog({ name: 'vpn', level: config.logLevel })
  const service = await openService(config, log)
  try {
    await listen(service, config)
  } catch (error) {
    await service.close()
    throw error
  }
  closeOnSignal(service, log)
  const { backend, reason, advice } = service.dataPlane
  log.info({ backend }, `data plane ${backend}: ${reason}`)
  if (service.firstPassword !== undefined)
    process.stdout.write(`${box(firstSignInLines(service.firstPassword, config))}\n`)
  if (backend === 'simulated') {
    process.stdout.write(
      `WireGuard is simulated, no packets flow (${reason}).${advice === null ? '' : ` For real tunnels: ${advice}.`}\n`,
    )
  }
  const { address, port } = service.app.http.server.address() as AddressInfo
  process.stdout.write(`listening on http://${address.includes(':') ? `[${address}]` : address}:${port}\n`)
}

async function listen(service: Service, config: Config): Promise<void> {
  try {
    await service.app.http.listen({ host: config.bindAddress, port: config.bindPort })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new OperatorError(`BIND_PORT: ${config.bindPort} is in use by another program`, { cause: error })
    if (code === 'EADDRNOTAVAIL')
      throw new OperatorError(`BIND_ADDRESS: this host has no address ${config.bindAddress}`, { cause: error })
    if (code === 'EACCES')
      throw new OperatorError(`BIND_PORT: not allowed to use ${config.bindPort}: ${message}`, { cause: error })
    throw error
  }
}
