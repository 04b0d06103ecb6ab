import { isIP } from 'node:net'

/**
 * The one form of a host: lower case, ASCII, no brackets, no dot at the end; addresses in odd forms (`0x7f.1`, `017700000001`)
 * as the address they stand for. Undefined when the text is no host.
 */
export function normaliseHost(text: string): string | undefined {
  const host = isIP(text) === 6 ? `[${text}]` : text
  if (!/^(?:\[[^\]]*\]|[^\s/?#@\\:[\]]+)$/.test(host) || !URL.canParse(`http://${host}/`)) return undefined
  const plain = new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return plain === '' || plain.endsWith('.') ? undefined : plain
}
