import assert from 'node:assert/strict'
import { eventually } from '@hearth/testing'
import type { SiteUptimeDetail } from '../src/uptime/schema.ts'
import type { Browser } from './browser.ts'

/** Reads everything about the checks of a site. */
export async function detailOf(admin: Browser, id: number): Promise<SiteUptimeDetail> {
  const { status, body } = await admin.json<SiteUptimeDetail>('GET', `/api/v1/sites/${id}/uptime`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** Waits until the checks say that a site is in this state. */
export const reach = (admin: Browser, id: number, state: string): Promise<SiteUptimeDetail> =>
  eventually(
    () => detailOf(admin, id),
    (detail) => detail.state === state,
    { seconds: 120, what: state },
  )
