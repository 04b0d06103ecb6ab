/** A domain name in wire form, lower case, with its final zero; undefined for what is none. The root alone is none either. */
export function wireName(domain: string): Uint8Array | undefined {
  const text = new TextEncoder().encode(domain.toLowerCase().replace(/\.$/, ''))
  const name = new Uint8Array(text.length + 2)
  name.set(text, 1)
  let start = 0
  for (let at = 1; at <= text.length + 1; at++) {
    if (at <= text.length && name[at] !== 46) continue
    const length = at - start - 1
    if (length === 0 || length > 63) return undefined
    name[start] = length
    start = at
  }
  name[start] = 0
  return name.length > 255 ? undefined : name
}
