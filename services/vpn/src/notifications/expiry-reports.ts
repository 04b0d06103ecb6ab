import type { Condition, Reports } from '@hearth/notifications'
import type { Clock } from '@hearth/runtime'
import { expiresWithin, type FollowedPeer, isExpired } from '../peers/followed-peer.ts'

/** Time after its date in which an expired peer is told, milliseconds: one that expired long ago is nobody's news. */
const toldAfter = 86_400_000

export interface ExpiryReportsDependencies {
  readonly reports: Pick<Reports, 'replaceAll'>
  readonly peers: {
    peer(id: string): FollowedPeer | undefined
    peers(): Iterable<FollowedPeer>
  }
  readonly clock: Pick<Clock, 'now'>
  /** Days before the date at which a peer is told; 0 for not at all. */
  readonly warningDays: () => number
}

/** Creates the check of peers that expire soon and of those that just did. Each is told once for one date. */
export function createExpiryReports({ reports, peers, clock, warningDays }: ExpiryReportsDependencies): () => void {
  return () => {
    const now = clock.now()
    const expiring: Condition[] = []
    const expired: Condition[] = []
    for (const peer of peers.peers()) {
      if (peer.expires_at === null || peer.enabled === 0) continue
      if (expiresWithin(peer, warningDays(), now)) expiring.push(expiringText(peer, now))
      else if (isExpired(peer.expires_at, now) && now - peer.expires_at < toldAfter) expired.push(expiredText(peer))
    }
    // A subject stays as long as its date does, so that nothing is told twice; another date is another subject.
    const isPresent = (subject: string) => {
      const peer = peers.peer(subject.slice(0, subject.indexOf(' ')))
      return peer !== undefined && subjectOf(peer) === subject
    }
    const others = { isKept: isPresent, ended: () => undefined }
    reports.replaceAll('peer.expiring', expiring, others)
    reports.replaceAll('peer.expired', expired, others)
  }
}

const subjectOf = ({ id, expires_at: at }: FollowedPeer): string => `${id} ${at}`

function expiringText(peer: FollowedPeer, now: number): Condition {
  return {
    subject: subjectOf(peer),
    title: `${peer.name} expires ${inTime((peer.expires_at ?? now) - now)}`,
    text: `At ${utcText(peer.expires_at)} it is cut off. Set a later date if it should stay.`,
    path: `/peers/${peer.id}`,
  }
}

function expiredText(peer: FollowedPeer): Condition {
  return {
    subject: subjectOf(peer),
    title: `${peer.name} has expired`,
    text: `It is cut off since ${utcText(peer.expires_at)}. Set a later date to let it in again, or delete it.`,
    path: `/peers/${peer.id}`,
  }
}

/** A time to come in words, rounded: `in 3 days`, `in 5 hours`, `within two hours`. */
function inTime(ms: number): string {
  const days = Math.round(ms / 86_400_000)
  if (days >= 2) return `in ${days} days`
  const hours = Math.round(ms / 3_600_000)
  return hours >= 2 ? `in ${hours} hours` : 'within two hours'
}

/** A time as people write it, such as `2026-12-03 10:00 UTC`. */
function utcText(at: number | null): string {
  return `${new Date(at ?? 0).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
