import { formatBytes, formatCount } from '@hearth/ui'
import { tlsName } from '../sites/site-words.ts'
import { blankDraft } from './blank-draft.ts'
import { type Draft, isSame } from './draft.ts'

const compressionNames = { both: 'zstd and gzip', zstd: 'zstd', gzip: 'gzip', off: 'no compression' }

/** What a folded section of the editor says of itself: the choices that are not as in every site. */
export function summaryOf(section: string, draft: Draft): string {
  const said = parts[section]?.(draft).filter((text) => text !== '') ?? []
  return said.join(' · ')
}

const when = (condition: boolean, text: string): string => (condition ? text : '')
const counted = (rows: readonly unknown[], noun: string): string =>
  when(rows.length > 0, formatCount(rows.length, noun))

const parts: Readonly<Record<string, (draft: Draft) => string[]>> = {
  tls: (draft) => [
    tlsName(draft),
    when(draft.tls.mode !== 'off' && draft.force_https, 'redirects to HTTPS'),
    when(draft.hsts !== null, 'HSTS'),
    when(draft.tls.client_auth_ca_id !== null, 'asks for certificates'),
  ],
  headers: ({ compression, request_headers: asked, response_headers: answered }) => [
    compressionNames[compression],
    counted([...asked, ...answered], 'header'),
  ],
  access: ({ basic_auth: users, forward_auth: forward, access }) => [
    when(users.length === 0 && forward === null && access.allow.length === 0, 'open to everybody'),
    counted(users, 'user'),
    when(forward !== null, 'another server decides'),
    when(access.allow.length > 0, `only ${formatCount(access.allow.length, 'network')}`),
    when(access.deny.length > 0, `not ${formatCount(access.deny.length, 'network')}`),
    when(access.noindex || access.block_bots, 'no robots'),
  ],
  servers: (draft) => [
    when(draft.lb.policy !== 'round_robin', draft.lb.policy.replaceAll('_', ' ')),
    when(draft.health.active !== null || draft.health.passive !== null, 'health checks'),
    when(!isSame(draft.timeouts, blankDraft.timeouts), 'time limits'),
    when(!draft.upstream_tls.verify, 'certificates are not checked'),
  ],
  paths: ({ paths }) => [
    paths
      .map(({ path }) => path)
      .filter((path) => path !== '')
      .join(', '),
  ],
  redirects: ({ redirects }) => [counted(redirects, 'redirect')],
  limits: (draft) => [
    when(draft.max_body !== null, `at most ${formatBytes(draft.max_body ?? 0)}`),
    when(draft.error_page !== null, 'error page'),
    when(!draft.log.enabled, 'no log'),
  ],
  maintenance: (draft) => [when(draft.maintenance_mode, 'on')],
}
