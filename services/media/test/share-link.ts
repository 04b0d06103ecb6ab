import type { ShareLinkRow } from '../src/tables.ts'

/** The row of a link to the file of a job, unless the test says otherwise. */
export const linkTo = (jobId: string, more: Partial<ShareLinkRow> = {}): ShareLinkRow => ({
  token_hash: `link of ${jobId}`,
  token_sealed: 's',
  job_id: jobId,
  name: null,
  password_hash: null,
  max_uses: 0,
  uses: 0,
  created_at: 1,
  expires_at: null,
  is_reusable: 1,
  last_fetched_at: null,
  ...more,
})
