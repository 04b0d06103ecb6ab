import { Option, type Command } from 'commander'
import { resetPassword } from '../accounts/first-password.ts'
import type { NewToken } from '../tokens/schema.ts'
import { TokenExpiry, TokenRole } from '../tokens/schema.ts'
import { withStorage } from './data.ts'
import { operate } from './operate.ts'

/** `token create` and `reset-admin-password`: they print what a script needs on stdout, all else on stderr. */
export function addAccountCommands(program: Command): void {
  program
    .command('token')
    .description('access tokens of programs')
    .command('create')
    .description('make an access token and print it; it is shown this once')
    .addOption(new Option('--role <role>', 'what it may do').choices(TokenRole.options).makeOptionMandatory())
    .requiredOption('--name <text>', 'what it is for')
    .addOption(new Option('--expires <time>', 'when it stops working').choices(TokenExpiry.options).default('90d'))
    .action(async ({ role, name, expires }: { role: string; name: string; expires: string }) => {
      const names = { name: '--name', role: '--role', expires: '--expires' }
      const [answer] = await operate(
        [{ method: 'POST', path: '/admin/api/tokens', body: { name, role, expires } }],
        names,
      )
      process.stdout.write(`${(answer as NewToken).token}\n`)
    })
  program
    .command('reset-admin-password')
    .description('give the administrator a new generated password and print it; it must be changed at the next sign-in')
    .action(() =>
      withStorage(async ({ database, config }) => {
        const password = await resetPassword(database, config.dataDirectory)
        process.stderr.write('new password of admin, to be changed at the next sign-in:\n')
        process.stdout.write(`${password}\n`)
      }),
    )
}
