import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { done, messageEnvelope } from '../envelope.ts'
import type { Publish } from '../service-event.ts'
import { importPeers, type PeerImportDependencies } from './peer-import.ts'
import { maxBytes, PeerImport, PeerImportReport } from './schema.ts'

/** Peers from a file. */
export function peerImportRoutes(
  dependencies: PeerImportDependencies,
  publish: Publish,
  securityLog: SecurityLog,
): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/api/peers/import',
        tag: 'Peers',
        limit: 'counted',
        summary: 'Create peers from a file',
        description:
          'Up to 1,000 lines of comma-separated values, all of them or none. With `dry_run` the answer says what is wrong with each line; without it a 422 does, and nothing is created.',
        access: 'admin',
        body: PeerImport,
        // A quote or a line break takes two characters in JSON.
        maxBodyBytes: 2 * maxBytes + 10_000,
        success: { status: 200, body: messageEnvelope(PeerImportReport) },
        errors: [409],
      },
      async ({ body, caller, client }) => {
        const report = await importPeers(dependencies, body, { by: caller, origin: client.origin })
        if (body.dry_run) return done(report, `${report.peers.length} lines read, ${report.faulty} with problems`)
        publish({ type: 'changed', collection: 'peers', id: null })
        const links = report.peers.filter((peer) => peer.setup_url !== null).length
        if (links > 0) {
          const detail = `for ${body.setup_links_hours} h`
          const target = `${links} new peers`
          await securityLog.record({ kind: 'setup_link_created', by: caller, from: client, target, detail })
        }
        return done(report, `${report.created} ${report.created === 1 ? 'peer' : 'peers'} created`)
      },
    ),
  ]
}
