import type { components } from '../api.gen.ts'
import type { Tone } from '@hearth/ui'

type Node = components['schemas']['Node']

/** The states of a server, each in a word and with its meaning. */
export const nodeStates: Readonly<Record<Node['state'], { tone: Tone; text: string }>> = {
  in_sync: { tone: 'good', text: 'In sync' },
  pending: { tone: 'accent', text: 'Changes waiting' },
  drifted: { tone: 'warn', text: 'Changed by others' },
  unreachable: { tone: 'bad', text: 'No answer' },
  not_onboarded: { tone: 'warn', text: 'Not managed yet' },
  unknown: { tone: 'quiet', text: 'Not queried yet' },
}

/** What a Caddy is missed for, by capability; those nobody notices have no words. */
const missed: Readonly<Record<string, string>> = {
  streamCloseDelay: 'WebSockets are cut when a site is changed',
  clientIpMatcher: 'Access by network looks at the connection, not behind proxies',
  trustedProxies: 'No proxy in front of it is believed',
  healthPasses: 'Health checks do not count passes and fails',
  weightedRoundRobin: 'Upstreams have no weights',
  clientIpHash: 'Balancing by client looks at the connection, not behind proxies',
  queryPolicy: 'No balancing by a query parameter',
}

/** What sites cannot use on this server; undefined while nobody knows. */
export function missingAbilities({ capabilities }: Pick<Node, 'capabilities'>): string[] | undefined {
  if (capabilities === null) return undefined
  return Object.entries(missed)
    .filter(([name]) => capabilities[name] === false)
    .map(([, text]) => text)
}

/** The addresses a server listens at, in words. */
export function describeBind(bind: readonly string[]): string {
  return bind.length === 0 ? 'All of the machine' : bind.join(', ')
}
