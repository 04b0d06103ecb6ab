import { page, type Page } from '@hearth/ui'
import {
  IconActivityHeartbeat,
  IconBatteryAutomotive,
  IconChartDots,
  IconInfoCircle,
  IconKey,
  IconLayoutDashboard,
  IconSettings,
  IconSolarElectricity,
} from '@tabler/icons-react'

/** Every page of the service: its address, how it is shown, and the file it is in. There is one role, the administrator. */
export const pages: readonly Page[] = [
  page(
    '/',
    { title: 'Dashboard', icon: IconLayoutDashboard },
    async () => (await import('./pages/dashboard.tsx')).DashboardPage,
  ),
  page(
    '/inverters/:id?',
    { title: 'Inverters', icon: IconSolarElectricity },
    async () => (await import('./pages/inverters.tsx')).InvertersPage,
  ),
  page(
    '/energy/:id?',
    { title: 'Energy', icon: IconBatteryAutomotive },
    async () => (await import('./pages/energy.tsx')).EnergyPage,
  ),
  page(
    '/tokens',
    { title: 'Tokens', icon: IconKey, place: 'more' },
    async () => (await import('./pages/tokens.tsx')).TokensPage,
  ),
  page(
    '/prometheus',
    { title: 'Prometheus', icon: IconChartDots, place: 'more' },
    async () => (await import('./pages/prometheus.tsx')).PrometheusPage,
  ),
  page(
    '/diagnostics',
    { title: 'Diagnostics', icon: IconActivityHeartbeat, place: 'more' },
    async () => (await import('./pages/diagnostics.tsx')).DiagnosticsPage,
  ),
  page(
    '/settings',
    { title: 'Settings', icon: IconSettings },
    async () => (await import('./pages/settings.tsx')).SettingsPage,
  ),
  page(
    '/about',
    { title: 'About', icon: IconInfoCircle, place: 'more' },
    async () => (await import('./pages/about.tsx')).AboutPage,
  ),
]
