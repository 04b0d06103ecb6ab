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
  page(
    '/',
    { title: 'Dashboard', icon: IconLayoutDashboard },
    async () => (await import('./pages/dashboard.tsx')).DashboardPage,
  ),
  page(
    '/sites',
    { title: 'Sites', icon: IconWorldWww, role: 'admin' },
    async () => (await import('./pages/sites.tsx')).SitesPage,
  ),
  page(
    '/sites/:id',
    { title: 'Site', icon: IconWorldWww, role: 'admin', place: 'hidden' },
    async () => (await import('./pages/site.tsx')).SitePage,
  ),
  page(
    '/certificates',
    { title: 'Certificates', icon: IconCertificate },
    async () => (await import('./pages/certificates.tsx')).CertificatesPage,
  ),
  page(
    '/revisions',
    { title: 'Revisions', icon: IconHistory, role: 'admin' },
    async () => (await import('./pages/revisions.tsx')).RevisionsPage,
  ),
  page(
    '/revisions/:id',
    { title: 'Revision', icon: IconHistory, role: 'admin', place: 'hidden' },
    async () => (await import('./pages/revision.tsx')).RevisionPage,
  ),
  page(
    '/drift',
    { title: 'Drift', icon: IconGitCompare, role: 'admin', place: 'hidden' },
    async () => (await import('./pages/drift.tsx')).DriftPage,
  ),
  page(
    '/servers',
    { title: 'Caddy servers', icon: IconServer2, role: 'admin', place: 'more' },
    async () => (await import('./pages/servers.tsx')).ServersPage,
  ),
  page(
    '/users',
    { title: 'Users', icon: IconUsers, role: 'admin', place: 'more' },
    async () => (await import('./pages/users.tsx')).UsersPage,
  ),
  page(
    '/settings',
    { title: 'Settings', icon: IconSettings, role: 'admin', place: 'more' },
    async () => (await import('./pages/settings.tsx')).SettingsPage,
  ),
  page(
    '/account',
    { title: 'Account', icon: IconUserCircle, place: 'menu' },
    async () => (await import('./pages/account.tsx')).AccountPage,
  ),
  page(
    '/onboarding',
    { title: 'Take over Caddy', icon: IconPlugConnected, role: 'admin', place: 'hidden' },
    async () => (await import('./pages/onboarding.tsx')).OnboardingPage,
  ),
  page(
    '/import',
    { title: 'Import sites', icon: IconFileImport, role: 'admin', place: 'hidden' },
    async () => (await import('./pages/import.tsx')).ImportPage,
  ),
  page(
    '/welcome',
    { title: 'Welcome', icon: IconConfetti, place: 'hidden' },
    async () => (await import('./pages/welcome.tsx')).WelcomePage,
  ),
]
