import { page, type Page } from '@hearth/ui'
import {
  IconDevices,
  IconLayoutDashboard,
  IconNetwork,
  IconSettings,
  IconUserCircle,
  IconUsers,
} from '@tabler/icons-react'

/** Every page of the service: its address, how it is shown, who sees it, and the file it is in. */
export const pages: readonly Page[] = [
  page(
    '/',
    { title: 'Overview', icon: IconLayoutDashboard },
    async () => (await import('./pages/overview.tsx')).OverviewPage,
  ),
  page(
    '/interfaces',
    { title: 'Interfaces', icon: IconNetwork },
    async () => (await import('./pages/interfaces.tsx')).InterfacesPage,
  ),
  page('/peers/:id?', { title: 'Peers', icon: IconDevices }, async () => (await import('./pages/peers.tsx')).PeersPage),
  page(
    '/users',
    { title: 'Users', icon: IconUsers, role: 'admin' },
    async () => (await import('./pages/users.tsx')).UsersPage,
  ),
  page(
    '/settings',
    { title: 'Settings', icon: IconSettings, role: 'admin' },
    async () => (await import('./pages/settings.tsx')).SettingsPage,
  ),
  page(
    '/profile',
    { title: 'Profile', icon: IconUserCircle, place: 'menu' },
    async () => (await import('./pages/profile.tsx')).ProfilePage,
  ),
]
