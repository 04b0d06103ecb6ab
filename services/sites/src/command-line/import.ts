import { randomUUID } from 'node:crypto'
import { open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSealer } from '@hearth/credentials'
import { createLog, OperatorError, systemTimers } from '@hearth/runtime'
import type { Command } from 'commander'
import { execa } from 'execa'
import { openUploads } from '../certificates/uploads/uploads.ts'
import type { Config } from '../config.ts'
import { openImporting, certificateFolder, unsynced } from '../importing.ts'
import { AdaptFailed } from '../nodes/admin-client.ts'
import { Nodes } from '../nodes/nodes.ts'
import { runImportCommand, type ImportCommand } from '../onboarding/import-command.ts'
import type { Imports } from '../onboarding/imports.ts'
import type { Adapt } from '../onboarding/read-caddyfile.ts'
import { createRuleSurroundings } from '../rule-surroundings.ts'
import { openSettings } from '../settings/settings.ts'
import { frozenSurroundings } from '../sites/check-wanted.ts'
import { createSettleWanted } from '../sites/settle-wanted.ts'
import { withStorage } from './data.ts'

interface ImportOptions {
  readonly dryRun?: boolean
  readonly customSsl?: string
}

/** `import caddyfile FILE` and `import npm FILE`: works whether or not the service runs, which takes the sites up at once. */
export function addImportCommands(program: Command): void {
  const group = program.command('import').description('make sites of what another program was set up with')
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
}

async function run(command: ImportCommand): Promise<void> {
  process.exitCode = await runImportCommand(command, {
    readFile: readBounded,
    print: (line) => process.stdout.write(`${line}\n`),
    withImports: (work) => withStorage(async (storage) => work(await openImports(storage))),
  })
}

type OpenedStorage = Parameters<Parameters<typeof withStorage>[0]>[0]

async function openImports({ database, secret, config }: OpenedStorage): Promise<Imports> {
  const log = createLog({ name: 'sites-import', level: 'silent' })
  const settings = await openSettings(database.query)
  const nodes = new Nodes({
    database,
    clock: systemTimers,
    log,
    own: undefined,
    onReachable: () => undefined,
    onReplaced: () => undefined,
  })
  const uploads = await openUploads({
    db: database.query,
    sealer: createSealer(secret),
    clock: systemTimers,
    sitesUsing: () => Promise.resolve([]),
    folder: certificateFolder(config),
    onReplaced: () => undefined,
  })
  const surroundings = { config, database, settings, port: () => config.bindPort, material: uploads.material }
  const around = createRuleSurroundings(surroundings, { nodes })
  const adapt = adaptWith(config)
  const settleMany = () =>
    createSettleWanted({
      around: frozenSurroundings(around),
      client: () => Promise.resolve({ adapt: adaptPlain(adapt) }),
    })
  const parts = { config, database, timers: systemTimers, log, settings, uploads, nodes, sync: unsynced, settleMany }
  return openImporting({ ...parts, adapt }).imports
}

/** Asks the program instead of a running server, which may not be there. */
function adaptWith({ caddy, dataDirectory }: Config): Adapt {
  const program = caddy.path ?? 'caddy'
  return async (text) => {
    const file = join(dataDirectory, `import-${randomUUID()}`)
    await writeFile(file, text, { mode: 0o600, flag: 'wx' })
    try {
      return readAdapted(program, file, await runAdapt(program, file))
    } finally {
      await rm(file, { force: true })
    }
  }
}

const runAdapt = (program: string, file: string) =>
  execa(program, ['adapt', '--config', file, '--adapter', 'caddyfile'], {
    reject: false,
    stdin: 'ignore',
    timeout: 60_000,
    maxBuffer: 64 * 1024 * 1024,
  })

function readAdapted(program: string, file: string, result: Awaited<ReturnType<typeof runAdapt>>) {
  if (result.exitCode === undefined) throw new OperatorError(`${program} cannot be run: ${result.shortMessage ?? ''}`)
  if (result.exitCode === 0) return { config: JSON.parse(result.stdout) as unknown, warnings: [] }
  const words = result.stderr.replaceAll(file, 'Caddyfile').trim().split('\n').at(-1)
  throw new AdaptFailed(words?.slice(0, 1000) ?? 'no reason given')
}

const adaptPlain = (adapt: Adapt) => async (text: string) => {
  const { config } = await adapt(text)
  return { config, warnings: [] }
}

async function readBounded(path: string, largest: number): Promise<Uint8Array> {
  const file = await open(path).catch((error: unknown) => {
    throw new OperatorError(`${path}: ${(error as Error).message}`, { cause: error })
  })
  try {
    const { size } = await file.stat()
    if (size > largest) throw new OperatorError(`${path}: is larger than ${largest} bytes`)
    return await file.readFile()
  } finally {
    await file.close()
  }
}
