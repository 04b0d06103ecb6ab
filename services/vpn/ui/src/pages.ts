import { page, type Page } from '@hearth/ui'
import {
  IconChartBar,
  IconDevices,
  IconLayoutDashboard,
  IconNetwork,
  IconSettings,
  IconShieldCheck,
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
  page('/dns', { title: 'DNS', icon: IconShieldCheck }, async () => (await import('./pages/dns.tsx')).DnsPage),
  page(
    '/dns/log',
    { title: 'DNS log', icon: IconShieldCheck, role: 'admin', place: 'hidden' },
    async () => (await import('./pages/dns-log.tsx')).DnsLogPage,
  ),
  page(
    '/dns/rules',
    { title: 'DNS rules', icon: IconShieldCheck, place: 'hidden' },
    async () => (await import('./pages/dns-rules.tsx')).DnsRulesPage,
  ),
  page(
    '/dns/lists',
    { title: 'Block lists', icon: IconShieldCheck, place: 'hidden' },
    async () => (await import('./pages/dns-lists.tsx')).DnsListsPage,
  ),
  page(
    '/dns/settings',
    { title: 'DNS settings', icon: IconShieldCheck, role: 'admin', place: 'hidden' },
    async () => (await import('./pages/dns-settings.tsx')).DnsSettingsPage,
  ),
  page(
    '/traffic',
    { title: 'Traffic', icon: IconChartBar },
    async () => (await import('./pages/traffic.tsx')).TrafficPage,
  ),
  page(
    '/traffic/countries',
    { title: 'Countries', icon: IconChartBar, place: 'hidden' },
    async () => (await import('./pages/countries.tsx')).CountriesPage,
  ),
  page(
    '/traffic/networks',
    { title: 'Networks', icon: IconChartBar, place: 'hidden' },
    async () => (await import('./pages/networks.tsx')).NetworksPage,
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
    '/profile',
    { title: 'Profile', icon: IconUserCircle, place: 'menu' },
    async () => (await import('./pages/profile.tsx')).ProfilePage,
  ),
]
