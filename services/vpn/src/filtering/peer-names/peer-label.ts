import { domainToASCII } from 'node:url'

const maxLabel = 63

/**
 * The label that a peer's name makes in DNS: lower case, spaces, dots and underscores as hyphens, other scripts in punycode, what
 * a label cannot hold left out. Undefined when nothing is left.
 */
export function peerLabel(name: string): string | undefined {
  const text = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s._]+/gu, '-')
    .replace(/[^\p{L}\p{M}\p{N}-]+/gu, '')
    .replace(/-{2,}/g, '-')
  // Shortened until it fits, by whole characters.
  for (let letters = Array.from(text).slice(0, maxLabel); letters.length > 0; letters = letters.slice(0, -1)) {
    const label = asciiLabel(letters.join('').replace(/^-+|-+$/g, ''))
    if (label === undefined) return undefined
    if (label.length <= maxLabel) return label
  }
  return undefined
}

/** The label of the n-th peer of the same one; the first has no number. */
export function numberedLabel(label: string, number: number): string {
  if (number === 1) return label
  const ending = `-${number}`
  // A label in punycode that is cut stands for other letters, and still for one name alone.
  return `${label.slice(0, maxLabel - ending.length).replace(/-+$/, '')}${ending}`
}

function asciiLabel(text: string): string | undefined {
  // A whole name, because a label of digits alone would be read as an address.
  const name = text === '' ? '' : domainToASCII(`${text}.invalid`)
  const label = name.endsWith('.invalid') ? name.slice(0, -'.invalid'.length) : ''
  return /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(label) ? label : undefined
}
