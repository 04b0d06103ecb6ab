import { type DoctorCheck, type Environment, OperatorError } from '@hearth/runtime'
import { addBackupCommands, addServeCommand, describeBackups } from '@hearth/service'
import { Option, type Command } from 'commander'
import type { ApplicationOptions } from './command-line/applications.ts'
import type { ApplyOptions } from './command-line/as-code.ts'
import type { AddOptions } from './command-line/sites.ts'
import type { ImportCommand } from './import/import-command.ts'

/** Adds what `hearth sites …` can do. */
export function addCommands(program: Command): void {
  addServeCommand(program, async () => (await import('./main.ts')).serve(process.env))
  addAccountCommands(program)
  addBackupCommands(program, async () => (await import('./command-line/data.ts')).backupSubject)
  addSiteCommands(program)
  addApplicationCommands(program)
  addFileCommands(program)
  addImportCommands(program)
}

/** Adds `list`, `add` and `remove`, which work whether or not the service runs, which takes them up at once. */
function addSiteCommands(program: Command): void {
  const sites = () => import('./command-line/sites.ts')
  program
    .command('list')
    .description('print a line for each site: number, name, kind, on or off, domains, upstreams')
    .option('--json', 'print everything about them')
    .action(async (options: { json?: boolean }) => (await sites()).listSites(options))
  program
    .command('status')
    .description('print a line for each site: number, name, up or down, since when, uptime of 30 days, what came back')
    .option('--json', 'print it as JSON')
    .action(async (options: { json?: boolean }) => (await import('./command-line/status.ts')).printStatus(options))
  program
    .command('add <domain...>')
    .description('add a site that leads to an upstream, and print its number')
    .requiredOption('--to <url>', 'the upstream, such as http://192.168.1.5:8080')
    .option('--name <text>', 'name of the site; the first domain when left out')
    .option('--plain', 'over HTTP, without a certificate')
    .addOption(new Option('--reach <who>', 'who reaches it').choices(['everyone', 'home', 'tunnel']))
    .option('--disabled', 'keep it, and do not serve it yet')
    .action(async (domains: string[], options: AddOptions) => (await sites()).addSite(domains, options))
  program
    .command('remove <site>')
    .description('delete a site: its number, name or domain')
    .action(async (site: string) => (await sites()).removeSite(site))
}

/** Adds `applications`: the applications that sign people in through the portal, for scripts. */
function addApplicationCommands(program: Command): void {
  const applications = () => import('./command-line/applications.ts')
  const group = program.command('applications').description('applications that sign people in through the portal')
  group
    .command('list')
    .description('print a line for each application: client id, name, kind, secret or public, groups, redirect URIs')
    .option('--json', 'print everything about them')
    .action(async (options: { json?: boolean }) => (await applications()).listApplications(options))
  group
    .command('show <application>')
    .description('print an application, by its name or client id, and the lines to type into it')
    .option('--json', 'print it as JSON')
    .action(async (text: string, options: { json?: boolean }) => (await applications()).showApplication(text, options))
  withSettings(group.command('add <name>'))
    .description('add an application, and print its client id and, this once, its secret')
    .option('--json', 'print them as JSON')
    .action(async (name: string, options: ApplicationOptions) => (await applications()).addApplication(name, options))
  withSettings(group.command('change <application>'))
    .description('change what the options say; lists are replaced')
    .option('--name <text>', 'another name')
    .action(async (text: string, options: ApplicationOptions) =>
      (await applications()).changeApplication(text, options),
    )
  group
    .command('new-secret <application>')
    .description('make a new secret in place of the one before, and print it this once')
    .option('--json', 'print it with the client id, as JSON')
    .action(async (text: string, options: { json?: boolean }) =>
      (await applications()).renewApplicationSecret(text, options),
    )
  group
    .command('remove <application>')
    .description('delete an application; its tokens end at once')
    .action(async (text: string) => (await applications()).removeApplication(text))
}

/** Adds the options that say what an application is to be. */
function withSettings(command: Command): Command {
  const listed = (value: string, before: unknown) => [...(Array.isArray(before) ? (before as string[]) : []), value]
  return command
    .option('--preset <kind>', 'kind of application, such as grafana; other when left out')
    .option('--address <url>', 'its address, from which the redirect URIs of its kind follow')
    .option('--redirect-uri <uri>', 'address to return to, letter by letter; may stand more than once', listed)
    .option('--post-logout-uri <uri>', 'address to return to after signing out; may stand more than once', listed)
    .option('--backchannel-logout-uri <uri>', 'address at which it is told that a session ended')
    .option('--no-backchannel-logout-uri', 'it is not told')
    .option('--group <name>', 'group that may use it; may stand more than once', listed)
    .option('--no-group', 'everybody may use it who can sign in at the portal')
    .addOption(new Option('--consent <how>', 'given beforehand, or asked of each user').choices(['given', 'asked']))
    .option('--public', 'it has no secret, such as an app on a telephone')
    .option('--pkce', 'PKCE is required')
    .option('--no-pkce', 'PKCE is not required')
    .option('--claims-in-id-token', 'name, e-mail address and groups stand in the ID token too')
    .option('--no-claims-in-id-token', 'they do not')
}

/** Adds `export` and `apply`: sites, groups and applications as one file, for a repository. */
function addFileCommands(program: Command): void {
  const asCode = () => import('./command-line/as-code.ts')
  program
    .command('export')
    .description(
      'print all sites, groups and applications as YAML, without passwords; certificates stand in it by their names',
    )
    .action(async () => (await asCode()).exportSites())
  program
    .command('apply <file>')
    .description('make sites, groups and applications those of a file (- for standard input): all at once, or nothing')
    .option('--dry-run', 'only say what would be changed')
    .option('--prune', 'delete what the file does not name')
    .action(async (file: string, options: ApplyOptions) => (await asCode()).applySites(file, options))
}

interface ImportOptions {
  readonly dryRun?: boolean
  readonly customSsl?: string
}

/** `import caddyfile FILE`, and the same for `nginx`, `npm`, `traefik` and `zoraxy`: works whether or not the service runs, which takes the sites up at once. */
function addImportCommands(program: Command): void {
  const group = program.command('import').description('make sites of what another program was set up with')
  const run = async (command: ImportCommand) => (await import('./command-line/import.ts')).runImport(command)
  group
    .command('caddyfile <file>')
    .description('sites of a Caddyfile; it is read by caddy, and must not import other files')
    .option('--dry-run', 'only say what would happen')
    .action((file: string, { dryRun = false }: ImportOptions) => run({ kind: 'caddyfile', file, isDryRun: dryRun }))
  group
    .command('npm <file>')
    .description('hosts of Nginx Proxy Manager, from its database.sqlite')
    .option('--dry-run', 'only say what would happen')
    .option('--custom-ssl <folder>', 'its folder custom_ssl, for certificates that were uploaded there')
    .action((file: string, { dryRun = false, customSsl }: ImportOptions) =>
      run({ kind: 'npm', file, isDryRun: dryRun, ...(customSsl !== undefined && { customSsl }) }),
    )
  group
    .command('nginx <file>')
    .description('server blocks of nginx, also those of SWAG; files that it includes are not read')
    .option('--dry-run', 'only say what would happen')
    .action((file: string, { dryRun = false }: ImportOptions) => run({ kind: 'nginx', file, isDryRun: dryRun }))
  group
    .command('traefik <file>')
    .description('routers of Traefik, from a file of its dynamic configuration (YAML or TOML)')
    .option('--dry-run', 'only say what would happen')
    .action((file: string, { dryRun = false }: ImportOptions) => run({ kind: 'traefik', file, isDryRun: dryRun }))
  group
    .command('zoraxy <file>')
    .description('rules of Zoraxy, from the files of its folder conf/proxy put together in one')
    .option('--dry-run', 'only say what would happen')
    .action((file: string, { dryRun = false }: ImportOptions) => run({ kind: 'zoraxy', file, isDryRun: dryRun }))
}

/** Checks of `hearth doctor` on this host: whether there is a Caddy to manage, and whether changes drop connections. */
export async function doctor(environment: Environment = process.env): Promise<DoctorCheck[]> {
  const [{ describeCaddy, describeConnections }, { readConfig }] = await Promise.all([
    import('./command-line/doctor.ts'),
    import('./config.ts'),
  ])
  const connections = describeConnections()
  const backups = await describeBackups('sites', readConfig, { environment })
  return [await describeCaddy(environment), ...(connections === undefined ? [] : [connections]), ...backups]
}

/** `reset-admin-password`, for a locked-out administrator. Prints only the new password on stdout. */
function addAccountCommands(program: Command): void {
  program
    .command('reset-admin-password')
    .description(
      'give an administrator a new password and print it; it must be changed at the next sign-in, passkeys and recovery codes go, sessions end',
    )
    .option('--username <name>', 'whose; the oldest administrator when left out')
    .action(async ({ username }: { username?: string }) => {
      const [{ resetAdministrator }, { recordCommand }, { withStorage }] = await Promise.all([
        import('./accounts/reset-administrator.ts'),
        import('@hearth/accounts/security-log'),
        import('./command-line/data.ts'),
      ])
      await withStorage(async ({ database }) => {
        const reset = await resetAdministrator(database.query, username)
        if (reset === undefined)
          throw new OperatorError(
            username === undefined
              ? 'there is no administrator yet; start the service and set it up'
              : `--username: there is no administrator ${username}`,
          )
        const event = { kind: 'password_changed', target: reset.username } as const
        await recordCommand(database.query, event, Date.now())
        process.stderr.write(`new password of ${reset.username}, to be changed at the next sign-in:\n`)
        process.stdout.write(`${reset.password}\n`)
      })
    })
}
