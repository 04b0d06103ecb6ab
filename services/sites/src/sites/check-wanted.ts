import { invalidField, invalidSite, unavailable } from '../problems.ts'
import { type Adapt, AdaptFailed } from './raw/adapt.ts'
import { readRawRoutes, wrapRawDirectives } from './raw/raw-routes.ts'
import { misleadingPaths, pathsOfRoutes, pathsOfSite } from './rules/real-paths.ts'
import type { RuleContext } from './rules/rule-context.ts'
import { checkSite, rawLimitsOf, type RuleOutcome } from './rules/rules.ts'
import type { WantedSite } from './site-change.ts'

/** What the rules check every site against, whichever it is. */
export type SharedRuleContext = Omit<RuleContext, 'siteId' | 'storedUsers' | 'hasNewDirectives'>

/**
 * Reads the current context of the rules: other sites, this service, and its Caddy servers. For the check of one site only those
 * others are read whose names and domains matter to it; without one, all of them.
 */
export type ReadRuleContext = (site?: NamedSite) => Promise<SharedRuleContext>

/** The members of a site that others may have as well. */
export type NamedSite = Pick<WantedSite['record'], 'site_name' | 'domains'>

/** Returns a function that reads the context at its first call only: for checking many sites at once. */
export function readOnce(read: ReadRuleContext): ReadRuleContext {
  let context: Promise<SharedRuleContext> | undefined
  return () => (context ??= read())
}

/** Checks a site that is to be stored, and returns its errors and warnings. */
export type CheckWanted = (wanted: WantedSite, id: number | undefined) => Promise<RuleOutcome>

/** Creates the check, which returns errors and warnings and does not throw for them. It reads the context anew each time. */
export function createCheckWanted(read: ReadRuleContext): CheckWanted {
  return async (wanted, id) => {
    const context = await ruleContextOf(read, wanted, id)
    const outcome = checkSite(wanted.record, context)
    const outside = await misleadingPaths(pathsOfSite(wanted.record), context)
    return { ...outcome, errors: [...outcome.errors, ...outside] }
  }
}

/** Reads the context that the rules check one site against. */
export async function ruleContextOf(
  read: ReadRuleContext,
  {
    record,
    extras,
    hasNewDirectives = false,
  }: Pick<WantedSite, 'extras' | 'hasNewDirectives'> & { readonly record: NamedSite },
  id: number | undefined,
): Promise<RuleContext> {
  return { ...(await read(record)), siteId: id, storedUsers: Object.keys(extras.hashes), hasNewDirectives }
}

/** Converts a site to the form that is stored. Throws a problem that lists all its errors. */
export type SettleWanted = (wanted: WantedSite, id: number | undefined) => Promise<WantedSite>

/**
 * Creates the conversion. Raw directives are adapted by a Caddy; without one, which `adapter` says, the site is refused
 * with 503.
 */
export function createSettleWanted(read: ReadRuleContext, adapter: () => Promise<Adapt | undefined>): SettleWanted {
  const check = createCheckWanted(read)
  return async (wanted, id) => {
    const { errors } = await check(wanted, id)
    if (errors.length > 0) throw invalidSite(errors)
    const { rawRoutes: _, ...extras } = wanted.extras
    const { kind, raw_directives: text } = wanted.record
    if (kind !== 'raw' || text === null) return { ...wanted, extras }
    const adapt = await adapter()
    if (adapt === undefined) throw unavailable('raw_directives: no Caddy is there that understands them')
    const context = await ruleContextOf(read, wanted, id)
    const rawRoutes = await adaptRaw(adapt, text, rawLimitsOf(context))
    const misleading = await misleadingPaths(pathsOfRoutes(rawRoutes.slice(1)), context)
    if (misleading.length > 0) throw invalidSite(misleading)
    return { ...wanted, extras: { ...extras, rawRoutes } }
  }
}

async function adaptRaw(adapt: Adapt, text: string, limits: ReturnType<typeof rawLimitsOf>): Promise<object[]> {
  const adapted = await adapt(wrapRawDirectives(text)).catch((error: unknown) => {
    if (error instanceof AdaptFailed) throw invalidField('raw_directives', error.message)
    throw unavailable(`raw_directives: ${(error as Error).message}`, { code: 'admin_unreachable' })
  })
  const reading = readRawRoutes(adapted.config, limits)
  if ('routes' in reading) return reading.routes
  throw invalidSite(reading.problems.map((message) => ({ field: 'raw_directives', message })))
}
