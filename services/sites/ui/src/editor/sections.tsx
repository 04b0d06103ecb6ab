import { formatBytes, formatCount, formatDuration } from '@hearth/ui'
import type { ComponentType } from 'react'
import { tlsName } from '../sites/site-words.ts'
import { AccessSection } from './access-section.tsx'
import { blankDraft } from './blank-draft.ts'
import { CheckSection } from './check-section.tsx'
import { type Draft, isSame } from './draft.ts'
import { HeaderSection } from './header-section.tsx'
import { LimitSection, MaintenanceSection } from './limit-section.tsx'
import { PathSection, RedirectSection } from './path-section.tsx'
import { ServerSection } from './server-section.tsx'
import { TlsSection } from './tls-section.tsx'

/** A part of the editor that is folded away until it is wanted. */
export interface EditorSection {
  readonly name: string
  readonly title: string
  /** The members of a site that are edited in it. */
  readonly members: readonly (keyof Draft)[]
  /** Returns true for a site that has the section; every site when left out. */
  readonly fits?: (draft: Draft) => boolean
  /** Lists the choices that differ from the defaults; empty texts are left out. */
  readonly summary: (draft: Draft) => readonly string[]
  readonly Content: ComponentType
}

const isForm = ({ kind }: Draft) => kind !== 'raw'
const when = (condition: boolean, text: string): string => (condition ? text : '')
const counted = (rows: readonly unknown[], noun: string): string =>
  when(rows.length > 0, formatCount(rows.length, noun))
const compressionNames = { both: 'zstd and gzip', zstd: 'zstd', gzip: 'gzip', off: 'no compression' }

/** The sections in their order, without the first one, which every site has. */
export const editorSections: readonly EditorSection[] = [
  {
    name: 'tls',
    title: 'TLS and HTTPS',
    members: ['tls', 'force_https', 'hsts'],
    summary: (draft) => [
      tlsName(draft),
      when(draft.tls.mode !== 'off' && draft.force_https, 'redirects to HTTPS'),
      when(draft.hsts !== null, 'HSTS'),
      when(draft.tls.client_auth_ca_id !== null, 'requires client certificates'),
    ],
    Content: TlsSection,
  },
  {
    name: 'headers',
    title: 'Headers and compression',
    members: ['compression', 'request_headers', 'response_headers'],
    fits: isForm,
    summary: ({ compression, request_headers: request, response_headers: response }) => [
      compressionNames[compression],
      counted([...request, ...response], 'header'),
    ],
    Content: HeaderSection,
  },
  {
    name: 'access',
    title: 'Access',
    members: ['reach', 'sign_in', 'basic_auth', 'forward_auth', 'access'],
    summary: ({ reach, sign_in: signIn, basic_auth: users, forward_auth: forward, access }) => [
      when(reach !== 'everyone', reach === 'home' ? 'home and VPN only' : 'VPN only'),
      when(signIn !== null, 'visitors sign in'),
      when(
        reach === 'everyone' && signIn === null && users.length === 0 && forward === null && access.allow.length === 0,
        'open to everybody',
      ),
      counted(users, 'user'),
      when(forward !== null, 'another server decides'),
      when(access.allow.length > 0, `only ${formatCount(access.allow.length, 'network')}`),
      when(access.deny.length > 0, `not ${formatCount(access.deny.length, 'network')}`),
      when(access.noindex || access.block_bots, 'no robots'),
    ],
    Content: AccessSection,
  },
  {
    name: 'servers',
    title: 'Load balancing and health checks',
    members: ['lb', 'health', 'timeouts', 'upstream_tls', 'upstream_host'],
    fits: ({ kind }) => kind === 'proxy',
    summary: (draft) => [
      when(draft.lb.policy !== 'round_robin', draft.lb.policy.replaceAll('_', ' ')),
      when(draft.health.active !== null || draft.health.passive !== null, 'health checks'),
      when(!isSame(draft.timeouts, blankDraft.timeouts), 'time limits'),
      when(!draft.upstream_tls.verify, 'certificates are not checked'),
    ],
    Content: () => <ServerSection prefix="" />,
  },
  {
    name: 'paths',
    title: 'Paths',
    members: ['paths'],
    fits: isForm,
    summary: ({ paths }) => [
      paths
        .map(({ path }) => path)
        .filter((path) => path !== '')
        .join(', '),
    ],
    Content: PathSection,
  },
  {
    name: 'redirects',
    title: 'Redirects',
    members: ['redirects'],
    summary: ({ redirects }) => [counted(redirects, 'redirect')],
    Content: RedirectSection,
  },
  {
    name: 'limits',
    title: 'Limits, error page and log',
    members: ['max_body', 'error_page', 'log'],
    summary: (draft) => [
      when(draft.max_body !== null, `at most ${formatBytes(draft.max_body ?? 0)}`),
      when(draft.error_page !== null, 'error page'),
      when(!draft.log.enabled, 'no log'),
    ],
    Content: LimitSection,
  },
  {
    name: 'check',
    title: 'Checks',
    members: ['check'],
    summary: ({ check }) => [
      check.enabled ? `every ${formatDuration(check.interval_seconds)}` : 'off',
      when(check.enabled && check.path !== '/', check.path),
      when(check.enabled && check.expected_text !== null, 'expects a text'),
    ],
    Content: CheckSection,
  },
  {
    name: 'maintenance',
    title: 'Maintenance',
    members: ['maintenance_mode', 'maintenance'],
    summary: (draft) => [when(draft.maintenance_mode, 'on')],
    Content: MaintenanceSection,
  },
]
