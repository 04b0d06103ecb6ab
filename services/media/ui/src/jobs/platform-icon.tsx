import {
  IconBrandFacebook,
  IconBrandInstagram,
  IconBrandTiktok,
  IconBrandYoutube,
  IconWorld,
} from '@tabler/icons-react'
import type { Platform } from '../api.ts'

const icons = {
  youtube: IconBrandYoutube,
  tiktok: IconBrandTiktok,
  instagram: IconBrandInstagram,
  facebook: IconBrandFacebook,
} as const

/** The sign of a platform, a globe for an address of none of them; its name has to stand beside it. */
export function PlatformIcon({ platform, size = 16 }: { platform: Platform | undefined; size?: number }) {
  const Icon = platform === undefined ? IconWorld : icons[platform]
  return <Icon size={size} stroke={1.7} aria-hidden />
}
