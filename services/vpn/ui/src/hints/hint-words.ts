import type { Hint, HintException } from '../api.ts'

/** Kinds of hints in plain words. */
export const kindNames: Record<Hint['kind'], string> = {
  two_places: 'Key used from two places',
  new_country: 'New country',
  tunnelling: 'DNS like a tunnel',
  list_surge: 'List blocks much more',
}

/** What is worth knowing before one acts on a hint of a kind. */
export const kindAdvice: Record<Hint['kind'], string> = {
  two_places:
    'Two devices probably share the key, or somebody copied it. Give each device its own peer; if you know of no second device, make a new key.',
  new_country:
    'Its owner may be travelling. If not, disable the peer and make a new key. Addresses of mobile providers sometimes count to another country.',
  tunnelling:
    'The names carry data, as programs that hide traffic in DNS do. Some programs for security and measurement do the same: look at the names.',
  list_surge: 'An update of the list may block what it should not, or a device repeats itself. Look at the names.',
}

/** Labels of the two ways to expect a hint; the second is missing where it is about nothing else than its subject. */
export function expectedChoices(hint: Pick<Hint, 'kind' | 'subject' | 'topic' | 'evidence'>): {
  subject: string
  topic?: string
} {
  const subject = `Never again for ${hint.subject.name}`
  if (hint.evidence.kind === 'tunnelling') return { subject, topic: `Never again for ${hint.evidence.domain}` }
  if (hint.evidence.kind !== 'new_country') return { subject }
  const countries = [...new Set(hint.evidence.new.flatMap(({ country }) => (country === null ? [] : [country])))]
  return countries.length === 0 ? { subject } : { subject, topic: `Never again for ${countries.join(', ')}` }
}

const regions = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' })

/** Says what an exception covers. */
export function exceptionText({ kind, subject_name: name, topic }: HintException): string {
  const about = topic === null ? undefined : kind === 'new_country' ? (regions.of(topic) ?? topic) : topic
  return [name, about].filter((part) => part !== null && part !== undefined).join(', ')
}

/** A provider with its number. */
export function providerText({ asn, organization }: { asn: number | null; organization: string | null }): string {
  return [organization, asn === null ? null : `AS${asn}`].filter((part) => part !== null).join(', ')
}

/** A part of one as a percentage. */
export const shareText = (share: number): string => `${Math.round(share * 100)} %`
