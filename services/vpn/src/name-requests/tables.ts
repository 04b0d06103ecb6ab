/** Tables of requests for names. */
export interface NameRequestTables {
  name_requests: NameRequestRow
}

/** A name that a person asked for on the page inside the tunnel, and the answer. */
export interface NameRequestRow {
  id: string
  peer_id: string
  /** Lower case, punycode. */
  domain: string
  /** Why it was blocked when it was asked for, in words. */
  reason: string
  /** What the person wrote; empty for nothing. */
  note: string
  created_at: number
  status: 'open' | 'allowed' | 'refused'
  /** For whom it was allowed; null unless it was. */
  allowed_for: 'peer' | 'profile' | 'everyone' | null
  /** What the administrator wrote; empty for nothing. */
  answer: string
  answered_at: number | null
  /** User name. */
  answered_by: string | null
}
