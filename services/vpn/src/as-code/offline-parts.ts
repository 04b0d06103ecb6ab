import type { Sealer } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import type { Clock, Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { AccessInForce } from '../access-rules/access-in-force.ts'
import { AccessGroups } from '../access-rules/groups.ts'
import type { AccessTable } from '../access-rules/policy/table.ts'
import { AccessRules } from '../access-rules/rules.ts'
import { Profiles } from '../filtering/profiles/profiles.ts'
import { ProfilesInForce } from '../filtering/profiles/profiles-in-force.ts'
import { serviceTimeZone } from '../filtering/profiles/schedule.ts'
import { LocalRecords } from '../filtering/records/records.ts'
import { Rules } from '../filtering/rules/rules.ts'
import { openDnsSettings } from '../filtering/settings.ts'
import { Zones } from '../filtering/zones/zones.ts'
import { DesiredDevices } from '../interfaces/desired-devices.ts'
import type { HostLinks } from '../interfaces/host-links.ts'
import { Interfaces } from '../interfaces/interfaces.ts'
import { Placement } from '../interfaces/placement.ts'
import { noteLeftDevice } from '../interfaces/store.ts'
import { Lists } from '../lists/lists.ts'
import { Peers } from '../peers/peers.ts'
import { openSampler, type Sampler } from '../peers/sampler.ts'
import { Quotas } from '../quotas/quotas.ts'
import { openSettings } from '../settings/settings.ts'
import type { Tables } from '../tables.ts'
import type { TunnelChanges, Tunnels } from '../wireguard/tunnels.ts'
import type { Trial } from './as-code.ts'

/** What parts stand on in which nothing runs. */
export interface OfflineDependencies {
  readonly database: Database<Tables>
  readonly sealer: Sealer
  readonly clock: Clock
  readonly log: Log
  readonly host: HostLinks
  /** `DATA_DIR/dns`. */
  readonly directory: string
}

const nothing = () => Promise.resolve()
const inForce = () => Promise.resolve(true)

/** The real parts of the service on a database alone: no tunnel, no resolver and no kernel hears of their changes. */
export async function openOfflineParts(dependencies: OfflineDependencies): Promise<Trial & { readonly lists: Lists }> {
  const { database, sealer, clock, log, host } = dependencies
  const db = database.query
  const settings = await openSettings(db)
  const sampler = await openSampler({ database, devices: noDevices, clock, log })
  const placement = new Placement()
  await placement.load(db, clock.now())
  const access = new AccessInForce({ database, table: noTable, placement, log })
  await access.reload()
  const quotas = await openQuotas(dependencies, sampler)
  const lists = openLists(dependencies)
  const profiles = profilesInForce(dependencies)
  await profiles.reload()
  const shared = {
    database,
    sealer,
    clock,
    settings: settings.current,
    tunnels: noTunnels(db),
    desired: new DesiredDevices({ db, sealer, clock }),
    sampler,
    host,
    placement,
    standbyState: () => ({ status: 'down', reason: null }) as const,
    endpointOf: () => Promise.resolve(undefined),
  }
  const ruled = { db, clock, inForce: access, hostAddresses: () => [], onGroupsChanged: nothing }
  const published = { database, clock, publish: inForce }
  return {
    lists,
    parts: {
      db,
      sealer,
      settings,
      interfaces: new Interfaces({ ...shared, onComing: nothing, onLeft: nothing, onChanged: () => access.reload() }),
      peers: new Peers({
        ...shared,
        limits,
        access,
        quotas,
        onChanged: (ids) => access.peersDeleted(ids),
      }),
      quotas,
      accessGroups: new AccessGroups(ruled),
      accessRules: new AccessRules(ruled),
      lists,
      dns: {
        rules: new Rules({ ...published, hits: () => Promise.resolve(new Map()) }),
        records: new LocalRecords(published),
        profiles: new Profiles({ ...published, inForce: profiles }),
        zones: new Zones({ ...published, states: () => undefined, test: noAnswer }),
        settings: await openDnsSettings({ db, clock, fixedUpstreams: undefined, publish: inForce }),
      },
    },
    [Symbol.asyncDispose]: () => lists.close(),
  }
}

const limits = { changed: nothing, refresh: nothing, reload: nothing }

/** Profiles whose schedules switch nothing. */
const profilesInForce = ({ database, clock, log }: OfflineDependencies): ProfilesInForce =>
  new ProfilesInForce({
    db: database.query,
    timers: { now: () => clock.now(), after: () => () => undefined },
    log,
    zone: serviceTimeZone(),
    publish: nothing,
  })

/** Quotas that stop nobody. */
function openQuotas({ database, clock, log }: OfflineDependencies, sampler: Sampler): Promise<Quotas> {
  return Quotas.open({
    db: database.query,
    clock,
    log,
    peer(id) {
      const peer = sampler.peer(id)
      return peer && { id, name: peer.name, rx: peer.activity.rx_total, tx: peer.activity.tx_total }
    },
    sample: nothing,
    limits,
    reports: { notify: () => undefined },
    onChanged: () => undefined,
  })
}

/** Lists of which none is fetched. */
function openLists({ database, log, directory }: OfflineDependencies): Lists {
  return new Lists({
    database,
    log,
    directory,
    open: (_, { signal } = {}) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('nothing is fetched here')), { once: true })
      }),
    publish: nothing,
    schedule: () => ({ hours: 0, isChosen: false }),
  })
}

const noAnswer = () => Promise.reject(new Error('nothing is asked here'))

const noDevices = { read: () => Promise.resolve(undefined), readPeer: () => Promise.resolve(undefined) }

const noTable: AccessTable = {
  apply: nothing,
  replace: nothing,
  hasDrifted: () => Promise.resolve(false),
  repair: nothing,
  remove: nothing,
}

/** Tunnels run on while the service is off; the next start takes down what was noted to be left. */
function noTunnels(db: Kysely<Tables>): Pick<Tunnels, 'withLock' | 'state'> {
  const changes: Pick<TunnelChanges, 'apply' | 'rules' | 'bring' | 'take'> = {
    apply: nothing,
    rules: () => null,
    bring: nothing,
    take: (name) => noteLeftDevice(db, name),
  }
  return {
    withLock: (_, work) => work(changes as TunnelChanges),
    state: () => ({ status: 'down', reason: null }),
  }
}
