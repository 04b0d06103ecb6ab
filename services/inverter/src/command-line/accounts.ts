import { Option, type Command } from 'commander'
import { type NewToken, TokenExpiry, TokenRole } from '../tokens/schema.ts'
import { callService } from './call-service.ts'

/** `token create` and `reset-admin-password`: they print what a script needs on stdout, all else on stderr. */
export function addAccountCommands(program: Command): void {
  program
    .command('token')
    .description('access tokens of API clients')
    .command('create')
    .description('create an access token and print it; it is shown only once')
    .addOption(new Option('--role <role>', 'what it may do').choices(TokenRole.options).makeOptionMandatory())
    .requiredOption('--name <text>', 'what it is for')
    .addOption(new Option('--expires <time>', 'when it stops working').choices(TokenExpiry.options).default('90d'))
    .action(async ({ role, name, expires }: { role: string; name: string; expires: string }) => {
      const names = { name: '--name', role: '--role', expires: '--expires' }
      const body = { name, role, expires }
      const { token } = (await callService({ method: 'POST', path: '/admin/api/tokens', body }, names)) as NewToken
      process.stdout.write(`${token}\n`)
    })
  program
    .command('reset-admin-password')
    .description('give the administrator a new generated password and print it; it must be changed at the next sign-in')
    .action(async () => {
      const [{ resetPassword }, { recordCommand }, { withStorage }] = await Promise.all([
        import('../accounts/sessions.ts'),
        import('@hearth/accounts/security-log'),
        import('./data.ts'),
      ])
      await withStorage(async ({ database, config }) => {
        const password = await resetPassword(database, config.dataDirectory)
        await recordCommand(database.query, { kind: 'password_changed', target: 'admin' }, Date.now())
        process.stderr.write('new password of admin, to be changed at the next sign-in:\n')
        process.stdout.write(`${password}\n`)
      })
    })
}
