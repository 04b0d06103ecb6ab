import type { SiteEnvelope } from './site.ts'

const told: Readonly<Record<SiteEnvelope['sync_status'], string>> = {
  synced: '',
  no_change: '',
  pending: 'Caddy is told in a moment.',
  unknown: 'The connection to Caddy broke off; what it runs is being found out.',
}

/** A sentence about an edit, and what Caddy made of it where that is not plain success. */
export function toldOf(
  { sync_status, sync_error }: Pick<SiteEnvelope, 'sync_status' | 'sync_error'>,
  what: string,
): string {
  const rest = sync_error ?? told[sync_status]
  return rest === '' ? what : `${what}. ${rest}`
}
