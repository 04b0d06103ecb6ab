import type { ComponentType } from 'react'
import { AccessSection } from './access-section.tsx'
import type { Draft } from './draft.ts'
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
  readonly fits: (draft: Draft) => boolean
  readonly Content: ComponentType
}

const always = () => true
const serves = ({ kind }: Draft) => kind !== 'raw'

/** The parts in their order; the first fields of a site stand before them. */
export const editorSections: readonly EditorSection[] = [
  {
    name: 'tls',
    title: 'TLS and HTTPS',
    members: ['tls', 'force_https', 'hsts'],
    fits: always,
    Content: TlsSection,
  },
  {
    name: 'headers',
    title: 'Headers and compression',
    members: ['compression', 'request_headers', 'response_headers'],
    fits: serves,
    Content: HeaderSection,
  },
  {
    name: 'access',
    title: 'Access',
    members: ['basic_auth', 'forward_auth', 'access'],
    fits: always,
    Content: AccessSection,
  },
  {
    name: 'servers',
    title: 'Load balancing and health checks',
    members: ['lb', 'health', 'timeouts', 'upstream_tls', 'upstream_host'],
    fits: ({ kind }) => kind === 'proxy',
    Content: () => <ServerSection prefix="" />,
  },
  { name: 'paths', title: 'Paths', members: ['paths'], fits: serves, Content: PathSection },
  { name: 'redirects', title: 'Redirects', members: ['redirects'], fits: always, Content: RedirectSection },
  {
    name: 'limits',
    title: 'Limits, error page and log',
    members: ['max_body', 'error_page', 'log'],
    fits: always,
    Content: LimitSection,
  },
  {
    name: 'maintenance',
    title: 'Maintenance',
    members: ['maintenance_mode', 'maintenance'],
    fits: always,
    Content: MaintenanceSection,
  },
]
