import { IconMusicDown, IconShieldLock, IconSolarPanel2, IconWorld } from '@tabler/icons-react'
import { accentFrom } from './accent.ts'
import type { Service } from './service.ts'

/** Name, icon and accent of every Hearth service. */
export const hearthServices = {
  vpn: { name: 'VPN', icon: IconShieldLock, accent: accentFrom(42) },
  inverter: { name: 'Inverter', icon: IconSolarPanel2, accent: accentFrom(82) },
  media: { name: 'Media', icon: IconMusicDown, accent: accentFrom(305) },
  sites: { name: 'Sites', icon: IconWorld, accent: accentFrom(218) },
} as const satisfies Record<string, Pick<Service, 'name' | 'icon' | 'accent'>>
