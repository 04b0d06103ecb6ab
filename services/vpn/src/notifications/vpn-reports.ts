import { createRepeatFilter, type Condition, type Reports } from '@hearth/notifications'
import type { Kysely } from 'kysely'
import type { HealthNotice } from '../health/schema.ts'
import { allInterfaceRows } from '../interfaces/store.ts'
import { allListRows } from '../lists/store.ts'
import type { SampleReport, Sampler } from '../peers/sampler.ts'
import type { Tables } from '../tables.ts'
import { hostOfEndpoint } from '../traffic/bucket.ts'
import type { Tunnels } from '../wireguard/tunnels.ts'
import { notePlace, type PlaceHistory } from './two-places.ts'

export interface VpnReportsDependencies {
  readonly reports: Reports
  readonly db: Kysely<Tables>
  readonly tunnels: Pick<Tunnels, 'state'>
  readonly peers: Pick<Sampler, 'peer'>
  readonly health: () => Promise<readonly HealthNotice[]>
}

/** Notices without which devices get no names. */
const dnsCodes: ReadonlySet<HealthNotice['code']> = new Set([
  'resolver_down',
  'resolver_unreachable',
  'upstreams_failing',
])

/** Creates the reports of what the service observes. */
export function createVpnReports({ reports, db, tunnels, peers, health }: VpnReportsDependencies) {
  const places = new Map<string, PlaceHistory>()
  const filterDns = createRepeatFilter()

  function checkPlaces(): void {
    for (const id of places.keys()) if (peers.peer(id) === undefined) places.delete(id)
    const conditions = [...places].flatMap(([id, history]): Condition[] => {
      if (!history.isSuspicious) return []
      const title = `The key of ${peers.peer(id)?.name ?? 'a peer'} is used from two places`
      return [{ subject: id, title, text: placesText(history), path: peerPath(id) }]
    })
    reports.replaceAll('peer.two-places', conditions, {
      // After a start nothing is known of a peer before it is seen.
      isKept: (id) => !places.has(id) && peers.peer(id) !== undefined,
      ended(id) {
        const name = peers.peer(id)?.name
        const title = `The key of ${name} is used from one place again`
        return name === undefined ? undefined : { title, text: '', path: peerPath(id) }
      },
    })
  }

  async function checkInterfaces(): Promise<void> {
    const enabled = (await allInterfaceRows(db)).filter((row) => row.enabled === 1)
    const conditions = enabled.flatMap(({ name }): Condition[] => {
      const { status, reason } = tunnels.state(name)
      if (status !== 'error') return []
      return [{ subject: name, title: `Interface ${name} is down`, text: `${reason ?? 'No reason is known'}.`, path }]
    })
    const names = new Set(enabled.map(({ name }) => name))
    reports.replaceAll('interface.down', conditions, {
      ended: (name) => (names.has(name) ? { title: `Interface ${name} is up again`, text: '', path } : undefined),
    })
  }

  async function checkLists(): Promise<void> {
    const enabled = (await allListRows(db)).filter((row) => row.enabled === 1)
    const listPath = '/dns/lists'
    const conditions = enabled.flatMap(({ id, name, last_error: error }): Condition[] => {
      if (error === null) return []
      const text = `${error}. Its old text stays in force.`
      return [{ subject: String(id), title: `Block list ${name} cannot be updated`, text, path: listPath }]
    })
    const names = new Map(enabled.map(({ id, name }) => [String(id), name]))
    reports.replaceAll('list.failing', conditions, {
      ended(id) {
        const name = names.get(id)
        return name === undefined
          ? undefined
          : { title: `Block list ${name} is updated again`, text: '', path: listPath }
      },
    })
  }

  async function checkDns(): Promise<void> {
    const notices = (await health()).filter(({ code }) => dnsCodes.has(code))
    const conditions = notices.map(({ code, title, detail, advice }) => {
      return { subject: code, title, text: `${detail} ${advice}`, path: '/dns' }
    })
    const { repeated, isKept } = filterDns(conditions)
    reports.replaceAll('dns.failing', repeated, {
      isKept,
      ended: () => ({ title: 'DNS answers again', text: '', path: '/dns' }),
    })
  }

  return {
    /** Reports what a round of sampling found about the peers. */
    sampled({ at, first, changed }: Pick<SampleReport, 'at' | 'first' | 'changed'>): void {
      for (const { id, name, interface: on } of first) {
        const text = `On ${on}. If you did not expect this, disable the peer.`
        reports.notify({
          class: 'peer.first-connection',
          title: `${name} connected for the first time`,
          text,
          path: peerPath(id),
        })
      }
      for (const { id, activity } of changed) {
        const host = hostOfEndpoint(activity.endpoint)
        if (host !== '') places.set(id, notePlace(places.get(id), host, at))
      }
    },
    /** Reports peers, interfaces, lists and DNS as they are now. */
    async check(): Promise<void> {
      checkPlaces()
      await checkInterfaces()
      await checkLists()
      await checkDns()
    },
  }
}

const path = '/interfaces'

const peerPath = (id: string): string => `/peers/${id}`

function placesText({ host, left }: PlaceHistory): string {
  const others = [...left.keys()].slice(-3)
  return `Its address goes back and forth between ${[host, ...others].join(' and ')}. Two devices may share it: give each its own peer.`
}
