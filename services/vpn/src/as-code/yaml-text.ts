import {
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Node,
} from 'yaml'
import type { FilePath } from './section.ts'

/** Something wrong in the text of a file, with its line. */
export interface TextFault {
  readonly line: number
  readonly path: string
  readonly message: string
}

/** A file that was read, and where in it things stand. */
export interface YamlText {
  /** Maps as `Map`, so that no name means anything to the language. */
  readonly value: unknown
  /** The line of a path, or of what is nearest to it. */
  readonly lineOf: (path: FilePath) => number
}

/**
 * Reads YAML that may come from anywhere: plain values alone. What would make it another text than it looks is refused: references
 * to other parts, tags, names that stand twice, and several documents in one.
 */
export function readYaml(text: string): YamlText | readonly TextFault[] {
  const counter = new LineCounter()
  const lineAt = (offset: number | undefined) => (offset === undefined ? 1 : counter.linePos(offset).line)
  try {
    const document = parseDocument(text, {
      lineCounter: counter,
      prettyErrors: false,
      uniqueKeys: false,
      version: '1.2',
    })
    const faults = [
      ...[...document.errors, ...document.warnings].map(({ pos, message }) => ({
        line: lineAt(pos[0]),
        path: '',
        message,
      })),
      ...foreignParts(document).map(({ node, message }) => ({ line: lineAt(node?.range?.[0]), path: '', message })),
    ]
    if (faults.length > 0) return faults
    const lineOf = (path: FilePath) => lineAt(offsetOf(document, path))
    return { value: document.toJS({ mapAsMap: true, maxAliasCount: 0 }) as unknown, lineOf }
  } catch (error) {
    if (error instanceof RangeError) return [{ line: 1, path: '', message: 'is nested too deep' }]
    throw error
  }
}

interface ForeignPart {
  readonly node: Node | undefined
  readonly message: string
}

function foreignParts(document: Document.Parsed): ForeignPart[] {
  const found: ForeignPart[] = []
  const { yaml } = document.directives
  if (yaml.explicit === true && yaml.version !== '1.2') found.push({ node: undefined, message: 'must be YAML 1.2' })
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) found.push({ node, message: 'must not refer to another part of the file (*)' })
      else if (node.anchor !== undefined) found.push({ node, message: 'must have no anchor (&)' })
      else if (node.tag !== undefined) found.push({ node, message: 'must have no tag (!)' })
    },
    Map(_, node) {
      const names = new Set<unknown>()
      for (const { key } of node.items) {
        const name = isScalar(key) ? key.value : undefined
        const at = isNode(key) ? key : node
        if (typeof name !== 'string') found.push({ node: at, message: 'must have names that are text; quote numbers' })
        else if (names.has(name)) found.push({ node: at, message: `has ${JSON.stringify(name.slice(0, 64))} twice` })
        names.add(name)
      }
    },
  })
  return found
}

/** Where a path begins in the text; as far as it can be followed. */
function offsetOf(document: Document.Parsed, path: FilePath): number | undefined {
  let at: unknown = document.contents
  let offset: number | undefined
  for (const part of path) {
    if (isMap(at)) {
      const pair = at.items.find(({ key }) => isScalar(key) && key.value === part)
      if (!isPair(pair) || !isNode(pair.key)) break
      offset = pair.key.range?.[0]
      at = pair.value
    } else if (isSeq(at)) {
      at = at.items[Number(part)]
      if (!isNode(at)) break
      offset = at.range?.[0]
    } else break
  }
  return offset
}
