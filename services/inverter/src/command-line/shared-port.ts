import { InvalidArgumentError, type Command } from 'commander'
import type { SharedClient, SharedPortView } from '../shared-port/schema.ts'
import { callService } from './call-service.ts'
import { listOption } from './options.ts'

const path = '/admin/api/shared-port'
const names = {
  'inverters.0.device_id': '--device',
  'inverters.0.port': '--port',
  'clients.0.name': 'NAME',
  'clients.0.network': 'ADDRESS',
  'clients.0.may_write': '--may-write',
}

/** Adds the commands of the shared port: on, off, allow, forbid and status. */
export function addSharedPortCommands(program: Command): void {
  const shared = program.command('shared-port').description('let other programs reach an inverter through this service')
  shared
    .command('on')
    .description('share an inverter at a port; others that are shared stay so')
    .requiredOption('--device <id>', 'the inverter')
    .option('--port <port>', 'TCP port', port, 8899)
    .action(async ({ device, port: number }: { device: string; port: number }) => {
      await change(({ inverters, ...rest }) => {
        const others = inverters.filter((one) => one.device_id !== device)
        return { ...rest, enabled: true, inverters: [{ device_id: device, port: number }, ...others] }
      })
      process.stderr.write(`${device} is shared at port ${number}\n`)
    })
  shared
    .command('off')
    .description('close all shared ports')
    .action(async () => {
      await change((settings) => ({ ...settings, enabled: false }))
      process.stderr.write('no inverter is shared\n')
    })
  shared
    .command('allow')
    .description('let a program connect; replaces what the program of that name was allowed')
    .argument('<name>', 'what the program is called')
    .argument('<address>', 'address or network that it connects from')
    .option('--may-write <metrics...>', 'approved metrics and actions that it may write; may be repeated')
    .action(async (name: string, network: string, { mayWrite = [] }: { mayWrite?: string[] }) => {
      const client: SharedClient = { name, network, may_write: listOption(mayWrite) }
      await change(({ clients, ...rest }) => ({ ...rest, clients: [client, ...without(clients, name)] }))
      process.stderr.write(`${name} may connect from ${network}\n`)
    })
  shared
    .command('forbid')
    .description('let a program connect no more')
    .argument('<name>', 'the program')
    .action(async (name: string) => {
      await change(({ clients, ...rest }) => ({ ...rest, clients: without(clients, name) }))
      process.stderr.write(`${name} may not connect\n`)
    })
  shared.command('status').description('print the shared ports and who is connected').action(printStatus)
}

async function printStatus(): Promise<void> {
  const { ports, connections } = (await callService({ method: 'GET', path })) as SharedPortView
  for (const one of ports)
    process.stdout.write(`${one.device_id}\t${one.port}\t${one.error ?? `${one.requests} requests`}\n`)
  for (const one of connections) process.stdout.write(`${one.device_id}\t${one.name}\t${one.address}\n`)
  if (ports.length === 0) process.stderr.write('no inverter is shared now\n')
}

type Settings = SharedPortView['settings']

async function change(edit: (settings: Settings) => Settings): Promise<void> {
  const { settings } = (await callService({ method: 'GET', path })) as SharedPortView
  await callService({ method: 'PUT', path, body: edit(settings) }, names)
}

const without = (clients: readonly SharedClient[], name: string): SharedClient[] =>
  clients.filter((client) => client.name !== name)

function port(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1 || number > 65_535)
    throw new InvalidArgumentError('must be a port, 1 to 65535')
  return number
}
