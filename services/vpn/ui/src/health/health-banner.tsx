import { Alert, Text } from '@mantine/core'
import { IconAlertTriangle, IconFlask } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { HealthNotice } from '../api.ts'

/** The page on which each notice is dealt with. */
const pages: Partial<Record<HealthNotice['code'], { href: string; label: string }>> = {
  upstreams_failing: { href: '/dns/settings', label: 'DNS settings' },
  upstream_failing: { href: '/dns/settings', label: 'DNS settings' },
  interface_failed: { href: '/interfaces', label: 'Interfaces' },
  no_names: { href: '/dns/lists', label: 'Block lists' },
  lists_not_updated: { href: '/dns/lists', label: 'Block lists' },
}

/** Says what is wrong and what to do about it; nothing when all is well. */
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
