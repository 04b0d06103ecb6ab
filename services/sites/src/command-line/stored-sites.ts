import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSealer } from '@hearth/credentials'
import { createLog, OperatorError, systemTimers } from '@hearth/runtime'
import { execa } from 'execa'
import { orderedCertificates } from '../acme/store.ts'
import { openUploads } from '../certificates/uploads/uploads.ts'
import type { Config } from '../config.ts'
import { Nodes } from '../deploy/nodes/nodes.ts'
import { createReadRuleContext } from '../deploy/read-rule-context.ts'
import { openSettings } from '../settings/settings.ts'
import { createEditMany } from '../sites/bulk-edit.ts'
import { createSettleWanted, readOnce, type SharedRuleContext } from '../sites/check-wanted.ts'
import { AdaptFailed, type Adapt } from '../sites/raw/adapt.ts'
import { portalObstacle, portalSockets } from '../portal/portal-server.ts'
import { publicSlugs } from '../uptime/status-page/store.ts'
import { listGroupRows } from '../portal/store.ts'
import { unsynced } from '../sites/sync.ts'
import type { withStorage } from './data.ts'

/** The database of one command. */
export type OpenedStorage = Parameters<Parameters<typeof withStorage>[0]>[0]

/**
 * The sites in the database, with the rules about them, for one command. What it changes is stored; a running service applies it
 * at once, a stopped one at its start.
 */
export async function openStoredSites({ database, secret, config }: OpenedStorage) {
  const { query: db } = database
  const settings = await openSettings(db)
  const sockets = portalSockets(config.dataDirectory)
  const nodes = new Nodes({
    database,
    clock: systemTimers,
    log: createLog({ name: 'sites', level: 'silent' }),
    own: undefined,
    portal: sockets,
    onReachable: () => undefined,
    onReplaced: () => undefined,
  })
  const uploads = await openUploads({
    db,
    sealer: createSealer(secret),
    clock: systemTimers,
    sitesUsing: () => Promise.resolve([]),
    ordered: () => orderedCertificates(db),
    folder: config.caddy.admin === undefined ? join(config.dataDirectory, 'certificates') : undefined,
    onReplaced: () => undefined,
  })
  const { material } = uploads
  const groups = async () => (await listGroupRows(db)).map(({ name }) => name)
  const portal = { sockets, obstacle: portalObstacle(config), groups }
  const port = () => config.bindPort
  const statusPages = () => publicSlugs(db)
  const readRuleContext = createReadRuleContext({ config, db, settings, nodes, material, port, portal, statusPages })
  const adapt = adaptWith(config)
  return {
    db,
    settings,
    nodes,
    uploads,
    adapt,
    /** Returns the rules, for many sites at once; `change` says what is otherwise while they are edited together. */
    settleMany: (change = (context: SharedRuleContext) => context) =>
      createSettleWanted(
        readOnce(async () => change(await readRuleContext())),
        () => Promise.resolve(adapt),
      ),
    editMany: createEditMany({ database, clock: systemTimers, sync: unsynced }),
  }
}

/** Uses the caddy program, because no server may be running. */
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
  const message = result.stderr.replaceAll(file, 'Caddyfile').trim().split('\n').at(-1)
  throw new AdaptFailed(message?.slice(0, 1000) ?? 'no reason given')
}
