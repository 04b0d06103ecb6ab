/** Tables of hints. */
export interface HintTables {
  hints: HintRow
  hint_exceptions: HintExceptionRow
  hint_states: HintStateRow
}

/** A hint as stored. Lists of evidence are JSON. */
export interface HintRow {
  id: string
  kind: 'two_places' | 'new_country' | 'tunnelling' | 'list_surge'
  /** Id of the peer or the list. */
  subject: string
  /** Its name when the hint was made or continued last. */
  subject_name: string
  /** What else tells hints of a subject apart: a country or a domain; empty for nothing. */
  topic: string
  status: 'open' | 'done' | 'expected'
  /** JSON, see `Evidence`. */
  evidence: string
  /** Findings that it was made of. */
  count: number
  first_at: number
  last_at: number
  answered_at: number | null
  /** User name. */
  answered_by: string | null
}

/** Findings that make no hint. */
export interface HintExceptionRow {
  id: string
  kind: HintRow['kind']
  /** Empty for every subject. */
  subject: string
  subject_name: string
  /** Empty for every topic. */
  topic: string
  created_at: number
  /** User name. */
  created_by: string | null
}

/** What a detector knows of a peer or a list. */
export interface HintStateRow {
  kind: HintRow['kind']
  subject: string
  /** JSON. */
  state: string
}

/** Tables of hints that are backed up, in order. */
export const hintTableNames = ['hints', 'hint_exceptions', 'hint_states'] as const
