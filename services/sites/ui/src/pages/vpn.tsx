import { Stack } from '@mantine/core'
import { PageHeader, QueryState } from '@hearth/ui'
import { BackLink } from '../navigation/back-link.tsx'
import { InsideSection } from '../vpn/inside-section.tsx'
import { LinkSection } from '../vpn/link-section.tsx'
import { useVpnLink } from '../vpn/read-link.ts'

/** Which networks are inside, and the VPN that leads names of sites to Caddy there. */
export function VpnPage() {
  const link = useVpnLink()
  return (
    <>
      <BackLink href="/settings">Settings</BackLink>
      <PageHeader
        title="Inside and outside"
        description="Who counts as inside, for sites that are not for everyone, and how devices inside find Caddy."
      />
      <QueryState query={link} lines={8} />
      {link.data !== undefined && (
        <Stack>
          <LinkSection link={link.data} />
          <InsideSection link={link.data} />
        </Stack>
      )}
    </>
  )
}
