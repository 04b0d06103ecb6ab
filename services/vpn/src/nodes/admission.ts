import { X509Certificate } from 'node:crypto'
import type { SecurityLog } from '@hearth/accounts/security-log'
import { hashToken } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import type { Clock, Log } from '@hearth/runtime'
import { badRequest, forbidden } from '../problems.ts'
import type { Tables } from '../tables.ts'
import { fingerprintOf, type NodeAuthority } from './authority.ts'
import type { JoinAnswer, JoinRequest, Report, ReportAnswer } from './link-schema.ts'
import { lostAfterMs, reportedColumn } from './node-statuses.ts'
import type { NodeInstances } from './node-instances.ts'
import type { NodeTraffic } from './node-traffic.ts'
import * as store from './store.ts'
import type { NodeRow } from './tables.ts'

export interface AdmissionDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly authority: Pick<NodeAuthority, 'sign'>
  readonly securityLog: Pick<SecurityLog, 'record'>
  readonly traffic: Pick<NodeTraffic, 'take'>
  readonly instances: NodeInstances
  readonly log: Pick<Log, 'warn'>
  /** Called after each report, and when a node has joined. */
  readonly onStored: () => Promise<void>
  /** Called when a node has joined, is back, or says something else than before. */
  readonly onChanged: (id: string) => void
}

/** Decides who is a node, and keeps what nodes report. */
export class Admission {
  readonly #dependencies: AdmissionDependencies

  constructor(dependencies: AdmissionDependencies) {
    this.#dependencies = dependencies
  }

  /** Makes a host the node that its token was made for. A token works once; every other text gets the same answer. */
  async join({ token, certificate_request: request, version }: JoinRequest, address: string): Promise<JoinAnswer> {
    const { database, clock, authority, securityLog, onStored, onChanged } = this.#dependencies
    const hash = hashToken(token)
    const now = clock.now()
    const node = await store.findJoiningNode(database.query, hash, now)
    if (node === undefined) throw tokenIsOver()
    const certificate = await authority.sign(node.id, request)
    if (certificate === undefined) throw badRequest('certificate_request is not a request for a P-256 key')
    const fingerprint = fingerprintOf(new X509Certificate(certificate))
    const isFirst = await database.query.transaction().execute(async (trx) => {
      if (!(await store.useJoinToken(trx, hash))) return false
      const silent = { reported: null, reported_dns: null, reported_networks: null }
      const changes = { fingerprint, joined_at: now, last_seen_at: now, address, version, ...silent }
      await store.updateNodeRow(trx, node.id, changes)
      return true
    })
    if (!isFirst) throw tokenIsOver()
    const from = { address, userAgent: `hearth/${version}` }
    this.#dependencies.instances.forget(node.id)
    await securityLog.record({ kind: 'node_joined', from, target: node.name })
    await onStored()
    onChanged(node.id)
    return { ...node, certificate }
  }

  /** Finds the node behind a certificate that the authority signed; undefined when it was removed or has joined again since. */
  identify(certificate: X509Certificate): Promise<NodeRow | undefined> {
    return store.findNodeByFingerprint(this.#dependencies.database.query, fingerprintOf(certificate))
  }

  /** Keeps a report of a node, and counts the traffic in it. */
  async report(node: NodeRow, report: Report, address: string): Promise<ReportAnswer> {
    const { database, clock, traffic, onStored, onChanged } = this.#dependencies
    const now = clock.now()
    const counted = await traffic.take(node, report)
    const dns = report.dns === undefined ? null : JSON.stringify(report.dns)
    const said = { address, version: report.version, reported: reportedColumn(report), reported_dns: dns }
    const networks = report.networks === undefined ? {} : { reported_networks: JSON.stringify(report.networks) }
    await store.updateNodeRow(database.query, node.id, { last_seen_at: now, ...said, ...networks })
    await onStored()
    const isDuplicated = this.#noteInstance(node, report, { address, now })
    const isBack = now - (node.last_seen_at ?? 0) > lostAfterMs
    const isOther = (Object.keys(said) as (keyof typeof said)[]).some((member) => node[member] !== said[member])
    if (isBack || isOther || isDuplicated) onChanged(node.id)
    return { name: node.name, ...(counted === null ? {} : { counted }) }
  }

  #noteInstance(node: NodeRow, { instance }: Report, { address, now }: { address: string; now: number }): boolean {
    const { instances, log } = this.#dependencies
    if (instance === undefined || !instances.seen(node.id, { instance, address, now })) return false
    const addresses = instances.duplicatesOf(node.id, now)
    log.warn({ node: node.name, addresses }, 'two hosts report by turns as one node: its files were copied')
    return true
  }
}

const tokenIsOver = () =>
  forbidden('This join token does not work: it was used, has ended, or is not one of this service. Make a new one.')
