import type { Tone } from '@hearth/ui'
import type { Revision } from './read-revisions.ts'

const causes: Readonly<Record<string, string>> = {
  'site.created': 'site added',
  'site.updated': 'site changed',
  'site.deleted': 'site removed',
  'settings.updated': 'settings changed',
  onboarding: 'Caddy taken over',
  restore: 'restored over what somebody else had changed',
  sync: 'applied once more',
  start: 'service started',
  import: 'import',
}

const nodeCauses: Readonly<Record<string, string>> = {
  'node.updated': 'changed',
  'node.onboarded': 'taken over',
  'node.restarted': 'restarted',
  'node.returned': 'reachable again',
  'node.replaced': 'replaced by another version',
}

/** Describes the causes of a revision, separated by commas. */
export function causeText(cause: string): string {
  const parts = cause.match(/return to \d+|node\.\w+ \S+|\S+/g) ?? []
  const text = parts.map(partText).join(', ')
  return text === '' ? 'Unknown' : text.charAt(0).toUpperCase() + text.slice(1)
}

function partText(part: string): string {
  const [word = '', name = ''] = part.split(' ')
  if (word === 'return') return `return to revision ${part.slice('return to '.length)}`
  if (word in nodeCauses) return `server ${name} ${nodeCauses[word]}`
  return causes[word] ?? word.replaceAll(/[._]/g, ' ')
}

const outcomes = {
  applied: { tone: 'good', text: 'Applied' },
  partly: { tone: 'warn', text: 'Applied in part' },
  failed: { tone: 'bad', text: 'Failed' },
} as const satisfies Record<Revision['outcome'], { tone: Tone; text: string }>

/** The outcome of a revision. */
export const outcomeOf = ({ outcome }: Pick<Revision, 'outcome'>) => outcomes[outcome]

const nodeOutcomes: Readonly<Record<Revision['nodes'][number]['outcome'], { tone: Tone; text: string }>> = {
  applied: { tone: 'good', text: 'Applied' },
  rejected: { tone: 'bad', text: 'Refused' },
  'rolled-back': { tone: 'bad', text: 'Rolled back' },
  drifted: { tone: 'warn', text: 'Changed by somebody else' },
  unreachable: { tone: 'bad', text: 'Not reachable' },
  unknown: { tone: 'warn', text: 'Unknown' },
  skipped: { tone: 'quiet', text: 'Left out' },
}

/** The outcome of a revision on one server. */
export const nodeOutcome = (outcome: Revision['nodes'][number]['outcome']) => nodeOutcomes[outcome]

/** The sites a revision changed: the names of the first few, and how many more. */
export function changedText({ sites, changed_sites: count }: Pick<Revision, 'sites' | 'changed_sites'>): string {
  if (count === 0) return 'no site'
  const named = sites.slice(0, 3).map(({ site_name: name }) => name)
  const more = count - named.length
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ')
}

/** A duration of milliseconds: `85 ms`, `1.2 s`. */
export const durationText = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`)
