import { page, type Page } from '@hearth/ui'
import { IconDevices } from '@tabler/icons-react'

/** Every page of the service: its address, how it is shown, who sees it, and the file it is in. */
export const pages: readonly Page[] = [
  page('/peers/:id?', { title: 'Peers', icon: IconDevices }, async () => (await import('./pages/peers.tsx')).PeersPage),
]
