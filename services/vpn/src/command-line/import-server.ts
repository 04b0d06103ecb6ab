import { lockDataDirectory, OperatorError, systemClock } from '@hearth/runtime'
import { createHostLinks } from '../interfaces/host-links.ts'
import type { GivenFile } from '../foreign-files/given-file.ts'
import { ServerImport, type ServerImportReport } from '../server-import/schema.ts'
import { importServers } from '../server-import/server-import.ts'
import { openSettings } from '../settings/settings.ts'
import { chooseForHost, openDataPlane } from '../wireguard/choose-driver.ts'
import { createCommandRunner } from '../wireguard/command.ts'
import { inOneLine } from './checked-input.ts'
import { withStorage } from './data.ts'
import type { ReachOptions } from './reach.ts'
import { openRemote } from './remote.ts'

export interface ServerImportOptions extends ReachOptions {
  readonly dryRun?: boolean
  readonly stopped?: boolean
  readonly name: readonly string[]
}

/** Takes over servers of another program: in the database of a stopped service, whose next start brings them up, or over the API. */
export async function importServer(files: readonly GivenFile[], options: ServerImportOptions): Promise<void> {
  const parsed = ServerImport.safeParse({
    files: files.map(({ name, content }) => ({ name, content: content.toString('base64') })),
    names: Object.fromEntries(options.name.map(parseName)),
    start: options.stopped !== true,
    dry_run: options.dryRun === true,
  })
  if (!parsed.success) throw new OperatorError(parsed.error.issues[0]?.message ?? 'the files cannot be used')
  const { data: input } = parsed
  const { url, tokenFile } = options
  if (url !== undefined) {
    const service = await openRemote(url, tokenFile)
    return importAndTell(input, { send: (request) => service.importServer(request), end: 'peers created' })
  }
  await withStorage(async ({ database, sealer, config }) => {
    using _lock = lockDataDirectory(config.dataDirectory)
    const run = createCommandRunner()
    const { backend } = await chooseForHost(config.backend, run)
    const { driver } = openDataPlane(backend, { directory: config.dataDirectory, run })
    const { current: settings } = await openSettings(database.query)
    const host = createHostLinks(driver)
    const context = { database, sealer, clock: systemClock, settings, host, running: undefined }
    const send = (request: ServerImport) => importServers(context, request)
    await importAndTell(input, { send, end: 'peers created; start the service to bring them up' }).finally(() =>
      driver.close(),
    )
  })
}

interface Importing {
  readonly send: (input: ServerImport) => Promise<ServerImportReport>
  /** What stands behind the number of peers that were created. */
  readonly end: string
}

async function importAndTell(input: ServerImport, { send, end }: Importing): Promise<void> {
  // Whatever stands in the way is told of all servers at once.
  const trial = await inOneLine(send({ ...input, dry_run: true }))
  const isPossible = trial.problems === 0
  const report = isPossible && !input.dry_run ? await inOneLine(send(input)) : trial
  const last = !isPossible
    ? 'nothing was created'
    : input.dry_run
      ? 'all of it can be created; nothing was, because of --dry-run'
      : `${report.created} ${end}`
  process.stdout.write(describe(report, last))
  if (!isPossible) process.exitCode = 1
}

function parseName(text: string): [string, string] {
  const [, before = '', after = ''] = /^([^=]+)=([^=]+)$/.exec(text) ?? []
  if (before === '') throw new OperatorError(`--name ${text}: must be old=new, such as wg0=wg1`)
  return [before, after]
}

function describe(report: ServerImportReport, end: string): string {
  const lines = report.interfaces.flatMap((on) => [
    `${on.name} (${on.source}): ${on.address ?? 'no address'}, UDP port ${on.listen_port ?? 'of its own'}, ${on.peers.length} peers${on.is_running ? ', runs on this host' : ''}`,
    ...on.problems.map(({ field, message }) => `  cannot be: ${field}: ${message}`),
    ...on.peers.flatMap((peer) =>
      peer.problems.map(({ field, message }) => `  cannot be: ${peer.name}: ${field}: ${message}`),
    ),
  ])
  const leftOut = report.left_out.map(({ about, reason }) => `left out: ${about}: ${reason}`)
  return `${[...lines, ...leftOut, end].join('\n')}\n`
}
