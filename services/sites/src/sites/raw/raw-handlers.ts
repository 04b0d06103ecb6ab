import type { RawWalk } from './raw-routes.ts'

/** A JSON object whose members are not known yet. */
export type Json = Readonly<Record<string, unknown>>

/** Rule for a handler: the members it may have, and those that have to be checked further. */
export interface RawRule {
  readonly members: readonly string[]
  readonly check?: (value: Json, walk: RawWalk) => void
}

const asObject = (value: unknown): Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : {}
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Directories must be fixed ones below the bases; a custom template would be a file of the machine. */
function checkRoot({ root }: Json, walk: RawWalk): void {
  if (root === undefined) return
  const problem = typeof root === 'string' ? walk.limits.rootProblem(root) : 'must be a text'
  if (problem !== undefined) walk.report(`the directory ${JSON.stringify(root)} ${problem}`)
}

function checkVars(vars: Json, walk: RawWalk): void {
  checkRoot(vars, walk)
  // A variable name computed at request time could become `root`.
  if (Object.keys(vars).some((name) => /[{}]/.test(name))) walk.report('names of variables must not hold placeholders')
}

function checkFiles(files: Json, walk: RawWalk): void {
  checkRoot(files, walk)
  if (asObject(files['browse'])['template_file'] !== undefined)
    walk.report('browse must not have a template of its own')
}

function checkAuthentication({ providers }: Json, walk: RawWalk): void {
  walk.onlyMembers('authentication', asObject(providers), ['http_basic'])
}

function checkEncodings({ encodings }: Json, walk: RawWalk): void {
  walk.onlyMembers('encode', asObject(encodings), ['gzip', 'zstd'])
}

function checkProxy(proxy: Json, walk: RawWalk): void {
  for (const upstream of asList(proxy['upstreams'])) checkDial(asObject(upstream)['dial'], walk)
  const transport = asObject(proxy['transport'])
  const protocol = transport['protocol']
  if (protocol !== undefined && protocol !== 'http')
    walk.report(`the transport ${JSON.stringify(protocol)} is not allowed`)
  walk.onlyMembers('transport', transport, transportMembers)
  walk.onlyMembers('transport.tls', asObject(transport['tls']), [
    'insecure_skip_verify',
    'server_name',
    'handshake_timeout',
  ])
  // Checks at another port or address would reach servers that are no upstreams.
  walk.onlyMembers('active health checks', asObject(asObject(proxy['health_checks'])['active']), activeMembers)
  for (const response of asList(proxy['handle_response'])) {
    walk.onlyMembers('handle_response', asObject(response), ['match', 'status_code', 'routes'])
    walk.routes(asObject(response)['routes'])
  }
}

function checkDial(dial: unknown, walk: RawWalk): void {
  const isFixed = typeof dial === 'string' && !/[{}]/.test(dial)
  const problem = isFixed ? walk.limits.upstreamProblem(urlOfDial(dial)) : 'must be a fixed address'
  if (problem !== undefined) walk.report(`the upstream ${JSON.stringify(dial)} ${problem}`)
}

function urlOfDial(dial: string): string {
  return dial.startsWith('unix/') ? dial : `http://${dial.replace(/^tcp[46]?\//, '')}`
}

const transportMembers = (
  'protocol tls versions keep_alive compression max_conns_per_host dial_timeout dial_fallback_delay response_header_timeout ' +
  'expect_continue_timeout max_response_header_size write_buffer_size read_buffer_size read_timeout write_timeout'
).split(' ')

const activeMembers = 'uri path interval timeout max_size expect_status expect_body headers passes fails method'.split(
  ' ',
)

const proxyMembers = (
  'upstreams transport load_balancing health_checks flush_interval headers rewrite handle_response trusted_proxies ' +
  'buffer_requests buffer_responses max_buffer_size request_buffers response_buffers stream_timeout stream_close_delay'
).split(' ')

/** The handlers that raw directives may become. Whatever is not here is refused. */
export const rawHandlers: Readonly<Record<string, RawRule>> = {
  authentication: { members: ['providers'], check: checkAuthentication },
  copy_response: { members: ['status_code'] },
  copy_response_headers: { members: ['include', 'exclude'] },
  encode: { members: ['encodings', 'prefer', 'minimum_length', 'match'], check: checkEncodings },
  error: { members: ['error', 'status_code'] },
  file_server: {
    members: [
      'root',
      'hide',
      'index_names',
      'browse',
      'canonical_uris',
      'status_code',
      'pass_thru',
      'precompressed',
      'precompressed_order',
    ],
    check: checkFiles,
  },
  headers: { members: ['request', 'response'] },
  map: { members: ['source', 'destinations', 'mappings', 'defaults'] },
  request_body: { members: ['max_size'] },
  reverse_proxy: {
    members: proxyMembers,
    check: checkProxy,
  },
  rewrite: {
    members: ['method', 'uri', 'strip_path_prefix', 'strip_path_suffix', 'uri_substring', 'path_regexp', 'query'],
  },
  static_response: { members: ['status_code', 'headers', 'body', 'close', 'abort'] },
  subroute: { members: ['routes', 'errors'], check: checkSubroute },
  vars: { members: ['*'], check: checkVars },
}

function checkSubroute({ routes, errors }: Json, walk: RawWalk): void {
  walk.routes(routes)
  walk.onlyMembers('errors', asObject(errors), ['routes'])
  walk.routes(asObject(errors)['routes'])
}

/** The matchers that raw directives may have. `vars_regexp` is none: it fills in the placeholders that visitors send. */
export const rawMatchers: ReadonlySet<string> = new Set(
  'client_ip expression file header header_regexp host method not path path_regexp protocol query remote_ip vars'.split(
    ' ',
  ),
)

/** Looks at a matcher that could reach files. */
export function checkRawMatcher(name: string, value: unknown, walk: RawWalk): void {
  if (name === 'file') {
    walk.onlyMembers('file', asObject(value), ['root', 'try_files', 'try_policy', 'split_path'])
    checkRoot(asObject(value), walk)
  }
  if (name === 'not') walk.matchers(value)
  if (name !== 'expression') return
  for (const text of textsIn(value)) {
    const problem = expressionProblem(text)
    if (problem !== undefined) walk.report(problem)
  }
}

/**
 * Returns the reason why the text of an expression matcher must not go to Caddy, or undefined. An expression may ask for placeholders by a function
 * and so by a name that it puts together; comments and escapes in texts hide what it asks for.
 */
function expressionProblem(text: string): string | undefined {
  if (text.includes('\\')) return 'an expression must not hold a backslash'
  if (text.includes('//')) return 'an expression must not hold comments, nor // elsewhere'
  if (/\bfile\s*\(/.test(text)) return 'an expression must not ask for files'
  // Reads what visitors send as placeholders again.
  if (/\bvars_regexp\s*\(/.test(text)) return 'an expression must not ask for vars_regexp'
  return /\b(caddyPlaceholder|ph)\s*\(/.test(text)
    ? 'an expression must not ask for a placeholder by its name; write it in braces'
    : undefined
}

/** All texts in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : []
}
