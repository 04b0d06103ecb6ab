import { OperatorError } from '@hearth/runtime'
import type { Command } from 'commander'
import type { CapabilityCheck } from '../capability-checks/schema.ts'
import { onOff } from './options.ts'
import { callService } from './call-service.ts'

const names = {
  status: '--verified',
  verified_device_model: '--model',
  verified_firmware: '--firmware',
  note: '--note',
  name: 'NAME',
  mode: 'MODE',
}

interface CapabilityOptions {
  device: string
  verified?: boolean
  model?: string
  firmware?: string
  note?: string
  evidence: string[]
}

/** Adds `capability`, `engineering`, `forget-dispatch` and `mode`: capabilities and control of the battery. */
export function addControlCommands(program: Command): void {
  const capability = program.command('capability').description('capabilities of an inverter')
  capability
    .command('check')
    .description('check a capability on the inverter without moving the battery, and print what was found as JSON')
    .requiredOption('--device <id>', 'the inverter')
    .argument('<name>', 'battery_power_sign_convention, grid_power_sign_convention or write_path_convention')
    .action(checkCapability)
  capability
    .command('set')
    .description('record a capability; what is not given goes back to its default')
    .requiredOption('--device <id>', 'the inverter')
    .argument('<name>', 'such as write_path_convention')
    .option('--verified', 'it was verified on this device')
    .option('--model <text>', 'device model it was verified on')
    .option('--firmware <text>', 'firmware it was verified on')
    .option('--note <text>', 'how it was verified')
    .option('--evidence <key=value...>', 'evidence; may be repeated', [])
    .action(setCapability)
  addDispatchCommands(program)
}

function addDispatchCommands(program: Command): void {
  program
    .command('engineering')
    .description('allow dispatch on an inverter whose capabilities are not verified')
    .requiredOption('--device <id>', 'the inverter')
    .argument('<on|off>', 'on or off', onOff)
    .action(async (enabled: boolean, { device }: { device: string }) => {
      const path = `/admin/api/dispatch/devices/${encodeURIComponent(device)}`
      await callService({ method: 'PUT', path, body: { engineering_mode: enabled } }, names)
      process.stderr.write(`engineering mode of ${device} is ${enabled ? 'on' : 'off'}\n`)
    })
  program
    .command('forget-dispatch')
    .description('delete an unreadable dispatch record, after the inverter was restored manually')
    .requiredOption('--device <id>', 'the inverter')
    .option('--force', 'also delete a readable record whose settings cannot be restored')
    .action(async ({ device, force = false }: { device: string; force?: boolean }) => {
      const path = `/admin/api/dispatch/devices/${encodeURIComponent(device)}/record?force=${force}`
      await callService({ method: 'DELETE', path }, names)
      process.stderr.write(`the dispatch record of ${device} is gone\n`)
    })
  program
    .command('mode')
    .description('set battery control: off, manual (the web page) or external (the API)')
    .requiredOption('--device <id>', 'the inverter')
    .argument('<mode>', 'off, manual or external')
    .action(async (mode: string, { device }: { device: string }) => {
      const path = `/admin/api/energy/devices/${encodeURIComponent(device)}/mode`
      await callService({ method: 'PUT', path, body: { mode } }, names)
      process.stderr.write(`the Energy Manager of ${device} is ${mode}\n`)
    })
}

async function checkCapability(name: string, { device }: { device: string }): Promise<void> {
  const path = `${capabilityPath(device, name)}/check`
  const { steps, outcome, detail, ...found } = (await callService({ method: 'POST', path }, names)) as CapabilityCheck
  for (const step of steps) process.stderr.write(`${step}\n`)
  process.stderr.write(`${detail}\n`)
  process.stdout.write(`${JSON.stringify({ outcome, ...found }, null, 2)}\n`)
  if (outcome !== 'found') process.exitCode = 1
}

const capabilityPath = (device: string, name: string): string =>
  `/admin/api/dispatch/devices/${encodeURIComponent(device)}/capabilities/${encodeURIComponent(name)}`

async function setCapability(name: string, options: CapabilityOptions): Promise<void> {
  const { device, verified = false, model, firmware, note, evidence } = options
  const body = {
    status: verified ? 'verified' : 'unverified',
    verified_device_model: model,
    verified_firmware: firmware,
    note,
    ...Object.fromEntries(evidence.map(readEvidence)),
  }
  const path = capabilityPath(device, name)
  await callService({ method: 'PUT', path, body }, names)
  process.stderr.write(`${name} of ${device} is ${body.status}\n`)
}

/** Evidence fields under the names of their capabilities. Both names are accepted. */
const conventions: Readonly<Record<string, (value: string) => [string, unknown]>> = {
  battery_power_sign_convention: (value) => ['battery_discharge_positive', value === 'battery_discharge_positive'],
  grid_power_sign_convention: (value) => ['grid_import_positive', value === 'grid_import_positive'],
  write_path_convention: (value) => ['soc_strategy_external_code', Number(value)],
}

function readEvidence(text: string): [string, unknown] {
  const [, key, value] = /^(\w+)=(.*)$/s.exec(text) ?? []
  if (key === undefined || value === undefined)
    throw new OperatorError(`--evidence: ${text} is not of the form key=value`)
  const convention = conventions[key]
  if (convention !== undefined) return convention(value)
  if (value === 'true' || value === 'false') return [key, value === 'true']
  return [key, value !== '' && Number.isFinite(Number(value)) ? Number(value) : value === 'null' ? null : value]
}
