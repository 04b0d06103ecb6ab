import { readFileSync } from 'node:fs'
import { OperatorError, systemClock } from '@hearth/runtime'
import { type Command, Option } from 'commander'
import { TokenCreate, TokenExpiry, TokenPermissions } from '../tokens/schema.ts'
import { Role, UserCreate } from '../users/schema.ts'
import { checked, inOneLine } from './checked-input.ts'

type TokenOptions = Record<'user' | 'name' | 'permissions' | 'expires', string> & { ip: string[] }
type UserOptions = Record<'username' | 'email' | 'role' | 'passwordFile', string>

/** `token create`, `user create`, `reset-admin-password`: they print what a script needs on stdout, all else on stderr. */
export function addAccountCommands(program: Command): void {
  const token = program.command('token').description('API tokens')
  token
    .command('create')
    .description('create an API token and print it; it is shown this once')
    .requiredOption('--user <name>', 'the user the token acts for')
    .requiredOption('--name <text>', 'what the token is for')
    .addOption(
      new Option('--permissions <kind>', 'what it may do').choices(TokenPermissions.options).makeOptionMandatory(),
    )
    .addOption(new Option('--expires <time>', 'when it stops working').choices(TokenExpiry.options).default('1y'))
    .option('--ip <cidr...>', 'addresses it may be used from; may be repeated', [])
    .action(createToken)
  const user = program.command('user').description('accounts')
  user
    .command('create')
    .description('create a user and print its id')
    .requiredOption('--username <name>', 'name to sign in with')
    .requiredOption('--email <address>', 'e-mail address')
    .addOption(new Option('--role <role>', 'what the user may do').choices(Role.options).makeOptionMandatory())
    .requiredOption('--password-file <file>', 'file with the password; - reads it from standard input')
    .action(createUser)
  program
    .command('reset-admin-password')
    .description('give admin a new generated password and print it; it must be changed at the next sign-in')
    .action(resetPassword)
}

async function createToken(options: TokenOptions): Promise<void> {
  const input = checked(TokenCreate, {
    name: options.name,
    permissions: options.permissions,
    expires: options.expires,
    ip_whitelist: options.ip,
  })
  const [{ usersIn }, { Tokens }, { recordCommand }, { withStorage }] = await Promise.all([
    import('../users/users.ts'),
    import('../tokens/tokens.ts'),
    import('@hearth/accounts/security-log'),
    import('./data.ts'),
  ])
  await withStorage(async ({ database }) => {
    const owner = await usersIn(database.query).findByName(options.user.toLowerCase())
    if (owner === undefined) throw new OperatorError(`--user: there is no user ${options.user}`)
    const tokens = new Tokens({ database, clock: systemClock })
    const { token } = await inOneLine(tokens.create({ userId: owner.id, role: owner.role }, input))
    const detail = `of ${owner.username}: ${input.permissions}, expires: ${input.expires}`
    await recordCommand(database.query, { kind: 'token_created', target: input.name, detail }, Date.now())
    process.stdout.write(`${token}\n`)
  })
}

async function createUser(options: UserOptions): Promise<void> {
  const { username, email, role } = options
  const input = checked(UserCreate, { username, email, role, password: readPassword(options.passwordFile) })
  const [{ Users }, { recordCommand }, { withStorage }] = await Promise.all([
    import('../users/users.ts'),
    import('@hearth/accounts/security-log'),
    import('./data.ts'),
  ])
  await withStorage(async ({ database }) => {
    const user = await inOneLine(new Users({ database, clock: systemClock }).create(input))
    await recordCommand(
      database.query,
      { kind: 'user_created', target: user.username, detail: `role: ${user.role}` },
      Date.now(),
    )
    process.stdout.write(`${user.id}\n`)
  })
}

async function resetPassword(): Promise<void> {
  const [{ resetAdministrator }, { recordCommand }, { withStorage }] = await Promise.all([
    import('../users/first-administrator.ts'),
    import('@hearth/accounts/security-log'),
    import('./data.ts'),
  ])
  await withStorage(async ({ database, config }) => {
    const { username, password } = await resetAdministrator(database, config.dataDirectory)
    await recordCommand(database.query, { kind: 'password_changed', target: username }, Date.now())
    process.stderr.write(`new password of ${username}, to be changed at the next sign-in:\n`)
    process.stdout.write(`${password}\n`)
  })
}

function readPassword(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new OperatorError(`--password-file: cannot read ${file}: ${(error as Error).message}`, { cause: error })
  }
}
