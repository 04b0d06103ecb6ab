import type { Site, SiteCreate, SitePatch, SiteRecord } from './schema.ts'

/** A body in two parts: the members that are stored as they are, and the passwords that are hashed first. */
export interface PartedSite {
  readonly record: SiteRecord
  /** New passwords by user name; users that are not here keep theirs. */
  readonly passwords: ReadonlyMap<string, string>
}

/** Takes the passwords out of a checked site. */
export function partSite({ basic_auth: users, ...rest }: SiteCreate): PartedSite {
  return {
    record: { ...rest, basic_auth: users.map(({ username }) => ({ username })) },
    passwords: new Map(
      users.flatMap(({ username, password }) => (password === undefined ? [] : [[username, password] as const])),
    ),
  }
}

/** A stored site with the members of a PATCH in place of its own, to be checked by the rules as a whole. */
export function patchSite(record: SiteRecord, patch: SitePatch): SiteCreate {
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
  return { ...record, ...given }
}

/** Columns of a site beside its record. */
export type SiteStanding = Pick<
  Site,
  'id' | 'revision' | 'apply_state' | 'last_error' | 'applied_revisions' | 'created_at' | 'updated_at'
>

/** A site as it is answered. */
export function answerSite(record: SiteRecord, standing: SiteStanding): Site {
  return {
    ...standing,
    ...record,
    domain: record.domains.join(', '),
    upstream_url: record.upstreams[0]?.url ?? null,
    caddy_directives: record.raw_directives,
  }
}
