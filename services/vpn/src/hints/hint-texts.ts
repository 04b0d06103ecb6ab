import type { Evidence } from './schema.ts'

/** Says in a sentence what was found. */
export function titleOf(name: string, evidence: Evidence): string {
  switch (evidence.kind) {
    case 'two_places':
      return `The key of ${name} is used from two places`
    case 'new_country':
      return `${name} connected from ${listOf(evidence.new.map(({ country }) => country ?? 'an unknown country'))} for the first time`
    case 'tunnelling':
      return `DNS queries of ${name} look like a tunnel through ${evidence.domain}`
    case 'list_surge': {
      const { usual, count } = evidence
      return usual < 1
        ? `${name} blocks far more than usual`
        : `${name} blocks ${Math.round(count / usual)} times as much as usual`
    }
  }
}

/** Says what a notification adds to the title. A key used from two places is told of by its report. */
export function adviceOf(evidence: Exclude<Evidence, { kind: 'two_places' }>): string {
  switch (evidence.kind) {
    case 'new_country': {
      const [last] = evidence.new.slice(-1)
      const by = last?.organization === null || last === undefined ? '' : `, ${last.organization}`
      return `From ${last?.address ?? 'an unknown address'}${by}. If that was not its owner, disable the peer and make a new key.`
    }
    case 'tunnelling':
      return `${evidence.names} different names in ${minutesText(evidence)}, for example ${evidence.examples[0] ?? ''}.${evidence.domain}`
    case 'list_surge':
      return `${evidence.count} queries in this hour, ${Math.round(evidence.usual)} are usual.${evidence.after_update ? ' The list was updated in the last 24 hours.' : ''}`
  }
}

function listOf(texts: readonly string[]): string {
  const [last] = texts.slice(-1)
  return texts.length < 2 ? (last ?? '') : `${texts.slice(0, -1).join(', ')} and ${last}`
}

function minutesText({ from, to }: { from: string; to: string }): string {
  const minutes = Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / 60_000))
  return minutes === 1 ? 'a minute' : `${minutes} minutes`
}
