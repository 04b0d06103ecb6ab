import { page, type Page } from '@hearth/ui'
import { IconChartBar, IconDownload, IconLogin2, IconMusic, IconSettings } from '@tabler/icons-react'

/** Every page of the service: its address, how it is shown, and the file it is in. There is one account, or none. */
export const pages: readonly Page[] = [
  page(
    '/',
    { title: 'Downloads', icon: IconDownload },
    async () => (await import('./pages/dashboard.tsx')).DashboardPage,
  ),
  page(
    '/job/:id',
    { title: 'Download', icon: IconMusic, place: 'hidden' },
    async () => (await import('./pages/job.tsx')).JobPage,
  ),
  page(
    '/statistics',
    { title: 'Statistics', icon: IconChartBar },
    async () => (await import('./pages/statistics.tsx')).StatisticsPage,
  ),
  page(
    '/settings',
    { title: 'Settings', icon: IconSettings },
    async () => (await import('./pages/settings.tsx')).SettingsPage,
  ),
  page(
    '/login',
    { title: 'Sign in', icon: IconLogin2, place: 'hidden' },
    async () => (await import('./pages/signed-in.tsx')).SignedInPage,
  ),
]
