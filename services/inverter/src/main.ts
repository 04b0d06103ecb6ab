import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { box, closeOnSignal, createLog, OperatorError, type Environment, type Log } from '@hearth/runtime'
import { readConfig, type Config } from './config.ts'
import { firstSignInLines, openService, type Service } from './open-service.ts'

/** Runs the service in the foreground until it is told to stop. Prints one line when it answers. */
export async function serve(environment: Environment): Promise<void> {
  const config = readConfig(environment)
  const log = createLog({ name: 'inverter', level: config.logLevel })
  const service = await openService(config, { log })
  try {
    await listen(service, config)
  } catch (error) {
    await service.close()
    throw error
  }
  closeOnSignal(service, log)
  warnInContainer(config, log)
  if (service.firstPassword !== undefined)
    process.stdout.write(`${box(firstSignInLines(service.firstPassword, config))}\n`)
  for (const device of service.app.devices.all())
    if (device.isSimulated)
      process.stdout.write(
        `The device ${device.id} is simulated: no inverter is touched. Add yours on the Inverters page, or with: npx hearth inverter device add\n`,
      )
  const { address, port } = service.app.http.server.address() as AddressInfo
  process.stdout.write(`listening on http://${address.includes(':') ? `[${address}]` : address}:${port}\n`)
}

function warnInContainer({ bindAddress }: Config, log: Log): void {
  const isContainer = existsSync('/.dockerenv') || existsSync('/run/.containerenv')
  if (isContainer && (bindAddress.startsWith('127.') || bindAddress === '::1'))
    log.warn('BIND_ADDRESS is a loopback address: nobody outside this container reaches the service; 0.0.0.0 would do')
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
