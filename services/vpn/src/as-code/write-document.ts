import { isDeepStrictEqual } from 'node:util'
import { Document } from 'yaml'
import type { SecretsHeader } from './secrets.ts'
import type { AnySection, EntryValue, Held } from './section.ts'

/** The version of the format. */
export const formatVersion = 'hearth-vpn-1'

const heading = ` Wanted state of Hearth VPN. It holds no counters, accounts or tokens, and secrets only encrypted.
 "hearth vpn apply FILE" brings the service to what stands here.`

/** A section with what it holds. */
export interface FilledSection {
  readonly section: AnySection
  readonly held: readonly Held<EntryValue>[]
}

/** Writes the wanted state. The same state gives the same text: entries are sorted, but for those whose order means something. */
export function writeDocument(sections: readonly FilledSection[], secrets: SecretsHeader | undefined): string {
  const content = new Map<string, unknown>([['format', formatVersion]])
  if (secrets !== undefined) content.set('secrets', secrets)
  for (const { section, held } of sections) content.set(section.name, contentOf(section, held))
  const document = new Document(content, { aliasDuplicateObjects: false })
  document.commentBefore = heading
  return document.toString({ lineWidth: 0 })
}

function contentOf(section: AnySection, held: readonly Held<EntryValue>[]): unknown {
  if (section.form === 'members') return held[0]?.value ?? {}
  const sorted = section.isOrdered === true ? held : held.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  if (section.form === 'list') return sorted.map(({ value }) => shortened(section, value))
  return new Map(sorted.map(({ name, value }) => [name, shortened(section, value)]))
}

/** An entry without members that say nothing. */
function shortened({ defaults }: AnySection, value: EntryValue): Map<string, unknown> {
  const members = Object.entries(value).filter(
    ([name, each]) =>
      each !== undefined && !(name in defaults && isDeepStrictEqual(each, (defaults as EntryValue)[name])),
  )
  return new Map(members)
}
