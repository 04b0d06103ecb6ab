import { isNotUnderstood } from '../caddy/capabilities.ts'
import type { CompiledConfig } from '../caddy/compile.ts'
import { compileConfig } from '../caddy/compile.ts'
import type { DesiredState } from '../caddy/desired-state.ts'
import { isSentinelError, withSentinel } from '../caddy/sentinel.ts'
import type { CaddyProcess } from '../nodes/caddy-process.ts'
import { placeOf } from '../nodes/node-place.ts'
import { areDifferent } from '../nodes/known-capabilities.ts'
import type { KnownNode } from '../nodes/nodes.ts'
import { Problem } from '../problems.ts'
import type { CheckWanted } from '../sites/check-wanted.ts'
import type { RuleOutcome } from '../sites/rules.ts'
import type { SettleWanted } from '../sites/settle-wanted.ts'
import type { WantedSite } from '../sites/site-change.ts'
import type { DesiredSite } from './desired-sites.ts'
import type { Preview } from './schema.ts'
import { diffStates } from './state-diff.ts'

/** Shows what a site would become, and what Caddy says to it, without changing anything. */
export type PreviewSite = (wanted: WantedSite, id: number | undefined) => Promise<Preview>

export interface PreviewParts {
  readonly check: CheckWanted
  /** Brings the site into the form that is compiled; throws a problem. */
  readonly settle: SettleWanted
  /** The sites as they are served now: what Caddy has refused must not spoil what it says to this one. */
  readonly served: () => Promise<DesiredSite[]>
  readonly desiredState: (sites: readonly DesiredSite[]) => DesiredState
  readonly firstNode: () => Promise<KnownNode | undefined>
  /** Probes the first node again where it may be another version. */
  readonly recheckFirst: () => Promise<KnownNode | undefined>
  readonly own: CaddyProcess | undefined
}

interface Judged extends RuleOutcome {
  readonly wanted: WantedSite
}

/** What the rules say, and what comes of directives. */
async function judge({ check, settle }: PreviewParts, wanted: WantedSite, id: number | undefined): Promise<Judged> {
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

/** Stands for a site that has no number yet. */
const newSite = 2_147_483_647

export function createPreviewSite(parts: PreviewParts): PreviewSite {
  return async (wanted, id) => {
    const outcome = await judge(parts, wanted, id)
    const before = await parts.served()
    const after = withSite(before, outcome.wanted, id)
    let node = await parts.firstNode()
    const compiled = (sites: readonly DesiredSite[]): CompiledConfig | undefined =>
      node === undefined ? undefined : compileConfig(parts.desiredState(sites), placeOf(node, parts.own))
    let verdict = outcome.errors.length > 0 ? notAsked : await ask(node, compiled(after))
    if (isNotUnderstood(verdict.caddy_error ?? '')) {
      const known = await parts.recheckFirst().catch(() => undefined)
      if (known !== undefined && areDifferent(node?.capabilities, known.capabilities)) {
        node = known
        verdict = await ask(node, compiled(after))
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

const notAsked = { is_good: null, caddy_error: null }

function withSite(sites: readonly DesiredSite[], wanted: WantedSite, id: number | undefined): DesiredSite[] {
  const others = sites.filter((site) => site.id !== id)
  if (!wanted.record.enabled) return others
  return [...others, { id: id ?? newSite, revision: 0, name: wanted.record.site_name, ...wanted }]
}

async function ask(
  node: KnownNode | undefined,
  compiled: CompiledConfig | undefined,
): Promise<Pick<Preview, 'is_good' | 'caddy_error'>> {
  if (node === undefined || compiled === undefined) return notAsked
  try {
    const text = await node.client.tryConfig(withSentinel(compiled.config))
    return isSentinelError(text) ? { is_good: true, caddy_error: null } : { is_good: false, caddy_error: text }
  } catch {
    return notAsked
  }
}
