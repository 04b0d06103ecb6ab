import { join } from 'node:path'
import type { Database } from '@hearth/database'
import type { Log, Timers } from '@hearth/runtime'
import { hash } from 'bcryptjs'
import type { Uploads } from './certificates/uploads/uploads.ts'
import type { Config } from './config.ts'
import type { Tables } from './database/tables.ts'
import { createImportTarget } from './onboarding/import-target.ts'
import { Imports } from './onboarding/imports.ts'
import type { Adapt } from './onboarding/read-caddyfile.ts'
import { readConfig } from './onboarding/read-config.ts'
import type { ReadOptions } from './onboarding/site-reading.ts'
import { leftOutOf, runImport } from './onboarding/run-import.ts'
import type { Imported } from './onboarding/onboarding.ts'
import type { KnownNode, Nodes } from './nodes/nodes.ts'
import type { SettingsKeeper } from './settings/settings.ts'
import { createEditMany } from './sites/bulk-edit.ts'
import { bcryptCost } from './sites/site-change.ts'
import type { SettleWanted } from './sites/settle-wanted.ts'
import { allDomainOwners } from './sites/store.ts'
import type { SyncSites } from './sites/sync.ts'

/** What imports are built from, in the service as on the command line. */
export interface ImportingParts {
  readonly config: Config
  readonly database: Database<Tables>
  readonly timers: Timers
  readonly log: Log
  readonly settings: SettingsKeeper
  readonly uploads: Uploads
  readonly nodes: Pick<Nodes, 'get' | 'look'>
  readonly sync: SyncSites
  readonly settleMany: () => SettleWanted
  /** Adapts the text of a Caddyfile; rejects with `AdaptFailed`. */
  readonly adapt: Adapt
}

/** Nobody is told: what is stored is applied later. */
export const unsynced: SyncSites = {
  now: () => Promise.resolve({ status: 'pending' }),
  many: () => Promise.resolve({ synced: { status: 'pending' }, refused: new Map() }),
  onNode: () => Promise.resolve({ status: 'pending' }),
  later: () => ({ status: 'pending' }),
}

/** Opens the imports, and the one of what a Caddy runs that is being taken over. */
export function openImporting(parts: ImportingParts): {
  readonly imports: Imports
  readonly importConfig: (config: unknown, author: string) => Promise<Imported>
} {
  const { database, config, timers, settings, adapt } = parts
  const target = (sync: SyncSites) => targetOf(parts, sync)
  const imports = new Imports({
    target: target(parts.sync),
    adapt,
    readNode: (id) => readNode(parts, id),
    readOptions: () => ({}),
    hashPassword: (password) => hash(password, bcryptCost),
    isRawAllowed: () => settings.current().allow_raw,
    timers,
    folder: config.dataDirectory,
  })
  return {
    imports,
    async importConfig(running, author) {
      const node = await parts.nodes.get(1)
      const options = node === undefined ? {} : readOptionsOf(node)
      const answer = await runImport(readConfig(running, options), target(unsynced), { isDryRun: false, author })
      const ids = answer.sites.flatMap(({ site_id: id }) => id ?? [])
      const editMany = createEditMany({ database, clock: timers, sync: unsynced })
      return {
        count: answer.counts.created,
        leftOut: leftOutOf(answer),
        undo: async () => void (await editMany({ put: [], remove: ids }, { author, cause: 'import' })),
      }
    },
  }
}

function targetOf({ database, timers, settleMany, uploads }: ImportingParts, sync: SyncSites) {
  const target = createImportTarget({
    owners: () => allDomainOwners(database.query),
    settleMany,
    editMany: createEditMany({ database, clock: timers, sync }),
  })
  return {
    ...target,
    async addCertificate({ certificate, key }: { certificate: string; key: string }, name: string) {
      const added = await uploads.add({ name, kind: 'certificate', certificate, privateKey: key })
      return added.id
    },
  }
}

async function readNode({ nodes }: ImportingParts, id: number) {
  const node = await nodes.get(id)
  if (node === undefined) return undefined
  const { config } = await nodes.look(id)
  return { config, options: readOptionsOf(node) }
}

/** How the configuration of a node is read. */
export function readOptionsOf({ capabilities, row }: Pick<KnownNode, 'capabilities' | 'row'>): ReadOptions {
  const isNewest = capabilities !== undefined && Object.values(capabilities).every(Boolean)
  return {
    tellsSecureUpstreamsTheirName: isNewest,
    ports: { http: row.http_port, https: row.https_port },
    bind: JSON.parse(row.bind) as string[],
  }
}

/** Where a Caddy of the service's own reads uploaded certificates. */
export const certificateFolder = (config: Config): string | undefined =>
  config.caddy.admin === undefined ? join(config.dataDirectory, 'certificates') : undefined
