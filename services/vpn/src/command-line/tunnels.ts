import { createLog, lockDataDirectory, systemClock, type DoctorCheck, type Environment } from '@hearth/runtime'
import { openAccessTable } from '../access-rules/policy/table.ts'
import { readConfig } from '../config.ts'
import { effectivePeerRows, interfaceRowsOn } from '../interfaces/store.ts'
import { openSampler } from '../peers/sampler.ts'
import { chooseBackend, chooseForHost, openDataPlane } from '../wireguard/choose-driver.ts'
import { createCommandRunner } from '../wireguard/command.ts'
import { describeHost, readHostFacts } from '../wireguard/host-facts.ts'
import { simulateTraffic } from '../wireguard/simulated-traffic.ts'
import { withStorage } from './data.ts'

/** Takes all tunnels of the service down and keeps what they counted. */
export async function takeAllDown(): Promise<void> {
  await withStorage(async ({ database, config }) => {
    using _lock = lockDataDirectory(config.dataDirectory)
    const run = createCommandRunner()
    const { backend } = await chooseForHost(config.backend, run)
    const { driver, firewall, limitTable } = openDataPlane(backend, { directory: config.dataDirectory, run })
    // The tunnels may have run for days without the service, and their counters are lost with the devices.
    const log = createLog({ name: 'down', level: 'warn' })
    const sampler = await openSampler({ database, devices: driver, clock: systemClock, log })
    await sampler.sample()
    await sampler.flush()
    for (const row of await interfaceRowsOn(database.query, null)) {
      const device = await driver.read(row.name)
      const isOurs = device?.publicKey === row.public_key
      if (isOurs) await driver.remove(row.name)
      else if (device !== undefined) process.stderr.write(`${row.name} has another key and is left alone\n`)
      if (isOurs) process.stderr.write(`${row.name} is down\n`)
    }
    await sampler.restart([...sampler.peers()].map((peer) => peer.id))
    await firewall.remove()
    await limitTable.remove()
    await openAccessTable(backend, run).remove()
    await driver.close()
  })
}

/** Makes simulated peers connect and transfer until the process is interrupted. */
export async function simulate(): Promise<void> {
  const log = createLog({ name: 'simulate-traffic', level: readConfig(process.env).logLevel })
  const end = new AbortController()
  process.once('SIGINT', () => end.abort())
  process.once('SIGTERM', () => end.abort())
  await withStorage(async ({ database, config }) => {
    log.info('simulating traffic; interrupt to stop')
    await simulateTraffic(config.dataDirectory, { signal: end.signal, publicKeys: () => connectedKeys(database.query) })
  })
}

async function connectedKeys(db: Parameters<typeof interfaceRowsOn>[0]): Promise<string[]> {
  const names = (await interfaceRowsOn(db, null)).filter((row) => row.enabled === 1).map((row) => row.name)
  const peers = await Promise.all(names.map((name) => effectivePeerRows(db, name, { at: systemClock.now() })))
  return peers.flat().map((peer) => peer.public_key)
}

/** Reports which data planes work on this host, and which one the service would use with these settings. */
export async function describeThisHost(environment: Environment): Promise<DoctorCheck[]> {
  const config = readConfig(environment)
  const facts = await readHostFacts(createCommandRunner())
  const { backend, reason, advice } = chooseBackend(config.backend, facts)
  return [
    {
      name: 'data plane',
      state: backend === 'simulated' ? 'degraded' : 'ok',
      detail: `${backend}: ${reason}`,
      meaning: advice ?? 'real tunnels',
    },
    ...describeHost(facts),
  ]
}
