import { page, type Page } from '@hearth/ui'
import {
  IconCertificate,
  IconConfetti,
  IconFileImport,
  IconGitCompare,
  IconHistory,
  IconLayoutDashboard,
  IconPlugConnected,
  IconServer2,
  IconSettings,
  IconUserCircle,
  IconUsers,
  IconWorldWww,
} from '@tabler/icons-react'

/** Every page of the service: its address, how it is shown, who sees it, and the file it is in. */
export const pages: readonly Page[] = [
  page('/', { title: 'Dashboard', icon: IconLayoutDashboard }, () => import('./pages/dashboard.tsx')),
  page('/sites', { title: 'Sites', icon: IconWorldWww, role: 'admin' }, () => import('./pages/sites.tsx')),
  page(
    '/sites/:id',
    { title: 'Site', icon: IconWorldWww, role: 'admin', placement: 'hidden' },
    () => import('./pages/site.tsx'),
  ),
  page('/certificates', { title: 'Certificates', icon: IconCertificate }, () => import('./pages/certificates.tsx')),
  page('/revisions', { title: 'Revisions', icon: IconHistory, role: 'admin' }, () => import('./pages/revisions.tsx')),
  page(
    '/revisions/:id',
    { title: 'Revision', icon: IconHistory, role: 'admin', placement: 'hidden' },
    () => import('./pages/revision.tsx'),
  ),
  page(
    '/drift',
    { title: 'Drift', icon: IconGitCompare, role: 'admin', placement: 'hidden' },
    () => import('./pages/drift.tsx'),
  ),
  page(
    '/servers',
    { title: 'Caddy servers', icon: IconServer2, role: 'admin', placement: 'more' },
    () => import('./pages/servers.tsx'),
  ),
  page(
    '/users',
    { title: 'Users', icon: IconUsers, role: 'admin', placement: 'more' },
    () => import('./pages/users.tsx'),
  ),
  page(
    '/settings',
    { title: 'Settings', icon: IconSettings, role: 'admin', placement: 'more' },
    () => import('./pages/settings.tsx'),
  ),
  page('/account', { title: 'Account', icon: IconUserCircle, placement: 'menu' }, () => import('./pages/account.tsx')),
  page(
    '/onboarding',
    { title: 'Take over Caddy', icon: IconPlugConnected, role: 'admin', placement: 'hidden' },
    () => import('./pages/onboarding.tsx'),
  ),
  page(
    '/import',
    { title: 'Import sites', icon: IconFileImport, role: 'admin', placement: 'hidden' },
    () => import('./pages/import.tsx'),
  ),
  page('/welcome', { title: 'Welcome', icon: IconConfetti, placement: 'hidden' }, () => import('./pages/welcome.tsx')),
]
