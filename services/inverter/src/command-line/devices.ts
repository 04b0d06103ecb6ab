import { OperatorError } from '@hearth/runtime'
import type { Command } from 'commander'
import type { AdminDevice, ConnectionResult } from '../devices/schema.ts'
import { listOption, numberOption, onOff } from './options.ts'
import { callService } from './call-service.ts'

const names = {
  device_id: '--id',
  host: '--host',
  port: '--port',
  network_id: '--network-id',
  display_name: '--name',
  max_charge_power_w: '--charge',
  max_discharge_power_w: '--discharge',
  write_names: 'NAME',
}

/** Adds the commands for inverters, write permissions and power limits. */
export function addDeviceCommands(program: Command): void {
  addListCommands(program.command('device').description('configured inverters'))
  addPermissionCommands(program)
}

function addListCommands(device: Command): void {
  device
    .command('add')
    .description('add an inverter')
    .requiredOption('--id <id>', 'name in paths')
    .requiredOption('--host <host>', 'host name or address')
    .option('--port <port>', 'TCP port', numberOption('--port'), 8899)
    .option(
      '--network-id <number>',
      'plant address of a further inverter behind the endpoint',
      numberOption('--network-id'),
    )
    .option('--name <text>', 'name for people')
    .action(async (options: { id: string; host: string; port: number; networkId?: number; name?: string }) => {
      const { id, host, port, networkId, name } = options
      const body = { device_id: id, host, port, network_id: networkId ?? null, display_name: name }
      await callService({ method: 'POST', path: '/admin/api/devices', body }, names)
      process.stderr.write(`device ${id} added\n`)
    })
  device
    .command('list')
    .description('print the inverters, one per line: id, host, port, network id, state')
    .option('--json', 'print them as JSON')
    .action(listDevices)
  addRemoveCommand(device)
  addTestCommand(device)
}

function addTestCommand(device: Command): void {
  device
    .command('test')
    .description('test the connection to an inverter, one step per line with what to do; the service must run')
    .requiredOption('--host <host>', 'host name or address')
    .option('--port <port>', 'TCP port', numberOption('--port'), 8899)
    .option('--network-id <number>', 'plant address', numberOption('--network-id'))
    .option('--json', 'print the result as JSON')
    .action(testConnection)
}

interface TestOptions {
  readonly host: string
  readonly port: number
  readonly networkId?: number
  readonly json?: boolean
}

async function testConnection({ host, port, networkId, json }: TestOptions): Promise<void> {
  const body = { host, port, network_id: networkId ?? null }
  const answer = await callService({ method: 'POST', path: '/admin/api/connection-test', body }, names)
  const result = answer as ConnectionResult
  if (json === true) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
  else
    for (const { name, state, text, advice } of result.steps)
      process.stdout.write(`${[name, state, text, ...(advice === null ? [] : [advice])].join('\t')}\n`)
  if (!result.reachable) throw new OperatorError(result.detail)
}

function addRemoveCommand(device: Command): void {
  device
    .command('remove')
    .description('remove an inverter; a running dispatch is stopped first')
    .argument('[id]')
    .option('--id <id>', 'name in paths')
    .action(async (argument: string | undefined, { id = argument }: { id?: string }) => {
      if (id === undefined) device.error('hearth: --id is missing')
      await callService({ method: 'DELETE', path: `/admin/api/devices/${encodeURIComponent(id ?? '')}` })
      process.stderr.write(`device ${id} removed\n`)
    })
}

async function listDevices({ json }: { json?: boolean }): Promise<void> {
  const answer = await callService({ method: 'GET', path: '/admin/api/devices' })
  const { devices } = answer as { devices: AdminDevice[] }
  if (json === true) process.stdout.write(`${JSON.stringify(devices, null, 2)}\n`)
  else
    for (const one of devices)
      process.stdout.write(
        `${[one.device_id, one.is_simulated ? 'simulated' : one.host, one.port, one.network_id ?? '-', one.state].join('\t')}\n`,
      )
}

function addPermissionCommands(program: Command): void {
  program
    .command('write-access')
    .description('turn write access on or off; takes effect immediately')
    .argument('<on|off>', 'on or off', onOff)
    .action(async (enabled: boolean) => {
      await callService({ method: 'PUT', path: '/admin/api/write-access', body: { enabled } })
      process.stderr.write(`write access is ${enabled ? 'on' : 'off'}\n`)
    })
  for (const [command, description, done] of [
    ['approve', 'allow writing metrics and actions', 'approved'],
    ['revoke', 'no longer allow writing metrics and actions', 'revoked'],
  ] as const)
    program
      .command(command)
      .description(description)
      .argument('<names...>', 'metric names')
      .action(async (args: string[]) => {
        const given = listOption(args)
        const path = '/admin/api/parameters'
        await callService({ method: 'PATCH', path, body: { [command]: given } }, { ...names, [command]: 'NAME' })
        process.stderr.write(`${done} ${given.join(', ')}\n`)
      })
  program
    .command('limits')
    .description('set how much power a dispatch may use, watts')
    .requiredOption('--device <id>', 'the inverter')
    .option('--charge <watts>', 'charging', numberOption('--charge'))
    .option('--discharge <watts>', 'discharging', numberOption('--discharge'))
    .action(async ({ device, charge, discharge }: { device: string; charge?: number; discharge?: number }) => {
      const body = { max_charge_power_w: charge, max_discharge_power_w: discharge }
      const path = `/admin/api/dispatch/devices/${encodeURIComponent(device)}`
      await callService({ method: 'PUT', path, body }, names)
      process.stderr.write(`limits of ${device} set\n`)
    })
}
