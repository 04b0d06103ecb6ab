import type { Condition, Reports } from '@hearth/notifications'
import type { SampleReport, Sampler } from '../peers/sampler.ts'
import { hostOfEndpoint } from '../traffic/bucket.ts'
import { notePlace, type PlaceHistory } from './two-places.ts'

export interface PeerReportsDependencies {
  readonly reports: Reports
  readonly peers: Pick<Sampler, 'peer'>
}

/** Creates the reports about peers. */
export function createPeerReports({ reports, peers }: PeerReportsDependencies) {
  const places = new Map<string, PlaceHistory>()
  return {
    /** Reports peers that connected for the first time in a round of sampling, and remembers where peers are. */
    sampled({ at, first, changed }: Pick<SampleReport, 'at' | 'first' | 'changed'>): void {
      for (const { id, name, interface: on } of first) {
        const title = `${name} connected for the first time`
        const text = `On ${on}. If you did not expect this, disable the peer.`
        reports.notify({ class: 'peer.first-connection', title, text, path: peerPath(id) })
      }
      for (const { id, activity } of changed) {
        const host = hostOfEndpoint(activity.endpoint)
        if (host !== '') places.set(id, notePlace(places.get(id), host, at))
      }
    },
    /** Reports that a device got its configuration by a set-up link. */
    linkUsed({ peerId, name, address }: { peerId: string; name: string; address: string }): void {
      const title = `The set-up link of ${name} was used`
      const text = `From ${address}. If that was not the person it was meant for, delete the peer: whoever used the link has its key.`
      reports.notify({ class: 'peer.setup-link-used', title, text, path: peerPath(peerId) })
    },
    /** Reports the peers whose keys seem to be used from two places. */
    check(): void {
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
    },
  }
}

const peerPath = (id: string): string => `/peers/${id}`

function placesText({ host, left }: PlaceHistory): string {
  const others = [...left.keys()].slice(-3)
  return `Its address goes back and forth between ${[host, ...others].join(' and ')}. Two devices may share it: give each its own peer.`
}
