import type { Condition, Reports } from '@hearth/notifications'
import type { SampleReport } from '../peers/sample-report.ts'
import type { Sampler } from '../peers/sampler.ts'
import type { PeerWatch } from '../hints/peer-watch.ts'
import type { PlaceHistory } from '../hints/two-places.ts'

export interface PeerReportsDependencies {
  readonly reports: Reports
  readonly peers: Pick<Sampler, 'peer'>
  readonly watch: Pick<PeerWatch, 'suspicious' | 'hasSeen'>
}

/** Creates the reports about peers. */
export function createPeerReports({ reports, peers, watch }: PeerReportsDependencies) {
  return {
    /** Reports peers that connected for the first time in a round of sampling. */
    sampled({ first }: Pick<SampleReport, 'first'>): void {
      for (const { id, name, interface: on } of first) {
        const title = `${name} connected for the first time`
        const text = `On ${on}. If you did not expect this, disable the peer.`
        reports.notify({ class: 'peer.first-connection', title, text, path: peerPath(id) })
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
      const conditions = watch.suspicious().map(({ id, history }): Condition => {
        const title = `The key of ${peers.peer(id)?.name ?? 'a peer'} is used from two places`
        return { subject: id, title, text: placesText(history), path: '/hints' }
      })
      reports.replaceAll('peer.two-places', conditions, {
        // After a start nothing is known of a peer before it is seen.
        isKept: (id) => !watch.hasSeen(id) && peers.peer(id) !== undefined,
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

function placesText({ sightings }: PlaceHistory): string {
  const hosts = [...new Set(sightings.map(({ host }) => host))].slice(-3)
  return `Its address goes back and forth between ${hosts.join(' and ')}. Two devices may share it: give each its own peer.`
}
