import { page, type Page } from '@hearth/ui'
import {
  IconBell,
  IconBooks,
  IconChartBar,
  IconDownload,
  IconHistory,
  IconLink,
  IconLogin2,
  IconMusic,
  IconRepeat,
  IconSettings,
} from '@tabler/icons-react'

/** Every page of the service: its address, how it is shown, and the file it is in. There is one account, or none. */
export const pages: readonly Page[] = [
  page('/', { title: 'Downloads', icon: IconDownload }, () => import('./pages/dashboard.tsx')),
  page('/library', { title: 'Library', icon: IconBooks }, () => import('./pages/library.tsx')),
  page(
    '/followed',
    { title: 'Followed lists', icon: IconRepeat, placement: 'more' },
    () => import('./pages/followed.tsx'),
  ),
  page('/job/:id', { title: 'Download', icon: IconMusic, placement: 'hidden' }, () => import('./pages/job.tsx')),
  page(
    '/job/:id/workbench',
    { title: 'Workbench', icon: IconMusic, placement: 'hidden' },
    () => import('./pages/workbench.tsx'),
  ),
  page('/links', { title: 'Shared links', icon: IconLink }, () => import('./pages/shares.tsx')),
  page('/statistics', { title: 'Statistics', icon: IconChartBar }, () => import('./pages/statistics.tsx')),
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
  page('/login', { title: 'Sign in', icon: IconLogin2, placement: 'hidden' }, () => import('./pages/signed-in.tsx')),
]
