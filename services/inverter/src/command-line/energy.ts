import { Option, type Command } from 'commander'
import { EnergyExportQuery, Period, type EnergyBucket, type EnergyHistory } from '../history/schema.ts'
import { callService } from './call-service.ts'
import { onlyDevice } from './only-device.ts'

const names = { date: '--date', from: '--from', to: '--to' }

interface ExportOptions {
  readonly device?: string
  readonly resolution: string
  readonly from?: string
  readonly to?: string
  readonly format: string
}

/** Adds the commands of the energy history: balance, export and fill. */
export function addEnergyCommands(program: Command): void {
  const energy = program.command('energy').description('the energy history of an inverter')
  energy
    .command('balance')
    .description('print the balance of a period as JSON')
    .option('--device <id>', 'the inverter; the only one when it is left out')
    .addOption(new Option('--period <period>', 'length of the period').choices(Period.options).default('day'))
    .option('--date <date>', 'a date in the period; today when it is left out')
    .action(async ({ device, period, date }: { device?: string; period: string; date?: string }) => {
      const query = queryOf({ period, date })
      const answer = await callService({ method: 'GET', path: `${await pathOf(device)}${query}` }, names)
      const { balance, buckets: _, ...history } = answer as EnergyHistory
      process.stdout.write(`${JSON.stringify({ ...history, balance }, null, 2)}\n`)
    })
  addExportCommand(energy)
  energy
    .command('fill')
    .description('fill gaps from the log of the inverter; the service must run')
    .option('--device <id>', 'the inverter; the only one when it is left out')
    .action(async ({ device }: { device?: string }) => {
      const id = device ?? (await onlyDevice())
      await callService({
        method: 'POST',
        path: `/admin/api/energy-history/devices/${encodeURIComponent(id)}/fill`,
      })
      process.stderr.write(`the log of ${id} is being read\n`)
    })
}

function addExportCommand(energy: Command): void {
  energy
    .command('export')
    .description('print what is stored')
    .option('--device <id>', 'the inverter; the only one when it is left out')
    .addOption(
      new Option('--resolution <length>', 'length of each line’s time')
        .choices(EnergyExportQuery.shape.resolution.unwrap().options)
        .default('five_minutes'),
    )
    .option('--from <date>', 'first date; the first of the history when it is left out')
    .option('--to <date>', 'last date; today when it is left out')
    .addOption(new Option('--format <format>', 'form of the output').choices(['csv', 'json']).default('csv'))
    .action(async ({ device, resolution, from, to, format }: ExportOptions) => {
      const query = queryOf({ resolution, from, to })
      const answer = await callService({ method: 'GET', path: `${await pathOf(device)}.json${query}` }, names)
      const { csvText } = await import('../history/export-lines.ts')
      const buckets = answer as readonly EnergyBucket[]
      process.stdout.write(format === 'csv' ? csvText(buckets) : `${JSON.stringify(buckets, null, 2)}\n`)
    })
}

const pathOf = async (device: string | undefined): Promise<string> =>
  `/api/v1/devices/${encodeURIComponent(device ?? (await onlyDevice()))}/energy-history`

function queryOf(values: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, value)
  return `?${query.toString()}`
}
