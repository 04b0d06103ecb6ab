import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { lockDataDirectory, OperatorError, systemClock } from '@hearth/runtime'
import { createHostLinks } from '../interfaces/host-links.ts'
import { Problem } from '../problems.ts'
import { maxBytes, maxFiles } from '../foreign-files/schema.ts'
import { ServerImport, type ServerImportReport } from '../server-import/schema.ts'
import { importServers } from '../server-import/server-import.ts'
import { openSettings } from '../settings/settings.ts'
import { chooseForHost, openDataPlane } from '../wireguard/choose-driver.ts'
import { createCommandRunner } from '../wireguard/command.ts'
import { withStorage } from './data.ts'

interface ImportOptions {
  readonly dryRun?: boolean
  readonly stopped?: boolean
  readonly name: readonly string[]
}

/** Takes over servers of another program into the database; the next start of the service brings them up. */
export async function importServer(paths: readonly string[], options: ImportOptions): Promise<void> {
  const files = await readGiven(paths)
  const parsed = ServerImport.safeParse({
    files: files.map(({ name, content }) => ({ name, content: content.toString('base64') })),
    names: Object.fromEntries(options.name.map(parseName)),
    start: options.stopped !== true,
    dry_run: options.dryRun === true,
  })
  if (!parsed.success) throw new OperatorError(parsed.error.issues[0]?.message ?? 'the files cannot be used')
  await withStorage(async ({ database, sealer, config }) => {
    using _lock = lockDataDirectory(config.dataDirectory)
    const run = createCommandRunner()
    const { backend } = await chooseForHost(config.backend, run)
    const { driver } = openDataPlane(backend, { directory: config.dataDirectory, run })
    const { current: settings } = await openSettings(database.query)
    try {
      const host = createHostLinks(driver)
      const context = { database, sealer, clock: systemClock, settings, host, running: undefined }
      // Whatever stands in the way is told of all servers at once.
      const trial = await importServers(context, { ...parsed.data, dry_run: true })
      const isPossible = trial.problems === 0
      const report = isPossible && !parsed.data.dry_run ? await importServers(context, parsed.data) : trial
      process.stdout.write(describe(report, { isPossible, isTrial: parsed.data.dry_run }))
      if (!isPossible) process.exitCode = 1
    } catch (error) {
      throw error instanceof Problem ? new OperatorError(error.message) : error
    } finally {
      await driver.close()
    }
  })
}

interface ReadFile {
  readonly name: string
  readonly content: Buffer
}

/** Reads the files, and of a folder those that a server can stand in. */
async function readGiven(paths: readonly string[]): Promise<ReadFile[]> {
  const files = (await Promise.all(paths.map(listFiles))).flat()
  if (files.length === 0) throw new OperatorError(`${paths.join(', ')}: no .conf, .json or .db file is there`)
  if (files.length > maxFiles) throw new OperatorError(`${files.length} files; at most ${maxFiles} at once`)
  const read: ReadFile[] = []
  let bytes = 0
  for (const { path, name } of files) {
    bytes += (await stat(path)).size
    if (bytes > maxBytes)
      throw new OperatorError(`${path}: the files are larger than ${maxBytes / 1_048_576} MiB together`)
    read.push({ name, content: await readFile(path) })
  }
  return read
}

async function listFiles(path: string): Promise<{ path: string; name: string }[]> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new OperatorError(`${path}: there is no such file`)
  if (!found.isDirectory()) return [{ path, name: basename(path) }]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && /\.(?:conf|json|db)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => ({ path: file, name: relative(path, file) }))
}

function parseName(text: string): [string, string] {
  const [, before = '', after = ''] = /^([^=]+)=([^=]+)$/.exec(text) ?? []
  if (before === '') throw new OperatorError(`--name ${text}: must be old=new, such as wg0=wg1`)
  return [before, after]
}

function describe(
  report: ServerImportReport,
  { isPossible, isTrial }: { isPossible: boolean; isTrial: boolean },
): string {
  const lines = report.interfaces.flatMap((on) => [
    `${on.name} (${on.source}): ${on.address ?? 'no address'}, UDP port ${on.listen_port ?? 'of its own'}, ${on.peers.length} peers${on.is_running ? ', runs on this host' : ''}`,
    ...on.problems.map(({ field, message }) => `  cannot be: ${field}: ${message}`),
    ...on.peers.flatMap((peer) =>
      peer.problems.map(({ field, message }) => `  cannot be: ${peer.name}: ${field}: ${message}`),
    ),
  ])
  const leftOut = report.left_out.map(({ about, reason }) => `left out: ${about}: ${reason}`)
  const end = !isPossible
    ? 'nothing was created'
    : isTrial
      ? 'all of it can be created; nothing was, because of --dry-run'
      : `${report.created} peers created; start the service to bring them up`
  return `${[...lines, ...leftOut, end].join('\n')}\n`
}
