import type { AnswerMembers } from '../sites/answer-schema.ts'
import { literalText } from './caddy-values.ts'
import { giveUp } from './import-report.ts'
import { at, isObject, itemsOf, Members, membersOf, textOf, textsOf, type Place } from './json-place.ts'
import type { SiteReading } from './site-reading.ts'

type StaticFiles = NonNullable<AnswerMembers['static']>

/** What was said about files before the handler that serves them. */
export interface FileSurroundings {
  readonly root: Place | undefined
  /** Matcher `file` that chose another file to serve. */
  readonly tried: Place | undefined
}

/** Reads a handler `file_server`. */
export function readFiles(
  handler: Place,
  { root: usualRoot, tried }: FileSurroundings,
  reading: SiteReading,
): StaticFiles {
  const members = new Members(handler)
  members.skip('handler', 'canonical_uris')
  const root = members.take('root') ?? usualRoot ?? giveUp(handler, 'files without a directory')
  const index = textsOf(members.take('index_names')) ?? ['index.html', 'index.txt']
  const browse = members.take('browse')
  for (const [, option] of membersOf(browse)) reading.lost(option, 'how directories are listed')
  readHidden(members.take('hide'))
  for (const name of ['precompressed', 'precompressed_order', 'etag_file_extensions'])
    reading.lost(members.take(name), 'files that are stored compressed')
  for (const member of members.left()) giveUp(member, 'a way to serve files that sites do not have')
  const directory = literalText(root)
  if (!directory.startsWith('/')) giveUp(root, 'a directory that is not absolute')
  return { root: directory, index, browse: browse !== undefined, fallback: readFallback(tried, { root, index }) }
}

/** The Caddyfile itself is hidden by Caddy, and ours hides more than usual. */
function readHidden(hide: Place | undefined): void {
  const ours = new Set(['.git', '.svn', '.hg', '.env', '.htaccess', '.htpasswd', '.DS_Store'])
  for (const item of itemsOf(hide)) {
    const name = textOf(item) ?? ''
    if (!ours.has(name) && !name.endsWith('/Caddyfile')) giveUp(item, `the hidden file ${name.slice(0, 80)}`)
  }
}

/** The file that answers for whatever is not there: the last of those that are tried. */
function readFallback(tried: Place | undefined, on: { root: Place; index: readonly string[] }): string | null {
  if (tried === undefined) return null
  const members = new Members(tried)
  const root = members.take('root')
  if (root !== undefined && root.value !== on.root.value)
    giveUp(root, 'files that are looked for elsewhere than they are served from')
  const list = members.take('try_files')
  for (const member of members.left()) giveUp(member, 'a way to try files that sites do not have')
  const files = textsOf(list) ?? []
  const path = '{http.request.uri.path}'
  const usual = new Set([path, `${path}/`, ...on.index.map((name) => `${path}/${name}`)])
  const last = files.at(-1) ?? ''
  const isUsual = files[0] === path && files.slice(0, -1).every((file) => usual.has(file))
  if (!isUsual || usual.has(last) || last.startsWith('=') || /[{}]/.test(last))
    giveUp(tried, 'a list of files to try that sites do not have')
  return last.startsWith('/') ? last : `/${last}`
}

/** The directory of a handler `vars` that sets nothing else; undefined for one that sets nothing. */
export function readRoot(handler: Place): Place | undefined {
  const members = new Members(handler)
  members.skip('handler')
  const root = members.take('root')
  for (const member of members.left()) giveUp(member, 'a variable')
  return root
}

/** Whether the steps do nothing but rewrite to the file a matcher has found. */
export function isRewriteToFound(handler: Place | undefined): boolean {
  if (handler === undefined || !isObject(handler.value)) return false
  const names = Object.keys(handler.value).sort().join()
  return (
    names === 'handler,uri' &&
    handler.value['handler'] === 'rewrite' &&
    at(handler, 'uri')?.value === '{http.matchers.file.relative}'
  )
}
