import { useSession } from '@hearth/ui'
import { IconShieldX } from '@tabler/icons-react'
import { StateBanner, To } from '../drift/state-banners.tsx'
import { useVpnLink } from './read-link.ts'

/** A banner while the linked VPN cannot be used. */
export function VpnBanner() {
  const { isAdmin } = useSession()
  const { data } = useVpnLink(isAdmin)
  if (data?.state !== 'failing') return null
  return (
    <StateBanner
      color="yellow"
      icon={<IconShieldX aria-hidden />}
      title="The linked VPN cannot be used"
      text={`${data.problem ?? ''} Until it works again, changed names of sites do not reach devices inside.`}
      action={<To href="/settings/vpn">Inside and outside</To>}
    />
  )
}
