import type { ServerView } from '../../dns/lookups.ts'
import type { Outcome, Progress } from '../order-machine.ts'
import type { StepContext } from './perform-step.ts'

const minute = 60_000
/** After this a server that does not answer is not waited for, milliseconds. */
const silence = 5 * minute
/** After this a record counts as lost, milliseconds. */
const maxSpread = 60 * minute

/** Checks whether every authoritative server of the zone shows the records, before the authority is asked. */
export async function judgeSpread(
  { lookups, now }: Pick<StepContext, 'lookups' | 'now'>,
  progress: Extract<Progress, { step: 'spread' }>,
): Promise<Outcome> {
  const waited = now - progress.since
  const views: ServerView[] = []
  for (const { domain, value } of progress.challenges) {
    const name = await lookups.follow(`_acme-challenge.${domain}`)
    views.push(...(await lookups.authorities(name, value)))
  }
  if (hasSpread(views, waited)) {
    const servers = [...new Set(views.flatMap(({ server, state }) => (state === 'shown' ? [server] : [])))]
    const text = `The record is visible at ${servers.join(', ')}`
    return { kind: 'next', progress: { ...progress, step: 'validate', since: now }, text }
  }
  const words = describe(views)
  if (waited > maxSpread) return { kind: 'failed', failure: { code: 'dns-slow', text: `After an hour ${words}` } }
  return { kind: 'wait', ms: pollPause(waited), text: `Waiting for DNS to spread: ${words}` }
}

/** True if all servers show the records; those that do not answer count for a while only. */
export function hasSpread(views: readonly ServerView[], waited: number): boolean {
  const isFine = ({ state }: ServerView) => state === 'shown' || (state === 'silent' && waited > silence)
  return views.every(isFine) && views.some(({ state }) => state === 'shown')
}

function describe(views: readonly ServerView[]): string {
  const names = (wanted: ServerView['state']) => [
    ...new Set(views.flatMap(({ server, state }) => (state === wanted ? [server] : []))),
  ]
  const parts = [
    [names('missing'), 'not yet visible at'],
    [names('silent'), 'no answer from'],
  ] as const
  return parts.flatMap(([servers, text]) => (servers.length === 0 ? [] : [`${text} ${servers.join(', ')}`])).join('; ')
}

/** Milliseconds to the next look at something that was waited for so long. */
export const pollPause = (waited: number): number => (waited < minute ? 2000 : waited < 10 * minute ? 10_000 : 30_000)
