import { oldestCapabilities } from '../caddy/capabilities.ts'
import { maintenanceRoutes } from '../caddy/maintenance.ts'
import { siteDefaults, type SiteRecord } from '../sites/schema.ts'
import { literalText } from './caddy-values.ts'
import type { Condition } from './conditions.ts'
import { giveUp } from './import-report.ts'
import { at, itemsOf, reach, textOf, type Place } from './json-place.ts'
import { readAnswer } from './read-answers.ts'
import type { SiteDraft } from './site-draft.ts'
import type { SiteReading } from './site-reading.ts'

/** A condition on who is asking. */
export type NetworkCondition = Extract<Condition, { kind: 'networks' | 'bots' }>

/** A refusal of some visitors. */
export interface Refusal {
  readonly condition: NetworkCondition
  /** The handler that answers them. */
  readonly answer: Place
  readonly place: Place
}

/** Adds a refusal of some visitors to who may come. Gives up when they are answered and not refused. */
export function addAccess(access: SiteDraft['access'], refusal: Refusal, reading: SiteReading): void {
  const { condition, answer: handler, place } = refusal
  if (at(handler, 'handler')?.value !== 'static_response') giveUp(place, 'routes for some networks only')
  const answer = readAnswer(handler, reading)
  const isRefusal = answer.kind === 'abort' || (answer.kind === 'respond' && answer.respond.status === 403)
  if (!isRefusal) giveUp(handler, 'an answer for some networks only')
  const isOurs = answer.kind === 'respond' && ['', 'Forbidden\n'].includes(answer.respond.body)
  if (!isOurs) reading.changed(handler, 'visitors who may not come get a plain 403')
  if (condition.kind === 'bots') access.blocksBots = true
  else if (!condition.isInverted) access.deny.push(...condition.ranges)
  else if (access.allow.length > 0) giveUp(place, 'two lists of networks that may come')
  else access.allow.push(...condition.ranges)
}

/** Reads the answer of a site in maintenance. */
export function readMaintenance(handler: Place, allow: readonly string[]): SiteRecord['maintenance'] {
  const body = at(handler, 'body')
  const page = body === undefined ? '' : literalText(body)
  const [after] = itemsOf(reach(handler, 'headers', 'Retry-After'))
  const seconds = Number(textOf(after) ?? Number.NaN)
  return {
    allow: [...allow],
    retry_after: Number.isInteger(seconds) ? seconds : siteDefaults.maintenance.retry_after,
    page: page === usualPage ? null : page,
  }
}

/** The page of a site in maintenance when nobody wrote one. */
const usualPage = usualMaintenancePage()

function usualMaintenancePage(): unknown {
  const record = { ...siteDefaults, site_name: '', domains: [], maintenance_mode: true }
  const [route] = maintenanceRoutes(record, undefined, oldestCapabilities) as { handle?: { body?: unknown }[] }[]
  return route?.handle?.[0]?.body
}
