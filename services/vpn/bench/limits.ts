import { join } from 'node:path'
import { createHost, hostsObstacle, joinHosts } from '../test/network-hosts.ts'
import { createCommandRunner } from '../src/wireguard/command.ts'
import { createLimitTable } from '../src/wireguard/limit-table.ts'
import type { PeerLimit } from '../src/wireguard/limit-text.ts'
import { areAllWithin, measure, tableOf } from './scenario/measurement.ts'

/**
 * `npm run bench -- vpn/limits [COUNT]`: what bandwidth limits cost. A TCP stream between two hosts passes the table with one
 * limit and with 10 000, none of which it reaches; then limits are changed. Ends with 1 when a limit is missed.
 */

const streamProgram = join(import.meta.dirname, '../test/stream-server.ts')
const rounds = 3

/** A limit that a stream on this machine does not reach, for the stream's own address when `number` is 0. */
function limitOf(number: number, on: string): PeerLimit {
  const host = number + 2
  return {
    id: `p${number}`,
    interface: on,
    addresses: [`10.64.${host >> 8}.${host & 255}`],
    down: 1.25e9,
    up: 1.25e9,
    networks: [],
    isStopped: false,
  }
}

async function main(count: number): Promise<boolean> {
  const obstacle = await hostsObstacle()
  if (obstacle !== null) throw new Error(`this benchmark makes hosts: ${obstacle}`)
  await using server = await createHost('limits')
  await using peer = await createHost('peer')
  const [on] = await joinHosts([server, ['10.64.0.1/16']], [peer, ['10.64.0.2/16']])
  const child = server.start(process.execPath, streamProgram, 'serve', '10.64.0.1')
  const port = await new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())),
  )
  const table = createLimitTable(createCommandRunner(server.prefix))
  const stream = async () => Number(await peer.run(process.execPath, streamProgram, 'down', '10.64.0.1', port.trim()))
  const all = Array.from({ length: count }, (_, number) => limitOf(number, on))
  const rates: Record<'none' | 'one' | 'all', number[]> = { none: [], one: [], all: [] }
  for (let round = 0; round < rounds; round += 1)
    for (const [name, limits] of [['none', []] as const, ['one', all.slice(0, 1)] as const, ['all', all] as const]) {
      await table.replace(limits)
      rates[name].push(await stream())
    }
  const best = (name: keyof typeof rates) => Math.round(Math.max(...rates[name]))
  const change = await measure(`change one of ${count} limits`, { rounds, times: 5, limit: 1000 }, async (number) => {
    const begin = performance.now()
    const changed = limitOf(number, on)
    await table.change([changed.id], [{ ...changed, down: 1e6 + Math.random() * 1e6 }])
    return performance.now() - begin
  })
  const begin = performance.now()
  const hasDrifted = await table.hasDrifted()
  const notes = [
    `a TCP stream, Mbit/s, best of ${rounds}: ${best('none')} without a table, ${best('one')} with one limit, ${best('all')} with ${count}`,
    `check of the table${hasDrifted ? ', which has drifted' : ''}: ${Math.round(performance.now() - begin)} ms`,
  ]
  process.stdout.write(`${tableOf([change])}\n${notes.join('\n')}\n`)
  return areAllWithin([change]) && !hasDrifted && best('all') > best('one') * 0.9
}

const isGood = await main(Number(process.argv[2] ?? 10_000))
process.exit(isGood ? 0 : 1)
