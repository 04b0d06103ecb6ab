/** An edit that is to be applied. */
export interface SiteChange {
  /** Sites that were edited: those Caddy refused before are tried again. */
  readonly siteIds: readonly number[]
  /** Cause, such as `site.updated`. */
  readonly cause: string
  readonly author: string
  /** Waits for no other changes. */
  readonly isUrgent?: boolean
  /** Overwrites changes by others on the nodes, and retries every refused site. */
  readonly isForced?: boolean
  /** Tries every refused site again. */
  readonly isRetrying?: boolean
}

/** Outcome of applying an edit. */
export interface Synced {
  /** `unknown`: the connection broke off, and what runs is not known yet; `pending`: not tried yet. */
  readonly status: 'synced' | 'no_change' | 'pending' | 'unknown'
  readonly sha?: string
  /** Reason why it is not known, or why one of several nodes refused it. */
  readonly error?: string
}

/** Outcome of applying everything. */
export interface SyncedWhole extends Omit<Synced, 'status'> {
  /** `partly`: a site was refused, or a node does not run what is wanted; the error says which and why. */
  readonly status: Synced['status'] | 'partly'
}

/** Applies the sites to the Caddy servers. */
export interface SyncSites {
  /** Applies and waits for the end of it. Throws a problem when nothing of it runs. */
  now(change: SiteChange): Promise<Synced>
  /** As `now`, but sites that Caddy refused are no problem: they are returned, with its messages. */
  many(change: SiteChange): Promise<{ readonly synced: SyncedWhole; readonly refused: ReadonlyMap<number, string> }>
  /** Throws a problem when this node does not run what is wanted, whatever the others do. */
  onNode(nodeId: number, change: SiteChange): Promise<Synced>
  /** Applies in the background. */
  later(change: SiteChange): Synced
}

/** Applies nothing: what is stored stays pending, and is applied later. */
export const unsynced: Pick<SyncSites, 'many'> = {
  many: () => Promise.resolve({ synced: { status: 'pending' }, refused: new Map() }),
}
