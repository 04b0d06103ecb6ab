import type { DoctorCheck } from '@hearth/runtime'
import { addBackupCommands, addServeCommand } from '@hearth/service'
import type { Command } from 'commander'
import { addToolCommands } from './command-line/update-tools.ts'

/** Adds what `hearth media …` can do. */
export function addCommands(program: Command): void {
  addServeCommand(program, async () => (await import('./main.ts')).serve(process.env))
  program
    .command('worker')
    .description('work on the jobs of DATABASE_URL; any number of them, on any machine')
    .action(async () => {
      const { work } = await import('./main.ts')
      await work(process.env)
    })
  addAccountCommands(program)
  addBackupCommands(program, async () => (await import('./command-line/data.ts')).backupSubject)
  addToolCommands(program)
}

/** Adds `reset-admin-password`, for an administrator who lost the password. */
function addAccountCommands(program: Command): void {
  program
    .command('reset-admin-password')
    .description('give the account a new password, print it, and end all sessions')
    .action(async () => {
      const [{ createPassword, hashPassword }, { systemClock }, { sessionStoreIn }, { openSettings }, { withStorage }] =
        await Promise.all([
          import('@hearth/credentials'),
          import('@hearth/runtime'),
          import('./accounts/sessions.ts'),
          import('./settings/settings.ts'),
          import('./command-line/data.ts'),
        ])
      await withStorage(async ({ database }) => {
        const settings = await openSettings(database.query)
        const name = settings.internal('admin_username') ?? 'admin'
        const password = createPassword()
        await settings.write({}, { admin_username: name, admin_password_hash: await hashPassword(password) })
        await sessionStoreIn(database.query, systemClock).endAll()
        process.stderr.write(`new password of ${name}, valid at once; all sessions have ended:\n`)
        process.stdout.write(`${password}\n`)
      })
    })
}

/** Describes the tools on this host, for `hearth doctor`. */
export async function doctor(): Promise<DoctorCheck[]> {
  const { describeTools } = await import('./command-line/tools.ts')
  return describeTools()
}
