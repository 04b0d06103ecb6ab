import type { Page } from '@hearth/database'
import { notFound } from '../problems.ts'
import { siteOfVersion, type DesiredSite } from './desired-sites.ts'
import type { Revision, RevisionSite } from './schema.ts'
import * as store from './store.ts'
import type { Db } from './store.ts'
import type { RevisionRow, RevisionSiteRow } from './tables.ts'
import type { ApplyDatabase } from './apply.ts'

/** What was applied, one change after the other. */
export interface Revisions {
  list(page: { limit: number; offset: number }): Promise<Page<Revision>>
  get(id: number): Promise<Revision>
  /** The sites as a revision left them. */
  sitesAt(id: number): Promise<DesiredSite[]>
  /** The sites as they were before it. */
  sitesBefore(id: number): Promise<DesiredSite[]>
}

/** Sites that are listed with a revision. */
const mostListed = 50

export function createRevisions(database: Pick<ApplyDatabase, 'query'>): Revisions {
  const db = database.query
  return {
    async list(page) {
      const { rows, total } = await store.listRevisions(db, page)
      return { rows: await withSites(db, rows), total }
    },
    async get(id) {
      const row = await store.findRevision(db, id)
      const [revision] = row === undefined ? [] : await withSites(db, [row])
      if (revision === undefined) throw notFound('revision')
      return revision
    },
    async sitesAt(id) {
      if ((await store.findRevision(db, id)) === undefined) throw notFound('revision')
      return await readSites(db, id)
    },
    async sitesBefore(id) {
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
    sites: changes.slice(0, mostListed).map(viewOfChange),
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
