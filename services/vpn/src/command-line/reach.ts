import { join } from 'node:path'
import { createLog, lockDataDirectory, OperatorError, systemClock } from '@hearth/runtime'
import { Option } from 'commander'
import type { Kysely } from 'kysely'
import { AsCode, type Trial } from '../as-code/as-code.ts'
import { faultLines } from '../as-code/describe.ts'
import { openOfflineParts } from '../as-code/offline-parts.ts'
import { openTrial } from '../as-code/trial.ts'
import { PeerPauses } from '../filtering/pauses/pauses.ts'
import type { DnsPeerPause } from '../filtering/pauses/schema.ts'
import { importDns } from '../dns-import/dns-import.ts'
import type { DnsImport, DnsImportReport } from '../dns-import/schema.ts'
import type { DnsProfile } from '../filtering/profiles/schema.ts'
import { createHostLinks } from '../interfaces/host-links.ts'
import { Problem } from '../problems.ts'
import type { Tables } from '../tables.ts'
import { chooseForHost, openDataPlane } from '../wireguard/choose-driver.ts'
import { createCommandRunner } from '../wireguard/command.ts'
import { withStorage } from './data.ts'
import { openRemote } from './remote.ts'

/** Options that say which service a command is about. */
export interface ReachOptions {
  readonly url?: string
  readonly tokenFile?: string
}

/** What exports and applies. */
export type WantedStateAccess = Pick<AsCode, 'export' | 'apply'>

/** A service for commands: the database of a stopped one, or a running one over its API. */
export interface ServiceAccess {
  readonly state: WantedStateAccess
  /** Takes over the settings of another DNS filter. */
  readonly importDns: (input: DnsImport) => Promise<DnsImportReport>
  readonly profiles: {
    /** By name. */
    list(): Promise<readonly DnsProfile[]>
    /** Blocks nothing for the devices of a profile for so many seconds; 0 blocks again. */
    pause(id: string, seconds: number): Promise<unknown>
  }
  /** Pauses that devices made of their own filter. */
  readonly pauses: {
    list(): Promise<readonly DnsPeerPause[]>
    end(peer: string): Promise<unknown>
  }
}

/** Options of commands that work on a running service as well. */
export const reach = [
  new Option('--url <address>', 'use the running service at this address').env('HEARTH_VPN_URL'),
  new Option('--token-file <file>', 'file with an API token for it; - reads standard input'),
]

/** Does the work on a running service, or on the data of a stopped one. */
export async function withAccess(
  { url, tokenFile }: ReachOptions,
  { isReading }: { isReading: boolean },
  work: (access: ServiceAccess) => Promise<void>,
): Promise<void> {
  if (url !== undefined) return work(await openRemote(url, tokenFile))
  await withStorage(async ({ database, sealer, config }) => {
    using _lock = isReading ? { [Symbol.dispose]: () => undefined } : lockDataDirectory(config.dataDirectory)
    const run = createCommandRunner()
    const { backend } = await chooseForHost(config.backend, run)
    const { driver } = openDataPlane(backend, { directory: config.dataDirectory, run })
    const log = createLog({ name: 'apply', level: 'warn' })
    const dependencies = {
      database,
      sealer,
      clock: systemClock,
      log,
      host: createHostLinks(driver),
      directory: join(config.dataDirectory, 'dns'),
    }
    try {
      await using offline = await openOfflineParts(dependencies)
      // As the first start would: what is in the file is compared with what a new installation has.
      if (!isReading) await offline.lists.makeDefaults()
      const { parts, lists } = offline
      const state = new AsCode({ parts, openTrial: () => openTrial(dependencies), onChanged: () => undefined })
      const filter = { db: database.query, filtering: parts.dns, lists }
      await work({
        state,
        importDns: (input) => importDns(filter, input, 'command line'),
        profiles: storedProfiles(offline),
        pauses: await storedPauses(database.query),
      })
    } finally {
      await driver.close()
    }
  })
}

/** Profiles in the database of a stopped service. */
function storedProfiles({ parts: { dns } }: Pick<Trial, 'parts'>): ServiceAccess['profiles'] {
  return {
    list: async () => (await dns.profiles.list({ limit: 100, offset: 0 })).rows,
    pause: (id, seconds) => dns.profiles.pause(id, seconds),
  }
}

async function storedPauses(db: Kysely<Tables>): Promise<ServiceAccess['pauses']> {
  const pauses = new PeerPauses({
    db,
    timers: { now: () => systemClock.now(), after: () => () => undefined },
    log: { error: () => undefined },
    peersChanged: () => Promise.resolve(true),
  })
  await pauses.open()
  return pauses
}

/** Does the work; a problem becomes one line for each thing that is wrong, with the file and the line in it. */
export async function inLines<T>(file: string, work: () => Promise<T>, { hasLines = true } = {}): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Problem ? new OperatorError(faultLines(file, error, hasLines), { cause: error }) : error
  }
}
