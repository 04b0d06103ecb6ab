import { Alert, Text } from '@mantine/core'
import { IconAlertTriangle, IconFlask, IconInfoCircle } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { Dashboard, HealthNotice } from '../api.ts'

/** The page on which each notice is dealt with. */
const pages: Partial<Record<HealthNotice['code'], { href: string; label: string }>> = {
  upstreams_failing: { href: '/dns/settings', label: 'DNS settings' },
  upstream_failing: { href: '/dns/settings', label: 'DNS settings' },
  interface_failed: { href: '/interfaces', label: 'Interfaces' },
  no_names: { href: '/dns/lists', label: 'Block lists' },
  lists_not_updated: { href: '/dns/lists', label: 'Block lists' },
}

/** Notices about what is wrong and what to do; nothing when all is well. */
export function HealthBanner({ notices }: { notices: readonly HealthNotice[] }) {
  if (notices.length === 0) return null
  return (
    <section aria-label="Health" className="health-banner">
      {notices.map((notice) => (
        <Notice key={notice.code} notice={notice} />
      ))}
    </section>
  )
}

function Notice({ notice }: { notice: HealthNotice }) {
  const { code, severity, title, detail, advice } = notice
  const page = pages[code]
  return (
    <Alert
      role="note"
      color={severity === 'critical' ? 'red' : 'yellow'}
      icon={code === 'simulated' ? <IconFlask aria-hidden /> : <IconAlertTriangle aria-hidden />}
      title={title}
    >
      <Text size="sm" className="health-detail">
        {detail}
      </Text>
      <Text size="sm">
        What to do: {advice}{' '}
        {page !== undefined && (
          <Link href={page.href} className="hearth-link">
            {page.label}
          </Link>
        )}
      </Text>
    </Alert>
  )
}

/** Note that a better data plane exists. Simulated tunnels have a health notice instead. */
export function BackendBanner({ system }: { system: Dashboard['system'] }) {
  if (system.backend === 'simulated' || system.backend_advice === null) return null
  return (
    <Alert
      role="note"
      className="backend-banner"
      color="gray"
      icon={<IconInfoCircle aria-hidden />}
      title="WireGuard runs as a program, not in the kernel"
    >
      <Text>Why: {system.backend_reason}.</Text>
      <Text>What to do: {system.backend_advice}</Text>
    </Alert>
  )
}
