import { isNotUnderstood } from '../caddy/capabilities.ts'
import { compileConfig, type CompiledConfig } from '../caddy/compile.ts'
import type { DesiredState } from '../caddy/desired-state.ts'
import { explainRequest } from '../caddy/explain.ts'
import { isSentinelError, withSentinel } from '../caddy/sentinel.ts'
import { conflict, Problem } from '../problems.ts'
import type { CheckWanted, SettleWanted } from '../sites/check-wanted.ts'
import type { ExplainSite, Preview } from '../sites/preview-schema.ts'
import type { RuleOutcome } from '../sites/rules/rules.ts'
import type { WantedSite } from '../sites/site-change.ts'
import type { DesiredSite } from './desired-sites.ts'
import { areDifferent } from './nodes/capabilities.ts'
import type { KnownNode } from './nodes/nodes.ts'
import { diffStates } from './revisions.ts'

/** Previews a saved site: the changes to the configuration, and Caddy's verdict. Nothing is changed. */
export type PreviewSite = (wanted: WantedSite, id: number | undefined) => Promise<Preview>

export interface PreviewDependencies {
  readonly check: CheckWanted
  /** Converts the site to the form that is compiled; throws a problem. */
  readonly settle: SettleWanted
  /** Returns the sites as served now: a site that Caddy refused must not affect the verdict on this one. */
  readonly served: () => Promise<DesiredSite[]>
  readonly desiredState: (sites: readonly DesiredSite[]) => DesiredState
  readonly firstNode: () => Promise<KnownNode | undefined>
  /** Probes the first node again, whose version may have changed. */
  readonly recheckFirst: () => Promise<KnownNode | undefined>
}

interface Judged extends RuleOutcome {
  readonly wanted: WantedSite
}

/** Applies the rules, and adapts directives. */
async function judge(
  { check, settle }: PreviewDependencies,
  wanted: WantedSite,
  id: number | undefined,
): Promise<Judged> {
  const outcome = await check(wanted, id)
  if (outcome.errors.length > 0) return { ...outcome, wanted }
  try {
    return { ...outcome, wanted: await settle(wanted, id) }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { errors = [], detail } = error.body
    const issues = errors.map(({ field = '', message }) => ({ field, message }))
    return { ...outcome, wanted, errors: issues.length > 0 ? issues : [{ field: '', message: detail }] }
  }
}

/** Placeholder id of a new site. */
const newSite = 2_147_483_647

/** Creates the preview. Without a reachable Caddy `is_good` is null; problems of the site are in `issues`, not thrown. */
export function createPreviewSite(dependencies: PreviewDependencies): PreviewSite {
  return async (wanted, id) => {
    const outcome = await judge(dependencies, wanted, id)
    const before = await dependencies.served()
    const after = withSite(before, outcome.wanted, id)
    let node = await dependencies.firstNode()
    const compiled = (sites: readonly DesiredSite[]): CompiledConfig | undefined =>
      node === undefined ? undefined : compileConfig(dependencies.desiredState(sites), node.place)
    let verdict = outcome.errors.length > 0 ? notTried : await tryOn(node, compiled(after))
    if (isNotUnderstood(verdict.caddy_error ?? '')) {
      const known = await dependencies.recheckFirst().catch(() => undefined)
      if (known !== undefined && areDifferent(node?.capabilities, known.capabilities)) {
        node = known
        verdict = await tryOn(node, compiled(after))
      }
    }
    const [earlier, later] = [compiled(before), compiled(after)]
    const siteId = id ?? newSite
    return {
      ...diffStates({ sites: before, config: earlier?.config }, { sites: after, config: later?.config }),
      ...verdict,
      notes: [
        ...outcome.warnings.map(({ field, message }) => `${field} ${message}`),
        ...(later?.notes ?? []).flatMap((note) => (note.siteId === siteId ? [note.text] : [])),
      ],
      issues: [...outcome.errors],
    }
  }
}

const notTried = { is_good: null, caddy_error: null }

function withSite(sites: readonly DesiredSite[], wanted: WantedSite, id: number | undefined): DesiredSite[] {
  const others = sites.filter((site) => site.id !== id)
  if (!wanted.record.enabled) return others
  return [...others, { id: id ?? newSite, revision: 0, name: wanted.record.site_name, ...wanted }]
}

async function tryOn(
  node: KnownNode | undefined,
  compiled: CompiledConfig | undefined,
): Promise<Pick<Preview, 'is_good' | 'caddy_error'>> {
  if (node === undefined || compiled === undefined) return notTried
  try {
    const text = await node.client.tryConfig(withSentinel(compiled.config))
    return isSentinelError(text) ? { is_good: true, caddy_error: null } : { is_good: false, caddy_error: text }
  } catch {
    return notTried
  }
}

interface ExplainDependencies {
  readonly desired: () => Promise<DesiredSite[]>
  readonly desiredState: (sites: readonly DesiredSite[]) => DesiredState
  readonly firstNode: () => Promise<KnownNode | undefined>
}

/** Explains how the sites as wanted now would handle a request. */
export function createExplain(dependencies: ExplainDependencies): ExplainSite {
  return async (request) => {
    const node = await dependencies.firstNode()
    if (node === undefined) throw conflict('No Caddy is known yet', 'onboarding_required')
    const state = dependencies.desiredState(await dependencies.desired())
    const client = request.client_ip === undefined ? {} : { clientIp: request.client_ip }
    const { steps, answer, ...rest } = explainRequest({ url: request.url, ...client }, state, node.place)
    return { ...rest, steps: [...steps], answer: { ...answer } }
  }
}
