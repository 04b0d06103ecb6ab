import { existsSync } from 'node:fs'
import { checkListen, listenAt } from '@hearth/http'
import { box, closeOnSignal, createLog, isEmptyDirectory, type Environment, type Log } from '@hearth/runtime'
import { readConfig, type Config } from './config.ts'
import { firstSignInLines, openService } from './open-service.ts'

/** Runs the service in the foreground until it is told to stop. Prints one line when it answers. */
export async function serve(environment: Environment): Promise<void> {
  const config = readConfig(environment)
  const log = createLog({ name: 'inverter', level: config.logLevel, output: 'stdout' })
  const place = { host: config.bindAddress, port: config.bindPort }
  // A start that is refused leaves a fresh directory as it was.
  if (isEmptyDirectory(config.dataDirectory)) await checkListen(place)
  const service = await openService(config, { log })
  const url = await listenAt(service.app.http, place).catch(async (error: unknown) => {
    await service.close()
    throw error
  })
  closeOnSignal(service, log)
  warnInContainer(config, log)
  if (service.firstPassword !== undefined)
    process.stdout.write(`${box(firstSignInLines(service.firstPassword, config))}\n`)
  for (const device of service.app.devices.all())
    if (device.isSimulated)
      process.stdout.write(
        `The device ${device.id} is simulated: no inverter is touched. Add yours on the Inverters page, or with: npx hearth inverter device add\n`,
      )
  process.stdout.write(`listening on ${url}\n`)
}

function warnInContainer({ bindAddress }: Config, log: Log): void {
  const isContainer = existsSync('/.dockerenv') || existsSync('/run/.containerenv')
  if (isContainer && (bindAddress.startsWith('127.') || bindAddress === '::1'))
    log.warn('BIND_ADDRESS is a loopback address: nobody outside this container reaches the service; 0.0.0.0 would do')
}
