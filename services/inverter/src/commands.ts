import type { DoctorCheck, Environment } from '@hearth/runtime'
import { addBackupCommands, addServeCommand, describeBackups } from '@hearth/service'
import type { Command } from 'commander'
import type { SimulateOptions } from './simulator/simulate-command.ts'
import { addAccountCommands } from './command-line/accounts.ts'
import { addControlCommands } from './command-line/control.ts'
import { addDeviceCommands } from './command-line/devices.ts'
import { addEnergyCommands } from './command-line/energy.ts'
import { addFindCommand } from './command-line/find.ts'
import { addMqttCommands } from './command-line/mqtt.ts'
import { addSnapshotCommands } from './command-line/snapshots.ts'
import { addSharedPortCommands } from './command-line/shared-port.ts'
import { addPlanCommands } from './command-line/plan.ts'
import { addPlantCommands } from './command-line/plant.ts'
import { addTimeSeriesCommands } from './command-line/time-series.ts'
import { listOption, numberOption } from './command-line/options.ts'

/** Adds what `hearth inverter …` can do. */
export function addCommands(program: Command): void {
  addServeCommand(program, async () => (await import('./main.ts')).serve(process.env))
  program
    .command('validate')
    .description('check settings, registry, allowlist, secret and device list as a start would')
    .action(async () => {
      const { validate } = await import('./command-line/data.ts')
      const { catalog, devices } = await validate()
      process.stderr.write(
        `valid: ${catalog.objects.length} objects, ${catalog.allowlist.size} of them writable when approved, ${devices} devices\n`,
      )
    })
  program
    .command('allowlist')
    .description('print the write allowlist, as a template for WRITE_ALLOWLIST_FILE')
    .action(async () => {
      const [{ loadCatalog }, { readConfig }] = await Promise.all([
        import('./catalog/catalog.ts'),
        import('./config.ts'),
      ])
      const { registryFile, allowlistFile } = readConfig(process.env)
      const { allowlist } = loadCatalog({ registry: registryFile, allowlist: allowlistFile })
      process.stdout.write(`${JSON.stringify([...allowlist.values()], null, 2)}\n`)
    })
  addSimulateCommand(program)
  addFindCommand(program)
  addDeviceCommands(program)
  addControlCommands(program)
  addEnergyCommands(program)
  addSnapshotCommands(program)
  addMqttCommands(program)
  addSharedPortCommands(program)
  addTimeSeriesCommands(program)
  addPlanCommands(program)
  addPlantCommands(program)
  addAccountCommands(program)
  addBackupCommands(program, async () => (await import('./command-line/data.ts')).backupSubject, 'HMAC_SECRET')
}

function addSimulateCommand(program: Command): void {
  program
    .command('simulate')
    .description('run a simulated inverter')
    .requiredOption('--port <port>', 'TCP port; 0 picks a free one', numberOption('--port'))
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--seed <number>', 'same seed, same weather', numberOption('--seed'))
    .option(
      '--network-id <numbers...>',
      'plant addresses of further inverters behind this one, each with its own registers',
      networkIds,
    )
    .option('--one-house', 'the inverters share one house; the sensor of the first one sees its grid connection')
    .option(
      '--clouds <share>',
      'share of the sun that clouds may take, 0 to 1; 0.65 by default',
      numberOption('--clouds'),
    )
    .option(
      '--prices-port <port>',
      'serve day-ahead prices there, at /prices; 0 picks a free port',
      numberOption('--prices-port'),
    )
    .option('--state <file>', 'file that keeps registers and battery of the first inverter')
    .option('--faults <file>', 'JSON file of faults for all inverters of the plant; reloaded when it changes')
    .option('--replay <file>', 'answer from a capture of the flight recorder')
    .option('--speed <factor>', 'speed of time; 1 is real time', numberOption('--speed'))
    .action(async (options: SimulateOptions) => {
      const { runSimulatorCommand } = await import('./simulator/simulate-command.ts')
      await runSimulatorCommand(options)
    })
}

/** Collects plant addresses: options that are repeated, and several in one. */
function networkIds(text: string, before: readonly number[] = []): number[] {
  return [...before, ...listOption([text]).map(numberOption('--network-id'))]
}

/** Checks of this service for `hearth doctor`: its configuration, and the last backup. */
export async function doctor(environment: Environment = process.env): Promise<DoctorCheck[]> {
  const { readConfig } = await import('./config.ts')
  return [await describeConfiguration(environment), ...(await describeBackups('inverter', readConfig, { environment }))]
}

async function describeConfiguration(environment: Environment): Promise<DoctorCheck> {
  const { validate } = await import('./command-line/data.ts')
  try {
    const { devices } = await validate(environment)
    return { name: 'configuration', state: 'ok', detail: `${devices} devices`, meaning: 'a start would not be refused' }
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'unknown error'
    return { name: 'configuration', state: 'missing', detail, meaning: 'the service refuses to start' }
  }
}
