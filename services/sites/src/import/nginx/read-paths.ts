import type { SiteInput } from '../config/read-config.ts'
import type { Directive } from './nginx-directives.ts'
import { type LocationContext, readTarget, triesAll } from './read-location.ts'
import { checkLocation } from './server-checks.ts'

/** Paths of a site at most. */
const maxPaths = 50

/** What holds where the paths of a site are read. */
export interface PathsContext extends LocationContext {
  /** True where the site itself serves a folder. */
  readonly isStatic: boolean
  readonly changed: (what: string) => void
  readonly unsafe: (what: string) => void
}

/** Where a server answers from, but for its paths. */
export function readMain(block: readonly Directive[], context: LocationContext) {
  const location = answersItself(block)
    ? undefined
    : block.find(({ name, words }) => name === 'location' && words.length === 1 && words[0] === '/')
  const own = block.filter(({ name }) => name !== 'location')
  // A location has what its server says, unless it says so itself.
  const inner = location?.block ?? []
  const inherited = own.filter(({ name }) => !inner.some((one) => one.name === name))
  const variables = new Map([...context.variables, ...variablesOf(inner)])
  const target = readTarget([...inner, ...inherited], { ...context, variables })
  return target ?? { kind: 'respond' as const, respond: { status: 404, body: 'Not found\n' }, isStripped: false }
}

/** The paths of a server: its locations but for `/`. */
export function readPaths(block: readonly Directive[], context: PathsContext) {
  const paths: NonNullable<SiteInput['paths']> = []
  if (answersItself(block)) return paths
  for (const { name, words, block: inner = [] } of block) {
    if (name !== 'location' || (words.length === 1 && words[0] === '/')) continue
    const path = paths.length < maxPaths ? readPath(words, inner, context) : { why: '' }
    if ('path' in path) paths.push(path)
    else leaveOut({ words, inner, why: path.why }, context)
  }
  return paths
}

function readPath(words: readonly string[], inner: readonly Directive[], context: PathsContext) {
  const shown = shownLocation(words)
  const [sign = '', text = ''] = words.length === 1 ? ['', words[0]] : words
  const match: 'exact' | 'prefix' | undefined =
    sign === '=' ? 'exact' : sign === '' || sign === '^~' ? 'prefix' : undefined
  if (match === undefined || !/^\/[^\s{}*]*$/.test(text)) return { why: '' }
  const variables = new Map([...context.variables, ...variablesOf(inner)])
  const target = readTarget(inner, { ...context, variables, prefix: text })
  if (target === undefined) return { why: '' }
  if ('problem' in target) return { why: ` (${target.problem})` }
  const { asks, lost } = checkLocation(inner)
  for (const what of lost) context.lost(`in the location ${shown}: ${what}`)
  if (asks.length > 0) context.unsafe(`the location ${shown} asks something of visitors: ${asks[0]}`)
  if (match === 'prefix' && !text.endsWith('/')) {
    const what = `the location ${shown} was for all addresses that begin so, here it ends at a slash`
    if (inner.some((one) => one.name === 'return')) context.unsafe(what)
    else context.changed(what)
  }
  const { isStripped, ...members } = target
  return { ...members, match, path: text, strip: isStripped }
}

/** Notes a location that becomes no path: its addresses are then answered by the rest of the site. */
function leaveOut(
  { words, inner, why }: { words: readonly string[]; inner: readonly Directive[]; why: string },
  { lost, unsafe, isStatic }: PathsContext,
): void {
  const shown = shownLocation(words)
  lost(`the location ${shown}${why}`)
  if (checkLocation(inner).asks.length > 0 || refuses(inner)) unsafe(`the location ${shown} kept something back`)
  else if (isStatic && inner.some(({ name }) => /^(fastcgi|uwsgi|scgi)_pass$/.test(name)))
    unsafe(`the location ${shown} ran what would now be served as files`)
}

/** True for a location that answers itself, or that has no file to serve. */
function refuses(inner: readonly Directive[]): boolean {
  const hasPass = inner.some(({ name }) => name.endsWith('_pass'))
  return inner.some((one) => one.name === 'return' || (one.name === 'try_files' && !hasPass && !triesAll(one)))
}

const shownLocation = (words: readonly string[]): string => words.join(' ').slice(0, 100)

/** True for a server with a `return` of its own, which nginx answers everywhere before it looks at locations. */
const answersItself = (block: readonly Directive[]): boolean => block.some(({ name }) => name === 'return')

/** Values that a block sets, by the names of their variables without `$`. */
export const variablesOf = (block: readonly Directive[]): Map<string, string> =>
  new Map(
    block.flatMap(({ name, words: [key = '', value = ''] }) =>
      name === 'set' ? [[key.replace(/^\$/, ''), value]] : [],
    ),
  )
