/** Labels of a site's members. */
const names: Readonly<Record<string, string>> = {
  site_name: 'Name',
  domains: 'Domains',
  kind: 'Type',
  enabled: 'Enabled',
  upstreams: 'Upstreams',
  upstream_host: 'Host header for upstreams',
  url: 'Address',
  weight: 'Weight',
  max_requests: 'Requests at one time',
  lb: 'Load balancing',
  policy: 'Policy',
  retries: 'Retries',
  try_duration: 'Seconds to go on trying',
  health: 'Health checks',
  active: 'Active',
  passive: 'Passive',
  timeouts: 'Time limits',
  upstream_tls: 'TLS to upstreams',
  redirect: 'Redirect',
  static: 'Files',
  respond: 'Fixed answer',
  tls: 'TLS',
  mode: 'Certificate',
  min_version: 'Minimum version',
  acme_ca: 'Authority',
  staging: 'Test authority',
  certificate_id: 'Own certificate',
  client_auth_ca_id: 'Client certificates',
  force_https: 'Redirect to HTTPS',
  hsts: 'HSTS',
  max_age: 'Seconds',
  request_headers: 'Request headers',
  response_headers: 'Response headers',
  compression: 'Compression',
  basic_auth: 'Users with passwords',
  username: 'User name',
  password: 'Password',
  forward_auth: 'Sign-in by another server',
  uri: 'Path',
  copy_headers: 'Headers to copy',
  access: 'Networks and robots',
  reach: 'Reachable by',
  allow: 'Allowed networks',
  deny: 'Refused networks',
  noindex: 'Kept out of search engines',
  block_bots: 'Crawlers refused',
  paths: 'Paths',
  redirects: 'Redirects',
  max_body: 'Largest request',
  error_page: 'Error page',
  maintenance_mode: 'Maintenance',
  maintenance: 'Maintenance page',
  check: 'Checks',
  interval_seconds: 'Seconds between checks',
  path: 'Path',
  expected_status: 'Expected status',
  expected_text: 'Expected text',
  timeout_seconds: 'Time limit in seconds',
  failures: 'Failed checks until it is down',
  verify_tls: 'Check the certificate',
  follow_redirects: 'Follow redirects',
  log: 'Log',
  own_file: 'File of its own',
  raw_directives: 'Directives',
  op: 'Change',
}

/** Names a member by its path for a person: `upstreams.0.url` is "Upstreams 1 › Address". */
export function nameOfField(path: string): string {
  const words: string[] = []
  for (const part of path.split('.')) {
    if (/^\d+$/.test(part) && words.length > 0) words.push(`${words.pop()} ${Number(part) + 1}`)
    else words.push(names[part] ?? part.charAt(0).toUpperCase() + part.slice(1).replaceAll('_', ' '))
  }
  return words.join(' › ')
}

/** A value of a member for a person; nothing at all is a dash. */
export function textOfValue(value: unknown): string {
  if (value === undefined || value === null) return '–'
  if (value === true) return 'on'
  if (value === false) return 'off'
  if (value === '') return '(empty)'
  if (Array.isArray(value) && value.length === 0) return 'none'
  if (Array.isArray(value) && value.every((entry) => typeof entry === 'string')) return value.join(', ')
  if (Array.isArray(value)) return value.map(textOfRow).join('\n')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A row of a list: an upstream is its address, as long as nothing else is said of it. */
function textOfRow(row: unknown): string {
  if (typeof row !== 'object' || row === null) return String(row)
  const { url, weight, max_requests: most } = row as Record<string, unknown>
  const isPlain = typeof url === 'string' && weight === 1 && most === null
  return isPlain ? url : JSON.stringify(row)
}
