import type { Tone } from '@hearth/ui'
import type { Node } from '../api.ts'

/** The states of a server, each in a word and with its meaning. */
export const nodeStates: Readonly<Record<Node['state'], { tone: Tone; text: string }>> = {
  in_sync: { tone: 'good', text: 'In sync' },
  pending: { tone: 'accent', text: 'Changes waiting' },
  drifted: { tone: 'warn', text: 'Changed by others' },
  unreachable: { tone: 'bad', text: 'No answer' },
  not_onboarded: { tone: 'warn', text: 'Not managed yet' },
  unknown: { tone: 'quiet', text: 'Not queried yet' },
}

/** Texts for missing capabilities; those that nobody notices have none. */
const missed: Readonly<Record<string, string>> = {
  streamCloseDelay: 'WebSockets are cut when a site is changed',
  clientIpMatcher: 'Access by network looks at the connection, not behind proxies',
  trustedProxies: 'No proxy in front of it is believed',
  healthPasses: 'Health checks do not count passes and fails',
  weightedRoundRobin: 'Upstreams have no weights',
  clientIpHash: 'Balancing by client looks at the connection, not behind proxies',
  queryPolicy: 'No balancing by a query parameter',
}

/** Lists the features that sites cannot use on this server; undefined while that is unknown. */
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

/** Meanings of error codes of connections to an admin endpoint. */
const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there. Caddy does not run, or its endpoint is another one.',
  ENOENT: 'There is no such socket. Caddy does not run, or its socket has another path.',
  EACCES: 'This service may not use that socket. Add its user to the group of Caddy.',
  ENOTFOUND: 'There is no machine of that name.',
  EHOSTUNREACH: 'There is no way to that machine.',
  ETIMEDOUT: 'That machine does not answer.',
}

/** A sentence for a person about why an admin endpoint does not answer, with the server's own words before it. */
export function describeReach(error: string): string {
  const said = `${error.charAt(0).toUpperCase()}${error.slice(1)}`
  const code = /\bE[A-Z]{4,}\b/.exec(error)?.[0] ?? ''
  const meaning = meanings[code]
  return meaning === undefined ? said : `${said}. ${meaning}`
}
