import { page, type Page } from '@hearth/ui'
import {
  IconApps,
  IconBell,
  IconCertificate,
  IconConfetti,
  IconFileImport,
  IconGitCompare,
  IconHeartbeat,
  IconHistory,
  IconLayoutDashboard,
  IconListDetails,
  IconLockAccess,
  IconPlugConnected,
  IconServer2,
  IconSettings,
  IconShieldLock,
  IconUserCircle,
  IconUsers,
  IconWorldCog,
  IconWorldWww,
} from '@tabler/icons-react'

const admin = { role: 'admin' } as const
const more = { ...admin, placement: 'more' } as const
const hidden = { ...admin, placement: 'hidden' } as const

/** Every page of the service: its address, how it is shown, who sees it, and the file it is in. */
export const pages: readonly Page[] = [
  page('/', { title: 'Dashboard', icon: IconLayoutDashboard }, () => import('./pages/dashboard.tsx')),
  page('/sites', { ...admin, title: 'Sites', icon: IconWorldWww }, () => import('./pages/sites.tsx')),
  page('/sites/:id', { ...hidden, title: 'Site', icon: IconWorldWww }, () => import('./pages/site.tsx')),
  page('/uptime', { ...admin, title: 'Uptime', icon: IconHeartbeat }, () => import('./pages/uptime.tsx')),
  page('/certificates', { title: 'Certificates', icon: IconCertificate }, () => import('./pages/certificates.tsx')),
  page(
    '/certificates/orders/:id',
    { ...hidden, title: 'Ordered certificate', icon: IconCertificate },
    () => import('./pages/order.tsx'),
  ),
  page(
    '/certificates/dns',
    { ...hidden, title: 'DNS providers', icon: IconWorldCog },
    () => import('./pages/dns-providers.tsx'),
  ),
  page('/revisions', { ...admin, title: 'Revisions', icon: IconHistory }, () => import('./pages/revisions.tsx')),
  page('/revisions/:id', { ...hidden, title: 'Revision', icon: IconHistory }, () => import('./pages/revision.tsx')),
  page('/drift', { ...hidden, title: 'Drift', icon: IconGitCompare }, () => import('./pages/drift.tsx')),
  page('/servers', { ...more, title: 'Caddy servers', icon: IconServer2 }, () => import('./pages/servers.tsx')),
  page('/access', { ...more, title: 'Access', icon: IconLockAccess }, () => import('./pages/access.tsx')),
  page('/applications', { ...more, title: 'Applications', icon: IconApps }, () => import('./pages/applications.tsx')),
  page('/users', { ...more, title: 'Users', icon: IconUsers }, () => import('./pages/users.tsx')),
  page('/settings', { ...more, title: 'Settings', icon: IconSettings }, () => import('./pages/settings.tsx')),
  page(
    '/settings/vpn',
    { ...hidden, title: 'Inside and outside', icon: IconShieldLock },
    () => import('./pages/vpn.tsx'),
  ),
  page(
    '/settings/notifications',
    { ...hidden, title: 'Notifications', icon: IconBell },
    () => import('./pages/notifications.tsx'),
  ),
  page(
    '/security-log',
    { title: 'Security log', icon: IconListDetails, placement: 'menu' },
    () => import('./pages/security-log.tsx'),
  ),
  page('/account', { title: 'Account', icon: IconUserCircle, placement: 'menu' }, () => import('./pages/account.tsx')),
  page(
    '/onboarding',
    { ...hidden, title: 'Take over Caddy', icon: IconPlugConnected },
    () => import('./pages/onboarding.tsx'),
  ),
  page('/import', { ...hidden, title: 'Import sites', icon: IconFileImport }, () => import('./pages/import.tsx')),
  page('/welcome', { title: 'Welcome', icon: IconConfetti, placement: 'hidden' }, () => import('./pages/welcome.tsx')),
]
