import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { done, messageEnvelope } from '../envelope.ts'
import type { AsCode } from './as-code.ts'
import { ApplyReport, ApplyRequest, ExportRequest, maxBytes } from './schema.ts'

const media = 'application/yaml'
const fileName = 'hearth-vpn.yaml'

/** The wanted state of the service as one file; `open` loads what reads and writes it. */
export function asCodeRoutes(open: () => Promise<AsCode>, securityLog: SecurityLog): Route[] {
  const shared = { tag: 'Settings', limit: 'counted', access: 'admin' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/export',
        summary: 'Export the wanted state',
        description:
          'Interfaces, peers, access rules, DNS and settings as one YAML file without secrets. The same state gives the same text.',
        success: { status: 200, media, description: 'The file' },
      },
      async () => ({ content: await (await open()).export(), fileName }),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/export',
        summary: 'Export the wanted state with secrets',
        description: 'The same file with the private and preshared keys, encrypted with a passphrase.',
        body: ExportRequest,
        success: { status: 200, media, description: 'The file' },
      },
      async ({ body, caller, client }) => {
        const asCode = await open()
        const exported = asCode.export(body.passphrase)
        const content = await securityLog.recordAfter(exported, () => ({
          kind: 'keys_exported',
          by: caller,
          from: client,
        }))
        return { content, fileName }
      },
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/apply',
        summary: 'Apply a file of wanted state',
        description:
          'Brings the service to what the file says. Everything is tried on a copy first: with `dry_run` the answer says what would change, and a 422 names everything that stands in the way, with path and line. What the file does not have stays unless `prune` is set, and sections that it does not have are left alone. Applied again, it changes nothing. An error from the middle of the work says in `details` what was done (`done`) and what was not (`not_done`); applied again, it is finished.',
        body: ApplyRequest,
        // A quote or a line break takes two characters in JSON.
        maxBodyBytes: 2 * maxBytes + 10_000,
        success: { status: 200, body: messageEnvelope(ApplyReport) },
        errors: [409],
      },
      async ({ body, caller }) => {
        const asCode = await open()
        const report = await asCode.apply(body, caller.username)
        const { created, changed, deleted } = report
        const counts = `${created} created, ${changed} changed, ${deleted} deleted`
        const isNothing = created + changed + deleted === 0
        return done(report, isNothing ? 'There is nothing to do' : body.dry_run ? `To do: ${counts}` : counts)
      },
    ),
  ]
}
