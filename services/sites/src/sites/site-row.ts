import type { Kysely } from 'kysely'
import type { Site } from './schema.ts'
import { wantedOfRow, type WantedSite } from './site-change.ts'
import * as store from './store.ts'
import type { SiteRow, SiteStateRow, SiteTables } from './tables.ts'

/** A site as it is stored. */
export function siteRow(
  { record, extras }: WantedSite,
  facts: Pick<SiteRow, 'id' | 'revision' | 'created_at' | 'updated_at'>,
): SiteRow {
  return {
    ...facts,
    name: record.site_name,
    name_key: record.site_name.toLowerCase(),
    kind: record.kind,
    enabled: Number(record.enabled),
    reach: record.reach,
    domains: record.domains.join(' '),
    record: JSON.stringify(record),
    extras: JSON.stringify(extras),
  }
}

/** Stores a site under its next revision, and that version in its history. */
export async function writeSite(
  trx: Kysely<SiteTables>,
  wanted: WantedSite,
  about: { readonly id: number; readonly createdAt: number; readonly now: number; readonly author: string },
): Promise<SiteRow> {
  const { id, createdAt, now, author } = about
  const revision = await store.nextRevision(trx, id)
  const row = siteRow(wanted, { id, revision, created_at: createdAt, updated_at: now })
  await store.putSiteRow(trx, row)
  const { name, record, extras } = row
  await store.insertVersion(trx, { site_id: id, revision, name, record, extras, created_at: now, author })
  return row
}

/** The wire form of a site, without hashes. The names are those of the nodes that are to run it, by number. */
export function siteOfRow(row: SiteRow, states: readonly SiteStateRow[], nodeNames: ReadonlyMap<number, string>): Site {
  const { record } = wantedOfRow(row)
  const running = states.flatMap(({ node_id: node, applied_revision: revision }) =>
    revision === null ? [] : [[nodeNames.get(node) ?? String(node), revision] as const],
  )
  return {
    ...record,
    id: row.id,
    domain: record.domains.join(', '),
    upstream_url: record.upstreams[0]?.url ?? null,
    caddy_directives: record.raw_directives,
    revision: row.revision,
    apply_state: stateOf(row, states, nodeNames),
    last_error: states.find(({ error }) => error !== null)?.error ?? null,
    applied_revisions: Object.fromEntries(running),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  }
}

function stateOf(
  row: SiteRow,
  states: readonly SiteStateRow[],
  nodeNames: ReadonlyMap<number, string>,
): Site['apply_state'] {
  if (row.enabled !== 1) return states.some((state) => state.applied_revision !== null) ? 'pending' : 'disabled'
  if (states.some((state) => state.refused_revision === row.revision)) return 'failed'
  const running = states.filter((state) => state.applied_revision === row.revision)
  const nodes = new Set(running.map((state) => state.node_id))
  return nodes.size > 0 && [...nodeNames.keys()].every((id) => nodes.has(id)) ? 'applied' : 'pending'
}
