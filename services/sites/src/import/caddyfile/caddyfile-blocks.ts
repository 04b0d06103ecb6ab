import { forEachBlock, type CaddyfileBlock } from './caddyfile-dangers.ts'
import { caddyfileTokens } from './caddyfile-tokens.ts'

/** A site of a Caddyfile, as it is written. */
export interface WrittenSite {
  /** The line its addresses begin on. */
  readonly line: number
  /** Text between its braces, with the snippets it imports; undefined when one cannot be inserted. */
  readonly directives: string | undefined
}

/** The sites of a Caddyfile by host name, lower case. A file of one site without braces has none here. */
export function writtenSites(text: string): Map<string, WrittenSite> {
  const blocks: CaddyfileBlock[] = []
  forEachBlock(caddyfileTokens(text, { hasHeredocs: true }), (block) => void blocks.push(block))
  const bodyOf = ({ open, close }: CaddyfileBlock) => text.slice(open.end, close.start)
  const snippets = new Map(
    blocks.flatMap((block) => {
      const name = block.header.length === 1 ? /^\((.+)\)$/.exec(block.header[0]?.text ?? '')?.[1] : undefined
      return name === undefined ? [] : [[name, bodyOf(block)] as const]
    }),
  )
  const sites = new Map<string, WrittenSite>()
  for (const block of blocks) {
    const [first] = block.header
    if (first === undefined || /^[(&]/.test(first.text)) continue
    const site = { line: first.line, directives: withSnippets(bodyOf(block), snippets) }
    for (const { text: address } of block.header)
      for (const host of address.split(',').map(hostOf)) {
        if (host === '') continue
        // A host in several blocks has no single block that describes it.
        const other = sites.get(host)
        sites.set(host, other === undefined ? site : { line: other.line, directives: undefined })
      }
  }
  return sites
}

const hostOf = (address: string) =>
  address
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '')
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')

/** Snippets without arguments in place of their imports. */
function withSnippets(body: string, snippets: ReadonlyMap<string, string>, depth = 0): string | undefined {
  if (depth > 5) return undefined
  let isWhole = true
  const text = body.replaceAll(/^[\t ]*import[\t ]+(\S+)([^\n]*)$/gm, (_line, name: string, rest: string) => {
    const snippet = snippets.get(name)
    const inner = snippet === undefined || rest.trim() !== '' ? undefined : withSnippets(snippet, snippets, depth + 1)
    if (inner === undefined || /\{args[.[]/.test(inner)) isWhole = false
    return inner ?? ''
  })
  return isWhole && text.length <= 262_144 ? text.trim() : undefined
}
