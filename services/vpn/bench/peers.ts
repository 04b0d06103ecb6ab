import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readProcessMemory, temporaryDirectory } from '@hearth/testing'
import { createHostedService, type HostedService } from '../test/hosted-service.ts'
import { createHost, tunnelsObstacle, uniqueName } from '../test/network-hosts.ts'
import { addManyPeers } from './scenario/many-peers.ts'
import { areAllWithin, measure, tableOf, type Measured } from './scenario/measurement.ts'
import { measureSampler } from './scenario/sampling.ts'

/**
 * `npm run bench -- vpn/peers [COUNT]`: the service as a process with a userspace device and 10 000 peers on one interface,
 * measured over HTTP on its own host while it samples and checks as always. Ends with 1 when a limit is missed.
 */

/** Milliseconds. Isolation is a run of `nft` more, and a peer that leaves the device a reading of it. */
const limits = { list: 30, sample: 250, create: 10, createIsolated: 40, enable: 15, disable: 60 }
const rounds = 5

async function main(count: number): Promise<boolean> {
  const obstacle = await tunnelsObstacle()
  if (obstacle !== null) throw new Error(`this benchmark makes real tunnels: ${obstacle}`)
  await using folder = await temporaryDirectory('bench')
  await using host = await createHost('bench')
  const service = await createHostedService(host, folder.path)
  const name = uniqueName('wgb')
  await service.start()
  await service.done('POST', '/api/interfaces', { name, address: '10.64.0.1/16' })
  const notes = [`empty service: ${await memoryOf(service.pid())} MiB resident`]
  await service.stop()
  await addManyPeers(join(folder.path, 'data'), name, count)

  const begin = performance.now()
  await service.start()
  notes.push(`start with ${count} peers on a running, empty device: ${Math.round(performance.now() - begin)} ms`)
  const lists = await measureLists(service, count)
  notes.push(`after the lists: ${await memoryOf(service.pid())} MiB resident`)
  const isolated = { interface: name, client_isolation: true }
  const changes = [
    await measureCreate(service, 'create a peer, live', { limit: limits.create, interface: name }),
    await measureCreate(service, 'create an isolated peer, live', { limit: limits.createIsolated, ...isolated }),
    ...(await measureSwitch(service)),
  ]
  const sampling = await measureSampling(service)
  notes.push(`after the changes: ${await memoryOf(service.pid())} MiB resident`)
  await service.stop()
  const again = performance.now()
  await service.start()
  notes.push(`restart with all peers on the device: ${Math.round(performance.now() - again)} ms`)
  await service.stop()
  notes.push(`load of this machine at the end: ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`)
  const measured = [
    ...lists,
    ...changes,
    sampling,
    ...(await measureSampler(join(folder.path, 'data'), { rounds, hasHistory: true })),
  ]
  process.stdout.write(`${count} peers, ${rounds} rounds, medians\n${tableOf(measured)}\n${notes.join('\n')}\n`)
  return areAllWithin(measured)
}

async function measureLists(service: HostedService, count: number): Promise<Measured[]> {
  const pages = {
    'list, first page': '',
    'list, last page': `&offset=${count - 50}`,
    'list, search in names': '&search=camera 77',
    'list, search that finds nothing': '&search=no such peer',
    'list, status active': '&status=active',
    'list, status inactive, deep': `&status=inactive&offset=${Math.floor(count / 2)}`,
    'list, status disabled': '&status=disabled',
    'list, by name, deep': `&sort=name&offset=${Math.floor(count / 2)}`,
    'list, by handshake, descending': '&sort=last_handshake&order=desc',
    'list, by traffic, deep': `&sort=transfer_rx&order=desc&offset=${Math.floor(count / 2)}`,
  }
  const measured: Measured[] = []
  for (const [name, query] of Object.entries(pages)) {
    const path = `/api/peers?limit=50${query}`
    measured.push(await measure(name, { rounds, times: 40, limit: limits.list }, () => timed(service, 'GET', path)))
  }
  return measured
}

function measureCreate(
  service: HostedService,
  name: string,
  { limit, ...settings }: { limit: number; interface: string; client_isolation?: boolean },
): Promise<Measured> {
  return measure(name, { rounds, times: 40, limit }, (number) =>
    timed(service, 'POST', '/api/peers', { name: `new ${name} ${number}`, ...settings }),
  )
}

/** A peer that leaves the device while it stays in the list takes its last counters along: the device is read for them. */
async function measureSwitch(service: HostedService): Promise<Measured[]> {
  const { peers } = await service.done('GET', '/api/peers?search=new&limit=100')
  const turn = (enabled: boolean, name: string, limit: number) =>
    measure(name, { rounds, times: 15, limit }, (number) =>
      timed(service, 'PUT', `/api/peers/${peers[number].id}`, { enabled }),
    )
  return [
    await turn(false, 'disable a peer, live', limits.disable),
    await turn(true, 'enable a peer, live', limits.enable),
  ]
}

/** The service's own account of its sampling, while nothing else happens. */
async function measureSampling(service: HostedService): Promise<Measured> {
  let last = 0
  return measure('sampling of the device', { rounds: 3, times: 4, limit: limits.sample }, async () => {
    for (;;) {
      const { system } = await service.done('GET', '/api/metrics/dashboard')
      if (system.sample_duration_ms !== last) return (last = system.sample_duration_ms)
      await pause(100)
    }
  })
}

async function timed(service: HostedService, method: string, path: string, body?: unknown): Promise<number> {
  const { status, text, milliseconds } = await service.call(method, path, body)
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`)
  return milliseconds
}

/** Resident memory of a process, MiB. */
async function memoryOf(pid: number): Promise<number> {
  return Math.round((await readProcessMemory(pid)).rss)
}

const isGood = await main(Number(process.argv[2] ?? 10_000))
process.exit(isGood ? 0 : 1)
