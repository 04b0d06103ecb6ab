import { createRepeatFilter, type Condition, type Reports } from '@hearth/notifications'
import type { Kysely } from 'kysely'
import type { HealthNotice } from '../health/schema.ts'
import { allInterfaceRows } from '../interfaces/store.ts'
import { allListRows } from '../lists/store.ts'
import type { Tables } from '../tables.ts'
import type { Nodes } from '../nodes/nodes.ts'
import type { Tunnels } from '../wireguard/tunnels.ts'

export interface ServiceReportsDependencies {
  readonly reports: Reports
  readonly db: Kysely<Tables>
  readonly tunnels: Pick<Tunnels, 'state'>
  readonly nodes: Pick<Nodes, 'isEnabled' | 'list'>
  readonly health: () => Promise<readonly HealthNotice[]>
}

/** Notices without which devices get no names. */
const dnsCodes: ReadonlySet<HealthNotice['code']> = new Set([
  'resolver_down',
  'resolver_unreachable',
  'upstreams_failing',
  'node_dns',
])

/** Creates the check of interfaces, block lists, nodes and DNS. */
export function createServiceReports(dependencies: ServiceReportsDependencies): () => Promise<void> {
  const { reports, health } = dependencies
  const filterRepeated = createRepeatFilter()
  return async () => {
    await checkInterfaces(dependencies)
    await checkLists(dependencies)
    await checkNodes(dependencies)
    const notices = (await health()).filter(({ code }) => dnsCodes.has(code))
    const conditions = notices.map(({ code, title, detail, advice }) => {
      const path = code === 'node_dns' ? '/interfaces/nodes' : '/dns'
      return { subject: code, title, text: `${detail} ${advice}`, path }
    })
    const { repeated, isKept } = filterRepeated(conditions)
    reports.replaceAll('dns.failing', repeated, {
      isKept,
      ended: () => ({ title: 'DNS answers again', text: '', path: '/dns' }),
    })
  }
}

async function checkInterfaces({ reports, db, tunnels }: ServiceReportsDependencies): Promise<void> {
  const path = '/interfaces'
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

async function checkNodes({ reports, nodes }: ServiceReportsDependencies): Promise<void> {
  const path = '/interfaces/nodes'
  const known = nodes.isEnabled ? (await nodes.list()).nodes : []
  const conditions = known.flatMap(({ id, name, status, address }): Condition[] => {
    if (status !== 'lost') return []
    const text = `Nothing was heard of it${address === null ? '' : ` at ${address}`} for 90 seconds or longer.`
    return [{ subject: id, title: `Node ${name} does not report`, text, path }]
  })
  const names = new Map(known.map(({ id, name }) => [id, name]))
  reports.replaceAll('node.lost', conditions, {
    ended(id) {
      const name = names.get(id)
      return name === undefined ? undefined : { title: `Node ${name} reports again`, text: '', path }
    },
  })
}

async function checkLists({ reports, db }: ServiceReportsDependencies): Promise<void> {
  const path = '/dns/lists'
  const enabled = (await allListRows(db)).filter((row) => row.enabled === 1)
  const conditions = enabled.flatMap(({ id, name, last_error: error }): Condition[] => {
    if (error === null) return []
    return [
      {
        subject: id,
        title: `Block list ${name} cannot be updated`,
        text: `${error}. Its old text stays in force.`,
        path,
      },
    ]
  })
  const names = new Map(enabled.map(({ id, name }) => [id, name]))
  reports.replaceAll('list.failing', conditions, {
    ended(id) {
      const name = names.get(id)
      return name === undefined ? undefined : { title: `Block list ${name} is updated again`, text: '', path }
    },
  })
}
