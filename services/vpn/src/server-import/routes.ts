import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { done, messageEnvelope } from '../envelope.ts'
import type { Publish } from '../service-event.ts'
import { importServers, type ServerImportDependencies } from './server-import.ts'
import { maxBytes } from '../foreign-files/schema.ts'
import { ServerImport, ServerImportReport } from './schema.ts'

/** WireGuard servers of other programs. */
export function serverImportRoutes(dependencies: ServerImportDependencies, publish: Publish): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/api/server-import',
        tag: 'Interfaces',
        limit: 'counted',
        summary: 'Take over a WireGuard server of another program',
        description:
          'Interfaces and peers of wg-easy, WGDashboard, PiVPN or plain `wg-quick` with their keys, so that no device has to change; all of them or none. A device that runs on this host under the same name and key goes on without an interruption. With `dry_run` the answer says what stands in the way and what would not come along; without it a 409 does, and nothing is created.',
        access: 'admin',
        body: ServerImport,
        // Base64 takes four bytes for three, and each file has a name.
        maxBodyBytes: maxBytes * 1.5,
        success: { status: 200, body: messageEnvelope(ServerImportReport) },
        errors: [409],
      },
      async ({ body }) => {
        const report = await importServers(dependencies, body)
        if (body.dry_run)
          return done(report, `${report.interfaces.length} interfaces read, ${report.problems} problems`)
        publish({ type: 'changed', collection: 'interfaces', id: null })
        publish({ type: 'changed', collection: 'peers', id: null })
        return done(report, `${report.interfaces.length} interfaces with ${report.created} peers taken over`)
      },
    ),
  ]
}
