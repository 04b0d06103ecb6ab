import { page, type Page } from '@hearth/ui'
import {
  IconArrowsCross,
  IconBell,
  IconBulb,
  IconChartBar,
  IconDevices,
  IconDeviceMobile,
  IconFileCode,
  IconHistory,
  IconLayoutDashboard,
  IconNetwork,
  IconServer2,
  IconSettings,
  IconShieldCheck,
  IconUserCircle,
  IconUsers,
} from '@tabler/icons-react'
import { OpenHintCount } from './hints/open-hints.tsx'

/** Every page of the service: its address, how it is shown, who sees it, and the file it is in. */
export const pages: readonly Page[] = [
  page('/', { title: 'Overview', icon: IconLayoutDashboard }, () => import('./pages/overview.tsx')),
  page('/interfaces', { title: 'Interfaces', icon: IconNetwork }, () => import('./pages/interfaces.tsx')),
  page(
    '/interfaces/nodes',
    { title: 'Nodes', icon: IconServer2, role: 'admin', placement: 'hidden' },
    () => import('./pages/nodes.tsx'),
  ),
  page('/peers/:id?', { title: 'Peers', icon: IconDevices }, () => import('./pages/peers.tsx')),
  page('/access', { title: 'Access', icon: IconArrowsCross }, () => import('./pages/access.tsx')),
  page('/dns', { title: 'DNS', icon: IconShieldCheck }, () => import('./pages/dns.tsx')),
  page(
    '/dns/log',
    { title: 'DNS log', icon: IconShieldCheck, role: 'admin', placement: 'hidden' },
    () => import('./pages/dns-log.tsx'),
  ),
  page(
    '/dns/rules',
    { title: 'DNS rules', icon: IconShieldCheck, placement: 'hidden' },
    () => import('./pages/dns-rules.tsx'),
  ),
  page(
    '/dns/profiles',
    { title: 'DNS profiles', icon: IconShieldCheck, placement: 'hidden' },
    () => import('./pages/dns-profiles.tsx'),
  ),
  page(
    '/dns/requests',
    { title: 'DNS requests', icon: IconShieldCheck, role: 'admin', placement: 'hidden' },
    () => import('./pages/dns-requests.tsx'),
  ),
  page(
    '/dns/names',
    { title: 'Local names', icon: IconShieldCheck, placement: 'hidden' },
    () => import('./pages/dns-names.tsx'),
  ),
  page(
    '/dns/zones',
    { title: 'DNS zones', icon: IconShieldCheck, placement: 'hidden' },
    () => import('./pages/dns-zones.tsx'),
  ),
  page(
    '/dns/lists',
    { title: 'Block lists', icon: IconShieldCheck, placement: 'hidden' },
    () => import('./pages/dns-lists.tsx'),
  ),
  page(
    '/dns/settings',
    { title: 'DNS settings', icon: IconShieldCheck, role: 'admin', placement: 'hidden' },
    () => import('./pages/dns-settings.tsx'),
  ),
  page('/traffic', { title: 'Traffic', icon: IconChartBar }, () => import('./pages/traffic.tsx')),
  page(
    '/traffic/countries',
    { title: 'Countries', icon: IconChartBar, placement: 'hidden' },
    () => import('./pages/countries.tsx'),
  ),
  page(
    '/traffic/networks',
    { title: 'Networks', icon: IconChartBar, placement: 'hidden' },
    () => import('./pages/networks.tsx'),
  ),
  page(
    '/hints',
    { title: 'Hints', icon: IconBulb, role: 'admin', placement: 'more', badge: OpenHintCount },
    () => import('./pages/hints.tsx'),
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
  page(
    '/settings/notifications',
    { title: 'Notifications', icon: IconBell, role: 'admin', placement: 'hidden' },
    () => import('./pages/notifications.tsx'),
  ),
  page(
    '/settings/as-code',
    { title: 'As code', icon: IconFileCode, role: 'admin', placement: 'hidden' },
    () => import('./pages/as-code.tsx'),
  ),
  page(
    '/security-log',
    { title: 'Security log', icon: IconHistory, placement: 'menu' },
    () => import('./pages/security-log.tsx'),
  ),
  page('/profile', { title: 'Profile', icon: IconUserCircle, placement: 'menu' }, () => import('./pages/profile.tsx')),
]

/** Pages for people who are not signed in. */
export const openPages: readonly Page[] = [
  page('/setup', { title: 'Set up a device', icon: IconDeviceMobile }, () => import('./pages/set-up-device.tsx')),
]
