import { noEnvelope, routeFor, type Envelope, type Route } from '@hearth/http'
import type { BackupControl } from './backups.ts'
import { BackupReport, backupReport } from './schema.ts'

/** The form that a service gives the routes of its backups. */
export interface BackupRouteForm {
  readonly path: string
  readonly tag: string
  readonly access: string
  readonly limits: { readonly read: string; readonly run: string }
  /** None by default. */
  readonly envelope?: Envelope
  /** Makes the error, status 409, for a run while no directory is set. */
  readonly refuse: (detail: string) => Error
}

const route = routeFor<Record<string, unknown>, string>()

/** Returns the routes that read the state of the backups and make one now. */
export function backupRoutes(backups: BackupControl, form: BackupRouteForm): Route[] {
  const { path, tag, access, limits, envelope: { schema, wrap } = noEnvelope, refuse } = form
  const shared = { path, tag, access } as const
  const body = schema(BackupReport)
  const report = async () => wrap(backupReport(await backups.status()))
  return [
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'Read the state of the scheduled backups',
        limit: limits.read,
        success: { status: 200, body },
      },
      report,
    ),
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Make a backup now',
        description:
          'Starts the backup, or joins the one that is being made, and answers before it ends: `is_running` and `last_attempt` say how it went. 409 while BACKUP_DIR is not set.',
        limit: limits.run,
        success: { status: 202, body },
        errors: [409],
      },
      async () => {
        const { directory } = await backups.status()
        if (directory === undefined)
          throw refuse('BACKUP_DIR is not set: set it to a directory for the backups, and restart the service')
        // Never rejects: the outcome is part of the report.
        void backups.run()
        return report()
      },
    ),
  ]
}
