import { OperatorError, type DoctorCheck, type Environment } from '@hearth/runtime'
import { addBackupCommands, addServeCommand, describeBackups } from '@hearth/service'
import { Option, type Command } from 'commander'
import type { CutOptions } from './command-line/cut.ts'
import type { GetOptions } from './command-line/get.ts'
import type { ImportOptions } from './command-line/import.ts'
import type { ShareOptions } from './command-line/share.ts'
import type { SpaceOptions } from './command-line/space.ts'
import type { ToolUpdate, Updates } from './updates/schema.ts'
import type { Updater } from './updates/updates.ts'

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
  addGetCommand(program)
  addImportCommand(program)
  addShareCommand(program)
  addCutCommand(program)
  addAccountCommands(program)
  addBackupCommands(program, async () => (await import('./command-line/data.ts')).backupSubject)
  addAnalysisCommand(program)
  addSpaceCommand(program)
  addToolCommands(program)
  addPlatformCommands(program)
}

/** Formats of `GET /download/{job_id}`. */
const soundFormats = ['mp3', 'mp3-320', 'mp3-192', 'mp3-128', 'opus', 'flac', 'wav', 'original']

/** Adds `get`, which works through a running service, here or elsewhere. */
function addGetCommand(program: Command): void {
  program
    .command('get')
    .description('download an address through a running service, and print the id of the job or the name of the file')
    .argument('<address>', 'of a video at one of the platforms')
    .addOption(new Option('--audio', 'keep the sound (default)').conflicts('video'))
    .option('--video', 'keep the video')
    .addOption(new Option('--quality <quality>', 'how good').choices(['max', 'medium', 'small']).default('max'))
    .option('--again', 'make another download of what the service has already; it shares the stored file')
    .option('--wait', 'wait until it is done')
    .option('-o, --output <file>', 'wait, and write the file there: a file, a folder, or - for standard output')
    .addOption(new Option('--format <format>', 'of a sound').choices(soundFormats).default('mp3'))
    .addOption(serverOption())
    .addOption(tokenOption())
    .action(async (address: string, options: GetOptions) =>
      (await import('./command-line/get.ts')).get(address, options),
    )
}

/** Adds `import`, which works through a running service, here or elsewhere. */
function addImportCommand(program: Command): void {
  program
    .command('import')
    .description('download the addresses of a file through a running service, and print what became of each')
    .argument('<file>', 'one address per line; - reads standard input')
    .addOption(new Option('--audio', 'keep the sound (default)').conflicts('video'))
    .option('--video', 'keep the video')
    .addOption(new Option('--quality <quality>', 'how good').choices(['max', 'medium', 'small']).default('max'))
    .addOption(serverOption())
    .addOption(tokenOption())
    .action(async (file: string, options: ImportOptions) =>
      (await import('./command-line/import.ts')).importFile(file, options),
    )
}

const serverOption = () =>
  new Option('--server <address>', 'address of the service').env('HEARTH_MEDIA_URL').default('http://127.0.0.1:8103')

const tokenOption = () =>
  new Option('--token-file <file>', 'file with an API token; - reads it from standard input').env(
    'HEARTH_MEDIA_TOKEN_FILE',
  )

/** Adds `share`, which works through a running service, here or elsewhere. */
function addShareCommand(program: Command): void {
  program
    .command('share')
    .description('make a link to the files of finished jobs through a running service, and print it')
    .argument('<job...>', 'ids of the jobs, in the order of the page')
    .option('--name <text>', 'title of the page')
    .option('--ends <time>', 'days from now as 7d, a time as 2027-01-31T18:00Z, or never')
    .option('--uses <number>', 'how many may fetch by it; 0 is without limit')
    .option('--password-file <file>', 'file with a password that visitors need')
    .addOption(serverOption())
    .addOption(tokenOption())
    .action(async (jobs: string[], options: ShareOptions) =>
      (await import('./command-line/share.ts')).share(jobs, options),
    )
}

/** Adds `cut`, which works through a running service, here or elsewhere. */
function addCutCommand(program: Command): void {
  program
    .command('cut')
    .description(
      'cut parts out of a finished download through a running service, write a file of each, and print their names',
    )
    .argument('<job>', 'id of the job')
    .option('--part <part...>', 'as 1:02.5-1:30=Intro; without any, the parts saved in its workbench')
    .option('--format <format>', 'wav, flac, mp3, mp3-320, mp3-192, mp3-128 or opus')
    .option('--joined', 'all parts in one file')
    .option('--loudness <LUFS>', 'loudness by EBU R 128, as -14')
    .option('--semitones <number>', 'change of the pitch')
    .option('--tempo <percent>', 'tempo, 100 for what it is')
    .addOption(new Option('-o, --output <folder>', 'folder to write to').default('.'))
    .addOption(serverOption())
    .addOption(tokenOption())
    .action(async (job: string, options: CutOptions) => (await import('./command-line/cut.ts')).cut(job, options))
}

/** Adds `analyse`: the running service, or the workers, take the sounds from the database. */
function addAnalysisCommand(program: Command): void {
  program
    .command('analyse')
    .description('have all sounds analysed again that lack values an analysis finds today; print how many were added')
    .action(async () => {
      const [{ systemClock }, { analyserVersion }, { requestOutdated }, { withStorage }] = await Promise.all([
        import('@hearth/runtime'),
        import('./analysis/analyse-audio.ts'),
        import('./reanalysis/store.ts'),
        import('./command-line/data.ts'),
      ])
      await withStorage(async ({ database }) => {
        const added = await requestOutdated(database.query, analyserVersion, systemClock.now())
        process.stderr.write('the running service analyses them one by one; without one, the next start does\n')
        process.stdout.write(`${added}\n`)
      })
    })
}

/** Adds `reset-admin-password`, for an administrator who lost the password. */
function addAccountCommands(program: Command): void {
  program
    .command('reset-admin-password')
    .description('give the account a new password, print it, and end all sessions; passkeys and recovery codes go')
    .action(async () => {
      const [
        { recordCommand },
        { createPassword, hashPassword },
        { systemClock },
        { sessionStoreIn },
        { openSettings },
        { deleteSignInMethods },
        { withStorage },
      ] = await Promise.all([
        import('@hearth/accounts/security-log'),
        import('@hearth/credentials'),
        import('@hearth/runtime'),
        import('./accounts/sessions.ts'),
        import('./settings/settings.ts'),
        import('./sign-in-methods/sign-in-methods.ts'),
        import('./command-line/data.ts'),
      ])
      await withStorage(async ({ database }) => {
        const settings = await openSettings(database.query)
        const name = settings.internal('admin_username') ?? 'admin'
        const password = createPassword()
        const account = { admin_username: name, admin_password_hash: await hashPassword(password) }
        await settings.write({}, account, deleteSignInMethods)
        await sessionStoreIn(database.query, systemClock).endAll()
        await recordCommand(database.query, { kind: 'password_changed', target: name }, systemClock.now())
        process.stderr.write(`new password of ${name}, valid at once; all sessions have ended:\n`)
        process.stdout.write(`${password}\n`)
      })
    })
}

/** Adds `space`: what stored files take, and what would go for a budget. */
function addSpaceCommand(program: Command): void {
  program
    .command('space')
    .description('print a line for each kind of stored files: kind, bytes, files; and the total with the budget')
    .option('--preview <size>', 'print what would go for a budget of this size, such as 20G; nothing goes')
    .option('--json', 'print everything that is known')
    .action(async (options: SpaceOptions) => (await import('./command-line/space.ts')).printSpace(options))
}

/** Adds `tools`: the versions there are, and another yt-dlp. A running service uses it from its next job on. */
function addToolCommands(program: Command): void {
  const tools = program.command('tools').description('the programs media are fetched and converted with')
  tools
    .command('status')
    .description('print a line for each component: name, version, newest version; - for what is not known')
    .option('--json', 'print everything that is known')
    .action((options: { json?: boolean }) => withUpdates(async (updates) => print(await updates.check(), options)))
  tools
    .command('update')
    .description('fetch the newest yt-dlp, try it, take it when it works, and print the version in use')
    .action(() => change((updates) => updates.updateYtDlp()))
  tools
    .command('revert')
    .description('go back to the yt-dlp before, and print its version')
    .action(() => change((updates) => updates.revertYtDlp()))
}

/** Adds `platforms`: how downloads from each go, and the end of a pause. */
function addPlatformCommands(program: Command): void {
  const platforms = program.command('platforms').description('the platforms that media are fetched from')
  platforms
    .command('status')
    .description('print a line for each platform: name, state, successes, failures, reason, seconds of the pause left')
    .option('--json', 'print everything that is known')
    .action(async (options: { json?: boolean }) =>
      (await import('./command-line/platforms.ts')).printHealth(options.json === true),
    )
  platforms
    .command('try')
    .description('end the wait of a paused platform: a running service tries one of its downloads')
    .argument('<platform>', 'youtube, tiktok, instagram or facebook')
    .action(async (platform: string) => (await import('./command-line/platforms.ts')).tryPlatform(platform))
}

function print(status: Updates, { json }: { json?: boolean }): void {
  if (json === true) {
    process.stdout.write(`${JSON.stringify(status, null, 2)}\n`)
    return
  }
  for (const [name, { current, latest, update_available }] of Object.entries(status.components)) {
    process.stdout.write(`${[name, current ?? '-', latest ?? '-'].join('\t')}\n`)
    if (update_available) process.stderr.write(`${name}: ${latest} is newer than ${current}\n`)
  }
  if (!status.complete)
    process.stderr.write('some latest versions could not be fetched; the next attempt is in an hour\n')
}

async function change(work: (updates: Updater) => Promise<ToolUpdate>): Promise<void> {
  await withUpdates(async (updates) => {
    const { ok, version, message } = await work(updates)
    if (!ok) throw new OperatorError(message)
    process.stderr.write(`${message}\n`)
    process.stdout.write(`${version ?? '-'}\n`)
  })
}

async function withUpdates(work: (updates: Updater) => Promise<void>): Promise<void> {
  // Only these commands need the tools.
  const { openUpdates } = await import('./command-line/open-updates.ts')
  await openUpdates(work)
}

/** Describes the tools on this host, for `hearth doctor`. */
export async function doctor(environment: Environment = process.env): Promise<DoctorCheck[]> {
  const [{ describeTools }, { readConfig }] = await Promise.all([
    import('./command-line/tools.ts'),
    import('./config.ts'),
  ])
  return [...describeTools(environment), ...(await describeBackups('media', readConfig, { environment }))]
}
