import { existsSync } from 'node:fs'
import type { Environment, Log } from '@hearth/runtime'
import { firstSignInBox, runService } from '@hearth/service'
import { readCheckedConfig, type Config } from './config.ts'

/** Runs the service in the foreground until it is stopped. */
export async function serve(environment: Environment): Promise<void> {
  const config = readCheckedConfig(environment)
  await runService({
    name: 'inverter',
    config,
    logOutput: 'stdout',
    // Loaded once the settings are known to be right: a start that is refused is refused at once.
    open: async (log) => (await import('./open-service.ts')).openService(config, { log }),
    announce({ app, firstPassword }, log) {
      warnInContainer(config, log)
      const simulated = app.devices.all().filter(({ isSimulated }) => isSimulated)
      return [
        ...(firstPassword === undefined ? [] : [firstSignInBox('Inverter', firstPassword, config.dataDirectory)]),
        ...simulated.map(
          ({ id }) =>
            `The inverter "${id}" is a simulation to try things with. Add yours on the Inverters page, or with: npx hearth inverter device add`,
        ),
      ]
    },
  })
}

function warnInContainer({ bindAddress }: Config, log: Log): void {
  const isContainer = existsSync('/.dockerenv') || existsSync('/run/.containerenv')
  if (isContainer && (bindAddress.startsWith('127.') || bindAddress === '::1'))
    log.warn('BIND_ADDRESS is a loopback address: nobody outside this container reaches the service; 0.0.0.0 would do')
}
