import { isDeepStrictEqual } from 'node:util'
import type { Page } from '@hearth/database'
import { reauthenticationRequired } from '../access.ts'
import { compileConfig } from '../caddy/compile.ts'
import { diffJson } from '../caddy/config-diff.ts'
import type { DesiredState } from '../caddy/desired-state.ts'
import { redactConfig } from '../caddy/redact.ts'
import { diffSites } from '../caddy/site-diff.ts'
import { invalidSite, notFound } from '../problems.ts'
import type { BulkEdit, EditMany } from '../sites/bulk-edit.ts'
import type { CheckWanted } from '../sites/check-wanted.ts'
import type { StateDiff } from '../sites/preview-schema.ts'
import type { FieldIssue } from '../sites/rules/rule-context.ts'
import { wantedOfRow } from '../sites/site-change.ts'
import type { SiteRow } from '../sites/tables.ts'
import type { ApplyDatabase } from './apply.ts'
import { type DesiredSite, siteOfVersion } from './desired-sites.ts'
import type { KnownNode } from './nodes/nodes.ts'
import type { Revision, RevisionSite, SyncResult } from './schema.ts'
import * as store from './store.ts'
import type { Db } from './store.ts'
import type { RevisionRow, RevisionSiteRow } from './tables.ts'

/** The history of applied changes. */
export type Revisions = ReturnType<typeof createRevisions>

/** Maximum number of sites listed with a revision. */
const maxListed = 50

/** Creates the access to the history. Methods that take an id throw a 404 problem when there is no such revision. */
export function createRevisions(database: Pick<ApplyDatabase, 'query'>) {
  const db = database.query
  return {
    async list(page: { limit: number; offset: number }): Promise<Page<Revision>> {
      const { rows, total } = await store.listRevisions(db, page)
      return { rows: await withSites(db, rows), total }
    },
    async get(id: number): Promise<Revision> {
      const row = await store.findRevision(db, id)
      const [revision] = row === undefined ? [] : await withSites(db, [row])
      if (revision === undefined) throw notFound('revision')
      return revision
    },
    /** Returns the sites as a revision left them. */
    async sitesAt(id: number): Promise<DesiredSite[]> {
      if ((await store.findRevision(db, id)) === undefined) throw notFound('revision')
      return await readSites(db, id)
    },
    /** Returns the sites as they were before a revision. */
    async sitesBefore(id: number): Promise<DesiredSite[]> {
      if ((await store.findRevision(db, id)) === undefined) throw notFound('revision')
      return await readSites(db, id - 1)
    },
  }
}

async function readSites(db: Db, id: number): Promise<DesiredSite[]> {
  const places = await store.sitesAtRevision(db, id)
  const wanted = places.map(({ site_id: siteId, after_revision: revision }) => ({ siteId, revision: revision ?? 0 }))
  return (await store.findVersions(db, wanted)).map(siteOfVersion)
}

async function withSites(db: Db, rows: readonly RevisionRow[]): Promise<Revision[]> {
  const ids = rows.map(({ id }) => id)
  const changes = await store.sitesOfRevisions(db, ids)
  const current = await store.currentRevision(db)
  return rows.map((row) => {
    const own = changes.filter(
      (change) => change.revision_id === row.id && change.before_revision !== change.after_revision,
    )
    return viewOfRow(row, own, row.id === current)
  })
}

function viewOfRow(row: RevisionRow, changes: readonly RevisionSiteRow[], isCurrent: boolean): Revision {
  return {
    id: row.id,
    created_at: new Date(row.created_at).toISOString(),
    author: row.author,
    cause: row.cause,
    outcome: row.outcome,
    is_current: isCurrent,
    config_sha256: row.sha256,
    site_count: row.site_count,
    duration_ms: row.duration_ms,
    nodes: JSON.parse(row.nodes) as Revision['nodes'],
    sites: changes.slice(0, maxListed).map(viewOfChange),
    changed_sites: changes.length,
  }
}

function viewOfChange(row: RevisionSiteRow): RevisionSite {
  const { before_revision: before, after_revision: after } = row
  return {
    site_id: row.site_id,
    site_name: row.name,
    change: before === null ? 'added' : after === null ? 'removed' : 'changed',
    before_revision: before,
    after_revision: after,
  }
}

/** Returns what a revision changed, or what returning to it would change. */
export type RevisionDiff = (id: number, against: 'previous' | 'current') => Promise<StateDiff>

interface RevisionDiffDependencies {
  readonly revisions: Revisions
  readonly desired: () => Promise<DesiredSite[]>
  readonly desiredState: (sites: readonly DesiredSite[]) => DesiredState
  readonly firstNode: () => Promise<KnownNode | undefined>
}

/** Creates the diff. Both configurations are compiled with the current settings, so only differences of the sites show. */
export function createRevisionDiff(dependencies: RevisionDiffDependencies): RevisionDiff {
  return async (id, against) => {
    const { revisions, desired } = dependencies
    const then = await revisions.sitesAt(id)
    const other = against === 'current' ? await desired() : await revisions.sitesBefore(id)
    const node = await dependencies.firstNode()
    const state = (sites: readonly DesiredSite[]) => ({
      sites,
      config: node === undefined ? undefined : compileConfig(dependencies.desiredState(sites), node.place).config,
    })
    return diffStates(state(other), state(then))
  }
}

/** Sites as served, and their compiled configuration. */
interface SiteState {
  readonly sites: readonly DesiredSite[]
  readonly config: object | undefined
}

const maxChanges = 200

/** Returns the difference of two states, by site and in Caddy's configuration. Hashes and keys are only shown as changed. */
export function diffStates(before: SiteState, after: SiteState): StateDiff {
  const changes = diffJson(redactConfig(before.config ?? {}), redactConfig(after.config ?? {}))
  return {
    sites: diffSites(before.sites.map(compared), after.sites.map(compared)).map(({ fields, ...site }) =>
      Object.assign(site, { fields: [...fields] }),
    ),
    config: changes.slice(0, maxChanges),
    config_changes: changes.length,
  }
}

const compared = ({ id, record, extras }: DesiredSite) => ({ id, record, passwordHashes: extras.hashes })

/** The user who returns to a revision, and whether they proved who they are in the last five minutes. */
interface Returning {
  readonly author: string
  readonly isRecent: boolean
}

/**
 * Restores all sites as a revision left them; disabled sites and the history stay. Throws a problem when the current rules
 * refuse one of the sites, or when one has raw directives and the user did not re-authenticate recently.
 */
export type ReturnToRevision = (id: number, who: Returning) => Promise<SyncResult>

/** Creates the return to a revision, which changes all its sites or, when it throws, none. */
export function createReturnToRevision(dependencies: {
  readonly revisions: Revisions
  readonly rows: () => Promise<SiteRow[]>
  readonly editMany: EditMany
  /** Returns the rules, for one return. */
  readonly check: () => CheckWanted
}): ReturnToRevision {
  return async (id, { author, isRecent }) => {
    const edit = editTo(await dependencies.revisions.sitesAt(id), await dependencies.rows())
    if (!isRecent && edit.put.some(({ wanted }) => wanted.record.kind === 'raw')) throw reauthenticationRequired()
    await checkAll(edit, dependencies.check())
    const count = edit.put.length + edit.remove.length
    const result = count === 0 ? undefined : await dependencies.editMany(edit, { author, cause: `return to ${id}` })
    const { status, sha, error } = result?.synced ?? { status: 'no_change' }
    return {
      status,
      config_sha256: sha ?? null,
      synced: status === 'synced' || status === 'no_change',
      detail: error ?? (count === 0 ? 'Everything is as it was then already' : returned(count)),
      revision_id: null,
    }
  }
}

const returned = (count: number): string =>
  count === 1 ? '1 site is as it was then' : `${count} sites are as they were then`

/** Checks all sites. Owners of domains and names change with the return itself, so those rules do not count. */
async function checkAll({ put }: BulkEdit, check: CheckWanted): Promise<void> {
  const found: FieldIssue[] = []
  for (const { id, wanted } of put) {
    const { errors } = await check(wanted, id)
    const name = wanted.record.site_name
    const others = errors.filter(({ field }) => !/^(domains|site_name)\b/.test(field))
    found.push(...others.map(({ field, message }) => ({ field, message: `${message} (site "${name}")` })))
  }
  if (found.length > 0) throw invalidSite(found.slice(0, 20))
}

/** Returns the edit after which the enabled sites are these. */
function editTo(target: readonly DesiredSite[], rows: readonly SiteRow[]): BulkEdit {
  const current = new Map(rows.map((row) => [row.id, row]))
  const wanted = new Set(target.map((site) => site.id))
  return {
    put: target.flatMap(({ id, record, extras }) => {
      const row = current.get(id)
      const isSame = row !== undefined && isDeepStrictEqual(wantedOfRow(row), { record, extras })
      return isSame ? [] : [{ id, wanted: { record, extras } }]
    }),
    remove: rows.flatMap((row) => (row.enabled === 1 && !wanted.has(row.id) ? [row.id] : [])),
  }
}
