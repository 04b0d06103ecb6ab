import type { Command } from 'commander'

/** Adds `reset-admin-password`, for an administrator who lost the password. */
export function addAccountCommands(program: Command): void {
  program
    .command('reset-admin-password')
    .description('give the account a new password, print it, and end all sessions')
    .action(async () => {
      const [{ createPassword, hashPassword }, { systemClock }, { sessionStoreIn }, { openSettings }, { withStorage }] =
        await Promise.all([
          import('@hearth/credentials'),
          import('@hearth/runtime'),
          import('../accounts/sessions.ts'),
          import('../settings/settings.ts'),
          import('./data.ts'),
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
