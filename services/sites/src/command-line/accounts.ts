import { OperatorError } from '@hearth/runtime'
import type { Command } from 'commander'
import { resetAdministrator } from '../accounts/reset-administrator.ts'
import { withStorage } from './data.ts'

/** `reset-admin-password`: for whoever is locked out. It prints the new password on stdout, and nothing else there. */
export function addAccountCommands(program: Command): void {
  program
    .command('reset-admin-password')
    .description(
      'give an administrator a new password and print it; it must be changed at the next sign-in, passkeys and recovery codes go, sessions end',
    )
    .option('--username <name>', 'whose; the oldest administrator when left out')
    .action(async ({ username }: { username?: string }) => {
      await withStorage(async ({ database }) => {
        const reset = await resetAdministrator(database.query, username)
        if (reset === undefined)
          throw new OperatorError(
            username === undefined
              ? 'there is no administrator yet; start the service and set it up'
              : `--username: there is no administrator ${username}`,
          )
        process.stderr.write(`new password of ${reset.username}, to be changed at the next sign-in:\n`)
        process.stdout.write(`${reset.password}\n`)
      })
    })
}
