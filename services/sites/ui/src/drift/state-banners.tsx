import { Alert, Button, Text } from '@mantine/core'
import { useSession } from '@hearth/ui'
import { IconGitCompare, IconPlugConnectedX, IconWorldCog } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { type CaddyStatus, useCaddyStatus } from './read-status.ts'

/** A banner while Caddy is not taken over, not reachable, or changed by somebody else. */
export function StateBanners() {
  const { isAdmin } = useSession()
  const { data } = useCaddyStatus(isAdmin)
  const banner = data === undefined ? undefined : bannerOf(data)
  return banner === undefined ? null : <StateBanner {...banner} />
}

/** A banner that says what is wrong, with the way to where it is mended. */
export function StateBanner({ color, icon, title, text, action }: Banner) {
  return (
    <Alert className="state-banner" color={color} icon={icon} title={title} role="note">
      <div className="state-banner-body">
        <Text size="sm">{text}</Text>
        {action}
      </div>
    </Alert>
  )
}

interface Banner {
  readonly color: string
  readonly icon: ReactNode
  readonly title: string
  readonly text: string
  readonly action?: ReactNode
}

function bannerOf(status: CaddyStatus): Banner | undefined {
  if (!status.admin_api_reachable)
    return {
      color: 'red',
      icon: <IconPlugConnectedX aria-hidden />,
      title: 'Caddy does not answer',
      text: `${status.error ?? 'Its admin endpoint cannot be reached.'} Sites go on as they are; changes wait until it answers.`,
      action: <To href="/servers">Caddy servers</To>,
    }
  if (status.onboarding_required)
    return {
      color: 'yellow',
      icon: <IconWorldCog aria-hidden />,
      title: 'Caddy is not taken over yet',
      text: 'Until it is, sites are kept here and not served.',
      action: <To href="/onboarding">Take over Caddy</To>,
    }
  if (status.drifted)
    return {
      color: 'yellow',
      icon: <IconGitCompare aria-hidden />,
      title: 'Somebody else changed what Caddy runs',
      text: 'Changes made here wait until you have decided which of the two is right.',
      action: <To href="/drift">See what differs</To>,
    }
  return undefined
}

/** The link of a banner. */
export function To({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Button component={Link} href={href} variant="default" size="xs">
      {children}
    </Button>
  )
}
