import type { Kysely } from 'kysely'
import { gatewaysOf } from '../interfaces/desired-devices.ts'
import { hostsOf } from '../interfaces/network-checks.ts'
import { findInterfaceRow } from '../interfaces/store.ts'
import { notFound } from '../problems.ts'
import type { Tables } from '../tables.ts'
import type { AnswerPage } from './page-listeners.ts'
import type { PageAnswer, PageRequest } from './page-request.ts'

export interface PagesOnNodesDependencies {
  readonly db: Kysely<Tables>
  /** The port of the page on nodes; null while it is off. */
  readonly port: () => number | null
  /** Loads what answers, with the first request. */
  readonly load: () => Promise<AnswerPage>
}

/** A request that came to a node: where it came to, the source address of its connection, and the request itself. */
export interface NodePageRequest {
  readonly interface: string
  readonly address: string
  readonly from: string
  readonly request: PageRequest
}

/**
 * Creates the answers to requests that peers made to their page on a node. The node says which interface a request came through, and
 * is believed for the interfaces that it runs: it has their keys.
 */
export function createPagesOnNodes({ db, port: portNow, load }: PagesOnNodesDependencies) {
  let loaded: Promise<AnswerPage> | undefined
  return async (nodeId: string, { interface: name, address, from, request }: NodePageRequest): Promise<PageAnswer> => {
    const row = await findInterfaceRow(db, name)
    const port = portNow()
    const isThere = row?.enabled === 1 && hostsOf(row).includes(nodeId)
    if (port === null || !isThere || !gatewaysOf(row).includes(address)) throw notFound(`page of ${name} on this node`)
    loaded ??= load()
    return (await loaded)(request, { place: { interface: name, address, port }, from })
  }
}
