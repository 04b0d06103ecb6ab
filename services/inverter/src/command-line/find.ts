import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '@hearth/runtime'
import type { Command } from 'commander'
import type { FoundEndpoint, InverterSearchView } from '../discovery/schema.ts'
import { callService } from './call-service.ts'
import { listOption } from './options.ts'

const path = '/admin/api/inverter-search'
const names = { networks: '--network' }

/** Adds `find`, the search for inverters in the networks of this host. */
export function addFindCommand(program: Command): void {
  program
    .command('find')
    .description('search the networks of this host for inverters; the service must run')
    .option('--network <cidr...>', 'networks to search, of those of this host; all of them when left out')
    .option('--json', 'print what was found as JSON')
    .action(find)
}

async function find({ network, json }: { network?: string[]; json?: boolean }): Promise<void> {
  const wanted = network === undefined ? await searchable() : listOption(network)
  let view = (await callService({ method: 'POST', path, body: { networks: wanted } }, names)) as InverterSearchView
  process.stderr.write(`searching ${view.searched.join(', ')}\n`)
  const printed = new Set<string>()
  const print = () => {
    for (const one of view.found)
      if (json !== true && !printed.has(one.address)) process.stdout.write(`${lineOf(one)}\n`)
    for (const { address } of view.found) printed.add(address)
  }
  while (view.state === 'searching') {
    print()
    await delay(1000)
    view = (await callService({ method: 'GET', path })) as InverterSearchView
  }
  print()
  if (json === true) process.stdout.write(`${JSON.stringify(view.found, null, 2)}\n`)
  process.stderr.write(`${view.checked} of ${view.total} addresses checked\n`)
}

async function searchable(): Promise<string[]> {
  const { networks } = (await callService({ method: 'GET', path })) as InverterSearchView
  const found = networks.filter(({ reason }) => reason === null).map(({ network }) => network)
  if (found.length === 0)
    throw new OperatorError(
      'this host is in no private network of at most 1,024 addresses; name some in SEARCH_NETWORKS',
    )
  return found
}

const lineOf = ({ address, port, kind, serial, name, firmware, detail }: FoundEndpoint): string =>
  [`${address}:${port}`, kind, serial ?? '-', name ?? '-', firmware ?? '-', ...(detail === null ? [] : [detail])].join(
    '\t',
  )
