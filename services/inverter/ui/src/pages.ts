import { page, type Page } from '@hearth/ui'
import {
  IconActivityHeartbeat,
  IconBatteryAutomotive,
  IconBell,
  IconBroadcast,
  IconCalendarBolt,
  IconCamera,
  IconChartAreaLine,
  IconChartDots,
  IconDatabaseExport,
  IconHistory,
  IconInfoCircle,
  IconKey,
  IconLayoutDashboard,
  IconSettings,
  IconShare3,
  IconSolarElectricity,
} from '@tabler/icons-react'

/** Every page of the service: its address, how it is shown, and the file it is in. There is one role, the administrator. */
export const pages: readonly Page[] = [
  page('/', { title: 'Dashboard', icon: IconLayoutDashboard }, () => import('./pages/dashboard.tsx')),
  page('/inverters/:id?', { title: 'Inverters', icon: IconSolarElectricity }, () => import('./pages/inverters.tsx')),
  page('/energy/:id?', { title: 'Energy', icon: IconBatteryAutomotive }, () => import('./pages/energy.tsx')),
  page('/history/:id?', { title: 'History', icon: IconChartAreaLine }, () => import('./pages/history.tsx')),
  page('/plan', { title: 'Plan', icon: IconCalendarBolt }, () => import('./pages/plan.tsx')),
  page(
    '/plan/days',
    { title: 'Past days', icon: IconCalendarBolt, placement: 'hidden' },
    () => import('./pages/plan-days.tsx'),
  ),
  page(
    '/parameters/:id?',
    { title: 'Parameters', icon: IconCamera, placement: 'more' },
    () => import('./pages/parameters.tsx'),
  ),
  page('/tokens', { title: 'Tokens', icon: IconKey, placement: 'more' }, () => import('./pages/tokens.tsx')),
  page(
    '/prometheus',
    { title: 'Prometheus', icon: IconChartDots, placement: 'more' },
    () => import('./pages/prometheus.tsx'),
  ),
  page('/mqtt', { title: 'MQTT', icon: IconBroadcast, placement: 'more' }, () => import('./pages/mqtt.tsx')),
  page(
    '/shared-port',
    { title: 'Shared port', icon: IconShare3, placement: 'more' },
    () => import('./pages/shared-port.tsx'),
  ),
  page(
    '/time-series',
    { title: 'Time series', icon: IconDatabaseExport, placement: 'more' },
    () => import('./pages/time-series.tsx'),
  ),
  page(
    '/diagnostics',
    { title: 'Diagnostics', icon: IconActivityHeartbeat, placement: 'more' },
    () => import('./pages/diagnostics.tsx'),
  ),
  page('/settings', { title: 'Settings', icon: IconSettings }, () => import('./pages/settings.tsx')),
  page(
    '/settings/notifications',
    { title: 'Notifications', icon: IconBell, placement: 'hidden' },
    () => import('./pages/notifications.tsx'),
  ),
  page(
    '/security-log',
    { title: 'Security log', icon: IconHistory, placement: 'menu' },
    () => import('./pages/security-log.tsx'),
  ),
  page('/about', { title: 'About', icon: IconInfoCircle, placement: 'more' }, () => import('./pages/about.tsx')),
]
