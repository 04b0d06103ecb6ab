import type { Command } from 'commander'
import type { PlantNow, PlantSettings } from '../plant/schema.ts'
import { callService } from './call-service.ts'
import { listOption } from './options.ts'

const path = '/admin/api/plant'

interface SetOptions {
  readonly inverters: readonly string[]
  readonly grid: readonly string[]
  readonly name?: string
}

/** Adds the commands of the plant: show, set and off. */
export function addPlantCommands(program: Command): void {
  const plant = program.command('plant').description('several inverters behind one grid connection')
  plant
    .command('show')
    .description('print what the inverters do together now, as JSON; the service must run')
    .action(async () => {
      const now = (await callService({ method: 'GET', path: '/api/v1/plant' })) as PlantNow
      process.stdout.write(`${JSON.stringify(now, null, 2)}\n`)
    })
  plant
    .command('set')
    .description('make inverters one plant')
    .requiredOption('--inverters <ids...>', 'all inverters of the plant')
    .requiredOption(
      '--grid <ids...>',
      'those whose power sensor sees the grid connection; the first that answers counts',
    )
    .option('--name <name>', 'what the plant is called')
    .action(async ({ inverters, grid, name }: SetOptions) => {
      const seeing = listOption(grid)
      const list = listOption(inverters).map((id) => ({ device_id: id, sees_grid: seeing.includes(id) }))
      await change((stored) => ({ enabled: true, display_name: name ?? stored.display_name, inverters: list }))
      process.stderr.write(`the plant has ${list.length} inverters\n`)
    })
  plant
    .command('off')
    .description('show every inverter alone')
    .action(async () => {
      await change((stored) => ({ ...stored, enabled: false }))
      process.stderr.write('the inverters are no plant\n')
    })
}

async function change(next: (stored: PlantSettings) => PlantSettings): Promise<void> {
  const { settings } = (await callService({ method: 'GET', path })) as { settings: PlantSettings }
  await callService({ method: 'PUT', path, body: next(settings) }, { inverters: '--inverters' })
}
