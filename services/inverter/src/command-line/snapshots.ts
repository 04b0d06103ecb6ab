import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '@hearth/runtime'
import { Option, type Command } from 'commander'
import type {
  Snapshot,
  SnapshotContent,
  SnapshotDifference,
  SnapshotDifferences,
  SnapshotList,
} from '../snapshots/schema.ts'
import { callService } from './call-service.ts'
import { onlyDevice } from './only-device.ts'

const names = { name: '--name', note: '--note', from: 'FROM', to: 'TO', snapshot_id: 'ID' }

interface DeviceOption {
  readonly device?: string
}

/** Adds the commands of the snapshots of parameters: take, list, diff and export. */
export function addSnapshotCommands(program: Command): void {
  const snapshot = program.command('snapshot').description('snapshots of the parameters of an inverter')
  const deviceOption = () => new Option('--device <id>', 'the inverter; the only one when it is left out')
  snapshot
    .command('take')
    .description('read every parameter, and print the id of the snapshot; the service must run')
    .addOption(deviceOption())
    .option('--name <text>', 'name; a snapshot with a name is kept until it is deleted')
    .option('--note <text>', 'note')
    .action(take)
  snapshot
    .command('list')
    .description('print the snapshots, one per line: id, time, firmware, state, name')
    .addOption(deviceOption())
    .option('--json', 'print them as JSON')
    .action(list)
  snapshot
    .command('diff')
    .description('print what differs between two snapshots, and who changed it')
    .argument('<from>', 'id, or previous_firmware')
    .argument('[to]', 'id, or newest', 'newest')
    .addOption(deviceOption())
    .option('--json', 'print it as JSON')
    .action(diff)
  snapshot
    .command('export')
    .description('print a snapshot with its values')
    .argument('<id>', 'id of the snapshot')
    .addOption(deviceOption())
    .addOption(new Option('--format <format>', 'form of the output').choices(['csv', 'json']).default('csv'))
    .action(exportSnapshot)
}

const baseOf = async (device: string | undefined): Promise<string> =>
  `/admin/api/devices/${encodeURIComponent(device ?? (await onlyDevice()))}`

async function take({ device, name, note }: DeviceOption & { name?: string; note?: string }): Promise<void> {
  const path = `${await baseOf(device)}/snapshots`
  const begun = (await callService({ method: 'POST', path, body: { name, note } }, names)) as Snapshot
  const taken = await finished(path, begun.id)
  if (taken.state !== 'complete') throw new OperatorError(`the snapshot is ${taken.state}: ${taken.detail ?? ''}`)
  process.stderr.write(`${taken.read} of ${taken.total} parameters read\n`)
  process.stdout.write(`${taken.id}\n`)
}

/** Waits for the end of a reading, and prints how far it is. */
async function finished(path: string, id: number): Promise<Snapshot> {
  let printed = ''
  for (;;) {
    const { snapshots, progress } = (await callService({ method: 'GET', path })) as SnapshotList
    const found = snapshots.find((one) => one.id === id)
    if (found === undefined) throw new OperatorError('the snapshot was deleted')
    if (found.state !== 'reading') return found
    const line = progress?.waiting_for ?? `${progress?.done ?? 0} of ${progress?.total ?? found.total}`
    if (line !== printed) process.stderr.write(`${line}\n`)
    printed = line
    await delay(2000)
  }
}

async function list({ device, json }: DeviceOption & { json?: boolean }): Promise<void> {
  const answer = (await callService({ method: 'GET', path: `${await baseOf(device)}/snapshots` })) as SnapshotList
  if (json === true) process.stdout.write(`${JSON.stringify(answer.snapshots, null, 2)}\n`)
  else
    for (const one of answer.snapshots)
      process.stdout.write(
        `${[one.id, one.begun_at, one.firmware ?? '-', one.state, one.name ?? one.origin].join('\t')}\n`,
      )
}

async function diff(from: string, to: string, { device, json }: DeviceOption & { json?: boolean }): Promise<void> {
  const query = new URLSearchParams({ from, to })
  const path = `${await baseOf(device)}/snapshot-differences?${query.toString()}`
  const found = (await callService({ method: 'GET', path }, names)) as SnapshotDifferences
  if (json === true) process.stdout.write(`${JSON.stringify(found, null, 2)}\n`)
  else for (const one of found.differences) process.stdout.write(`${lineOf(one)}\n`)
  process.stderr.write(`${found.differences.length} of ${found.compared} parameters differ\n`)
}

const lineOf = (difference: SnapshotDifference): string =>
  [difference.name, sideOf(difference, 'before'), sideOf(difference, 'after'), whoOf(difference)].join('\t')

function sideOf(difference: SnapshotDifference, side: 'before' | 'after'): string {
  const label = difference[`${side}_label`]
  return `${difference[side] ?? '-'}${label === null ? '' : ` (${label})`}${difference.unit === null ? '' : ` ${difference.unit}`}`
}

const whoOf = ({ origin, write }: SnapshotDifference): string =>
  write === null ? origin : `${origin} by ${write.caller ?? write.cause} at ${write.at}`

async function exportSnapshot(id: string, { device, format }: DeviceOption & { format: string }): Promise<void> {
  const path = `${await baseOf(device)}/snapshots/${encodeURIComponent(id)}`
  const content = (await callService({ method: 'GET', path }, names)) as SnapshotContent
  const { snapshotCsv } = await import('../snapshots/snapshot-file.ts')
  process.stdout.write(format === 'csv' ? snapshotCsv(content.values) : `${JSON.stringify(content, null, 2)}\n`)
}
