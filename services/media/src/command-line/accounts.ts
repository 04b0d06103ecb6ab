import { createPassword, hashPassword } from '@hearth/credentials'
import type { Command } from 'commander'
import { openSettings } from '../settings/settings.ts'
import { withStorage } from './data.ts'

/** `reset-admin-password`: for whoever locked themselves out. */
export function addAccountCommands(program: Command): void {
  program
    .command('reset-admin-password')
    .description('give the account a new password, print it, and end all sessions')
    .action(async () => {
      await withStorage(async ({ database }) => {
        const settings = await openSettings(database.query)
        const name = settings.internal('admin_username') ?? 'admin'
        const password = createPassword()
        await settings.write({}, { admin_username: name, admin_password_hash: await hashPassword(password) })
        await database.query.deleteFrom('sessions').execute()
        process.stderr.write(`new password of ${name}, valid at once; all sessions have ended:\n`)
        process.stdout.write(`${password}\n`)
      })
    })
}
