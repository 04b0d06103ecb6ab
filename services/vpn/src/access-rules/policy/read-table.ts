import { createHash } from 'node:crypto'

/** Stands for a listing in which the memory of decisions has whatever turn, and sets and chains whatever order. */
export function frameOf(text: string): string {
  const withoutTurns = text.replaceAll(/\b((?:let|cut)_[a-z]+[46])_[ab]\b/g, '$1')
  const parts = withoutTurns.split(/\n(?=\t(?:set|map|chain) )/).map((part) => part.replaceAll(/[\s}]+$/g, ''))
  return createHash('sha256').update(parts.toSorted().join('\n')).digest('hex')
}

/** Reads the elements of sets and maps, as `nft -s list set` and `list map` say them, by the name of the set. */
export function readElements(text: string): Map<string, Map<string, string>> {
  const sets = new Map<string, Map<string, string>>()
  for (const [, name = '', content = ''] of text.matchAll(
    /(?:set|map) (\w+) \{[^{}]*?(?:elements = \{([^{}]*)\}\s*)?\}/g,
  )) {
    const elements = content
      .split(',')
      .map((element) => element.trim())
      .filter((element) => element !== '')
    sets.set(name, new Map(elements.map(readElement)))
  }
  return sets
}

/** `10.8.0.2`, `"wg0"`, or `10.8.0.2 : goto chain`. */
function readElement(text: string): [string, string] {
  const at = text.indexOf(' : ')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 3)]
}
