import { readRawRoutes, wrapRawDirectives } from '../caddy/raw-routes.ts'
import { AdaptFailed, type AdminClient } from '../nodes/admin-client.ts'
import { invalidField, invalidSite, unavailable } from '../problems.ts'
import { createCheckWanted, ruleContextOf, type RuleSurroundings } from './check-wanted.ts'
import { misleadingPlaces, placesOfRoutes } from './real-places.ts'
import { rawLimitsOf } from './rules.ts'
import type { WantedSite } from './site-change.ts'

/** Brings a site into the form that is stored. Throws a problem with everything that is wrong with it. */
export type SettleWanted = (wanted: WantedSite, id: number | undefined) => Promise<WantedSite>

export interface SettleParts {
  readonly around: RuleSurroundings
  /** A Caddy that understands directives; undefined while there is none. */
  readonly client: () => Promise<Pick<AdminClient, 'adapt'> | undefined>
}

export function createSettleWanted({ around, client }: SettleParts): SettleWanted {
  const check = createCheckWanted(around)
  return async (wanted, id) => {
    const { errors } = await check(wanted, id)
    if (errors.length > 0) throw invalidSite(errors)
    const { rawRoutes: _, ...extras } = wanted.extras
    const { kind, raw_directives: text } = wanted.record
    if (kind !== 'raw' || text === null) return { ...wanted, extras }
    const caddy = await client()
    if (caddy === undefined) throw unavailable('raw_directives: no Caddy is there that understands them')
    const context = await ruleContextOf(around, wanted, id)
    const rawRoutes = await adaptRaw(caddy, text, rawLimitsOf(context))
    const misleading = await misleadingPlaces(placesOfRoutes(rawRoutes.slice(1)), context)
    if (misleading.length > 0) throw invalidSite(misleading)
    return { ...wanted, extras: { ...extras, rawRoutes } }
  }
}

async function adaptRaw(
  caddy: Pick<AdminClient, 'adapt'>,
  text: string,
  limits: ReturnType<typeof rawLimitsOf>,
): Promise<object[]> {
  const adapted = await caddy.adapt(wrapRawDirectives(text)).catch((error: unknown) => {
    if (error instanceof AdaptFailed) throw invalidField('raw_directives', error.message)
    throw unavailable(`raw_directives: ${(error as Error).message}`, { code: 'admin_unreachable' })
  })
  const reading = readRawRoutes(adapted.config, limits)
  if ('routes' in reading) return reading.routes
  throw invalidSite(reading.problems.map((message) => ({ field: 'raw_directives', message })))
}
